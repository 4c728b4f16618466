"""Function arguments of higher-order ops: loop bodies, branches, custom gradients.

The function is called once with placeholders and what it records becomes a `Graph`, a static of the
op: two functions that do the same are the same to a program's key, whoever defined them. What the
function captures from outside becomes further inputs of the op, so derivatives reach it.

A body that reads a value or has an effect cannot be recorded: `NeedsValue` is raised, and the op runs the
function as plain Python instead. So is one that writes a Variable, unless the op can take what was written as
further results of the body.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapeflow.engine.backend import jnp
from tapeflow.engine.programs.lowering import Evaluation
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import Node, Spec, spec_of
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.recorder import effect, run_alone, tensor_of
from tapeflow.engine.recording.trace import NeedsValue, Trace, live_outer_trace, live_trace, state
from tapeflow.engine.settings import settings
from tapeflow.engine.shapes.skeleton import Fixed, structured
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.dtypes import int64, uint32
from tapeflow.engine.values.tensor import Tensor

if TYPE_CHECKING:
    from tapeflow.engine.values.variable import Variable

    Written = tuple[Variable, Node]


class Graph:
    """A recorded function: entries, leaves and results by slot. Compared by structure.

    Leaf 0 is the iteration, then come the arguments, then what was captured. `checked` are the slots
    of ops with a run-time check and `numbers` how many such ops come before each, those of bodies
    within included.
    """

    __slots__ = ("_hash", "_key", "checked", "entries", "leaf_keys", "numbers", "results", "specs")

    def __init__(self, trace: Trace, results: tuple[int, ...], specs: tuple[Spec, ...]) -> None:
        widths = [len(trace.nodes[s].inner) or 1 for s in trace.checks]
        self.numbers = tuple(itertools.accumulate([0, *widths[:-1]]))
        self.entries = trace.entries
        self.leaf_keys = tuple(n.spec for n in trace.leaves)
        self.results = results
        self.specs = specs
        self.checked = tuple(trace.checks)
        self._key = (self.entries, self.leaf_keys, results, self.checked)
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Graph) and self._key == other._key)

    def __call__(self, iteration: Any, *leaves: Any) -> list[Any]:
        """The results on arrays or tracers; with run-time checks, their report comes last."""
        evaluation = Evaluation(self.entries, [iteration, *leaves])
        results = evaluation.run(self.results)
        if self.checked:
            results.append(self._report(evaluation))
        return results

    def _report(self, evaluation: Evaluation) -> Any:
        rows = checks.report(self.entries, self.checked, evaluation)
        before = jnp.asarray(self.numbers, rows.dtype)
        codes = jnp.where(rows[:, 0] != 0, rows[:, 0] + before, 0)
        return first_report(rows.at[:, 0].set(codes))

    def __repr__(self) -> str:
        return f"<graph of {len(self.entries)} ops>"


def _resized(graph: Graph, parts: tuple[Any, ...]) -> Graph:
    """A graph with other sizes: it is only evaluated, never compared."""
    resized = copy.copy(graph)
    _, entries, resized.leaf_keys, resized.specs = parts
    resized.entries = tuple([(instance, slots.value) for instance, slots in entries])
    return resized


structured[Graph] = (
    lambda graph: (
        Fixed((graph.results, graph.checked, graph.numbers)),
        tuple([(instance, Fixed(slots)) for instance, slots in graph.entries]),
        graph.leaf_keys,
        graph.specs,
    ),
    _resized,
)
REPORT = spec_of((3,), int64)
"""What the report of a body's checks looks like, which comes after its results."""


def first_report(rows: Any) -> Any:
    """The first failed row of a stack of check reports, or a row of no failure."""
    rows = rows.reshape((-1, 3))
    return rows[jnp.argmax(rows[:, 0] != 0)]


def shifted_report(report: Any, by: int) -> Any:
    """A report with `by` added to the number of its op."""
    return report.at[0].add(jnp.where(report[0] != 0, by, 0).astype(report.dtype))


class Body:
    """A `Graph`, what it captured, and the structure of what the function returned.

    Args:
        trace: what was recorded.
        given: how many of its leaves are placeholders.
        results: the nodes that the function returned.
        structure: the structure it returned them in.
        written: the Variables it assigned, with what they hold at the end.
    """

    def __init__(
        self, trace: Trace, given: int, results: tuple[Node, ...], structure: Any, written: list[Written]
    ) -> None:
        slots = tuple([trace.slot_of(n) for n in results])
        self.graph = Graph(trace, slots, tuple([n.spec for n in results]))
        origins = [checks.Origin.of(trace.nodes[s]) for s in trace.checks]
        self.origins = tuple([o for f in origins for o in (f.inner or (f,))])
        self.captured = [tensor_of(n) for n in trace.leaves[given:]]
        self.structure = structure
        self.written = written
        self._made_of = (trace, given, results)

    def with_values_of(self, variables: Sequence[Variable]) -> Body:
        """The same body with the values of these Variables at its end as further results."""
        trace, given, results = self._made_of
        held = {id(v): node for v, node in self.written}
        last = [held[id(v)] if id(v) in held else v._current() for v in variables]
        return Body(trace, given, (*results, *last), self.structure, self.written)

    @property
    def results(self) -> tuple[Node, ...]:
        """The nodes of its results."""
        return self._made_of[2]

    @property
    def effects(self) -> list[tuple[Callable[..., None], list[Node]]]:
        """Functions to call after it has run, each with the nodes, its own or outer ones, whose values it takes."""
        trace, _, _ = self._made_of
        return [
            (f, [trace.nodes[s] if s >= 0 else trace.leaves[~s] for s in slots]) for f, slots in trace.effects
        ]

    def makes(self, node: Node) -> bool:
        """Whether a node was recorded in it."""
        return node.trace is self._made_of[0]

    def giving(self, results: Sequence[Node]) -> Body:
        """The same body with other results: nodes recorded in it, and values from outside."""
        trace, given, _ = self._made_of
        return Body(trace, given, tuple(results), list(results), self.written)


def record_body(
    function: Callable[..., Any], *arguments: Any, takes_writes: bool = False, takes_effects: bool = False
) -> Body:
    """Record a call of `function` with placeholders like these arguments.

    Args:
        function: called with tensors in the structures of `arguments`.
        arguments: structures of `Spec`s.
        takes_writes: whether it may assign Variables. They get back what they held; see `Body.written`.
        takes_effects: whether it may print or log; see `Body.effects`.

    Raises:
        NeedsValue: the function reads a value, writes a Variable or has an effect.
    """
    trace = Trace(is_body=True, takes_writes=takes_writes, takes_effects=takes_effects)
    placeholders: list[Node] = []

    def placeholder(spec: Spec) -> Tensor:
        node = Node(spec)
        node.trace = trace
        node.slot = trace.add_leaf(node)
        placeholders.append(node)
        return tensor_of(node)

    placeholder(spec_of((), uint32))
    given = [nest.map_structure(placeholder, a) for a in arguments]
    saved = (state.trace, state.outer, state.bodies)
    drawn = len(state.drawn)
    state.outer = live_outer_trace()
    state.trace = trace
    state.bodies = (*state.bodies, placeholders[0])
    try:
        structure = function(*given)
        nodes = [None if r is None else to_node(r) for r in nest.flatten(structure)]
        if trace.effects and not takes_effects:
            raise NeedsValue
        written = [(w.variable, w.variable._node) for w in trace.writes.values()]
    except NeedsValue:
        give_back_draws(drawn)
        raise
    finally:
        for write in trace.writes.values():
            write.variable._rebind(write.old)
        around, outer, state.bodies = saved
        # The trace around all bodies may have run meanwhile, and another have taken its place.
        state.trace = live_outer_trace() if outer is None else around
        state.outer = state.outer if outer is not None else None
        if not state.bodies:
            state.drawn.clear()
    results = tuple([n for n in nodes if n is not None])
    return Body(trace, len(placeholders), results, structure, written)


def carrying(function: Callable[..., Any], variables: Sequence[Variable]) -> Callable[..., Any]:
    """`function` as a body that takes the values of Variables and returns their values at its end.

    Returns:
        A function of `function`'s arguments in a tuple and of a tensor for each Variable, that returns a pair: what
        `function` does, and a list of tensors. It is to be recorded by a body that takes writes.
    """

    def carried(arguments: Any, held: Sequence[Tensor]) -> Any:
        before = [v._current() for v in variables]
        for variable, tensor in zip(variables, held, strict=True):
            variable._rebind(tensor._node)
        try:
            result = function(*arguments)
            return result, [tensor_of(v._current()) for v in variables]
        finally:
            for variable, node in zip(variables, before, strict=True):
                state.trace.writes.pop(id(variable), None)
                variable._rebind(node)

    return carried


def give_back_draws(start: int) -> None:
    """Undo the random draws, from the `start`-th on, of code that could not be recorded."""
    given_back = state.drawn[start:]
    del state.drawn[start:]
    for counter in given_back:
        counter.count -= 1
    if state.recording is not None and given_back:
        del state.recording.draws[-len(given_back) :]


@op(name="CheckBody", same_dtype=False, differentiable=False, check=lambda xp, report: report)
def _checked_kernel(report: Any) -> Any:
    """The report of a body's checks, as a check of the program around it."""
    return report


_checked_kernel.only_checks = True  # of what is checked in the body, nobody here knows what it gives


def checked_results(bodies: Sequence[Body], results: Sequence[Tensor]) -> list[Tensor]:
    """An op's results without the check report that comes last when one of its bodies checks."""
    origins = tuple(o for b in bodies for o in b.origins)
    if not origins:
        return list(results)
    was_assembling, state.is_assembling = state.is_assembling, True
    try:
        node = _checked_kernel(results[-1])._node
        node.inner = origins
    finally:
        state.is_assembling = was_assembling
    if settings.op_by_op:
        run_alone(live_trace(), node)
    if state.recording is not None and not state.trace.is_body and any(map(_is_assertion, origins)):
        effect(checks.settle)  # the call that fails raises, not the next read
    return list(results[:-1])


def _is_assertion(origin: checks.Origin) -> bool:
    return origin.instance is not None and origin.instance.op.only_checks
