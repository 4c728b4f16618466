"""Which dtypes an op takes, and the two factories that build uniform ops from JAX functions.

The check sits in the kernel, so it runs once for each new combination of shapes and dtypes, when
the engine infers the result, and costs nothing afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.ops.host_args import invalid


@dataclass(frozen=True)
class Domain:
    """A set of dtypes.

    Attributes:
        rule: how a message names the set.
        kinds: numpy's abstract scalar types that make it up.
        advice: what to do with a tensor outside of it.
    """

    rule: str
    kinds: tuple[Any, ...]
    advice: str

    def __contains__(self, dtype: Any) -> bool:
        return any(jnp.issubdtype(dtype, kind) for kind in self.kinds)

    def check(self, where: str, **tensors: Any) -> None:
        """Raise unless each named tensor has a dtype of this domain."""
        for name, tensor in tensors.items():
            if tensor.dtype not in self:
                found = "string" if tensor.dtype == object else tensor.dtype
                raise invalid(
                    f"{where} expected {self.rule} for {name}; got {name} of dtype {found} "
                    f"(shape {list(tensor.shape)}). {self.advice}"
                )


_TO_FLOAT = "Cast it first, for example with tf.cast(x, tf.float32)."

FLOATING = Domain("a floating-point tensor", (jnp.floating,), _TO_FLOAT)
INEXACT = Domain("a floating-point or complex tensor", (jnp.inexact,), _TO_FLOAT)
INTEGER = Domain("an integer tensor", (jnp.integer,), "Cast it first, for example with tf.cast(x, tf.int32).")
REAL = Domain("a real number tensor", (jnp.integer, jnp.floating), _TO_FLOAT)
NUMERIC = Domain("a number tensor", (jnp.number,), _TO_FLOAT)
BOOLEAN = Domain("a bool tensor", (jnp.bool_,), "Compare it first, as in x != 0, or use tf.cast(x, tf.bool).")
BITS = Domain(
    "an integer or bool tensor",
    (jnp.integer, jnp.bool_),
    "Cast it first, for example with tf.cast(x, tf.int32).",
)
ANY = Domain("a tensor of numbers or bools", (jnp.number, jnp.bool_), "Strings are not computed with.")


def unary(name: str, domain: Domain, function: Callable[[Any], Any], **options: Any) -> Op:
    """The op that applies `function` to one tensor of `domain`."""

    def kernel(x: jax.Array) -> jax.Array:
        domain.check(name, x=x)
        return function(x)

    kernel.__name__ = name
    return op(name=name, **options)(kernel)


def binary(name: str, domain: Domain, function: Callable[[Any, Any], Any], **options: Any) -> Op:
    """The op that applies `function` to two tensors of `domain`, which broadcast."""

    def kernel(x: jax.Array, y: jax.Array) -> jax.Array:
        domain.check(name, x=x)
        return function(x, y)

    kernel.__name__ = name
    return op(name=name, **options)(kernel)
