"""`experimental_enable_numpy_behavior`: NumPy's methods, indexing and promotion of dtypes for tensors.

Promotion happens where ops would otherwise refuse their inputs, so whoever does not ask for it pays nothing, and
inputs of one dtype cost what they always cost.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.op import op
from tapeflow.engine.values import convert
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.array.getitem import getitem
from tapeflow.ops.array.index_checks import looking_at
from tapeflow.ops.array.shaping import transpose
from tapeflow.ops.host_args import invalid, read_int
from tapeflow.ops.math.casting import cast
from tapeflow.ops.numpy.arrays import flatten, result_type
from tapeflow.ops.numpy.functions import FUNCTIONS, as_data, prefer_float32

Part = tuple[Any, ...]
_NUMBERS = (bool, int, float, complex, np.ndarray, np.generic, list, tuple)


def _promoted(args: tuple[Any, ...]) -> list[Tensor] | None:
    """Inputs of an op in the dtype that NumPy would give them together, if there are tensors of numbers among them."""
    tensors = [a for a in args if isinstance(a, TensorBase)]
    are_numbers = all(isinstance(a, (TensorBase, *_NUMBERS)) for a in args)
    if not tensors or not are_numbers or any(t.dtype is string for t in tensors):
        return None
    dtype = result_type(*args)
    return [cast(as_data(a), dtype) for a in args]


@looking_at(-1)
def _check(xp: ModuleType, x: object, *indices: Any, parts: tuple[Part, ...], limits: tuple[int, ...]) -> Any:
    """Whether indices lie within their axes; tells of the first that does not."""
    found = xp.zeros((3,), xp.int64)
    for index, limit in zip(indices, limits, strict=True):
        if index.size:
            flat = xp.ravel(index).astype(xp.int64)
            bad = (flat < -limit) | (flat >= limit)
            row = xp.stack([xp.any(bad).astype(xp.int64), flat[xp.argmax(bad)], xp.asarray(limit, xp.int64)])
            found = xp.where(found[0] != 0, found, row)
    return found


@op(
    name="AdvancedIndexing",
    same_dtype=False,
    check=_check,
    check_text="index {value} out of bounds: tensor[...] expected one in [-{limit}, {limit}).",
)
def _take_op(
    x: jax.Array, *indices: jax.Array, parts: tuple[Part, ...], limits: tuple[int, ...]
) -> jax.Array:
    given = iter(indices)
    return x[tuple(next(given) if not p else slice(*p) if len(p) == 3 else p[0] for p in parts)]


def _is_array(part: object) -> bool:
    return isinstance(part, (list, tuple, np.ndarray)) or (
        isinstance(part, TensorBase) and len(part.shape) > 0
    )


def numpy_getitem(tensor: TensorLike, key: TensorLike) -> Tensor:
    """`tensor[key]` by NumPy's rules: arrays and lists of indices or truth values among the parts of the key."""
    parts = key if isinstance(key, tuple) else (key,)
    if not any(_is_array(p) for p in parts):
        return getitem(tensor, key)
    x = convert_to_tensor(tensor)
    opened = [q for p in parts for q in _opened(p)]
    taken = sum(q is not None and q is not Ellipsis for q in opened)
    if Ellipsis not in [q if q is Ellipsis else None for q in opened]:
        opened.append(Ellipsis)
    if taken > x.ndim:
        raise invalid(f"tensor[...] expected at most {x.ndim} indices: too many indices; got {taken}.")
    axis, frozen, indices, limits = 0, [], [], []
    for part in opened:
        if part is None:
            frozen.append((None,))
            continue
        if part is Ellipsis:
            axis += x.ndim - taken
            frozen.append((Ellipsis,))
            continue
        if isinstance(part, slice):
            ends = (part.start, part.stop, part.step)
            frozen.append(tuple(None if e is None else read_int(e, "tensor[...]", "slice") for e in ends))
        else:
            indices.append(part)
            limits.append(x.spec.shape[axis])
            frozen.append(())
        axis += 1
    return _take_op(x, *indices, parts=tuple(frozen), limits=tuple(limits))


def _opened(part: Any) -> list[Any]:
    """A part of a key as slices, None, `...` and tensors of integers; truth values become the places of the true."""
    if part is None or part is Ellipsis or isinstance(part, slice):
        return [part]
    index = as_data(part) if np.size(part) else convert_to_tensor(np.zeros(np.shape(part), np.int64))
    if index.dtype.is_bool:
        return [convert_to_tensor(places) for places in np.nonzero(index.numpy())]
    if not index.dtype.is_integer:
        raise invalid(
            f"tensor[...] expected integers or truth values; got an index of dtype {index.dtype.name}. Use tf.cast."
        )
    return [index]


def _reshape(self: Tensor, *shape: Any, **kwargs: Any) -> Tensor:
    sizes = shape[0] if len(shape) == 1 else shape
    return FUNCTIONS["reshape"](self, sizes, **kwargs) if shape else FUNCTIONS["reshape"](self, **kwargs)


def _size(self: Tensor) -> int:
    return int(np.prod(self.spec.shape, dtype=np.int64))


METHODS: dict[str, Any] = {
    "T": property(transpose),
    "__getitem__": numpy_getitem,
    "__pos__": lambda self: self,
    "__round__": lambda self, decimals=0: FUNCTIONS["around"](self, decimals),
    "astype": cast,
    "clip": lambda self, a_min=None, a_max=None: FUNCTIONS["clip"](self, a_min, a_max),
    "data": property(lambda self: self),
    "flatten": flatten,
    "max": lambda self, *args, **kwargs: FUNCTIONS["amax"](self, *args, **kwargs),
    "mean": lambda self, *args, **kwargs: FUNCTIONS["mean"](self, *args, **kwargs),
    "min": lambda self, *args, **kwargs: FUNCTIONS["amin"](self, *args, **kwargs),
    "ravel": flatten,
    "reshape": _reshape,
    "size": property(_size),
    "tolist": lambda self: self.numpy().tolist(),
    "transpose": lambda self, axes=None: FUNCTIONS["transpose"](self, axes),
}
"""What tensors get, by name."""


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Make tensors behave like NumPy arrays, from now on in the whole program.

    They get NumPy's methods (`T`, `reshape`, `ravel`, `astype`, `max`, ...), may be indexed with lists and arrays, and
    inputs of two dtypes are promoted as NumPy does where an op would otherwise refuse them: int32 and float32 give
    float64.

    Args:
        prefer_float32: Python floats are float32 and not float64.
        dtype_conversion_mode: 'legacy', NumPy's rules, or 'off': methods and indexing alone.
    """
    if dtype_conversion_mode not in ("legacy", "off"):
        raise ValueError(
            "tf.experimental.numpy.experimental_enable_numpy_behavior expected dtype_conversion_mode 'legacy' or "
            f"'off'; got dtype_conversion_mode={dtype_conversion_mode!r}. 'legacy' has NumPy's rules."
        )
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
    convert.promotion = _promoted if dtype_conversion_mode == "legacy" else None
    _prefer(prefer_float32)


_prefer = prefer_float32
