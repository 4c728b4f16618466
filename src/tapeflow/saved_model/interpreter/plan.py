"""A graph, or the body of a function, as steps in the order in which they run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tapeflow.saved_model.interpreter.kernels import DEAD, Entry, GraphError, Node

if TYPE_CHECKING:
    from tapeflow.saved_model.interpreter.library import Library


_MERGES = ("Merge", "RefMerge")


class Source(NamedTuple):
    """Where a value comes from: an argument (`step` is negative), or a result of a step.

    `part` is the place of the result among an op's named results, or None if it has one name; `at` its place in a
    list, if that name stands for a list. Where `part` is -1, `at` counts all results of the op.
    """

    step: int
    part: int | None
    at: int


class Step(NamedTuple):
    """One node, its kernel and where its inputs come from."""

    node: Node
    entry: Entry
    inputs: tuple[Source, ...]
    waits_for: tuple[int, ...]  # the steps that it needs to have run, and nothing from them


class Plan:
    """Steps, where the results come from, and the names that the plan calls.

    Args:
        name: what is planned, for messages.
        steps: the steps in order.
        results: the source of each result.
        argument_count: how many arguments it takes.
    """

    def __init__(self, name: str, steps: list[Step], results: list[Source], argument_count: int) -> None:
        self.name = name
        self.steps = steps
        self.results = results
        self.argument_count = argument_count
        self._last_uses = _last_uses(steps, results)

    def run(self, arguments: Sequence[Any]) -> list[Any]:
        """The results for some arguments. What a step needs no more is let go."""
        if len(arguments) != self.argument_count:
            raise GraphError(
                f"{self.name!r} takes {self.argument_count} inputs and is given {len(arguments)}"
            )
        values: list[Any] = [None] * len(self.steps)
        dead: set[int] = set()

        def fetched(source: Source) -> Any:
            step, part, at = source
            if step < 0:
                return arguments[-1 - step]
            value = values[step]
            if value is DEAD:
                return DEAD
            if part == -1:
                return _flat(value)[at]
            if part is not None:
                value = value[part]
            return value[at] if type(value) is list else value

        for i, step in enumerate(self.steps):
            inputs = [fetched(s) for s in step.inputs]
            if step.node.op not in _MERGES and (
                any(v is DEAD for v in inputs) or not dead.isdisjoint(step.waits_for)
            ):
                values[i] = DEAD
                dead.add(i)
                continue
            try:
                values[i] = step.entry.kernel(step.node, *inputs)
            except (IndexError, KeyError, AttributeError, TypeError) as error:
                raise GraphError(
                    f"node {step.node.name!r} ({step.node.op}) of {self.name!r} got inputs that it does not take: "
                    f"{type(error).__name__}: {error}"
                ) from error
            for done in self._last_uses[i]:
                values[done] = None
        return [fetched(s) for s in self.results]


def _flat(value: object) -> list[Any]:
    if not isinstance(value, (tuple, list)):
        return [value]
    return [v for part in value for v in (part if isinstance(part, list) else [part])]


def _last_uses(steps: list[Step], results: list[Source]) -> list[list[int]]:
    """The steps whose values are not needed after each step."""
    last = {i: i for i in range(len(steps))}
    for i, step in enumerate(steps):
        for source in step.inputs:
            if source.step >= 0:
                last[source.step] = i
    kept = {source.step for source in results}
    found: list[list[int]] = [[] for _ in steps]
    for i, at in last.items():
        if i not in kept:
            found[at].append(i)
    return found


def ordered(nodes: dict[str, Any], wanted: Iterable[str], where: str) -> list[str]:
    """The names of the nodes that some need, each after those that it needs.

    Raises:
        GraphError: a node needs one that is not there, or itself.
    """
    order: list[str] = []
    state: dict[str, bool] = {}  # whether a node is done
    for start in wanted:
        waiting = [(start, False)]
        while waiting:
            name, is_done = waiting.pop()
            if is_done:
                state[name] = True
                order.append(name)
                continue
            if name in state:
                if not state[name]:
                    raise GraphError(f"{where} has a cycle through node {name!r}")
                continue
            if name not in nodes:
                raise GraphError(f"{where} has no node {name!r}, which another one needs")
            state[name] = False
            waiting.append((name, True))
            for needed in reversed(_needed(nodes[name])):
                if state.get(needed) is False:
                    raise GraphError(f"{where} has a cycle through node {needed!r}")
                if needed not in state and needed in nodes:
                    waiting.append((needed, False))
    return order


def _needed(proto: Any) -> list[str]:
    """The nodes that one takes inputs from or waits for; arguments of a function look the same."""
    return list(dict.fromkeys(i.removeprefix("^").partition(":")[0] for i in proto.input))


def made_steps(
    nodes: dict[str, Any],
    order: list[str],
    arguments: dict[str, int],
    library: Library,
    where: str,
) -> tuple[list[Step], dict[str, int]]:
    """The steps for some nodes, and the place of each.

    Args:
        nodes: all nodes by name.
        order: the names of the ones that run.
        arguments: the place of each argument of a function; empty in a graph, whose references to results count.
        library: what the kernels find functions in.
        where: what is planned, for messages.
    """
    places = {name: i for i, name in enumerate(order)}
    steps = []
    for name in order:
        proto = nodes[name]
        entry = library.entry(proto.op, name, where)
        inputs = tuple(
            source_of(i, places, arguments, nodes, library, where)
            for i in proto.input
            if not i.startswith("^")
        )
        controls = [places.get(i[1:].partition(":")[0]) for i in proto.input if i.startswith("^")]
        steps.append(Step(Node(proto, library), entry, inputs, tuple(c for c in controls if c is not None)))
    return steps, places


def source_of(
    reference: str,
    places: dict[str, int],
    arguments: dict[str, int],
    nodes: dict[str, Any],
    library: Library,
    where: str,
) -> Source:
    """Where `node:output:index` (of a function), `node:index` (of a graph) or an argument's name comes from."""
    name, _, rest = reference.partition(":")
    if name in arguments and (not rest or rest == "0"):
        return Source(-1 - arguments[name], None, 0)
    if name not in places:
        raise GraphError(f"{where} has no node {name!r}, which another one needs")
    output, _, index = rest.partition(":")
    if not index:  # a graph's
        if output and not output.isdecimal():
            raise GraphError(f"{where} has the reference {reference!r}, which is none")
        return Source(places[name], -1, int(output or 0))
    if not index.isdecimal():
        raise GraphError(f"{where} has the reference {reference!r}, which is none")
    entry = library.entry(nodes[name].op, name, where)
    if not entry.outputs:
        return Source(places[name], None, int(index))
    if output not in entry.outputs:
        raise GraphError(
            f"{where} has the reference {reference!r} to a result that op {nodes[name].op!r} does not have"
        )
    return Source(places[name], entry.outputs.index(output), int(index))
