"""Recording a gradient: the nodes that a tape crosses, and the one node that differentiates them.

Nodes that have run by then (a value was read inside the tape) are recorded once more, as *ghosts*, so
that the gradient and the forward pass it needs are one piece again.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.primitives import add_op
from tapeflow.engine.programs.flight import RUN_LOCK
from tapeflow.engine.programs.lowering import Gradient
from tapeflow.engine.recording.node import Node, Spec, host_node, spec_of, user_position
from tapeflow.engine.recording.recorder import items_of, record, run_alone, tensor_of
from tapeflow.engine.recording.trace import Trace, live_trace, state
from tapeflow.engine.settings import settings
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable

if TYPE_CHECKING:
    from tapeflow.engine.differentiation.tape import TapeToken


@dataclass
class GradientRecipe:
    """A gradient in terms of nodes: enough to record it again after its trace has run."""

    targets: list[Node]
    taps: list[list[Node]]
    crossed: list[Node]
    seeds: list[Node | None]
    mode: str
    specs: tuple[Spec, ...]


def record_gradients(
    token: TapeToken, targets: list[Any], sources: list[Any], seeds: list[Any], mode: str
) -> list[Tensor | None]:
    """Record the gradient node; return each source's part of it, or `None`."""
    with RUN_LOCK:  # another thread that ran what is crossed would cut the nodes from their inputs
        return _record_gradients(token, targets, sources, seeds, mode)


def _record_gradients(
    token: TapeToken, targets: list[Any], sources: list[Any], seeds: list[Any], mode: str
) -> list[Tensor | None]:
    nodes = [to_node(t) for t in targets]
    used = [i for i, n in enumerate(nodes) if token in n.tapes]
    crossed = _crossed(token, [nodes[i] for i in used])
    reached = _reached(token, [nodes[i] for i in used], crossed)
    reads: dict[Any, list[Node]] = {}
    for node in reached.values():
        if node.source is not None:
            reads.setdefault(node.source, []).append(node)
    taps = []
    for source in sources:
        if isinstance(source, Variable):
            taps.append(reads.get(source._source, []))
        else:
            tapped = _in(reached, source._as_node())
            taps.append([] if tapped is None else [tapped])
    connected = [i for i, t in enumerate(taps) if t]
    is_seen = len(used) == len(targets)
    gradients = [None if is_seen else _of_itself(s, targets, seeds, used) for s in sources]
    if not connected:
        return gradients
    parts = GradientRecipe(
        [nodes[i] for i in used],
        [taps[i] for i in connected],
        _in_order(live_trace(), crossed),
        [None if seeds[i] is None else to_node(seeds[i]) for i in used],
        mode,
        tuple(sources[i]._spec for i in connected),
    )
    for target, seed in zip(parts.targets, parts.seeds, strict=True):
        _check_seed(target.spec, seed)
    gradient = record_gradient(parts)
    gradient.held += 1  # until each part has its handle
    try:
        through = [tensor_of(item) for item in items_of(gradient)]
    finally:
        gradient.held -= 1
    for part, i in zip(through, connected, strict=True):
        itself = gradients[i]
        gradients[i] = part if itself is None else add_op(part, itself)
    return gradients


def _of_itself(source: Any, targets: list[Any], seeds: list[Any], used: list[int]) -> Tensor | None:
    """The gradient of a source that is itself a target the tape did not record: its output gradient."""
    spec = source._spec
    total: Tensor | None = None
    for i, (target, seed) in enumerate(zip(targets, seeds, strict=True)):
        if target is source and i not in used and spec.is_differentiable:
            one = tensor_of(host_node(np.ones(spec.shape, spec.np_dtype), spec)) if seed is None else seed
            total = one if total is None else add_op(total, one)
    return total


def _in(crossed: dict[int, Node], node: Node) -> Node | None:
    """A crossed node, or the one recorded in its place."""
    while id(node) not in crossed:
        if node.ghost is None:
            return None
        node = node.ghost
    return node


def _check_seed(target: Spec, seed: Node | None) -> None:
    if seed is None:
        return
    if len(seed.spec.shape) > len(target.shape) or any(
        a not in (b, 1) for a, b in zip(reversed(seed.spec.shape), reversed(target.shape), strict=False)
    ):
        raise ValueError(
            f"GradientTape.gradient expected output_gradients of the target's shape {target.shape}; got "
            f"shape {seed.spec.shape}."
        )


def _crossed(token: TapeToken, targets: Sequence[Node]) -> dict[int, Node]:
    """The nodes between the targets and the beginning of the tape."""
    crossed: dict[int, Node] = {}
    stack = list(targets)
    while stack:
        node = stack.pop()
        if id(node) in crossed:
            continue
        crossed[id(node)] = node
        if node.source is None and id(node) not in token.roots:
            stack += [n for n in node.inputs if token in n.tapes]
    return crossed


def _reached(token: TapeToken, targets: Sequence[Node], crossed: dict[int, Node]) -> dict[int, Node]:
    """The crossed nodes that have a derivative: all, unless an op says that it depends on some inputs only.

    What a user's own gradient function captured has none, but the derivative of that gradient does.
    """
    if all(getattr(n.instance, "followed", None) is None for n in crossed.values()):
        return crossed
    reached: dict[int, Node] = {}
    above: dict[int, Node] = {}  # found again beyond a gradient, where everything is followed
    stack = [(node, False) for node in targets]
    while stack:
        node, is_beyond = stack.pop()
        if id(node) in above or (id(node) in reached and not is_beyond):
            continue
        (above if is_beyond else reached)[id(node)] = node
        if node.source is None and id(node) not in token.roots:
            is_beyond = is_beyond or node.parts is not None
            inputs = node.inputs if is_beyond else node.inputs[: getattr(node.instance, "followed", None)]
            stack += [(n, is_beyond) for n in inputs if token in n.tapes]
    return reached | above


def _in_order(trace: Trace, crossed: dict[int, Node]) -> list[Node]:
    """The crossed nodes in topological order: each after its inputs."""
    nodes = list(crossed.values())
    if all(n.trace is trace for n in nodes):
        return sorted(nodes, key=_slot)
    ordered: dict[int, Node] = {}
    while nodes:
        before = [n for n in nodes[-1].inputs if id(n) in crossed and id(n) not in ordered]
        if before and id(nodes[-1]) not in ordered:
            nodes += before
        else:
            node = nodes.pop()
            ordered[id(node)] = node
    return list(ordered.values())


_slot = operator.attrgetter("slot")


def record_gradient(parts: GradientRecipe) -> Node:
    """Record a gradient node; crossed nodes that have already run are recorded once more for it."""
    was_assembling, state.is_assembling = state.is_assembling, True
    node = None
    try:
        while node is None:
            trace = live_trace()
            ghosts: dict[int, Node] = {}
            if any(n.trace is not trace for n in parts.crossed):
                for crossed in parts.crossed:
                    _raise_ghost(trace, crossed, ghosts)
            node = _append_gradient(trace, _moved(parts, ghosts) if ghosts else parts)
    finally:
        state.is_assembling = was_assembling
    if settings.op_by_op and node.trace is not None:
        run_alone(node.trace, node)
    return node


def _append_gradient(trace: Trace, parts: GradientRecipe) -> Node | None:
    """Append the gradient's node to a trace; None if another thread has run the trace meanwhile."""
    node = Node(_result_specs(parts))
    node.code, node.lasti = user_position(2)
    node.inputs = (*parts.targets, *[n for n in parts.seeds if n is not None])
    node.parts = parts
    for token in state.tapes:
        if any(token in n.tapes for n in node.inputs):
            node.tapes = (*node.tapes, token)
    place = trace.slot_of
    with trace:
        if trace.is_done:
            return None
        crossed = [n.slot if n.trace is trace else place(n) for n in parts.crossed]
        node.instance = Gradient.interned(
            tuple([place(n) for n in parts.targets]),
            tuple([tuple([place(n) for n in taps]) for taps in parts.taps]),
            tuple(sorted([s for s in crossed if s >= 0])),
            tuple([None if n is None else place(n) for n in parts.seeds]),
            parts.mode,
            parts.specs,
        )
        node.slots = tuple([place(n) for n in node.inputs])
        trace.append(node)
        trace.gradients.append(node)
    return node


def _raise_ghost(trace: Trace, node: Node, ghosts: dict[int, Node]) -> None:
    """Stand in for a node that has run, or that took its input from one that has.

    The ghost is the same op in this trace, on ghosts where there are any, carrying the same tapes.
    """
    if node.instance is None or any(id(node) in t.roots for t in node.tapes):
        return  # a value: nothing to record again
    if node.trace is trace and not any(id(n) in ghosts for n in node.inputs):
        return
    ghost = node.ghost
    if ghost is None or ghost.trace is not trace:
        if node.parts is not None:
            ghost = record_gradient(_moved(node.parts, ghosts))
        else:
            inputs = tuple([ghosts.get(id(n), n) for n in node.inputs])
            ghost = record(node.instance, inputs, node.spec)
        ghost.tapes, ghost.source = node.tapes, node.source
        ghost.code, ghost.lasti = node.code, node.lasti
        node.ghost = ghost
    ghosts[id(node)] = ghost


def _moved(parts: GradientRecipe, ghosts: dict[int, Node]) -> GradientRecipe:
    def now(n: Node) -> Node:
        return ghosts.get(id(n), n)

    return GradientRecipe(
        [now(n) for n in parts.targets],
        [[now(n) for n in taps] for taps in parts.taps],
        [now(n) for n in parts.crossed],
        [None if n is None else now(n) for n in parts.seeds],
        parts.mode,
        parts.specs,
    )


def _result_specs(parts: GradientRecipe) -> tuple[Spec, ...]:
    if parts.mode == "gradient":
        return parts.specs
    shape = parts.targets[0].spec.shape
    if parts.mode == "jacobian":
        return tuple(spec_of(shape + s.shape, s.dtype) for s in parts.specs)
    return tuple(spec_of(shape + s.shape[1:], s.dtype) for s in parts.specs)
