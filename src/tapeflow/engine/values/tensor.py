"""`Tensor`: what user code holds. A handle on a node, behaving like TensorFlow's eager tensor.

Whether the node is pending or concrete shows in no value, shape, dtype or message. Operators and
indexing are ops, so `tapeflow.ops` installs them on this class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from tapeflow.engine.backend import accept, jnp
from tapeflow.engine.devices.device import device_name
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.running import materialise
from tapeflow.engine.recording.node import Node, Spec
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.origin import stands_for
from tapeflow.engine.values.reference import Reference
from tapeflow.engine.values.shape import TensorShape, static_shape

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import ShapeLike, TensorLike
    from tapeflow.engine.values.reference import Reference


_BINARY_OPERATORS = ("add", "and", "floordiv", "matmul", "mod", "mul", "or", "pow", "sub", "truediv", "xor")


class TensorBase:
    """The base of `Tensor` and `Variable`, which makes both work with numpy."""

    __slots__ = ()
    __array_priority__ = 100

    def _as_node(self) -> Node:
        """The node an op uses as its input."""
        raise NotImplementedError

    def numpy(self) -> Any:
        """A copy of the value as a numpy array (a numpy scalar for rank 0); waits until it is computed."""
        raise NotImplementedError

    if TYPE_CHECKING:  # installed by tapeflow.ops

        def __add__(self, other: TensorLike) -> Tensor: ...
        def __radd__(self, other: TensorLike) -> Tensor: ...
        def __sub__(self, other: TensorLike) -> Tensor: ...
        def __rsub__(self, other: TensorLike) -> Tensor: ...
        def __mul__(self, other: TensorLike) -> Tensor: ...
        def __rmul__(self, other: TensorLike) -> Tensor: ...
        def __truediv__(self, other: TensorLike) -> Tensor: ...
        def __rtruediv__(self, other: TensorLike) -> Tensor: ...
        def __floordiv__(self, other: TensorLike) -> Tensor: ...
        def __mod__(self, other: TensorLike) -> Tensor: ...
        def __pow__(self, other: TensorLike) -> Tensor: ...
        def __matmul__(self, other: TensorLike) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __lt__(self, other: TensorLike) -> Tensor: ...
        def __le__(self, other: TensorLike) -> Tensor: ...
        def __gt__(self, other: TensorLike) -> Tensor: ...
        def __ge__(self, other: TensorLike) -> Tensor: ...
        def __getitem__(self, key: Any) -> Tensor: ...

    @property
    def _spec(self) -> Spec:
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._spec.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, always fully known."""
        return static_shape(self._spec.shape)

    def get_shape(self) -> TensorShape:
        """The shape; TensorFlow's older spelling."""
        return self.shape

    def _rank(self) -> int:
        """The number of dimensions; packages call it by this name."""
        return len(self._spec.shape)

    @property
    def device(self) -> str:
        """Where the value lives, in TensorFlow's spelling."""
        return device_name()

    def _host_array(self) -> np.ndarray:
        return np.asarray(self.numpy())

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> np.ndarray:
        array = self._host_array()
        return array if dtype is None else array.astype(dtype)

    def __jax_array__(self) -> Any:
        return jnp.asarray(materialise(self._as_node()))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def _scalar(self, wanted: str) -> Any:
        """The only element. NumPy 2 refuses to convert a vector of one, but older programs rely on it."""
        array = self._host_array()
        if array.size != 1:
            raise TypeError(
                f"{wanted}() expected a scalar tensor: only 0-dimensional tensors, and those of one element, can be "
                f"converted to Python scalars; got shape {self.shape}. Index it or reduce it first."
            )
        return array.reshape(())[()]

    def __index__(self) -> int:
        array = self._host_array()
        if array.ndim or not np.issubdtype(array.dtype, np.integer):
            raise TypeError(
                "A Python index expected a scalar integer tensor; got shape "
                f"{self.shape}, dtype {self.dtype.name}. Cast it with int(...) or tf.cast."
            )
        return int(array)

    def __bool__(self) -> bool:
        array = self._host_array()
        if array.size != 1:
            raise ValueError(
                "A truth value expected a tensor with one element: the truth value of an array with "
                f"more than one element is ambiguous; got shape {self.shape}. Use tf.reduce_any or "
                "tf.reduce_all."
            )
        return bool(array.reshape(())[()])

    __nonzero__ = __bool__  # Python 2's name, which libraries still look up

    def __len__(self) -> int:
        shape = self._spec.shape
        if not shape:
            raise TypeError("Scalar tensor has no `len()`")
        return shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        shape = self._spec.shape
        if not shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(shape[0]))

    def __hash__(self) -> int:
        raise TypeError(f"{type(self).__name__} is unhashable. Instead, use tensor.ref() as the key.")

    def ref(self) -> Reference:
        """A hashable stand-in, equal for the same object: for keys of a dict or members of a set."""
        return Reference(self)


class Tensor(TensorBase):
    """An immutable array with a shape and a dtype, the result of an op or of `tf.constant`."""

    # What Keras sets has a place of its own; `__dict__` is for attributes that a program adds, and is made then.
    __slots__ = ("__dict__", "__weakref__", "_keras_logits", "_keras_mask", "_metric_obj", "_node")
    _node: Node
    # The operators of tensors, for classes that act like one.
    OVERLOADABLE_OPERATORS: ClassVar[frozenset[str]] = frozenset(
        f"__{name}__"
        for name in (
            *("abs", "eq", "ge", "getitem", "gt", "invert", "le", "lt", "ne", "neg"),
            *(f"{side}{name}" for name in _BINARY_OPERATORS for side in ("", "r")),
        )
    )

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            "tf.Tensor cannot be constructed directly. Use tf.constant(value) or tf.convert_to_tensor(value) instead."
        )

    def _as_node(self) -> Node:
        return self._node

    @property
    def spec(self) -> Spec:
        """Shape and dtype as the engine keeps them."""
        return self._node.spec

    @property
    def _spec(self) -> Spec:
        return self._node.spec

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._node.spec.shape)

    def numpy(self) -> Any:
        return to_numpy(self._node)

    _numpy = numpy  # an eager tensor's own in TensorFlow, which libraries call

    def host_value(self) -> np.ndarray | None:
        """The value if the host knows it without running a program, as it does shapes and constants; else `None`."""
        return self._node.array() if self._node.host else None

    def set_shape(self, shape: ShapeLike) -> None:
        """Check the shape against a more or less specific one; nothing else changes."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor.set_shape expected a shape compatible with {self.shape}; got shape={shape}."
            )

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self  # immutable, so a copy would be the same tensor

    def __reduce__(self) -> tuple[Any, ...]:
        from tapeflow.engine.values.convert import convert_to_tensor  # cycle

        return convert_to_tensor, (self._host_array(), self.dtype.name)

    def __format__(self, form: str) -> str:
        return format(self.numpy(), form)

    def __str__(self) -> str:
        return f"tf.Tensor({value_text(self.numpy(), is_repr=False)}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={value_text(self.numpy())}>"

    def __getattr__(self, name: str) -> Any:
        if name == "_keras_mask" or name == "_keras_logits" or name == "_metric_obj":
            return None
        if name == "graph" and state.recording is not None:
            return state.recording  # libraries compare it, or keep things by it
        if name in ("op", "name", "graph"):
            raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
        if name in _NUMPY_NAMES:
            raise AttributeError(
                f"Tensor object has no attribute {name!r}: it is numpy's. Use tf.{_NUMPY_NAMES[name]}, "
                "or call .numpy() first."
            )
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")


accept(TensorBase)


_NUMPY_NAMES = {
    "astype": "cast",
    "ravel": "reshape(t, [-1])",
    "transpose": "transpose",
    "reshape": "reshape",
    "clip": "clip_by_value",
    "size": "size",
    "tolist": "unstack",
    "T": "transpose",
}


def to_numpy(node: Node) -> Any:
    """A node's value as a numpy scalar, or as a writable array that belongs to the caller."""
    value = materialise(node)
    if node.spec.dtype.name == "string":
        return value.copy() if value.ndim else value[()]
    with phases.during("device"):
        array = np.array(value)  # a copy: JAX's own view is read-only and pins the buffer
    return array if array.ndim else array[()]


def value_text(value: Any, is_repr: bool = True) -> str:
    """What a tensor or Variable holds, as text; a single number in a `repr` has the digits of a Python number."""
    if np.ndim(value) == 0 and not isinstance(value, bytes):
        return repr(np.asarray(value).item()) if is_repr else str(value)
    text = repr(value) if is_repr or isinstance(value, bytes) else str(value)
    return "\n" + text if "\n" in text else text


stands_for(Tensor, "tensorflow.python.framework.ops")
