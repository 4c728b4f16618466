"""A function called inside a tape: its record is replayed into the expression around it.

The tape has to see the function's ops, so the call cannot run as a program of its own. Instead the ops
recorded by the first call are recorded again on the new arguments, without running Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.engine.differentiation.gradient import GradientRecipe, record_gradient
from tapeflow.engine.primitives import identity_op, read_op
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.recorder import is_item, item_of, record, tensor_of
from tapeflow.engine.recording.trace import live_trace, state
from tapeflow.engine.values.convert import scalar_node
from tapeflow.engine.values.dtypes import uint32
from tapeflow.engine.values.tensor import Tensor

if TYPE_CHECKING:
    from tapeflow.engine.functions.staging import Recording
    from tapeflow.engine.values.variable import Variable


class Inlined:
    """The ops of one call, by what they take: an earlier op, an argument, a Variable, a draw, a value."""

    def __init__(self, recording: Recording, args: list[Node], start: int, results: list[Any]) -> None:
        trace = live_trace()
        nodes = trace.nodes[start:]
        self.index = {id(n): i for i, n in enumerate(nodes)}
        self.args = {id(n): i for i, n in enumerate(args)}
        self.initial = {id(n): v for v, n in recording.variables.values()}
        self.words: dict[int, tuple[Any, int, int]] = {}
        self.draws: dict[int, tuple[Any, int]] = {}
        for counter, *words in recording.draws:
            offset = self.draws.get(id(counter), (counter, 0))[1]
            self.draws[id(counter)] = (counter, offset + 1)
            for k, word in enumerate(words):
                self.words[id(word)] = (counter, offset, k)
        by_source = {v._source: v for v, _ in recording.variables.values()}
        self.variables: dict[int, Variable] = {}
        self.read_variables = list(by_source.values())
        self.steps = [self._step(n, by_source, recording) for n in nodes]
        self.results = [self._source(r._node) if isinstance(r, Tensor) else ("value", r) for r in results]
        self.effects = [
            (f, [self._source(trace.nodes[s] if s >= 0 else trace.leaves[~s]) for s in slots])
            for f, slots in trace.effects[recording.effects_before :]
        ]
        del self.index, self.args, self.initial, self.words

    def _source(self, node: Node) -> tuple[str, Any]:
        """Where a node comes from, in terms that hold at the next call."""
        key = id(node)
        if key in self.index:
            return "step", self.index[key]
        if key in self.args:
            return "argument", self.args[key]
        if key in self.initial:
            variable = self.initial[key]
            self.variables[id(variable)] = variable
            return "variable", variable
        if key in self.words:
            return "word", self.words[key]
        node.held += 1  # captured: its value stays wanted
        return "node", node

    def _step(self, node: Node, by_source: dict[Any, Variable], recording: Recording) -> Any:
        parts: GradientRecipe | None = node.parts
        written = recording.writes.get(id(node))
        position = (node.code, node.lasti, node.inner)
        if parts is not None:
            where = (
                [self._source(n) for n in parts.targets],
                [[self._source(n) for n in taps] for taps in parts.taps],
                [self._source(n) for n in parts.crossed],
                [None if n is None else self._source(n) for n in parts.seeds],
            )
            return "gradient", (where, parts.mode, parts.specs), (), None, position
        if node.source is not None:
            variable = by_source[node.source]
            is_initial = id(node.inputs[0]) in self.initial
            what = ("initial", variable) if is_initial else self._source(node.inputs[0])
            return "read", variable, (what,), None, position
        inputs = tuple(self._source(n) for n in node.inputs)
        return "op", (node.instance, node.spec), inputs, written, position

    def replay(self, args: list[Node]) -> list[Any]:
        """Record everything once more on these arguments; the results, flat."""
        made: list[Node] = []
        # What the Variables hold before anything is assigned, as the tapes of today see it and plain.
        read = {i: v._as_node() for i, v in self.variables.items()}
        initial = {id(v): v._current() for v in self.read_variables}

        def find(source: tuple[str, Any]) -> Node:
            kind, what = source
            if kind == "step":
                return made[what]
            if kind == "argument":
                return args[what]
            if kind == "variable":
                return read[id(what)]
            if kind == "initial":
                return initial[id(what)]
            if kind == "word":
                counter, offset, word = what
                return scalar_node(counter.words(counter.count + offset)[word], uint32)
            return what

        for kind, what, inputs, written, position in self.steps:
            given = tuple([find(s) for s in inputs])
            if kind == "op":
                instance, spec = what
                node = (
                    item_of(given[0], instance.index) if is_item(instance) else record(instance, given, spec)
                )
            elif kind == "read":
                node = record(read_op.instance({}), given, given[0].spec)
                node.source = what._source
                node.tapes = tuple([t for t in state.tapes if t.is_watching(what)])
                for token in node.tapes:
                    token.variables[id(what)] = what
            else:
                (targets, taps, crossed, seeds), mode, specs = what
                parts = GradientRecipe(
                    [find(s) for s in targets],
                    [[find(s) for s in found] for found in taps],
                    [find(s) for s in crossed],
                    [None if s is None else find(s) for s in seeds],
                    mode,
                    specs,
                )
                node = record_gradient(parts)
            node.code, node.lasti, node.inner = position
            made.append(node)
            if written is not None:
                written._replace(node)
        for counter, count in self.draws.values():
            counter.count += count
        for function, sources in self.effects:
            nodes = [find(s) for s in sources]
            trace = live_trace()
            trace.effects.append((function, tuple(trace.slot_of(n) for n in nodes)))
        return [what if kind == "value" else tensor_of(find((kind, what))) for kind, what in self.results]


def wrapped_arguments(nodes: list[Node]) -> list[Node]:
    """Each argument as a node of its own, so that one tensor passed twice is two arguments."""
    return [record(identity_op.instance({}), (n,), n.spec) for n in nodes]
