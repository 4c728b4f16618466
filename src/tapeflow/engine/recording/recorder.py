"""Recording: from an op's inputs to a pending node and the `Tensor` the user gets.

This is the path every op call takes, so it is written for speed: one pass over the inputs, one
look-up of the result's spec, one append.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import Tracer
from tapeflow.engine.programs.flight import RUN_LOCK, flights, land_flights
from tapeflow.engine.programs.running import materialise, run_trace
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import Node, Spec, host_node, is_ours, spec_of_value
from tapeflow.engine.recording.trace import (
    FOREIGN,
    NeedsValue,
    Trace,
    is_staging,
    live_trace,
    open_trace,
    state,
)
from tapeflow.engine.settings import settings
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.strings import moved_strings, recorded_strings
from tapeflow.engine.values.tensor import Tensor

if TYPE_CHECKING:
    from tapeflow.engine.recording.op import Instance


_new_tensor = Tensor.__new__
_new_node = Node.__new__
_frame = sys._getframe
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


def apply(instance: Instance, inputs: tuple[Node, ...]) -> Any:
    """Record an op and give its result: a `Tensor`, or a tuple of them."""
    if instance.op.host is not None and inputs[0].host and (found := _on_host(instance, inputs)) is not None:
        return tensor_of(found)
    tensor = _new_tensor(Tensor)
    node = record(instance, inputs, None, tensor)
    return tensor if type(node.spec) is not tuple else results_of(node)


def results_of(node: Node) -> tuple[Tensor, ...]:
    """The results of a node with several. The caller holds it: who runs the trace must find it wanted."""
    return tuple([tensor_of(item) for item in items_of(node)])


def record(
    instance: Any,
    inputs: tuple[Node, ...],
    spec: Any = None,
    tensor: Tensor | None = None,
    held: int = 0,
    depth: int = 2,
) -> Node:
    """Record an op as a pending node of this thread's trace.

    The node must be wanted from the moment it is in the trace, or another thread that runs the trace
    would leave it without a value.

    Args:
        instance: the op with its statics.
        inputs: its inputs.
        spec: the result's spec, where it is known.
        tensor: becomes the node's handle.
        held: how many owners the node has.
        depth: how many frames up the user's code is at least. Looking at a frame makes Python build an
            object for it, so those known to be ours are passed over.
    """
    is_pair = len(inputs) == 2
    if spec is None:
        specs = (inputs[0].spec, inputs[1].spec) if is_pair else tuple([n.spec for n in inputs])
        spec = instance.specs.get(specs)
        if spec is None:
            if any(s.dtype is string for s in specs):
                spec = recorded_strings(instance, inputs)
                if spec is None:
                    return _handed_over(moved_strings(instance, inputs), tensor, held)
            else:
                spec = instance.infer(specs)
    op = instance.op
    tapes = state.tapes
    node = _new_node(Node)  # and what `__init__` does, without calling it
    node.spec = spec
    node.value = node.error = None
    node.host = False
    node.instance = instance
    node.inputs = inputs
    node.tapes = _carried(tapes, spec, inputs) if tapes and op.differentiable else ()
    node.held = held
    if tensor is None:
        node.handle = None
    else:
        tensor._node = node
        node.handle = _reference(tensor)
    frame: Any = _frame(depth)  # as `user_position` does, without calling it
    while is_ours[(code := frame.f_code).co_filename] and frame.f_back is not None:
        frame = frame.f_back
    node.code = code
    node.lasti = frame.f_lasti
    if flights:
        land_flights()
    while True:
        trace = state.trace
        trace.is_busy = True
        if trace.is_done or trace.is_claimed:
            open_trace()
            continue
        try:
            if is_pair:
                x, y = inputs
                node.slots = (
                    x.slot if x.trace is trace else _leaf(trace, x),
                    y.slot if y.trace is trace else _leaf(trace, y),
                )
            else:
                node.slots = tuple([n.slot if n.trace is trace else _leaf(trace, n) for n in inputs])
            nodes = trace.nodes
            slot = node.slot = len(nodes)
            node.trace = trace
            nodes.append(node)
            break
        except _Elsewhere as met:
            found = met.node
        finally:
            trace.is_busy = False
        if found.trace is FOREIGN:
            return _run_at_once(instance, inputs, node)
        _bring(found)
    nbytes = trace.nbytes = trace.nbytes + (spec.nbytes if type(spec) is Spec else 0)
    if slot + 1 >= settings.soft_nodes or nbytes >= settings.soft_bytes:
        trace.is_long = True
    if op.is_noted:
        _note(trace, node, instance, inputs)
    if settings.op_by_op:
        run_alone(trace, node)
    return node


def _note(trace: Trace, node: Node, instance: Instance, inputs: tuple[Node, ...]) -> None:
    """See to the check of an op that has one; or to those that hold for its input and so for its result."""
    if instance.op.check is not None:
        _check(trace, node, instance, inputs)
    elif state.recording is not None:
        state.recording.note_same_elements(node, inputs[0])


def _handed_over(node: Node, tensor: Tensor | None, held: int) -> Node:
    """A node that has its value already, for a tensor or another owner."""
    node.held += held
    if tensor is not None:
        tensor._node = node
        node.handle = _reference(tensor)
    return node


def run_alone(trace: Trace, node: Node) -> None:
    """Op by op, a node runs as soon as it is recorded."""
    if not (trace.is_body or state.recording is not None or state.is_assembling):
        node.held += 1
        try:
            run_trace(trace)
        finally:
            node.held -= 1


def _carried(tapes: tuple[Any, ...], spec: Any, inputs: tuple[Node, ...]) -> tuple[Any, ...]:
    """The recording tapes that a node with these inputs carries: those that one of them carries."""
    if not (any(s.is_differentiable for s in spec) if type(spec) is tuple else spec.is_differentiable):
        return ()
    seen_by = ()
    for token in tapes:
        for n in inputs:
            if token in n.tapes:
                seen_by = (*seen_by, token)
                break
    return seen_by


class _Elsewhere(Exception):
    """An input is pending in another trace, or a tracer of the user's own JAX transformation."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node


def _leaf(trace: Trace, node: Node) -> int:
    """The slot of a node from outside this trace, which is one of its leaves."""
    if type(node.value) is not float:  # a number is a new leaf wherever it is used
        slot = trace.leaf_slots.get(id(node))
        if slot is not None:
            return slot
        if node.trace is not None and _is_elsewhere(trace, node):
            raise _Elsewhere(node)
        if node.error is not None and not trace.is_body:
            raise node.error.with_traceback(None)
        return trace.add_leaf(node)
    leaves = trace.leaves
    leaves.append(node)
    return -len(leaves)


def _is_elsewhere(trace: Trace, node: Node) -> bool:
    """Whether a node with a trace of its own cannot be a leaf of this one as it is."""
    return node.trace is FOREIGN or not (trace.is_body or node.value is not None or node.error is not None)


def _bring(node: Node) -> None:
    """Make a pending tensor of another thread concrete: only so does it cross to this one.

    Done while no trace is locked: whoever runs a trace locks running first and the trace second.
    """
    other = node.trace
    if other is None:
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


def _check(trace: Trace, node: Node, instance: Instance, inputs: tuple[Node, ...]) -> None:
    """Check now what the host knows; otherwise let the program check."""
    try:
        if _is_checked_now(trace, node, instance, inputs):
            return
    except errors.InvalidArgumentError as error:
        # The node stays in the trace, unwanted: nobody holds it, so it is never computed.
        node.error = error
        raise
    trace.checks.append(node.slot)


def _is_checked_now(trace: Trace, node: Node, instance: Instance, inputs: tuple[Node, ...]) -> bool:
    if trace.is_body:
        return False
    if state.recording is not None:
        return state.recording.checks_argument(node, instance, inputs)
    if not inputs[getattr(instance.op.check, "arg", 0)].host:
        return False
    checks.check_now(node, instance, [n.array() if n.host else checks.Shaped(n.spec) for n in inputs])
    return True


class Patient:
    """An effect that need not happen at once: it takes what can be made an array of, now or later.

    Several of its calls may be made together, after several steps of a training loop have been dispatched.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function

    def __call__(self, *values: Any) -> None:
        self.function(*values)


def effect(function: Callable[..., None], *tensors: Tensor) -> None:
    """Call `function` on the values of `tensors`, in the order of the program's effects.

    In eager code that is now. While a function is recorded it becomes part of the record and is
    called, with the values of the day, after every run of it.
    """
    trace = live_trace()
    if trace.is_sketch:
        return
    if trace.is_body and not trace.takes_effects:
        raise NeedsValue("it prints, logs or calls Python")
    nodes = [t._node for t in tensors]
    if not trace.is_body and not is_staging():
        if trace.effects:
            run_trace(trace)  # those that came before
        function(*[materialise(n) for n in nodes])
        return
    for n in nodes:
        if n.trace is not trace and n.trace is not None and _is_elsewhere(trace, n):
            _bring(n)
    with trace:
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


def _run_at_once(instance: Instance, inputs: tuple[Node, ...], node: Node) -> Node:
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
    keeps_elements = False
    is_spread = False
    is_noted = False


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

    def on_host(self, specs: Any) -> Callable[[Any], list[Any]]:
        """Taking a part, as a function of the host."""
        return lambda values: [values[self.index]]

    def __repr__(self) -> str:
        return f"item {self.index}"


_items: list[_ItemInstance] = []


def is_item(instance: Instance) -> bool:
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


def items_of(node: Node) -> list[Node]:
    """All results of a node with several; for many of them much faster than one by one."""
    with RUN_LOCK:  # whoever ran the trace now would leave parts of a tuple that is no leaf
        return _items_of(node)


def _items_of(node: Node) -> list[Node]:
    trace, specs = node.trace, node.spec
    if trace is None or trace is not state.trace or trace is FOREIGN or flights or settings.op_by_op:
        return [item_of(node, i) for i in range(len(specs))]
    while len(_items) < len(specs):
        _items.append(_ItemInstance(len(_items)))
    inputs, slots, tapes = (node,), (node.slot,), state.tapes
    items = []
    with trace:
        for spec, instance in zip(specs, _items, strict=False):
            item = Node(spec)
            item.instance, item.inputs, item.slots = instance, inputs, slots
            item.code, item.lasti = node.code, node.lasti
            if tapes:
                item.tapes = _carried(tapes, spec, inputs)
            trace.append(item)
            items.append(item)
    return items


def _item_of_value(node: Node, index: int) -> Node:
    """A part of a tuple that has been computed op by op; tapes may still go through it."""
    item = Node(node.spec[index], node.value[index])
    item.code, item.lasti, item.host = node.code, node.lasti, item.spec.dtype is string
    item.instance, item.inputs = _items[index], (node,)
    item.tapes = _carried(state.tapes, item.spec, item.inputs)
    for token in item.tapes:
        item.tape_count += 1
        token.kept.append(item)
    if not item.tapes:
        item.instance, item.inputs = None, ()
    return item


def foreign_node(tracer: Any) -> Node:
    """A node for a tracer of the user's own JAX transformation."""
    node = Node(spec_of_value(tracer), tracer)
    node.trace = FOREIGN
    return node


def is_tracer(value: object) -> bool:
    """Whether a value is a tracer of some JAX transformation."""
    return isinstance(value, Tracer)
