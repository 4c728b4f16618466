"""`KerasTensor`: a tensor of a model that is being defined, with a shape, a dtype and a history."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

from tapeflow.engine.recording.symbolic import MetSymbolic, Symbolic
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.engine.values.reference import Reference
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.type_spec import TypeSpec

if TYPE_CHECKING:
    from tapeflow.keras.graph.call_node import CallNode


class History(NamedTuple):
    """Where a KerasTensor comes from: a layer, the layer's how-manieth call, and which of its results."""

    layer: Any
    node_index: int
    tensor_index: int


class Calls(NamedTuple):
    """How what is done with symbolic tensors becomes layers, each giving the symbol of its result.

    Attributes:
        function: calls a public function.
        operate: applies an operator.
        item: takes `tensor[key]`.
        ask: reads an attribute.
        method: calls a method.
        construct: calls a method of a class, such as `RaggedTensor.from_row_splits`.
    """

    function: Callable[[Callable[..., Any], Any, Any], Any]
    operate: Callable[..., Any]
    item: Callable[[Any, Any], Any]
    ask: Callable[[KerasTensor, str], Any]
    method: Callable[[KerasTensor, str, Any, Any], Any]
    construct: Callable[[str, str, Any, Any], Any]


class KerasTensor(Symbolic):
    """A symbolic tensor that a model will compute; layers, tf functions and operators accept it."""

    _calls: ClassVar[Calls]  # `op_layer` sets them: layers take symbols, and so stand above them

    def __init__(
        self,
        shape: Any,
        dtype: DType | str = "float32",
        name: str | None = None,
        node: CallNode | None = None,
        index: int = 0,
    ) -> None:
        self.shape = TensorShape(shape)
        self.dtype = as_dtype(dtype)
        self.name = name
        self.node = node
        self.index = index
        # What stands for it at each size of unknown dimensions; see `inference`.
        self.samples: dict[int, Any] = {}

    @property
    def _keras_history(self) -> History:
        if self.node is None:
            raise AttributeError("A KerasTensor made by hand has no history.")
        return History(self.node.layer, self.node.node_index, self.index)

    @property
    def _keras_mask(self) -> Any:
        """The mask that goes with the tensor, a symbol too; without one the attribute is not there."""
        if all(sample.mask is None for sample in self.samples.values()):
            raise AttributeError("This KerasTensor has no mask.")
        return self._calls.ask(self, "_keras_mask")

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    rank = ndim

    @property
    def type_spec(self) -> TypeSpec:
        """Shape, dtype and, of an input, the name."""
        is_input = self.node is None or self.node.is_input
        return TensorSpec(self.shape, self.dtype, self.name if is_input else None)

    def get_shape(self) -> TensorShape:
        """The shape."""
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Say more about the shape."""
        self.shape = self.shape.merge_with(shape)

    def keep_call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A layer that makes this call, and the symbolic tensor of its result."""
        return self._calls.function(function, args, kwargs)

    def keep_index(self, tensor: TensorLike, key: Any) -> Any:
        return self._calls.item(tensor, key)

    def keep_construction(self, made: str, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._calls.construct(made, method, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._calls.item(self, key)

    def __len__(self) -> NoReturn:
        raise MetSymbolic(self)

    def __iter__(self) -> Any:
        size = self.shape[0] if len(self.shape) else None
        if size is None:
            raise TypeError(
                f"Cannot iterate over a Tensor with unknown first dimension; got {self!r}. Use tf.unstack with "
                "num=, tf.map_fn or tf.scan."
            )
        return (self[i] for i in range(size))

    def ref(self) -> Any:
        """A hashable stand-in, equal for the same object."""
        return Reference(self)

    def without_history(self) -> Any:
        """A symbol of the same kind, shape, dtype and name, made by no call."""
        twin = type(self).__new__(type(self))
        vars(twin).update(vars(self), node=None, samples={})
        return twin

    def __copy__(self) -> KerasTensor:
        return self

    def __deepcopy__(self, memo: Any) -> KerasTensor:
        return self

    def __repr__(self) -> str:
        origin = f" (created by layer '{self.node.layer.name}')" if self.node is not None else ""
        shown = f"shape={self.shape} dtype={self.dtype.name}"
        if type(self) is not KerasTensor:
            shown = f"type_spec={self.type_spec!r}"
        return f"<KerasTensor: {shown}{origin}>"

    def __str__(self) -> str:
        name = f", name={self.name!r}" if self.name is not None else ""
        origin = (
            f", description=\"created by layer '{self.node.layer.name}'\"" if self.node is not None else ""
        )
        return f"KerasTensor(type_spec={self.type_spec!r}{name}{origin})"


def is_keras_tensor(x: Any) -> bool:
    """Whether `x` is an input or a result of a layer in the functional API."""
    return isinstance(x, KerasTensor)


def _operator(name: str, function: Callable[..., Any], is_reflected: bool = False) -> None:
    def operate(self: KerasTensor, *other: Any) -> Any:
        return self._calls.operate(name, *((*other, self) if is_reflected else (self, *other)))

    operate.__name__ = name
    setattr(KerasTensor, f"__{'r' if is_reflected else ''}{name}__", operate)


OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "matmul": operator.matmul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
COMPARISONS: dict[str, Callable[..., Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
UNARY: dict[str, Callable[..., Any]] = {"neg": operator.neg, "abs": operator.abs, "invert": operator.invert}

for _name, _function in OPERATORS.items():
    _operator(_name, _function)
    _operator(_name, _function, is_reflected=True)
for _name, _function in (*COMPARISONS.items(), *UNARY.items()):
    _operator(_name, _function)
KerasTensor.__hash__ = object.__hash__
