"""A recorded function as a GraphDef, for the board's graph view.

Nodes are named after the function, the name scopes and layers they were recorded in, and the op, as in
`train_step/model/dense/MatMul`. Arguments are Placeholders, and each result gets an Identity. Variables, which are
VarHandleOps with the Variables' names, and constants stand where they are first used. The gradient of a tape is one
node: it is computed, not recorded, so it has no parts to show.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import Any

from tapeflow.engine.functions.function_graph import FunctionGraph
from tapeflow.engine.functions.staging import Record
from tapeflow.engine.programs.lowering import Gradient
from tapeflow.engine.programs.program import Program
from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.recording.recorder import is_item
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.variable import Variable
from tapeflow.summary.event_files.tensors import STRING, TYPE_NUMBERS
from tapeflow.summary.protos import message

_VERSION = 2474  # TensorFlow's, of the graph format


def graph_of_record(name: str, record: Record) -> Any:
    """The GraphDef of a recorded call of the function called `name`."""
    graph = message("GraphDef")()
    graph.versions.producer = _VERSION
    if record.program is not None:
        _Export(graph, name, record.program).run(record)
    return graph


def graph_of_function(given: FunctionGraph) -> Any:
    """The GraphDef of a concrete function's graph."""
    graph = message("GraphDef")()
    graph.versions.producer = _VERSION
    for operation in given.get_operations():
        node = graph.node.add(name=operation.name, op=operation.type)
        node.input.extend(operation.inputs)
        for spec in operation.specs:
            shape = node.attr["_output_shapes"].list.shape.add()
            dims = TensorShape(spec.shape)
            if dims.rank is None:
                shape.unknown_rank = True
                continue
            for size in dims:
                shape.dim.add(size=-1 if size is None else size)
        if operation.specs:
            node.attr["dtype"].type = TYPE_NUMBERS.get(operation.specs[0].dtype.name, STRING)
    return graph


class _Export:
    def __init__(self, graph: Any, scope: str, program: Program) -> None:
        self.graph = graph
        self.scope = scope
        self.program = program
        self.taken: Counter[str] = Counter()
        self.names: dict[int, str] = {}
        self.specs: dict[int, Any] = {}
        self.scopes: list[tuple[int, str]] = []

    def run(self, record: Record) -> None:
        self.scopes = record.scopes
        used = self._first_uses()
        arguments = dict(record.arg_leaves)
        variables = {leaf: variable for leaf, variable, _ in record.variable_leaves}
        drawn = {leaf for leaf, *_ in record.draws}
        for leaf, key in enumerate(self.program.leaf_keys):
            spec = spec_of((), key[1]) if type(key) is tuple else key
            if leaf in arguments:
                node = self._add(f"argument_{arguments[leaf]}", "Placeholder", spec)
            elif leaf in variables:
                node = self._add(_placed(used.get(leaf, ""), variables[leaf]), "VarHandleOp", spec)
            elif leaf in drawn:
                node = self._add(used.get(leaf, "") + "random_key", "Placeholder", spec)
            else:
                node = self._add(used.get(leaf, "") + "Const", "Const", spec)
            self.names[~leaf], self.specs[~leaf] = node.name, spec
        for slot, (instance, slots) in enumerate(self.program.entries):
            self._add_op(slot, instance, slots)
        for kind, what in record.results:
            if kind == "output":
                slot = self.program.outputs[what]
                node = self._add("Identity", "Identity", self.specs[slot])
                node.input.append(self.names[slot])
        for variable, place in record.writes:
            slot = self.program.outputs[place]
            short = variable.name.removesuffix(":0")
            node = self._add(f"assign/{short}", "AssignVariableOp", self.specs[slot])
            node.input.append(self.names[slot])

    def _scope(self, slot: int) -> str:
        """The scope that an op was recorded in: "" or "model/dense/"."""
        place = bisect_right(self.scopes, slot, key=lambda mark: mark[0])
        return self.scopes[place - 1][1] if place else ""

    def _first_uses(self) -> dict[int, str]:
        """The scope of the first op that takes a leaf, by leaf."""
        found: dict[int, str] = {}
        for slot, (_, slots) in enumerate(self.program.entries):
            for taken in slots:
                if taken < 0:
                    found.setdefault(~taken, self._scope(slot))
        return found

    def _add_op(self, slot: int, instance: Any, slots: tuple[int, ...]) -> None:
        if isinstance(instance, Gradient):
            spec: Any = instance.specs
            label = instance.mode
            slots = (*instance.targets, *[s for taps in instance.taps for s in taps])
        else:
            label = instance.op.name
            given = tuple([self.specs[s] for s in slots])
            if is_item(instance):  # an output of the node itself
                whole, output = given[0], f":{instance.index}" if instance.index else ""
                self.specs[slot] = whole[instance.index] if type(whole) is tuple else whole
                self.names[slot] = self.names[slots[0]] + output
                return
            spec = instance.specs.get(given) or instance.infer(given)
        node = self._add(self._scope(slot) + label, label, spec)
        self.names[slot], self.specs[slot] = node.name, spec
        node.input.extend([self.names[s] for s in slots])
        for key, value in ({} if isinstance(instance, Gradient) else instance.statics).items():
            node.attr[key].s = str(value).encode()

    def _add(self, label: str, op: str, spec: object) -> Any:
        path = f"{self.scope}/{label}"
        count = self.taken[path]
        self.taken[path] += 1
        node = self.graph.node.add(name=f"{path}_{count}" if count else path, op=op)
        specs = spec if type(spec) is tuple else (spec,) if isinstance(spec, Spec) else ()
        for item in specs:
            shape = node.attr["_output_shapes"].list.shape.add()
            for size in item.shape:
                shape.dim.add(size=size)
        if specs:
            node.attr["dtype"].type = TYPE_NUMBERS.get(specs[0].dtype.name, STRING)
        return node


def _placed(scope: str, variable: Variable) -> str:
    """The name of a Variable where it is used: `model/dense/kernel` for the `dense/kernel` of a model's layer."""
    name = variable.name.removesuffix(":0")
    parent, _, last = name.rpartition("/")
    if f"/{scope}".endswith(f"/{parent}/"):
        return scope + last
    return name if name.startswith(scope) else scope + name
