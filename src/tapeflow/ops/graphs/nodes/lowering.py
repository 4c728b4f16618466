"""From recorded ops to nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.programs.lowering import Gradient
from tapeflow.engine.recording.node import Spec
from tapeflow.engine.recording.recorder import is_item
from tapeflow.engine.recording.sketch import NotSketchable
from tapeflow.engine.shapes.expression import Size, apart, has_symbols
from tapeflow.engine.values.dtypes import as_dtype, string
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.graphs.nodes.function_body import (
    RESOURCE,
    CannotLower,
    FunctionBody,
    Library,
    Value,
    kind_of,
)
from tapeflow.ops.graphs.nodes.recording import Records, record
from tapeflow.ops.graphs.nodes.sizes import Sizing, filled, split

Rule = Callable[..., Any]
PRIMITIVES: dict[str, Rule] = {}
"""How JAX's primitives become nodes: `rule(body, equation, *values)` gives the results."""

OPS: dict[str, Rule] = {}
"""How ops become nodes: `rule(body, op, *values)` gives the results, or None to have the kernel traced."""


def primitive(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for primitives."""

    def register(rule: Rule) -> Rule:
        PRIMITIVES.update(dict.fromkeys(names, rule))
        return rule

    return register


def op_rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for ops."""

    def register(rule: Rule) -> Rule:
        OPS.update(dict.fromkeys(names, rule))
        return rule

    return register


class RecordedOp(NamedTuple):
    """An op as its rule sees it.

    Attributes:
        name: what it is called.
        statics: its statics; sizes in them may be symbols.
        shapes: of its results; a size that is not known is None.
        kinds: the dtypes of its results.
    """

    name: str
    statics: dict[str, Any]
    shapes: list[tuple[Any, ...]]
    kinds: list[Any]


class Lowered(NamedTuple):
    """A function that has become nodes.

    Attributes:
        name: in the library.
        variables: those whose handles come after the arguments, in order.
        structure: what it returned, with the number of the result for each tensor.
        results: a spec for each result; sizes that are open are None.
        trainable: whether a tape would follow it; it is no training step.
    """

    name: str
    variables: list[Variable]
    structure: Any
    results: list[TensorSpec]


class CannotWrite(ValueError):
    """A function that cannot be written as TensorFlow's ops."""


def lower_function(
    library: Library, name: str, function: Callable[..., Any], specs: Sequence[TensorSpec], where: str
) -> Lowered:
    """Make nodes of a Python function.

    Args:
        library: where they go.
        name: what the function is called.
        function: takes a tensor for each of the specs.
        specs: of the arguments; sizes may be open.
        where: the public function, for messages.

    Raises:
        CannotWrite: something in it has no place among TensorFlow's ops.
    """
    try:
        return _Lowering(library, name, record(function, specs), specs).run()
    except NotSketchable as error:
        raise CannotWrite(
            f"{where} expected a function that reads no values while it is recorded; got {name!r}. {error}"
        ) from error
    except CannotLower as error:
        raise CannotWrite(
            f"{where} expected a function that TensorFlow's ops can do; got {name!r}, which {error}."
        ) from error


class _Lowering:
    def __init__(self, library: Library, name: str, records: Records, specs: Sequence[TensorSpec]) -> None:
        self.records, self.specs = records, specs
        self.samples = records.samples
        self.first = self.samples[0]
        self.sizing = Sizing()
        self.body = FunctionBody(library, library.name(name))
        self.values: dict[int, Any] = {}
        self.variables: dict[int, tuple[Variable, Value]] = {}

    def run(self) -> Lowered:
        body, first = self.body, self.first
        if any(s.results != first.results or len(s.leaves) != len(first.leaves) for s in self.samples):
            raise CannotLower("does other ops for other sizes")
        self._take_arguments()
        for slot in range(len(first.entries)):
            self._lower(slot)
        results = [self._value(slot) for slot in first.results]
        for variable, slot in first.writes:
            handle = self._variable(variable)[1]
            body.emit("AssignVariableOp", [handle, self._value(slot)], [])
            reads = [f"^{n.name}" for n in body.nodes if n.op == "ReadVariableOp"]
            body.nodes[-1].input.extend(reads)
            body.updates.append(body.nodes[-1].name)
        identities = [body.emit("Identity", [r], r.shape) for r in results]
        name = body.finish(identities)
        specs = [TensorSpec([s if isinstance(s, int) else None for s in r.sizes], r.dtype) for r in results]
        return Lowered(name, [v for v, _ in self.variables.values()], first.structure, specs)

    def _take_arguments(self) -> None:
        symbols: dict[tuple[int, int], Size] = {}
        for group, values in zip(self.records.open_axes, self.records.values, strict=True):
            symbol = self.sizing.symbol(values)
            symbols.update(dict.fromkeys(group, symbol))
        for i, (spec, leaf) in enumerate(zip(self.specs, self.first.arguments, strict=True)):
            sizes = [symbols.get((i, axis), size) for axis, size in enumerate(spec.shape.as_list())]
            self.values[~leaf] = self.body.argument(spec.name or f"arg{i}", sizes, kind_of(spec.dtype))
        for group in self.records.open_axes:
            (i, axis), *_ = group
            self._define(symbols[i, axis], self.values[~self.first.arguments[i]], axis)
        for leaf in sorted(self.first.variables):
            self._variable(self.first.variables[leaf])

    def _define(self, symbol: Size, value: Value, axis: int) -> None:
        self.body.symbols[str(symbol)] = lambda body: body.size_of(value, axis)

    def _variable(self, variable: Variable) -> tuple[Variable, Value]:
        found = self.variables.get(id(variable))
        if found is None:
            handle = self.body.argument(variable.name.removesuffix(":0").rpartition("/")[2], (), RESOURCE)
            found = self.variables[id(variable)] = variable, handle
        return found

    def _value(self, slot: int) -> Any:
        if slot not in self.values:
            self.values[slot] = self._leaf(~slot)
        return self.values[slot]

    def _leaf(self, leaf: int) -> Value:
        node = self.first.leaves[leaf]
        spec = node.spec
        if leaf in self.first.variables:
            variable, handle = self._variable(self.first.variables[leaf])
            shape = tuple(variable.shape)
            return self.body.emit("ReadVariableOp", [handle], shape, variable.dtype)
        if leaf in self.first.draws or node.value is None:  # without one, it numbers the calls that draw
            bounds = [self.body.constant(n, "int32") for n in (-(1 << 31), (1 << 31) - 1)]
            word = self.body.emit("RandomUniformInt", [self.body.constant([], np.int32), *bounds], ())
            return self.body.emit("Bitcast", [word], (), "uint32", type=kind_of("uint32"))
        arrays = [np.asarray(s.leaves[leaf].array(), spec.np_dtype) for s in self.samples]
        if all(_are_same(a, arrays[0]) for a in arrays[1:]):
            return self.body.constant(arrays[0])
        return self._sizes_of_leaf(arrays)

    def _pattern(self, arrays: list[np.ndarray]) -> Value | None:
        """A constant whose shape changes: of one value, of places along an axis, or the places up to a row's own."""
        first, body = arrays[0], self.body
        if any(a.ndim != first.ndim for a in arrays):
            return None
        found = [self.sizing.explain(column) for column in zip(*[a.shape for a in arrays], strict=True)]
        if None in found:
            return None
        shape: tuple[Any, ...] = tuple(found)
        if all((a == first.flat[0]).all() for a in arrays) and first.size:
            return body.emit("Fill", [body.shape(shape), body.constant(first.flat[0])], shape)
        for axis in range(first.ndim):
            if all((a == _places(a, axis)).all() for a in arrays):
                made = body.arange(shape, axis, as_dtype(first.dtype))
                return Value(body, made.name, shape, made.kind)
        if first.ndim >= 2 and all((a == np.tril(np.ones(a.shape, a.dtype))).all() for a in arrays):
            rows, columns = (
                body.arange(shape, axis, as_dtype("int32")) for axis in (-2 % len(shape), -1 % len(shape))
            )
            return body.cast(body.emit("GreaterEqual", [rows, columns], shape), first.dtype)
        return None

    def _sizes_of_leaf(self, arrays: list[np.ndarray]) -> Value:
        """A constant that is made of sizes."""
        first = arrays[0]
        if any(a.shape != first.shape for a in arrays):
            made = self._pattern(arrays)
            if made is not None:
                return made
        if any(a.shape != first.shape for a in arrays) or first.size > 64:
            raise CannotLower("has a constant that changes with the sizes of the arguments")
        columns = list(zip(*[a.reshape(-1).tolist() for a in arrays], strict=True))
        sizes = [
            self.sizing.explain([int(n) for n in c]) if all(n == int(n) for n in c) else None for c in columns
        ]
        if None in sizes:
            raise CannotLower("has a number that does not follow from the sizes of the arguments")
        flat = self.body.cast(self.body.shape(sizes), first.dtype)
        return self.body.reshape(flat, first.shape)

    def _lower(self, slot: int) -> None:
        instance, slots = self.first.entries[slot]
        if any(s.entries[slot][1] != slots for s in self.samples):
            raise CannotLower("does other ops for other sizes")
        if is_item(instance):
            self.values[slot] = self._value(slots[0])[instance.index]
            return
        if isinstance(instance, Gradient):
            raise CannotLower(f"computes a gradient ({self._place(slot)}); write what it differentiates")
        inputs = [self._value(s) for s in slots]
        try:
            self.values[slot] = self._result(slot, instance, inputs)
        except CannotLower as error:
            raise CannotLower(
                f"has the op {instance.op.name} ({self._place(slot)}), which {error}"
            ) from error

    def _place(self, slot: int) -> str:
        return self.first.nodes[slot].line()

    def _result(self, slot: int, instance: Any, inputs: list[Value]) -> Any:
        statics = self._statics(slot, instance)
        specs = [s.nodes[slot].spec for s in self.samples]
        is_tuple = type(specs[0]) is tuple
        columns: list[list[Spec]] = list(zip(*specs, strict=True)) if is_tuple else [specs]  # type: ignore[assignment]
        shapes = [self._shape(column) for column in columns]
        op = RecordedOp(instance.op.name, statics, shapes, [column[0].dtype for column in columns])
        rule = OPS.get(op.name)
        found = None if rule is None else rule(self.body, op, *inputs)
        if found is None:
            found = _traced(self.body, instance.op.kernel, statics, inputs)
        results = list(found) if isinstance(found, (list, tuple)) else [found]
        for value, shape, column in zip(results, shapes, columns, strict=True):
            self._settle(value, shape, column)
        return results if is_tuple else results[0]

    def _statics(self, slot: int, instance: Any) -> dict[str, Any]:
        instances = [s.entries[slot][0] for s in self.samples]
        if all(other is instance for other in instances):
            return instance.statics
        numbers: list[list[int]] = [[] for _ in instances]
        forms = [split(one.statics, sizes) for one, sizes in zip(instances, numbers, strict=True)]
        if any(one.op is not instance.op for one in instances) or any(f != forms[0] for f in forms):
            raise CannotLower("is another one for other sizes")
        sizes = [self.sizing.explain(column) for column in zip(*numbers, strict=True)]
        if None in sizes:
            raise CannotLower("has a number that does not follow from the sizes of the arguments")
        return filled(instance.statics, iter(sizes))

    def _shape(self, column: Sequence[Spec]) -> tuple[Any, ...]:
        return tuple([self.sizing.explain(c) for c in zip(*[spec.shape for spec in column], strict=True)])

    def _settle(self, value: Value, shape: tuple[Any, ...], column: Sequence[Spec]) -> None:
        """Give a result its shape; a size that follows from nothing gets a symbol of its own."""
        sizes = list(shape)
        for axis, size in enumerate(shape):
            if size is None:
                sizes[axis] = self.sizing.symbol(tuple([spec.shape[axis] for spec in column]))
                self._define(sizes[axis], value, axis)
        value.shape = tuple(sizes)


def _are_same(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape:
        return False
    return bool((one == other).all()) if one.dtype == object else one.tobytes() == other.tobytes()


def _places(array: np.ndarray, axis: int) -> np.ndarray:
    """An array of the places along an axis."""
    return np.arange(array.shape[axis]).reshape([-1 if i == axis else 1 for i in range(array.ndim)])


def _traced(
    body: FunctionBody, kernel: Callable[..., Any], statics: dict[str, Any], inputs: Sequence[Value]
) -> list[Value]:
    """The nodes of a kernel, by way of JAX's primitives."""
    # Only ops that move elements take strings: for JAX these are numbers.
    dtypes = [np.int32 if v.dtype is string else np.dtype(v.dtype.as_numpy_dtype) for v in inputs]
    avals = [jax.ShapeDtypeStruct(v.sizes, dtype) for v, dtype in zip(inputs, dtypes, strict=True)]
    try:
        closed = apart(lambda: jax.make_jaxpr(lambda *arrays: kernel(*arrays, **statics))(*avals))
    except CannotLower:
        raise
    except Exception as error:
        if not any(has_symbols(v.sizes) for v in inputs):
            raise
        said = str(error).split("\n")[0]
        raise CannotLower(
            f"wants to know sizes that are open: {said}. Give the input a fixed shape"
        ) from error
    return lower_jaxpr(body, closed.jaxpr, closed.consts, inputs)


def lower_jaxpr(
    body: FunctionBody, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Value]
) -> list[Value]:
    """The nodes of a jaxpr in a function."""
    environment: dict[Any, Value] = {}
    for variable, const in zip(jaxpr.constvars, consts, strict=True):
        environment[variable] = const if isinstance(const, Value) else body.constant(np.asarray(const))
    environment.update(zip(jaxpr.invars, inputs, strict=True))

    def read(atom: Any) -> Value:
        if hasattr(atom, "val"):
            return body.constant(np.asarray(atom.val, atom.aval.dtype))
        return body.take(environment[atom])

    needed = _needed(jaxpr)
    for number, equation in enumerate(jaxpr.eqns):
        if number not in needed:
            continue
        rule = PRIMITIVES.get(equation.primitive.name)
        if rule is None:
            raise CannotLower(f"comes to {equation.primitive.name!r}, which has no counterpart in TensorFlow")
        found = rule(body, equation, *[read(atom) for atom in equation.invars])
        results = found if isinstance(found, (list, tuple)) else [found]
        environment.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _needed(jaxpr: Any) -> set[int]:
    wanted = {id(v) for v in jaxpr.outvars}
    found: set[int] = set()
    for number in range(len(jaxpr.eqns) - 1, -1, -1):
        equation = jaxpr.eqns[number]
        if any(id(v) in wanted for v in equation.outvars):
            found.add(number)
            wanted.update(id(v) for v in equation.invars)
    return found


def lower_closed(body: FunctionBody, closed: Any, inputs: Sequence[Value]) -> list[Value]:
    """The nodes of a jaxpr with its constants."""
    return lower_jaxpr(body, closed.jaxpr, closed.consts, inputs)
