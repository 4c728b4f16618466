"""JAX's primitives that work element by element, as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tapeflow.engine.shapes.expression import Size
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.ops.graphs.nodes.function_body import CannotLower, FunctionBody, Value, kind_of
from tapeflow.ops.graphs.nodes.lowering import primitive

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


_UNARY = {
    "abs": "Abs",
    "acos": "Acos",
    "acosh": "Acosh",
    "asin": "Asin",
    "asinh": "Asinh",
    "atan": "Atan",
    "atanh": "Atanh",
    "bessel_i0e": "BesselI0e",
    "bessel_i1e": "BesselI1e",
    "ceil": "Ceil",
    "conj": "Conj",
    "cos": "Cos",
    "cosh": "Cosh",
    "digamma": "Digamma",
    "erf": "Erf",
    "erf_inv": "Erfinv",
    "erfc": "Erfc",
    "exp": "Exp",
    "expm1": "Expm1",
    "floor": "Floor",
    "is_finite": "IsFinite",
    "lgamma": "Lgamma",
    "log": "Log",
    "log1p": "Log1p",
    "logistic": "Sigmoid",
    "neg": "Neg",
    "rsqrt": "Rsqrt",
    "sign": "Sign",
    "sin": "Sin",
    "sinh": "Sinh",
    "sqrt": "Sqrt",
    "square": "Square",
    "tan": "Tan",
    "tanh": "Tanh",
}
_BINARY = {
    "add": "AddV2",
    "add_any": "AddV2",
    "atan2": "Atan2",
    "complex": "Complex",
    "eq": "Equal",
    "ge": "GreaterEqual",
    "gt": "Greater",
    "igamma": "Igamma",
    "igammac": "Igammac",
    "le": "LessEqual",
    "le_to": "LessEqual",
    "lt": "Less",
    "lt_to": "Less",
    "max": "Maximum",
    "min": "Minimum",
    "mul": "Mul",
    "ne": "NotEqual",
    "nextafter": "NextAfter",
    "polygamma": "Polygamma",
    "shift_left": "LeftShift",
    "shift_right_arithmetic": "RightShift",
    "sub": "Sub",
    "zeta": "Zeta",
}
_ON_TRUTHS = {
    "and": "LogicalAnd",
    "or": "LogicalOr",
    "xor": "NotEqual",
    "max": "LogicalOr",
    "min": "LogicalAnd",
}
_ON_BITS = {"and": "BitwiseAnd", "or": "BitwiseOr", "xor": "BitwiseXor"}


def out_shape(equation: Any, i: int = 0) -> tuple[Size, ...]:
    """The shape of an equation's result."""
    return tuple(equation.outvars[i].aval.shape)


def out_dtype(equation: Any, i: int = 0) -> DType:
    """The dtype of an equation's result."""
    return as_dtype(equation.outvars[i].aval.dtype)


def elementwise(
    body: FunctionBody, op: str, inputs: Sequence[Value], shape: tuple[Size, ...], **attributes: Any
) -> Value:
    """An op that broadcasts, on inputs of one shape; those that are broadcasts are taken as they were before."""
    given = [body.take(v) for v in inputs]
    before = [v.narrow for v in given if v.narrow is not None]
    if not before:
        return body.emit(op, given, shape, **attributes)
    if any(v.narrow is None and _are_equal(v.sizes, shape) for v in given):
        return body.emit(op, [v if v.narrow is None else v.narrow for v in given], shape, **attributes)
    first = before[0].sizes
    if all(_are_equal(v.sizes, first) for v in before) and all(
        v.narrow is not None or not v.sizes for v in given
    ):
        found = body.emit(op, [v if v.narrow is None else v.narrow for v in given], first, **attributes)
        return Value(body, None, shape, found.kind, narrow=found)
    return body.emit(op, given, shape, **attributes)


def _are_equal(one: Sequence[Size], other: Sequence[Size]) -> bool:
    return len(one) == len(other) and all(str(a) == str(b) for a, b in zip(one, other, strict=True))


def _is_truth(value: Value) -> bool:
    return value.dtype.is_bool


@primitive(*_UNARY)
def _unary(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    name = _UNARY[equation.primitive.name]
    if name == "Abs" and x.dtype.is_complex:
        return elementwise(body, "ComplexAbs", [x], out_shape(equation), Tout=kind_of(out_dtype(equation)))
    if x.dtype.is_integer and name in ("Floor", "Ceil"):
        return x
    return elementwise(body, name, [x], out_shape(equation))


@primitive(*_BINARY)
def _binary(body: FunctionBody, equation: JaxprEqn, x: Value, y: Value) -> Value:
    name = equation.primitive.name
    if _is_truth(x):
        if name in _ON_TRUTHS:
            return elementwise(body, _ON_TRUTHS[name], [x, y], out_shape(equation))
        if name in ("lt", "le", "gt", "ge"):
            x, y = body.cast(x, "int32"), body.cast(y, "int32")
    return elementwise(body, _BINARY[name], [x, y], out_shape(equation))


@primitive("and", "or", "xor")
def _logic(body: FunctionBody, equation: JaxprEqn, x: Value, y: Value) -> Value:
    table = _ON_TRUTHS if _is_truth(x) else _ON_BITS
    return elementwise(body, table[equation.primitive.name], [x, y], out_shape(equation))


@primitive("not")
def _not(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    return elementwise(body, "LogicalNot" if _is_truth(x) else "Invert", [x], out_shape(equation))


@primitive("div")
def _div(body: FunctionBody, equation: JaxprEqn, x: Value, y: Value) -> Value:
    return elementwise(body, "TruncateDiv" if x.dtype.is_integer else "RealDiv", [x, y], out_shape(equation))


@primitive("rem")
def _rem(body: FunctionBody, equation: JaxprEqn, x: Value, y: Value) -> Value:
    return elementwise(body, "TruncateMod" if x.dtype.is_integer else "Mod", [x, y], out_shape(equation))


@primitive("pow")
def _pow(body: FunctionBody, equation: JaxprEqn, x: Value, y: Value) -> Value:
    return elementwise(body, "Pow", [x, body.cast(y, x.dtype)], out_shape(equation))


@primitive("integer_pow")
def _integer_pow(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    power, shape = equation.params["y"], out_shape(equation)
    if power == 2:
        return elementwise(body, "Square", [x], shape)
    if power == -1:
        return elementwise(body, "Reciprocal", [x], shape)
    return body.emit("Pow", [x, body.constant(power, x.dtype)], shape)


@primitive("exp2")
def _exp2(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    return body.emit("Pow", [body.constant(2, x.dtype), x], out_shape(equation))


@primitive("cbrt")
def _cbrt(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    shape = out_shape(equation)
    root = body.emit("Pow", [body.emit("Abs", [x], shape), body.constant(1 / 3, x.dtype)], shape)
    return body.emit("Mul", [body.emit("Sign", [x], shape), root], shape)


@primitive("round")
def _round(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    shape = out_shape(equation)
    if int(equation.params["rounding_method"]) == 1:  # halves to even
        return elementwise(body, "Round", [x], shape)
    half = body.emit("AddV2", [body.emit("Abs", [x], shape), body.constant(0.5, x.dtype)], shape)
    return body.emit("Mul", [body.emit("Sign", [x], shape), body.emit("Floor", [half], shape)], shape)


@primitive("real", "imag")
def _part(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    name = {"real": "Real", "imag": "Imag"}[equation.primitive.name]
    return elementwise(body, name, [x], out_shape(equation), Tout=kind_of(out_dtype(equation)))


@primitive("shift_right_logical")
def _shift(body: FunctionBody, equation: JaxprEqn, x: Value, y: Value) -> Value:
    kind, shape = x.dtype, out_shape(equation)
    if kind.name.startswith("u"):
        return elementwise(body, "RightShift", [x, y], shape)
    other = as_dtype(f"u{kind.name}")
    parts = [body.emit("Bitcast", [v], shape, other, type=kind_of(other)) for v in (x, y)]
    found = body.emit("RightShift", parts, shape)
    return body.emit("Bitcast", [found], shape, kind, type=kind_of(kind))


@primitive("population_count")
def _population(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    return body.cast(body.emit("PopulationCount", [x], out_shape(equation)), out_dtype(equation))


@primitive("regularized_incomplete_beta")
def _betainc(body: FunctionBody, equation: JaxprEqn, a: Value, b: Value, x: Value) -> Value:
    return body.emit("Betainc", [a, b, x], out_shape(equation))


@primitive("clamp")
def _clamp(body: FunctionBody, equation: JaxprEqn, low: Value, x: Value, high: Value) -> Value:
    shape = out_shape(equation)
    return elementwise(body, "Minimum", [elementwise(body, "Maximum", [x, low], shape), high], shape)


@primitive("select_n")
def _select(body: FunctionBody, equation: JaxprEqn, which: Value, *cases: Value) -> Value:
    shape = out_shape(equation)
    if len(cases) == 1:
        return cases[0]
    if not _is_truth(which):
        found = cases[-1]
        for i in range(len(cases) - 2, -1, -1):
            at = body.emit("Equal", [which, body.constant(i, which.dtype)], which.sizes)
            found = body.emit("SelectV2", [at, cases[i], found], shape)
        return found
    return elementwise(body, "SelectV2", [which, cases[1], cases[0]], shape)


@primitive("convert_element_type")
def _convert(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    dtype = out_dtype(equation)
    if x.kind == kind_of(dtype):
        return x
    if x.narrow is not None:
        return Value(body, None, x.shape, kind_of(dtype), narrow=body.cast(x.narrow, dtype))
    if x.dtype.is_complex and not dtype.is_complex:
        raise CannotLower("casts complex numbers to real ones")
    return body.cast(x, dtype)


@primitive("bitcast_convert_type")
def _bitcast(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    dtype = out_dtype(equation)
    return body.emit("Bitcast", [x], out_shape(equation), dtype, type=kind_of(dtype))


@primitive("copy", "copy_p", "reduce_precision", "stop_gradient", "pvary", "sharding_constraint", "name")
def _same(body: FunctionBody, equation: object, x: Value) -> Value:
    return x


@primitive("optimization_barrier")
def _all_same(body: FunctionBody, equation: object, *values: Value) -> list[Value]:
    return list(values)
