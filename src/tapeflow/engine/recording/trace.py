"""The trace: what a thread has recorded and not yet run; and the state of recording.

Every recorded node knows the op it applies and the slots of its inputs, so the structural key of a
program is there when the program runs, without a walk. A slot names where an input comes from:
`i >= 0` is the i-th recorded node, `~i < 0` the i-th leaf (a value from outside).

A trace runs once and is then done; the thread goes on with a new one. Appending a node is one list
append, so an interrupt at any moment leaves a trace that can run.
"""

from __future__ import annotations

import operator
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tapeflow.engine.programs.flight import RUN_LOCK
from tapeflow.engine.recording.node import Node
from tapeflow.engine.settings import settings

if TYPE_CHECKING:
    from tapeflow.engine.differentiation.tape import TapeToken
    from tapeflow.engine.functions.staging import Recording
    from tapeflow.engine.shapes.family import Owner
    from tapeflow.engine.values.tensor_spec import TensorSpec
    from tapeflow.engine.values.variable import Variable

_entry = operator.attrgetter("instance", "slots")


class NeedsValue(Exception):
    """Raised when Python reads a placeholder; whoever records the body falls back to running it.

    Args:
        why: what keeps the body from being recorded, if not a read: "it prints".
        instead: what to write instead.

    Attributes:
        instead: what to write instead.
    """

    def __init__(
        self, why: str = "Python reads the value of a tensor in it", instead: str = "Move that outside"
    ) -> None:
        super().__init__(why)
        self.instead = instead


class AssignsVariable(NeedsValue):
    """Raised when a body that may not assign Variables does; whoever records it may allow it."""

    def __init__(self) -> None:
        super().__init__("it assigns a Variable")


class Writes(NamedTuple):
    """The assignments to one Variable in a trace: what it held before, and the slot of each."""

    variable: Variable
    old: Node
    slots: list[int]


class Trace:
    """The pending ops of one thread, in order, with the leaves they start from.

    `is_body` marks the recording of a function argument (the body of a loop, a branch): its
    placeholders have no value and what it captures from outside becomes an input of the loop.
    `is_sketch` marks a body that is thrown away once the shapes of its results are known. `takes_writes` marks a
    body that may assign Variables: what they hold at its end are results of it. `takes_effects` marks one that may
    print or log: whoever records it sees to that.
    `keeps_strings` is the number of a sketch that is written as TensorFlow's nodes, so that ops may record
    strings; 0 elsewhere.
    `is_taped` says, from when it is about to run, whether a tape may yet go through its nodes.

    Only its own thread records into a trace, but any may run it. A lock would cost as much as the rest
    of recording, so each says what it is about to do and then looks at the other: the owner sets
    `is_busy` for the time of an op and looks at `is_claimed`, whoever runs it does the reverse.
    """

    __slots__ = (
        "__weakref__",
        "checks",
        "effects",
        "gradients",
        "is_body",
        "is_busy",
        "is_claimed",
        "is_done",
        "is_long",
        "is_sketch",
        "is_taped",
        "keeps_strings",
        "leaf_slots",
        "leaves",
        "nbytes",
        "nodes",
        "takes_effects",
        "takes_writes",
        "thread",
        "writes",
    )

    def __init__(
        self,
        is_body: bool = False,
        is_sketch: bool = False,
        takes_writes: bool = False,
        takes_effects: bool = False,
    ) -> None:
        self.is_body = is_body
        self.is_sketch = is_sketch
        self.takes_writes = takes_writes or is_sketch
        self.takes_effects = takes_effects
        self.is_done = False
        self.is_long = False
        self.is_taped = True
        self.keeps_strings = 0
        self.thread = threading.get_ident()
        self.is_busy = False
        self.is_claimed = False
        self.nodes: list[Node] = []
        self.leaves: list[Node] = []
        self.leaf_slots: dict[int, int] = {}
        self.writes: dict[int, Writes] = {}
        self.effects: list[tuple[Any, tuple[int, ...]]] = []
        self.checks: list[int] = []
        self.gradients: list[Node] = []
        self.nbytes = 0

    @property
    def entries(self) -> tuple[tuple[Any, tuple[int, ...]], ...]:
        """The recorded ops, as a program's key has them."""
        return tuple(map(_entry, self.nodes))

    @property
    def leaf_keys(self) -> tuple[Any, ...]:
        """The leaves, as a program's key has them: a spec, or how a host scalar is packed."""
        return tuple([n.spec.packed if n.host and n.spec.packed is not None else n.spec for n in self.leaves])

    @property
    def owner(self) -> Owner | None:
        """The owner of its program: that of the first Variable that it assigns, if there is one."""
        for write in self.writes.values():
            return write.variable._source
        return None

    def __enter__(self) -> None:
        """Be busy with it. What is recorded is in time if it is not `is_done`."""
        self.is_busy = True
        while self.is_claimed:
            self.is_busy = False
            with RUN_LOCK:  # until it has run
                self.is_busy = True

    def __exit__(self, *exc_info: object) -> None:
        self.is_busy = False

    def append(self, node: Node) -> None:
        """Make `node`, whose op and slots are set, the next pending node of this trace."""
        nodes = self.nodes
        slot = node.slot = len(nodes)
        node.trace = self
        nodes.append(node)
        if type(node.spec) is not tuple:
            self.nbytes += node.spec.nbytes
        if slot + 1 >= settings.soft_nodes or self.nbytes >= settings.soft_bytes:
            self.is_long = True

    def add_leaf(self, node: Node) -> int:
        """Add a value from outside as an input of the program, whatever it holds, and return its slot."""
        leaves = self.leaves
        slot = ~len(leaves)
        leaves.append(node)
        self.leaf_slots[id(node)] = slot
        self.nbytes += node.spec.nbytes
        return slot

    def slot_of(self, node: Node) -> int:
        """The slot of a node: among the recorded nodes, or among the leaves."""
        if node.trace is self:
            return node.slot
        slot = self.leaf_slots.get(id(node))
        return self.add_leaf(node) if slot is None else slot


class Claim:
    """Keeps a trace's own thread from recording into it while another thread runs it."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def __enter__(self) -> None:
        """Wait until that thread is between two ops."""
        trace = self.trace
        if trace.thread != threading.get_ident():
            trace.is_claimed = True
            try:
                while trace.is_busy:
                    time.sleep(0)
            except BaseException:  # an interrupt
                trace.is_claimed = False
                raise

    def __exit__(self, *exc_info: object) -> None:
        self.trace.is_claimed = False


FOREIGN = Trace()
"""Marks nodes whose value is a tracer of the user's own `jax.jit` or `jax.grad`."""


class State(threading.local):
    """The state of recording, of one thread."""

    def __init__(self) -> None:
        self.trace = Trace()
        self.tapes: tuple[TapeToken, ...] = ()
        self.recording: Recording | None = None
        self.outer: Trace | None = None
        self.bodies: tuple[Node, ...] = ()
        self.drawn: list[Any] = []
        self.counters: Any = None  # gives the random counter for a seed, in place of the shared ones
        self.is_assembling = False
        self.lifted_from: Any = None  # the record that an `init_scope` has left
        self.is_again = False  # Python runs on what TensorFlow would have traced already
        self.arguments: Callable[[], dict[int, TensorSpec]] = (
            dict  # of the call being traced, by `id` of the node
        )
        self.is_in_pipeline = False  # a function of a dataset, called for each element, is running


state = State()


def live_trace() -> Trace:
    """The trace that this thread records into."""
    trace = state.trace
    if trace.is_done:
        trace = state.trace = Trace()
    return trace


def open_trace() -> None:
    """Start a new trace if another thread is about to run this one."""
    trace = state.trace
    trace.is_busy = False
    if trace.is_claimed:
        with RUN_LOCK:
            pass
    live_trace()


def is_staging() -> bool:
    """Whether what this thread records may become a staged program.

    It may while a call is being recorded, until Python reads a value in it: from then on it is run as plain Python.
    """
    recording = state.recording
    return recording is not None and recording.read_at is None


def live_outer_trace() -> Trace:
    """The trace around all bodies being recorded; without any, the one recorded into."""
    if state.outer is None:
        return live_trace()
    if state.outer.is_done:
        state.outer = Trace()
    return state.outer


def _after_fork() -> None:
    """Reset claims in a forked child, where no other thread can be about to run the trace."""
    state.trace.is_claimed = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
