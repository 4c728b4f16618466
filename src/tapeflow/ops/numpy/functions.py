"""NumPy's functions on tensors: `tf.experimental.numpy`, made of `jax.numpy`'s functions of the same names.

Python numbers and lists become int64 and float64, and two dtypes meet as in NumPy, unlike in the rest of `tf`.
The result is a tensor, so tapes and functions go through. What decides a shape (axes, sizes) must be a number.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.array.joining import meshgrid as _grids
from tapeflow.ops.math.casting import cast

_ONE = [
    "abs",
    "absolute",
    "all",
    "amax",
    "amin",
    "angle",
    "any",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "around",
    "average",
    "bitwise_not",
    "broadcast_to",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "conjugate",
    "copy",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "deg2rad",
    "diag",
    "diagflat",
    "diagonal",
    "diff",
    "dsplit",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "fabs",
    "flip",
    "fliplr",
    "flipud",
    "floor",
    "full_like",
    "hsplit",
    "imag",
    "iscomplex",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_not",
    "max",
    "mean",
    "min",
    "moveaxis",
    "nanmean",
    "nanprod",
    "nansum",
    "negative",
    "ones_like",
    "pad",
    "positive",
    "prod",
    "ptp",
    "rad2deg",
    "ravel",
    "real",
    "reciprocal",
    "repeat",
    "reshape",
    "roll",
    "rot90",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "std",
    "sum",
    "swapaxes",
    "tan",
    "tanh",
    "tile",
    "trace",
    "transpose",
    "tril",
    "triu",
    "vander",
    "var",
    "vsplit",
    "zeros_like",
]
_TWO = [
    "add",
    "allclose",
    "append",
    "arctan2",
    "array_equal",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "cross",
    "divide",
    "divmod",
    "dot",
    "equal",
    "float_power",
    "floor_divide",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "inner",
    "isclose",
    "kron",
    "lcm",
    "less",
    "less_equal",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_or",
    "logical_xor",
    "matmul",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "nextafter",
    "not_equal",
    "outer",
    "polyval",
    "power",
    "remainder",
    "subtract",
    "take",
    "take_along_axis",
    "tensordot",
    "true_divide",
    "vdot",
]
_SEQUENCES = ("concatenate", "dstack", "hstack", "stack", "vstack")
# What has a fraction: whole numbers become float64.
_FRACTIONS = {
    *("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "average", "cbrt", "cos", "cosh"),
    *("deg2rad", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "mean", "nanmean"),
    *("rad2deg", "sin", "sinc", "sinh", "sqrt", "std", "tan", "tanh", "var"),
}
_UNLIKE = ("append", "take", "take_along_axis")  # a number given to these is an array
_SPLITS = ("split", "dsplit", "hsplit", "vsplit")
NARROW = {np.dtype("float64"): np.float32, np.dtype("complex128"): np.complex64}
"""What is float32 where that is preferred."""
_fraction: type[np.floating] = np.float64


def prefer_float32(is_preferred: bool) -> None:
    """Whether Python's floats and the fractions of whole numbers are float32 instead of NumPy's float64."""
    global _fraction
    _fraction = np.float32 if is_preferred else np.float64


def fraction_type() -> type[np.floating]:
    """The dtype of Python's floats."""
    return _fraction


def as_data(value: TensorLike) -> Tensor:
    """An array as a tensor, Python numbers as NumPy takes them."""
    if isinstance(value, TensorBase):
        return convert_to_tensor(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, TensorBase) for v in value):
        return stack_function(value)
    array = np.asarray(value)
    if _fraction is np.float32 and not isinstance(value, (np.ndarray, np.generic)):
        array = array.astype(NARROW.get(array.dtype, array.dtype))
    return convert_to_tensor(array)


def _static(value: object) -> Any:
    """An argument that is no data, as something that compares by value."""
    if isinstance(value, DType):
        return value.as_numpy_dtype
    if isinstance(value, TensorBase):
        value = convert_to_tensor(value).numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple, TensorShape)):
        return tuple(_static(v) for v in value)
    return value


def _alike(arrays: tuple[Any, ...]) -> list[Any]:
    """Arrays in the dtype that NumPy would give their sum."""
    dtype = np.result_type(*[a.dtype for a in arrays])
    if _fraction is np.float32 and not any(np.issubdtype(a.dtype, np.double) for a in arrays):
        dtype = NARROW.get(dtype, dtype)
    return [a.astype(dtype) for a in arrays]


def _pair(values: Sequence[Any]) -> list[Tensor]:
    """Two arrays as tensors, a Python number in the dtype of the array it meets."""
    found = [as_data(v) for v in values]
    is_number = [isinstance(v, (int, float, complex)) for v in values]
    if all(is_number):
        return found
    dtype = np.result_type(
        *[v if n else t.spec.np_dtype for v, t, n in zip(values, found, is_number, strict=True)]
    )
    return [cast(t, dtype) if n else t for t, n in zip(found, is_number, strict=True)]


def _function(name: str, count: int) -> Callable[..., Any]:
    """NumPy's function on tensors: of one or two arrays first, or (0) of a sequence of them."""
    raw = getattr(jnp, name)
    names = [p for p in inspect.signature(raw).parameters if p not in ("args", "kwargs")]

    def kernel(*arrays: jax.Array, **statics: Any) -> Any:
        if count == 0:
            return raw(_alike(arrays), **statics)
        given = _alike(arrays) if count == 2 and not name.startswith("take") else list(arrays)
        found = raw(*given, **statics)
        return tuple(found) if isinstance(found, list) else found

    applied = Op(kernel, name=f"numpy.{name}", same_dtype=False)

    def call(*args: Any, **kwargs: Any) -> Any:
        taken = max(count, 1)
        if len(args) < taken:  # arrays by name
            args = (*args, *[kwargs.pop(n) for n in names[len(args) : taken] if n in kwargs])
        if len(args) < taken:
            raise TypeError(
                f"tf.experimental.numpy.{name} expected {taken} arrays; got {len(args)} arguments."
            )
        given = args[0] if count == 0 else args[:taken]
        arrays = _pair(given) if count == 2 and name not in _UNLIKE else [as_data(v) for v in given]
        if name in _FRACTIONS and not (arrays[0].dtype.is_floating or arrays[0].dtype.is_complex):
            arrays[0] = cast(arrays[0], _fraction)
        statics = {n: _static(v) for n, v in zip(names[taken:], args[taken:], strict=False)}
        found = applied(*arrays, **statics, **{k: _static(v) for k, v in kwargs.items()})
        return list(found) if name in _SPLITS else found

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"NumPy's `{name}` on tensors."
    return call


stack_function = _function("stack", 0)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _function(name, 1) for name in _ONE},
    **{name: _function(name, 2) for name in _TWO},
    **{name: _function(name, 0) for name in _SEQUENCES},
}


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of numbers, lists or arrays."""
    tensor = as_data(val)
    if dtype is not None:
        tensor = cast(tensor, dtype)
    missing = max(ndmin - tensor.ndim, 0)
    return FUNCTIONS["reshape"](tensor, (1,) * missing + tensor.spec.shape) if missing else tensor


def _made(name: str) -> Callable[..., Tensor]:
    """A function that makes an array of numbers alone: NumPy makes it."""

    def call(*args: Any, **kwargs: Any) -> Tensor:
        given, named = [_static(a) for a in args], {k: _static(v) for k, v in kwargs.items()}
        found = getattr(np, name)(*given, **named)
        if _fraction is np.float32 and "dtype" not in named:
            found = found.astype(NARROW.get(found.dtype, found.dtype))
        return convert_to_tensor(found)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"NumPy's `{name}`, as a tensor."
    return call


_MADE = [
    "arange",
    "empty",
    "eye",
    "full",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "tri",
    "zeros",
]
CREATIONS = {name: _made(name) for name in _MADE}


def where(condition: Any, x: Any = None, y: TensorLike | None = None) -> Any:
    """Elements of `x` where the condition holds and of `y` elsewhere; with neither, the places where it holds."""
    if x is None or y is None:
        return nonzero(condition)
    return _where(as_data(condition), *_pair((x, y)))


_where = Op(
    lambda condition, x, y: jnp.where(condition, *_alike((x, y))), name="numpy.where", same_dtype=False
)


def nonzero(a: TensorLike) -> tuple[Tensor, ...]:
    """The places of what is not zero, axis by axis."""
    return tuple(convert_to_tensor(found) for found in np.nonzero(as_data(a).numpy()))


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """NumPy's `einsum` on tensors."""
    return _einsum(*[as_data(v) for v in operands], subscripts=subscripts)


_einsum = Op(
    lambda *arrays, subscripts: jnp.einsum(subscripts, *_alike(arrays)), name="numpy.einsum", same_dtype=False
)


def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """NumPy's `meshgrid` on tensors."""
    return _grids(*[as_data(x) for x in xi], **kwargs)
