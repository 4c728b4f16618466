"""Evaluating a traced program on padded arrays.

Every array holds its true elements in front along each axis, and anything behind them. An axis of a symbolic size is as
long as that size is at the capacities. Most primitives are applied as they are; those that mix elements along an
axis, or depend on its length, have a rule here or in `rules_*`. What lies behind the true elements may be any number,
NaN included: rules replace it, they never multiply it by zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.shapes.expression import NotPadded, Size, evaluate, grows, has_symbols, is_symbolic

Rule = Callable[..., Any]
rules: dict[str, Rule] = {}
"""By the name of a primitive: a function of a `Padding`, an equation and its operands."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Have a function be the rule for primitives of these names."""

    def register(function: Rule) -> Rule:
        for name in names:
            rules[name] = function
        return function

    return register


class Padding:
    """The sizes of one evaluation.

    Args:
        capacities: what each symbol is at the most; arrays have this length.
        sizes: what it is in truth, as a scalar array.
    """

    def __init__(self, capacities: dict[str, int], sizes: dict[str, Any]) -> None:
        self.capacities = capacities
        self.sizes = sizes

    def capacity(self, size: Size) -> int:
        """How long an axis of this size is."""
        if not is_symbolic(size):
            return int(size)
        if not grows(size):
            raise NotPadded(f"an axis of size {size}, which may shrink as sizes grow")
        return evaluate(size, self.capacities)

    def shape(self, shape: Sequence[Size]) -> tuple[int, ...]:
        """The shape of an array whose true shape is `shape`."""
        return tuple([self.capacity(size) for size in shape])

    def size(self, size: Size) -> Any:
        """A size in truth: a number or a scalar array."""
        return evaluate(size, self.sizes)

    def is_true(self, shape: Sequence[Size], axis: int) -> Any:
        """For each element of an array of this true shape, whether it is a true one along an axis."""
        places = jax.lax.broadcasted_iota(jnp.int32, self.shape(shape), axis)
        return places < self.size(shape[axis])

    def masked(self, value: Any, shape: Sequence[Size], axes: Sequence[int], fill: Any) -> Any:
        """`value` with `fill` behind the true elements along `axes`."""
        for axis in axes:
            if is_symbolic(shape[axis]):
                value = jnp.where(self.is_true(shape, axis), value, jnp.asarray(fill, value.dtype))
        return value

    def run(self, jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        """The results of a jaxpr on padded arrays."""
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        values.update(zip(jaxpr.invars, arguments, strict=True))

        def read(atom: Any) -> Any:
            return atom.val if hasattr(atom, "val") else values[atom]

        for equation in jaxpr.eqns:
            found = self._apply(equation, [read(atom) for atom in equation.invars])
            if not equation.primitive.multiple_results:
                found = [found]
            values.update(zip(equation.outvars, found, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def closed(self, jaxpr: Any, arguments: Sequence[Any]) -> list[Any]:
        """The results of a closed jaxpr on padded arrays."""
        return self.run(jaxpr.jaxpr, jaxpr.consts, arguments)

    def _apply(self, equation: Any, operands: list[Any]) -> Any:
        name = equation.primitive.name
        shapes = [_shape(atom) for atom in (*equation.invars, *equation.outvars)]
        is_padded = any(has_symbols(shape) for shape in shapes)
        known = rules.get(name)
        if known is not None and (is_padded or name in ALWAYS):
            return known(self, equation, operands)
        if is_padded and name not in ELEMENTWISE:
            raise NotPadded(f"the primitive {name}")
        return bound(equation, operands)


def _shape(atom: Any) -> Any:
    return getattr(atom.aval, "shape", ())


def bound(equation: Any, operands: Sequence[Any], **changed: Any) -> Any:
    """An equation's primitive, applied to operands, with some parameters changed."""
    parameters = equation.primitive.get_bind_params(equation.params)
    return equation.primitive.bind(*operands, **{**parameters, **changed})


ALWAYS = {
    "dim_as_value",
    "scan",
    "while",
    "cond",
    "jit",
    "pjit",
    "closed_call",
    "core_call",
    "custom_jvp_call",
}
ALWAYS |= {"custom_vjp_call", "custom_vjp_call_jaxpr", "remat", "remat2", "checkpoint"}
"""Primitives that have functions in them, which may depend on sizes even if the operands do not."""

ELEMENTWISE = set(
    """
    abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt ceil clamp clz complex conj
    convert_element_type copy copy_p cos cosh digamma div eq eq_to erf erf_inv erfc exp exp2 expm1 floor ge gt igamma
    igamma_grad_a igammac imag integer_pow is_finite le le_to lgamma log log1p logistic lt lt_to max min mul ne neg
    nextafter not optimization_barrier or polygamma population_count pow random_gamma_grad real reduce_precision
    regularized_incomplete_beta rem round rsqrt select_n shift_left shift_right_arithmetic shift_right_logical sign sin
    sinh sqrt square stack stop_gradient sub tan tanh threefry2x32 transpose xor zeta
    """.split()  # noqa: SIM905 - a hundred lines of one name each would say no more
)
"""Primitives that are applied as they are: each element of a result depends on the same ones of the operands."""
