"""Recording: from an op's inputs to a pending node and the `Tensor` the user gets.

This is the path every op call takes, so it is written for speed: one pass over the inputs, one
look-up of the result's spec, one append.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from jax.core import Tracer

from tapeflow.engine import checks, errors
from tapeflow.engine.dtypes import string
from tapeflow.engine.flight import flights, land_flights
from tapeflow.engine.node import Node, host_node, spec_of_value, user_position
from tapeflow.engine.running import materialise, run_trace
from tapeflow.engine.settings import settings
from tapeflow.engine.strings import moved_strings
from tapeflow.engine.tensor import Tensor
from tapeflow.engine.trace import FOREIGN, NeedsValue, Trace, live_trace, state

_new_tensor = Tensor.__new__
_reference = weakref.ref
_HOST_BYTES = 512


def tensor_of(node: Node) -> Tensor:
    """The `Tensor` for a node: the living one if there is one, so that identity is kept."""
    if node.handle is not None and (known := node.handle()) is not None:
        return known
    tensor = _new_tensor(Tensor)
    tensor._node = node
    node.handle = _reference(tensor)
    return tensor


def apply(instance: Any, inputs: tuple[Node, ...]) -> Any:
    """Record an op and give its result: a `Tensor`, or a tuple of them."""
    if instance.op.host is not None and inputs[0].host and (found := _on_host(instance, inputs)) is not None:
        return tensor_of(found)
    node = record(instance, inputs, held=1)  # until it has a handle: another thread may run the trace
    if type(node.spec) is tuple:
        node.held -= 1
        return tuple([tensor_of(item_of(node, i)) for i in range(len(node.spec))])
    tensor = _new_tensor(Tensor)
    tensor._node = node
    node.handle = _reference(tensor)
    node.held -= 1
    return tensor


def record(instance: Any, inputs: tuple[Node, ...], spec: Any = None, held: int = 0) -> Node:
    """Record an op as a pending node of this thread's trace."""
    if spec is None:
        specs = tuple([n.spec for n in inputs])
        spec = instance.specs.get(specs)
        if spec is None:
            if any(s.dtype is string for s in specs):
                moved = moved_strings(instance, inputs)
                moved.held += held
                return moved
            spec = instance.infer(specs)
    node = Node(spec)
    node.code, node.lasti = user_position(2)
    node.inputs = inputs
    node.held = held
    while True:
        trace = state.trace
        if trace.is_done or flights:
            land_flights()
            trace = live_trace()
        for n in inputs:
            if n.trace is not trace and n.trace is not None:
                if n.trace is FOREIGN:
                    return _run_at_once(instance, inputs, node)
                _bring(trace, n)
        with trace.lock:
            if trace.is_done:
                continue  # another thread has just run it
            slots = []
            leaf_slots = trace.leaf_slots
            for n in inputs:
                if n.trace is trace:
                    slots.append(n.slot)
                elif (slot := leaf_slots.get(id(n))) is not None:
                    slots.append(slot)
                else:
                    slots.append(_leaf(trace, n))
            trace.append(node, instance, tuple(slots))
            break
    op = instance.op
    if state.tapes and op.differentiable:
        _carry_tapes(node, inputs)
    if op.check is not None:
        _check(trace, node, instance, inputs)
    if settings.op_by_op:
        run_alone(trace, node)
    return node


def run_alone(trace: Trace, node: Node) -> None:
    """Op by op, a node runs as soon as it is recorded."""
    if not (trace.is_body or state.recording is not None or state.is_assembling):
        node.held += 1
        try:
            run_trace(trace)
        finally:
            node.held -= 1


def _carry_tapes(node: Node, inputs: tuple[Node, ...]) -> None:
    """A node carries the recording tapes that one of its inputs carries."""
    spec = node.spec
    if not (any(s.is_differentiable for s in spec) if type(spec) is tuple else spec.is_differentiable):
        return
    for token in state.tapes:
        for n in inputs:
            if token in n.tapes:
                node.tapes = (*node.tapes, token)
                break


def _leaf(trace: Trace, node: Node) -> int:
    """A node from outside this trace as one of its leaves."""
    if node.error is not None and not trace.is_body:
        raise node.error.with_traceback(None)
    return trace.add_leaf(node)


def _bring(trace: Trace, node: Node) -> None:
    """Make a pending tensor of another thread concrete: only so does it cross to this one.

    Done before this trace is locked: whoever runs a trace locks running first and the trace second.
    """
    other = node.trace
    if trace.is_body or other is None or node.value is not None or node.error is not None:
        return
    if other.is_body:
        raise RuntimeError(
            "An op expected a tensor of this computation; got one that belongs to the body of a "
            f"loop or branch recorded earlier (made at {node.line()}). Return it from the body."
        )
    node.held += 1
    try:
        run_trace(other)
    finally:
        node.held -= 1


def keep_bounded(trace: Trace) -> None:
    """Run a trace that has grown long, if possible where the user's loop begins again.

    Cutting an endless loop always at the same place makes its pieces alike, so they share a program.
    Called between ops, never inside one: an op's own intermediate nodes are wanted by nobody.
    """
    if state.recording is not None or trace.is_body or not trace.nodes:
        return
    first = trace.nodes[0]
    code, lasti = user_position(3)
    is_full = len(trace.nodes) >= settings.hard_nodes or trace.nbytes >= settings.hard_bytes
    if not is_full and (first.code is not code or first.lasti != lasti):
        return
    if state.tapes and 4 * sum(1 for n in trace.nodes if n.tapes) > len(trace.nodes):
        return  # mostly followed by a tape, which will go back through it as one piece
    run_trace(trace)


def _check(trace: Trace, node: Node, instance: Any, inputs: tuple[Node, ...]) -> None:
    """Check now what the host knows; otherwise let the program check."""
    try:
        if _is_checked_now(trace, node, instance, inputs):
            return
    except errors.InvalidArgumentError as error:
        # The node stays in the trace, unwanted: nobody holds it, so it is never computed.
        node.error = error
        raise
    trace.checks.append(node.slot)


def _is_checked_now(trace: Trace, node: Node, instance: Any, inputs: tuple[Node, ...]) -> bool:
    if trace.is_body:
        return False
    if state.recording is not None:
        return state.recording.checks_argument(node, instance, inputs)
    if not inputs[getattr(instance.op.check, "arg", 0)].host:
        return False
    checks.check_now(node, instance, [n.array() if n.host else checks.Shaped(n.spec) for n in inputs])
    return True


def effect(function: Callable[..., None], *tensors: Tensor) -> None:
    """Call `function` on the values of `tensors`, in the order of the program's effects.

    In eager code that is now. While a function is recorded it becomes part of the record and is
    called, with the values of the day, after every run of it.
    """
    trace = live_trace()
    if trace.is_body:
        raise NeedsValue
    nodes = [t._node for t in tensors]
    if state.recording is None or state.recording.read_at is not None:
        if trace.effects:
            run_trace(trace)  # those that came before
        function(*[materialise(n) for n in nodes])
        return
    for n in nodes:
        if n.trace is not trace:
            _bring(trace, n)
    with trace.lock:
        trace.effects.append((function, tuple([trace.slot_of(n) for n in nodes])))


def _on_host(instance: Any, inputs: tuple[Node, ...]) -> Node | None:
    """The result at once, if every input is a small integer array that the host knows."""
    for n in inputs:
        if not n.host or not n.spec.dtype.is_integer or n.spec.nbytes > _HOST_BYTES:
            return None
    specs = tuple([n.spec for n in inputs])
    spec = instance.specs.get(specs) or instance.infer(specs)
    with np.errstate(all="ignore"):
        value = instance.op.host(*[n.array() for n in inputs], **instance.statics)
    return host_node(np.asarray(value, spec.np_dtype).reshape(spec.shape), spec)


def _run_at_once(instance: Any, inputs: tuple[Node, ...], node: Node) -> Node:
    """Under the user's own JAX transformation an op runs on its tracers and registers nothing."""
    node.value = instance.fn(*[materialise(n) for n in inputs])
    node.trace = FOREIGN
    return node


class _Item:
    """The op behind each result of an op that has several."""

    name = "item"
    differentiable = True
    check = None
    host = None


class _ItemInstance:
    """Takes result `index` of a tuple."""

    def __init__(self, index: int) -> None:
        self.op = _Item
        self.statics: dict[str, Any] = {}
        self.index = index

    def fn(self, values: Any) -> Any:
        """Result `index`."""
        return values[self.index]

    run = fn

    def on_host(self, specs: Any) -> None:
        """Taking a part needs no function: `run` does it as it is."""

    def __repr__(self) -> str:
        return f"item {self.index}"


_items: list[_ItemInstance] = []


def is_item(instance: Any) -> bool:
    """Whether an instance takes one of several results."""
    return type(instance) is _ItemInstance


def item_of(node: Node, index: int) -> Node:
    """Result `index` of a node with several, as a node of its own."""
    while len(_items) <= index:
        _items.append(_ItemInstance(len(_items)))
    if node.trace is FOREIGN:
        return foreign_node(node.value[index])
    if node.value is not None:
        return _item_of_value(node, index)
    return record(_items[index], (node,), node.spec[index])


def _item_of_value(node: Node, index: int) -> Node:
    """A part of a tuple that has been computed op by op; tapes may still go through it."""
    item = Node(node.spec[index], node.value[index])
    item.code, item.lasti, item.host = node.code, node.lasti, item.spec.dtype is string
    item.instance, item.inputs = _items[index], (node,)
    _carry_tapes(item, item.inputs)
    for token in item.tapes:
        item.keepers += 1
        token.kept.append(item)
    if not item.tapes:
        item.instance, item.inputs = None, ()
    return item


def foreign_node(tracer: Any) -> Node:
    """A node for a tracer of the user's own JAX transformation."""
    node = Node(spec_of_value(tracer), tracer)
    node.trace = FOREIGN
    return node


def is_tracer(value: Any) -> bool:
    """Whether a value is a tracer of some JAX transformation."""
    return isinstance(value, Tracer)
