"""Reads the pickles inside old data set files without running anything that is in them.

A pickle is a program: its GLOBAL instructions name any callable on the system and REDUCE calls it.
The CIFAR batches and the ragged arrays of IMDB and Reuters exist only as pickles, so they are read
by an unpickler that resolves four NumPy names and nothing else, and not even those to NumPy itself:
each becomes an inert stand-in that keeps what the file says about an array. (NumPy's own
`__setstate__` methods trust their input; a crafted dtype could make them read stray memory.) The
real array is then built from the checked description. What can come out is numbers, strings, lists,
tuples, dicts and arrays of them. A pickle can name one value again and again; each is built once, and
all arrays together hold no more than the pickle has bytes.
"""

import io
import math
import pickle
import re
from typing import Any

import numpy as np

from tapeflow.keras.datasets.pickle_scan import check_pickle

DTYPE_CODE = re.compile(r"[biuf][1248]|O8?")
BYTE_ORDERS = "<>=|"


class _Ndarray:
    """Stands for `numpy.ndarray`, which pickles name but never call."""

    def __init__(self, *args: object) -> None:
        raise pickle.UnpicklingError("numpy.ndarray called by a pickle")

    # Every stand-in has this, so that BUILD on a stand-in class fails and cannot change it.
    def __setstate__(self, state: object) -> None:
        raise pickle.UnpicklingError("numpy.ndarray rebuilt by a pickle")


class _Dtype:
    """What a pickle says of a dtype: `dtype(code, align, copy)`, then its state."""

    def __init__(self, code: object, *flags: object) -> None:
        self.code = code.decode("latin-1") if isinstance(code, bytes) else code
        self.order = "|"

    def __setstate__(self, state: Any) -> None:
        order, subarray, names, fields = state[1:5]
        self.order = order.decode("latin-1") if isinstance(order, bytes) else order
        if any(part is not None for part in (subarray, names, fields)):
            raise pickle.UnpicklingError("a structured dtype")

    def to_numpy(self) -> np.dtype:
        is_plain = isinstance(self.code, str) and DTYPE_CODE.fullmatch(self.code) is not None
        if not is_plain or self.order not in tuple(BYTE_ORDERS):
            raise pickle.UnpicklingError(f"the dtype {self.code!r} in byte order {self.order!r}")
        return np.dtype(f"{self.order}{self.code}")


class _Array:
    """What a pickle says of an array: `_reconstruct(ndarray, (0,), code)`, then its state."""

    def __init__(self, kind: object, shape: object, code: object) -> None:
        if kind is not _Ndarray:
            raise pickle.UnpicklingError(f"an array of class {kind!r}")
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def to_numpy(self, resolver: "_Resolver") -> np.ndarray:
        shape, dtype, is_fortran, data = self.state[-4:]
        if not (isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)):
            raise pickle.UnpicklingError(f"an array of shape {shape!r}")
        if not isinstance(dtype, _Dtype):
            raise pickle.UnpicklingError(f"an array of dtype {dtype!r}")
        real_dtype = dtype.to_numpy()
        size = math.prod(shape)
        order = "F" if is_fortran else "C"
        if real_dtype.hasobject:
            if not isinstance(data, list) or len(data) != size:
                raise pickle.UnpicklingError("an object array whose items do not fill its shape")
            resolver.spend(size)  # an item takes a byte of the pickle at least
            flat = np.empty(size, dtype=object)
            for i, item in enumerate(data):
                flat[i] = resolver.resolve(item)
            return flat.reshape(shape, order=order)
        if not isinstance(data, bytes) or len(data) != size * real_dtype.itemsize:
            raise pickle.UnpicklingError("an array whose bytes do not fill its shape")
        resolver.spend(len(data))
        return np.frombuffer(data, real_dtype).reshape(shape, order=order).copy()


STAND_INS = {
    ("numpy", "ndarray"): _Ndarray,
    ("numpy", "dtype"): _Dtype,
    # numpy.core became numpy._core in NumPy 2.
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
}


class _InertUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        if (module, name) in STAND_INS:
            return STAND_INS[module, name]
        raise pickle.UnpicklingError(f"{module}.{name}")


def load_inert(data: bytes, where: str) -> Any:
    """Unpickle arrays and plain values; strings of Python 2 come out as bytes.

    Raises:
        pickle.UnpicklingError: The pickle is damaged, or asks for anything but plain arrays.
    """
    try:
        check_pickle(data)
        return _Resolver(len(data)).resolve(_InertUnpickler(io.BytesIO(data), encoding="bytes").load())
    except (
        pickle.UnpicklingError,
        AttributeError,
        EOFError,
        IndexError,
        KeyError,
        OverflowError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise pickle.UnpicklingError(
            f"{where} expected a pickle of plain arrays, lists and numbers; got {error}. Nothing "
            "in it was run. The file is damaged or was made to do harm: delete it and load again."
        ) from error


class _Resolver:
    """Turns stand-ins into arrays, at the top and as values of a dict, each once.

    Args:
        room: how many bytes and items all arrays may have together.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._resolved: dict[
            int, Any
        ] = {}  # by the id of what stands for it, which the pickle's result holds

    def spend(self, count: int) -> None:
        """Take from the room."""
        self._room -= count
        if self._room < 0:
            raise pickle.UnpicklingError("arrays that hold more than the pickle does")

    def resolve(self, value: object) -> Any:
        """What a value stands for."""
        if not isinstance(value, (_Array, dict)):
            return value
        if id(value) not in self._resolved:
            self._resolved[id(value)] = _UNFINISHED
            if isinstance(value, dict):
                self._resolved[id(value)] = {key: self.resolve(item) for key, item in value.items()}
            else:
                self._resolved[id(value)] = value.to_numpy(self)
        if self._resolved[id(value)] is _UNFINISHED:
            raise pickle.UnpicklingError("a value inside itself")
        return self._resolved[id(value)]


_UNFINISHED = object()
