"""A function of TensorFlow's nodes while it is put together, and the library it goes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.shapes.expression import Size, has_symbols, is_symbolic
from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.ops.graphs.nodes.interfaces import Interface, interface
from tapeflow.summary.protos import message

RESOURCE = 20  # the number of TensorFlow's type of handles
VARIANT = 21
_SMALL_CONSTANT = 1024
_LONGEST_RANGE = 1 << 16
_MOST_BROADCAST_AXES = 4  # TensorFlow's kernel takes few axes that alternate


class CannotLower(Exception):
    """Something that TensorFlow's ops cannot say, or that has no rule; the text goes on after "which"."""


class Value:
    """A tensor in a function: a result of a node, or an argument.

    Attributes:
        body: the function it belongs to.
        name: as FunctionDefs spell it; None for a broadcast that no node does yet.
        shape: its sizes, which may be symbolic; None if its rank is unknown.
        kind: the number of its type.
        narrow: for a broadcast, what is broadcast, with as many axes.
        constant: its value, if it is a constant.
    """

    __slots__ = ("_name", "body", "constant", "kind", "narrow", "shape")

    def __init__(
        self,
        body: FunctionBody,
        name: str | None,
        shape: tuple[Size, ...] | None,
        kind: int,
        narrow: Value | None = None,
        constant: np.ndarray | None = None,
    ) -> None:
        self.body, self._name, self.shape, self.kind = body, name, shape, kind
        self.narrow, self.constant = narrow, constant

    @property
    def dtype(self) -> DType:
        """The dtype of a tensor of numbers or texts."""
        return as_dtype(self.kind)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The shape, which must be known."""
        if self.shape is None:
            raise CannotLower("has a tensor of unknown rank")
        return self.shape

    @property
    def name(self) -> str:
        """As FunctionDefs spell it."""
        if self._name is None:
            if self.narrow is None:
                raise CannotLower("takes a value that no node gives")
            made = self.body.broadcast(self.narrow, self.sizes)
            self._name = made.name
        return self._name


def kind_of(dtype: Any) -> int:
    """The number of a dtype."""
    return as_dtype(dtype).as_datatype_enum


def tensor_message(value: np.ndarray) -> Any:
    """A TensorProto."""
    is_text = value.dtype == object or value.dtype.kind in "SU"
    proto = message("TensorProto")(dtype=kind_of(dtypes.string if is_text else value.dtype))
    for size in value.shape:
        proto.tensor_shape.dim.add(size=size)
    proto.tensor_shape.SetInParent()
    if is_text:
        proto.string_val.extend([t.encode() if isinstance(t, str) else bytes(t) for t in value.reshape(-1)])
    else:
        proto.tensor_content = np.ascontiguousarray(value).tobytes()
    return proto


def shape_message(shape: Sequence[Size] | None) -> Any:
    """A TensorShapeProto: -1 for sizes that are not numbers."""
    proto = message("TensorShapeProto")()
    if shape is None:
        proto.unknown_rank = True
        return proto
    for size in shape:
        proto.dim.add(size=-1 if size is None or is_symbolic(size) else int(size))
    proto.SetInParent()
    return proto


class Library:
    """The functions of a graph.

    Attributes:
        functions: the FunctionDefs, by name.
    """

    def __init__(self) -> None:
        self.functions: dict[str, Any] = {}
        self._taken: Counter[str] = Counter()

    def name(self, wanted: str) -> str:
        """A name for a new function."""
        self._taken[wanted] += 1
        return f"__inference_{wanted}_{self._taken[wanted]}"


class FunctionBody:
    """A function that is being put together.

    Args:
        library: where it goes.
        name: its name.
        outer: the function whose values it may take; they become arguments.
    """

    def __init__(self, library: Library, name: str, outer: FunctionBody | None = None) -> None:
        self.library, self.name, self.outer = library, name, outer
        self.arguments: list[Value] = []
        self.captures: list[Value] = []  # of the function around, for the last arguments
        self.nodes: list[Any] = []
        self.symbols: dict[str, Callable[[FunctionBody], Value]] = {} if outer is None else outer.symbols
        self.scope = ""
        self.is_stateful = False
        self.updates: list[str] = []  # nodes that must run although nothing takes what they give
        self._captured: dict[int, Value] = {}
        self._constants: dict[Any, Value] = {}
        self._sizes: dict[str, Value] = {}
        self._taken: Counter[str] = Counter()
        self._argument_names: Counter[str] = Counter()

    # What a function takes

    def argument(self, name: str, shape: Sequence[Size] | None, kind: int) -> Value:
        """A new argument."""
        name = "".join(c if c.isalnum() and c.isascii() else "_" for c in name.lower()).strip("_") or "arg"
        name = name if name[0].isalpha() else f"arg_{name}"
        self._argument_names[name] += 1
        if self._argument_names[name] > 1:
            name = f"{name}_{self._argument_names[name] - 1}x"
        self._taken[name] += 1
        value = Value(self, name, None if shape is None else tuple(shape), kind)
        self.arguments.append(value)
        return value

    def take(self, value: Value) -> Value:
        """A value of this function, or of one around it."""
        if value.body is self:
            return value
        if value.constant is not None and value.constant.size <= _SMALL_CONSTANT:
            return self.constant(value.constant)
        if self.outer is None:
            raise CannotLower("takes a value of a function that it is not part of")
        argument = self._captured.get(id(value))
        if argument is None:
            if value.narrow is not None:
                value.name  # noqa: B018 - a node broadcasts it now
            source = self.outer.take(value)
            argument = self._captured[id(value)] = self.argument("captured", source.shape, source.kind)
            self.captures.append(source)
            self._captured[id(source)] = argument
            self._kept = [*getattr(self, "_kept", []), value]  # so that its id stays its own
        return argument

    # Nodes

    def emit(self, op: str, inputs: Sequence[Any], shape: Any, dtype: Any = None, **attributes: Any) -> Any:
        """Add a node.

        Args:
            op: TensorFlow's op.
            inputs: a value, or a list of them, for each argument.
            shape: that of the result; a list of shapes for several.
            dtype: of the result, where arguments do not tell; a list for several.
            attributes: those that do not follow from the inputs.

        Returns:
            The result; a list if `shape` is one.
        """
        face = interface(op)
        node = message("NodeDef")(name=self._node_name(op), op=op)
        values = dict(attributes)
        for argument, given in zip(face.inputs, inputs, strict=True):
            parts = [self.take(v) for v in (given if isinstance(given, (list, tuple)) else [given])]
            node.input.extend([part.name for part in parts])
            if argument.number == "*":
                values.setdefault(str(argument.kind), [part.kind for part in parts])
                continue
            if isinstance(argument.kind, str):
                values.setdefault(argument.kind, parts[0].kind if parts else kind_of(dtype))
            if argument.number:
                values[argument.number] = len(parts)
        is_list = isinstance(shape, list)
        shapes = shape if is_list else [shape]
        wanted = dtype if isinstance(dtype, list) else [dtype] * len(shapes)
        names, kinds = _results(node.name, face, values, [None if d is None else kind_of(d) for d in wanted])
        for name, (type_name, *default) in face.attributes.items():
            if name in values or default:
                _set_attribute(node.attr[name], type_name, values.get(name, default[0] if default else None))
        shown = node.attr["_output_shapes"].list
        for each in shapes:
            shown.shape.append(shape_message(each))
        self.nodes.append(node)
        self.is_stateful |= face.is_stateful and op != "VarHandleOp"
        results = [
            Value(self, n, None if s is None else tuple(s), k)
            for n, s, k in zip(names, shapes, kinds, strict=False)
        ]
        return results if is_list else results[0] if results else None

    def _node_name(self, op: str) -> str:
        path = f"{self.scope}{op}"
        count = self._taken[path]
        self._taken[path] += 1
        return f"{path}_{count}" if count else path

    def constant(self, value: TensorLike, dtype: DTypeLike | None = None) -> Value:
        """A constant."""
        array = np.asarray(value, None if dtype is None else as_dtype(dtype).as_numpy_dtype)
        key = (
            (array.dtype.str, array.shape, array.tobytes())
            if array.size <= 64 and array.dtype != object
            else None
        )
        constant = None if key is None else self._constants.get(key)
        if constant is None:
            node = message("NodeDef")(name=self._node_name("Const"), op="Const")
            proto = tensor_message(array)
            node.attr["value"].tensor.CopyFrom(proto)
            node.attr["dtype"].type = proto.dtype
            node.attr["_output_shapes"].list.shape.append(shape_message(array.shape))
            self.nodes.append(node)
            constant = Value(self, f"{node.name}:output:0", array.shape, proto.dtype, constant=array)
            if key is not None:
                self._constants[key] = constant
        return constant

    # Sizes

    def size(self, size: Size) -> Value:
        """A size as a scalar of int32."""
        if not is_symbolic(size):
            return self.constant(int(size), "int32")
        key = str(size)
        if key not in self._sizes:
            outer = self._outer_size(size)
            self._sizes[key] = self._size(size) if outer is None else outer
        return self._sizes[key]

    def _outer_size(self, size: Size) -> Value | None:
        return None if self.outer is None else self.take(self.outer.size(size))

    def _size(self, size: Size) -> Value:
        total: Value | None = None
        for term, coefficient in size._sorted_terms:
            product: Value | None = None
            for factor, power in term._factors:
                part = self.symbols[factor.var](self) if factor.var is not None else self._operated(factor)
                for _ in range(power):
                    product = part if product is None else self.emit("Mul", [product, part], ())
            if product is None:
                product = self.constant(int(coefficient), "int32")
            elif coefficient != 1:
                product = self.emit("Mul", [product, self.constant(int(coefficient), "int32")], ())
            total = product if total is None else self.emit("AddV2", [total, product], ())
        return self.constant(0, "int32") if total is None else total

    def _operated(self, factor: Any) -> Value:
        ops = {"floordiv": "FloorDiv", "mod": "FloorMod", "max": "Maximum", "min": "Minimum"}
        if factor.operation not in ops:
            raise CannotLower(f"has a size with {factor.operation}")
        return self.emit(ops[factor.operation], [self.size(o) for o in factor.operands], ())

    def shape(self, sizes: Sequence[Size]) -> Value:
        """Sizes as a vector of int32."""
        if not has_symbols(sizes):
            return self.constant([int(s) for s in sizes], np.int32)
        return self.emit("Pack", [[self.size(s) for s in sizes]], (len(sizes),), axis=0)

    def size_of(self, value: Value, axis: int) -> Value:
        """The size of a tensor's axis, as it is when the function runs."""
        value = self.take(value)
        shape = self.emit("Shape", [value], (len(value.sizes),), "int32", out_type=kind_of("int32"))
        ends = [self.constant([n], np.int32) for n in (axis, axis + 1, 1)]
        return self.emit("StridedSlice", [shape, *ends], (), shrink_axis_mask=1)

    def reshape(self, value: Value, sizes: Sequence[Size]) -> Value:
        """A tensor with other sizes; one open size is left to TensorFlow."""
        sizes = tuple(sizes)
        if value.shape is not None and len(value.shape) == len(sizes) and _are_same(value.shape, sizes):
            return value
        open_axes = [i for i, s in enumerate(sizes) if is_symbolic(s)]
        if len(open_axes) == 1 and 0 not in sizes:
            target = self.constant([-1 if is_symbolic(s) else int(s) for s in sizes], np.int32)
        else:
            target = self.shape(sizes)
        return self.emit("Reshape", [value, target], sizes)

    def broadcast(self, value: Value, sizes: Sequence[Size]) -> Value:
        """A tensor broadcast to other sizes; it has as many axes."""
        if len(sizes) <= _MOST_BROADCAST_AXES:
            return self.emit("BroadcastTo", [value, self.shape(sizes)], tuple(sizes))
        times = [1 if _are_same([a], [b]) else b for a, b in zip(value.sizes, sizes, strict=True)]
        return self.emit("Tile", [value, self.shape(times)], tuple(sizes))

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        """A tensor with its axes in another order."""
        if list(order) == list(range(len(order))):
            return value
        sizes = tuple(value.sizes[i] for i in order)
        return self.emit("Transpose", [value, self.constant(list(order), np.int32)], sizes)

    def cast(self, value: Value, dtype: Any) -> Value:
        """A tensor of another dtype."""
        kind = kind_of(dtype)
        if value.kind == kind:
            return value
        if value.constant is not None and value.constant.dtype != object:
            return self.constant(value.constant.astype(as_dtype(dtype).as_numpy_dtype))
        return self.emit("Cast", [value], value.shape, dtype, DstT=kind)

    def arange(self, shape: Sequence[Size], axis: int, dtype: DTypeLike) -> Value:
        """The places along an axis, for each element of a tensor."""
        size, kind = shape[axis], as_dtype(dtype)
        aligned = tuple([s if i == axis else 1 for i, s in enumerate(shape)])
        if not is_symbolic(size) and size <= _LONGEST_RANGE:
            places = np.arange(size).reshape([int(s) for s in aligned])
            made = self.constant(places.astype(kind.as_numpy_dtype))
        else:
            ends = [self.constant(0, "int32"), self.size(size), self.constant(1, "int32")]
            made = self.reshape(self.cast(self.emit("Range", ends, (size,)), kind), aligned)
        if _are_same(aligned, shape):
            return made
        return Value(self, None, tuple(shape), made.kind, narrow=made)

    # The whole

    def finish(self, results: Sequence[Value], names: Sequence[str] | None = None) -> str:
        """Put the function into the library; returns its name."""
        results = [self.take(r) for r in results]
        spelled = [r.name for r in results]
        proto = message("FunctionDef")()
        proto.signature.name = self.name
        for i, argument in enumerate(self.arguments):
            proto.signature.input_arg.add(name=argument.name, type=argument.kind)
            if argument.kind not in (RESOURCE, VARIANT):
                proto.arg_attr[i].attr["_output_shapes"].list.shape.append(shape_message(argument.shape))
        labels = names or [f"result_{i}" for i in range(len(results))]
        for label, result, name in zip(labels, results, spelled, strict=True):
            proto.signature.output_arg.add(name=label, type=result.kind)
            proto.ret[label] = name
        for update in self.updates:
            proto.signature.control_output.append(update)
            proto.control_ret[update] = update
        proto.signature.is_stateful = self.is_stateful
        proto.node_def.extend(_needed(self.nodes, [*spelled, *self.updates]))
        self.library.functions[self.name] = proto
        return self.name


def _are_same(one: Sequence[Size], other: Sequence[Size]) -> bool:
    return all(
        (is_symbolic(a) == is_symbolic(b)) and (str(a) == str(b) if is_symbolic(a) else int(a) == int(b))
        for a, b in zip(one, other, strict=True)
    )


def _needed(nodes: Sequence[Any], ends: Sequence[str]) -> list[Any]:
    """The nodes that lead to these ends, in order."""
    wanted = {end.partition(":")[0] for end in ends}
    kept = []
    for node in reversed(nodes):
        if node.name in wanted:
            kept.append(node)
            wanted.update([name.removeprefix("^").partition(":")[0] for name in node.input])
    return kept[::-1]


def _results(
    node: str, face: Interface, values: dict[str, Any], given: list[int | None]
) -> tuple[list[str], list[int]]:
    names: list[str] = []
    kinds: list[int] = []
    for output in face.outputs:
        if output.number == "*":
            listed = values[str(output.kind)]
            names += [f"{node}:{output.name}:{i}" for i in range(len(listed))]
            kinds += listed
            continue
        count = values[output.number] if output.number else 1
        for i in range(count):
            names.append(f"{node}:{output.name}:{i}")
            if isinstance(output.kind, int):
                kinds.append(output.kind)
                continue
            known = values.get(output.kind)
            if known is None:
                default = face.attributes[output.kind][1:]
                known = given[len(kinds)] if len(kinds) < len(given) else None
                known = known if known is not None else default[0] if default else None
                if known is None:
                    raise TypeError(f"the type of a result of {node} is not known")
                values[output.kind] = known
            kinds.append(known)
    return names, kinds


def _set_attribute(attribute: Any, kind: str, value: Any) -> None:
    """Give an AttrValue its value."""
    if kind.startswith("list("):
        listed = attribute.list
        attribute.list.SetInParent()
        inner = kind[5:-1]
        if inner == "shape":
            for each in value:
                listed.shape.append(shape_message(each))
            return
        field = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type"}[inner]
        getattr(listed, field).extend([v.encode() if isinstance(v, str) else v for v in value])
    elif kind == "shape":
        attribute.shape.CopyFrom(shape_message(value))
    elif kind == "func":
        attribute.func.name = value
    elif kind == "string":
        attribute.s = value.encode() if isinstance(value, str) else value
    else:
        field = {"int": "i", "float": "f", "bool": "b", "type": "type"}[kind]
        setattr(attribute, field, value)
