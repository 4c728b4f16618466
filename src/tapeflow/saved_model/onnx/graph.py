"""An ONNX graph while it is put together, and the tensors in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.ops.graphs.nodes.function_body import CannotLower
from tapeflow.saved_model.onnx.backend import onnx

Sizes = tuple[int | None, ...]
_WITHOUT_TENSORS = ("complex64", "complex128", "resource", "variant", "string")


class Tensor:
    """A tensor in an ONNX graph.

    Attributes:
        name: what nodes call it.
        shape: its sizes, None where they are open; None if its rank is unknown.
        dtype: its type.
        constant: its value, if it is a constant.
        source: the op that gives it, with what this takes, for rules that look back.
    """

    __slots__ = ("_name", "constant", "dtype", "graph", "shape", "source")

    def __init__(
        self,
        graph: Graph,
        name: str,
        shape: Sizes | None,
        dtype: DType,
        constant: np.ndarray | None = None,
        source: tuple[str, Sequence[Tensor | None], dict[str, Any]] | None = None,
    ) -> None:
        self.graph, self._name, self.shape, self.dtype = graph, name, shape, dtype
        self.constant, self.source = constant, source

    @property
    def name(self) -> str:
        """What nodes call it; a constant becomes an initializer when it is first called."""
        if self.constant is not None:
            self.graph.keep(self._name, self.constant)
        return self._name

    @property
    def sizes(self) -> Sizes:
        """The shape, whose rank must be known."""
        if self.shape is None:
            raise CannotLower("has a tensor of unknown rank")
        return self.shape

    @property
    def rank(self) -> int:
        """How many axes it has."""
        return len(self.sizes)


def onnx_type(dtype: DType) -> int:
    """ONNX's number of a dtype."""
    if dtype.name in _WITHOUT_TENSORS:
        raise CannotLower(f"has a tensor of {dtype.name}, which this export does not write")
    return int(onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype.as_numpy_dtype)))


class Graph:
    """A graph that is being put together.

    Args:
        opset: the version of ONNX's ops.
        outer: the graph around it, whose tensors its nodes may take.
    """

    def __init__(self, opset: int, outer: Graph | None = None) -> None:
        self.opset = opset
        self.main: Graph = self if outer is None else outer.main
        self.nodes: list[Any] = []
        self.scope = ""
        self.initializers: dict[str, Any] = {}
        self._taken: Counter[str] = Counter()
        self._constants: dict[tuple[Any, ...], Tensor] = {}

    def unique(self, wanted: str) -> str:
        """A name that nothing in the graph or its subgraphs has yet."""
        taken = self.main._taken
        name = wanted
        while taken[name]:
            name = f"{wanted}_{taken[wanted]}"
            taken[wanted] += 1
        taken[name] += 1
        return name

    def keep(self, name: str, value: np.ndarray) -> None:
        """Have a constant among the initializers."""
        kept = self.main.initializers
        if name not in kept:
            kept[name] = onnx.numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)

    def constant(self, value: object, dtype: DTypeLike | None = None, name: str = "constant") -> Tensor:
        """A constant; it takes no place in the file unless a node takes it."""
        array = np.asarray(value, None if dtype is None else as_dtype(dtype).as_numpy_dtype)
        kind = as_dtype(array.dtype)
        onnx_type(kind)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 64 else ()
        known = self.main._constants.get(key) if key else None
        if known is None:
            known = Tensor(self.main, self.unique(name), array.shape, kind, array)
            if key:
                self.main._constants[key] = known
        return known

    def argument(self, name: str, shape: Sizes | None, dtype: DTypeLike) -> Tensor:
        """A tensor that the graph is given."""
        return Tensor(self, self.unique(name), shape, as_dtype(dtype))

    def emit(
        self,
        op: str,
        inputs: Sequence[Tensor | None],
        shape: Sizes | None,
        dtype: Any = None,
        **attributes: Any,
    ) -> Tensor:
        """Add a node with one result; its dtype is that of the first input unless it is given."""
        kind = as_dtype(inputs[0].dtype if dtype is None and inputs[0] is not None else dtype)
        return self.emit_all(op, inputs, [shape], [kind], **attributes)[0]

    def emit_all(
        self,
        op: str,
        inputs: Sequence[Tensor | None],
        shapes: Sequence[Sizes | None],
        dtypes: Sequence[DType],
        **attributes: Any,
    ) -> list[Tensor]:
        """Add a node with several results."""
        name = self.unique(f"{self.scope}{op}")
        taken = ["" if each is None else each.name for each in inputs]
        source = (op, inputs, attributes)
        found = []
        for i, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
            onnx_type(dtype)
            label = self.unique(f"{name}:{i}")
            found.append(Tensor(self, label, None if shape is None else tuple(shape), dtype, source=source))
        self.nodes.append(onnx.helper.make_node(op, taken, [t.name for t in found], name, **attributes))
        return found

    # What many rules need

    def cast(self, value: Tensor, dtype: Any) -> Tensor:
        """A tensor of another dtype."""
        kind = as_dtype(dtype)
        if value.dtype == kind:
            return value
        if value.constant is not None:
            return self.constant(value.constant.astype(kind.as_numpy_dtype))
        if value.source is not None and value.source[0] == "Cast":
            (before, *_) = value.source[1]
            is_size = before is not None and before.source is not None and before.source[0] == "Shape"
            if before is not None and is_size and before.dtype == kind:
                return before  # there and back
        return self.emit("Cast", [value], value.shape, kind, to=onnx_type(kind))

    def int64(self, value: Tensor) -> Tensor:
        """A tensor of sizes or places, as ONNX's ops take them."""
        return self.cast(value, "int64")

    def vector(self, numbers: Sequence[int]) -> Tensor:
        """A constant row of int64."""
        return self.constant(np.array(list(numbers), np.int64))

    def transpose(self, value: Tensor, order: Sequence[int]) -> Tensor:
        """A tensor with its axes in another order; what a transposition before it did is undone."""
        order = list(order)
        if order == list(range(len(order))):
            return value
        if value.constant is not None:
            return self.constant(value.constant.transpose(order), name=f"{value._name}_transposed")
        if value.source is not None and value.source[0] == "Transpose":
            (before, *_), perm = value.source[1], value.source[2]["perm"]
            if before is not None:
                return self.transpose(before, [perm[i] for i in order])
        sizes = None if value.shape is None else tuple(value.shape[i] for i in order)
        return self.emit("Transpose", [value], sizes, perm=order)

    def reshape(self, value: Tensor, shape: Sequence[int]) -> Tensor:
        """A tensor with other sizes, at most one of which is -1."""
        if value.constant is not None:
            return self.constant(value.constant.reshape(shape), name=f"{value._name}_reshaped")
        sizes = tuple(None if size == -1 else size for size in shape)
        return self.emit("Reshape", [value, self.vector(shape)], sizes)

    def shape_of(self, value: Tensor) -> Tensor:
        """The sizes of a tensor, as a row of int64."""
        if value.shape is not None and None not in value.shape:
            return self.constant(np.array(value.shape, np.int64))
        return self.emit("Shape", [value], (value.rank,), "int64")

    def scalar(self, value: object, like: Tensor) -> Tensor:
        """A constant number of a tensor's type."""
        return self.constant(value, like.dtype)

    # The whole

    def finish(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Any:
        """The graph; what it gives must be a result of its own nodes."""
        is_main = self.main is self
        return onnx.helper.make_graph(
            self.nodes,
            name,
            [_info(t, is_main) for t in inputs],
            [_info(t) for t in outputs],
            list(self.initializers.values()),
        )

    def own(self, value: Tensor, label: str) -> Tensor:
        """A tensor as a result of a node of this graph, under a name that is free."""
        self.nodes.append(onnx.helper.make_node("Identity", [value.name], [label], self.unique("Identity")))
        return Tensor(self, label, value.shape, value.dtype)


def _info(value: Tensor, has_names: bool = False) -> Any:
    """The type of a tensor; open sizes have names where somebody is to fill them in."""
    shape: list[int | str | None] | None = None if value.shape is None else list(value.shape)
    if has_names and shape is not None:
        named = ["batch", *[f"{value._name}_{i}" for i in range(1, len(shape))]]
        shape = [n if size is None else size for size, n in zip(shape, named, strict=False)]
    return onnx.helper.make_tensor_value_info(value._name, onnx_type(value.dtype), shape)
