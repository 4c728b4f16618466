"""`tf.experimental.dlpack`: tensors to and from other frameworks, through DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.errors import InvalidArgumentError
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor

_UNUSED = b"dltensor"  # the name of a capsule that nobody has taken the tensor from


def to_dlpack(tf_tensor: TensorLike) -> Any:
    """A capsule with a copy of a tensor's value, for the `from_dlpack` of another framework.

    It is a copy since a program may write a Variable's new value where the old one was.

    >>> tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(tf.range(3))).numpy().tolist()
    [0, 1, 2]
    """
    tensor = convert_to_tensor(tf_tensor)
    if tensor.dtype is string:
        raise TypeError(
            f"tf.experimental.dlpack.to_dlpack expected numbers; got tf_tensor of {tensor.dtype.name}: DLPack has no "
            "such type. Take `.numpy()` for text."
        )
    return jnp.array(jnp.asarray(tensor), copy=True).__dlpack__()


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor with a copy of what a capsule holds, or an array of another framework that has `__dlpack__`.

    Raises:
        TypeError: it is neither, or the capsule has been used.
        tf.errors.InvalidArgumentError: its elements do not lie one after the other, as those of `x[::2]`.
    """
    given = dlcapsule
    if type(given).__name__ == "PyCapsule":
        given = _Capsule(given)
    elif not callable(getattr(given, "__dlpack__", None)):
        raise TypeError(
            "tf.experimental.dlpack.from_dlpack expected a DLPack capsule, or an array with `__dlpack__`; got "
            f"{type(given).__name__}. Use tf.convert_to_tensor for NumPy arrays and Python values."
        )
    try:
        array = jax.dlpack.from_dlpack(given)
    except jax.errors.JaxRuntimeError as error:
        raise InvalidArgumentError(
            None,
            None,
            f"tf.experimental.dlpack.from_dlpack expected contiguous elements: {error}",
        ) from error
    return convert_to_tensor(jnp.array(array, copy=True))


class _Capsule:
    """An array as JAX asks for it, of a capsule alone."""

    def __init__(self, capsule: Any) -> None:
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        try:
            start = pointer(capsule, _UNUSED)
        except ValueError as error:
            raise TypeError(
                "tf.experimental.dlpack.from_dlpack expected a capsule that nobody has used yet; got one that "
                "is used, or none of DLPack. A capsule gives its tensor once: make another."
            ) from error
        # The tensor begins with a pointer to its data; then comes its device: a kind and a number.
        self._device = tuple((ctypes.c_int32 * 2).from_address(start + ctypes.sizeof(ctypes.c_void_p)))
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, ...]:
        return self._device
