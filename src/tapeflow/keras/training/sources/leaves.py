"""What becomes of each kind of value a user may hand in: numpy arrays, in the dtype Keras would use.

Floating numpy arrays, and what converts to one (pandas, PyTorch), are cast to floatx; tensors keep the
dtype they have, integers and 8-bit images stay as they are. Lists of numbers are one array; other lists are
structure and become tuples, as Keras hands them to `train_step`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tapeflow.data.composites import settled
from tapeflow.engine.devices import host_memory
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.config import floatx
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor

_SCALARS = (bool, int, float, str, bytes, bytearray, np.generic)


@runtime_checkable
class Table(Protocol):
    """A pandas DataFrame or Series, or what behaves like one."""

    def to_numpy(self) -> np.ndarray: ...


@runtime_checkable
class ToArray(Protocol):
    """Anything numpy can convert: PyTorch and JAX arrays among them."""

    def __array__(self) -> np.ndarray: ...


def is_scalars(value: Any) -> bool:
    """Whether `value` is a number, or a list of numbers; its first element decides, as in Keras."""
    while type(value) in (list, tuple) and value:
        value = value[0]
    return isinstance(value, _SCALARS)


def map_leaves(func: Any, structure: object) -> Any:
    """Apply `func` to each leaf; lists of numbers are leaves, other lists become tuples."""
    if is_scalars(structure):
        return func(structure)
    if isinstance(structure, Mapping):
        return {key: map_leaves(func, value) for key, value in structure.items()}
    if isinstance(structure, tuple) and type(structure) is not tuple:  # a namedtuple
        return type(structure)(*(map_leaves(func, value) for value in structure))
    if isinstance(structure, (list, tuple)):
        return tuple(map_leaves(func, value) for value in structure)
    return func(structure)


def to_arrays(structure: object) -> Any:
    """A structure with every leaf as a numpy array that nobody changes: a generator may fill its own one again."""
    return map_leaves(_own_array, structure)


def _own_array(leaf: object) -> Any:
    array: Any = to_array(leaf)
    if array is None or isinstance(leaf, (TensorBase, RaggedTensor, SparseTensor)):
        return array
    return array if array is not leaf and array.base is None else host_memory.copied(array)


def to_array(leaf: object) -> Any:
    """One leaf as a numpy array; `None` stays `None`, a pandas Series becomes a column."""
    if leaf is None:
        return None
    if isinstance(leaf, TensorBase):
        return np.asarray(leaf)
    if isinstance(leaf, (RaggedTensor, SparseTensor)):
        return settled(leaf)
    if isinstance(leaf, np.ndarray):  # first, since asking for a protocol takes microseconds
        array = leaf
    elif isinstance(leaf, Table):
        array = leaf.to_numpy()
        array = array[:, None] if array.ndim == 1 else array
    elif isinstance(leaf, (ToArray, list, tuple, *_SCALARS)):
        array = np.asarray(leaf)
    else:
        raise no_adapter(leaf)
    return in_floatx(_checked(array))


def in_floatx(array: np.ndarray) -> np.ndarray:
    """Cast floating arrays to floatx, copying only if they are not."""
    if not np.issubdtype(array.dtype, np.floating):
        return array
    return array.astype(as_dtype(floatx()).as_numpy_dtype, copy=False)


def _checked(array: np.ndarray) -> np.ndarray:
    """Strings as the bytes that tensors hold; other Python objects, which no tensor can hold, are refused."""
    if array.dtype == object and array.size:
        first = array.flat[0]
        if not isinstance(first, (str, bytes)):
            raise ValueError(
                "Failed to convert a NumPy array to a Tensor (Unsupported object type "
                f"{type(first).__name__}). The data expected numbers or strings; got an array of shape "
                f"{array.shape} and dtype object. Give all columns a numeric dtype, e.g. with "
                "x.astype('float32')."
            )
    return np.asarray(convert_to_tensor(array)) if array.dtype.kind in "OU" else array


def no_adapter(x: Any, y: DataLike = None) -> ValueError:
    """The error for data of a kind no source can read."""
    return ValueError(
        f"Failed to find data adapter that can handle input: {type_name(x)}, {type_name(y)}. Pass arrays, "
        "tensors, (nested) lists or dicts of them, a tf.data.Dataset, a keras.utils.Sequence, a generator "
        "or another iterable of batches."
    )


def type_name(value: object) -> str:
    """The type of a value, and of what it contains."""
    if isinstance(value, Mapping):
        keys, values = ({type_name(item) for item in items} for items in (value.keys(), value.values()))
        return f"({type(value)} containing {keys} keys and {values} values)"
    if isinstance(value, (list, tuple)):
        return f"({type(value)} containing values of types { {type_name(item) for item in value} })"
    return str(type(value))
