"""`tf.compat.v1.get_variable` and its scopes, which in TensorFlow 2 give names and share nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from enum import Enum
from typing import Any

from tapeflow.compat.v1 import initializers
from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.shaping import ensure_shape, identity


class Reuse(Enum):
    """Whether a scope gives a Variable again that it has given before."""

    AUTO_REUSE = 1


AUTO_REUSE = Reuse.AUTO_REUSE


class VariableScope:
    """What `variable_scope` gives: the beginning of names, and what Variables get if `get_variable` is not told."""

    def __init__(self, name: str, initializer: Any = None, dtype: Any = dtypes.float32) -> None:
        self.name = name
        self.initializer = initializer
        self.dtype = dtype
        self.reuse = AUTO_REUSE
        self.original_name_scope = f"{name}/" if name else ""
        self.caching_device: Any = None

    def set_caching_device(self, caching_device: Any) -> None:
        """Where values are kept for reading: remembered, and without effect."""
        self.caching_device = caching_device

    def set_initializer(self, initializer: Any) -> None:
        """What Variables begin with from now on."""
        self.initializer = initializer


_ROOT = VariableScope("")
_scope: ContextVar[VariableScope] = ContextVar("tapeflow_variable_scope", default=_ROOT)


def get_variable_scope() -> VariableScope:
    """The scope this is called in."""
    return _scope.get()


@contextmanager
def variable_scope(
    name_or_scope: Any = None,
    default_name: str | None = None,
    values: TensorLike | None = None,
    initializer: Any = None,
    dtype: DTypeLike | None = None,
    reuse: Any = None,
    **_: Any,
) -> Iterator[VariableScope]:
    """Names inside begin with this one.

    As in TensorFlow 2's eager mode `reuse` has no effect: every call of `get_variable` makes a Variable.
    """
    outer = _scope.get()
    if isinstance(name_or_scope, VariableScope):
        scope = name_or_scope
    else:
        name = name_or_scope or default_name
        if name is None:
            raise TypeError(
                "tf.compat.v1.variable_scope expected name_or_scope or default_name; got None for both. Give it a name."
            )
        scope = VariableScope(
            f"{outer.name}/{name}" if outer.name else name,
            initializer or outer.initializer,
            dtype or outer.dtype,
        )
    token = _scope.set(scope)
    try:
        yield scope
    finally:
        _scope.reset(token)


def get_variable(
    name: str,
    shape: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    **_: Any,
) -> Variable:
    """A Variable of this name, new at each call, as in TensorFlow 2's eager mode.

    Args:
        name: its name, below that of the scope.
        shape: its shape; not needed if `initializer` is a tensor.
        dtype: its dtype; the scope's if None.
        initializer: a function of a shape and a dtype, or a value; None for `glorot_uniform` or zeros.
        regularizer: not kept, as in eager mode.
        trainable: whether tapes watch it and optimizers change it.
    """
    scope = get_variable_scope()
    dtype = dtypes.as_dtype(dtype or scope.dtype)
    chosen = initializer if initializer is not None else scope.initializer
    if chosen is None:
        chosen = initializers.glorot_uniform() if dtype.is_floating else initializers.zeros()
    if isinstance(chosen, type):
        chosen = chosen()
    if callable(chosen) and shape is None:
        raise ValueError(
            f"tf.compat.v1.get_variable expected a shape; got shape=None for name={name!r}. Give one, or a value as "
            "the initializer."
        )
    value = chosen(shape, dtype=dtype) if callable(chosen) else chosen
    whole = f"{scope.name}/{name}" if scope.name else name
    return Variable(
        value, trainable=trainable is not False, name=whole, dtype=dtype if callable(chosen) else None
    )


def colocate_with(op: TensorLike, ignore_existing: bool = False) -> nullcontext[None]:
    """Nothing to do: XLA chooses where ops run."""
    return nullcontext()


def placeholder_with_default(input: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """The default, as in eager mode, where nothing feeds a placeholder; its shape must be compatible."""
    return identity(input) if shape is None else ensure_shape(input, shape)


def control_flow_v2_enabled() -> bool:
    """Whether loops and branches are functions: always."""
    return True
