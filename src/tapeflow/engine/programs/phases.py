"""Where the time of a step goes: waiting for input, compiling, dispatching, the device, callbacks, Python.

`log` is None unless a profile is being taken (`tapeflow.profiler`); whoever has something to tell looks at it first,
and that is all it costs. Each thread has a clock, which is in one phase at a time, so the phases of a step add up
to its time. Programs run asynchronously: a step that is being profiled waits for its results before it ends.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tapeflow.engine.backend import jax
from tapeflow.engine.programs.clocks import Clock, During

_LIVE_EVERY_NS = 100_000_000

Row = dict[str, Any]


class _Hook(During):
    """Be calling callbacks outside of a step: a row of its own."""

    __slots__ = ("_began", "_log", "_name")

    def __init__(self, log: Log, name: str) -> None:
        super().__init__(log.clock(), "callbacks")
        self._log, self._name, self._began = log, name, log.at()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        wall = self._log.at() - self._began
        self._log.write({"kind": "hook", "name": self._name, "at_ns": self._began, "wall_ns": wall})


class _Here(threading.local):
    step: Step | None = None


_here = _Here()
_NOTHING = nullcontext()


class Step:
    """A step, or `count` of them that run as one program. Only the outermost one on a thread is recorded.

    Args:
        name: what kind of step: 'train', 'test', 'predict' or the user's own word.
        number: the number of the first one; without it, the profile counts them.
        count: how many.
    """

    __slots__ = ("_annotation", "count", "is_outermost", "name", "number")

    def __init__(self, name: str, number: int | None = None, count: int = 1) -> None:
        self.name, self.number, self.count = name, number, count
        self._annotation: AbstractContextManager[Any] | None = None
        self.is_outermost = False

    def __enter__(self) -> Step:
        self.is_outermost = _here.step is None
        if self.is_outermost:
            _here.step = self
            if (found := log) is not None:
                found.begin(self)
                self._annotation = jax.profiler.StepTraceAnnotation(self.name, step_num=self.number)
                self._annotation.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if not self.is_outermost:
            return
        _here.step = None
        annotation, self._annotation = self._annotation, None
        try:
            if (found := log) is not None:
                found.end(self)
        finally:
            if annotation is not None:
                annotation.__exit__(*error)


class Log:
    """What a profile notes.

    Args:
        write: called with each row, from any thread.
    """

    def __init__(self, write: Callable[[Row], None]) -> None:
        self.write = write
        self.began = time.perf_counter_ns()
        self.live_bytes = 0
        self.source: Row | None = None  # what `fit` reads
        self.busy: dict[int, list[int]] = {}
        self._thread = threading.get_ident()
        self._clocks: dict[int, Clock] = {}
        self._pipelines: dict[int, list[Any]] = {}
        self._callbacks: dict[str, list[int]] = {}
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._live_at = 0
        self.clock()  # that of this thread goes from now on
        if _here.step is not None:  # a callback started the profile: the step it is called for is the first
            self.begin(_here.step)

    def at(self) -> int:
        """How long the profile has run."""
        return time.perf_counter_ns() - self.began

    def clock(self) -> Clock:
        """This thread's clock."""
        thread = threading.get_ident()
        found = self._clocks.get(thread)
        if found is None:
            found = self._clocks[thread] = Clock()
        return found

    def during(self, phase: str) -> AbstractContextManager[None]:
        """Be in a phase."""
        return During(self.clock(), phase)

    # Steps

    def begin(self, step: Step) -> None:
        """A step begins."""
        if step.number is None:
            step.number = self._counts[step.name]
            self._counts[step.name] += step.count
        self.clock().begin(step)

    def end(self, step: Step) -> None:
        """A step ends, once what it computes is there."""
        clock = self.clock()
        if clock.step is not step:
            return
        self.wait()
        self._note_end(clock, step)

    def _note_end(self, clock: Clock, step: Step) -> None:
        spent = clock.end()
        wall = sum(spent.values())
        row = {"kind": "step", "name": step.name, "step": step.number, "count": step.count}
        row |= {"at_ns": max(0, self.at() - wall), "wall_ns": wall}
        self.write(row | {f"{phase}_ns": ns for phase, ns in spent.items()})
        if self.at() >= self._live_at:  # listing the arrays takes a while
            self._live_at = self.at() + _LIVE_EVERY_NS
            self.live_bytes = _live_bytes()

    def wait(self) -> None:
        """Wait until the device has computed what this thread has dispatched."""
        clock = self.clock()
        found = [array for refs in clock.flights for array in _alive(refs)]
        clock.flights.clear()
        if found:
            with During(clock, "device"):
                jax.block_until_ready(found)

    def close(self) -> None:
        """Finish the step that this thread is in, if any, and say how its whole time was spent."""
        clock = self._clocks.get(self._thread)
        if clock is not None:
            if clock.step is not None and self._thread == threading.get_ident():
                self._note_end(clock, clock.step)
            clock.tick()
            spent = {f"{phase}_ns": ns for phase, ns in clock.spent.items()}
            self.write({"kind": "total", "wall_ns": sum(spent.values())} | spent)
        if self.source is not None and not self._pipelines:  # no Dataset, which has more to say
            self.write({"kind": "pipeline", "reads": 0, "read_ns": 0, "steps": [self.source]})
        for name, (nanoseconds, calls) in list(self._callbacks.items()):
            self.write({"kind": "callback", "name": name, "wall_ns": nanoseconds, "calls": calls})
        for pipe, describe, reads, nanoseconds in list(self._pipelines.values()):
            row = {"kind": "pipeline", "reads": reads, "read_ns": nanoseconds}
            self.write(row | {"steps": describe(pipe, self.busy)})

    # What the engine tells

    def note_flight(self, outputs: Any) -> None:
        """A program was dispatched. Its results are not held: who holds a buffer keeps it from being reused."""
        arrays = [a for a in jax.tree.leaves(outputs) if isinstance(a, jax.Array)]
        self.clock().flights.append([weakref.ref(a) for a in arrays])

    def note_compile(self, part: int, nanoseconds: int, name: str, is_cached: bool) -> None:
        """JAX has traced (part 0), lowered (1) or compiled (2) what is being dispatched, or what it calls `name`."""
        clock = self.clock()
        if part < 2:
            clock.compile_parts[part] = nanoseconds
            return
        (traced, lowered), clock.compile_parts = clock.compile_parts, [0, 0]
        clock.move(traced + lowered + nanoseconds, "compile")
        name = name if clock.flight is None else clock.flight.describe()
        row = {"kind": "compile", "at_ns": self.at(), "name": name, "trace_ns": traced, "lower_ns": lowered}
        self.write(row | {"compile_ns": nanoseconds, "is_cached": is_cached})

    # What datasets tell

    def note_read(self, pipe: Any, describe: Callable[[Any, dict[int, list[int]]], Any], began: int) -> None:
        """An element of a pipeline has been read, since `began`."""
        with self._lock:
            found = self._pipelines.setdefault(id(pipe), [pipe, describe, 0, 0])
            found[2] += 1
            found[3] += time.perf_counter_ns() - began

    def note_callback(self, name: str, began: int) -> None:
        """A callback of this name has been called for a step, since `began`."""
        with self._lock:
            found = self._callbacks.setdefault(name, [0, 0])
            found[0] += time.perf_counter_ns() - began
            found[1] += 1

    def note_busy(self, pipe: Any, began: int, calls: int) -> None:
        """A step of a pipeline has called the user's function, since `began`."""
        with self._lock:
            found = self.busy.setdefault(id(pipe), [0, 0])
            found[0] += time.perf_counter_ns() - began
            found[1] += calls


def _live_bytes() -> int:
    """How much memory arrays take: what the devices say, or, on a CPU, which says nothing, what the arrays do."""
    stats = [device.memory_stats() for device in jax.local_devices()]
    if all(stats):
        return sum(found["bytes_in_use"] for found in stats)
    return sum(a.nbytes for a in jax.live_arrays() if not a.is_deleted())


def _alive(refs: list[weakref.ref[Any]]) -> list[Any]:
    return [a for ref in refs if (a := ref()) is not None and not a.is_deleted()]


class Dispatching:
    """Be dispatching a flight; its results are in `flight.landed` afterwards."""

    __slots__ = ("_clock", "_flight", "_log")

    def __init__(self, log: Log, flight: Any) -> None:
        self._log, self._flight, self._clock = log, flight, log.clock()

    def __enter__(self) -> None:
        self._clock.flight = self._flight
        self._clock.enter("dispatch")

    def __exit__(self, *_: object) -> None:
        self._clock.leave()
        self._clock.flight = None
        if self._flight.landed:
            self._log.note_flight(self._flight.landed[0])


log: Log | None = None


def start(write: Callable[[Row], None]) -> Log:
    """Begin to note where time goes."""
    global log
    log = Log(write)
    return log


def stop() -> None:
    """Note no more."""
    global log
    found, log = log, None
    if found is not None:
        found.close()


# Another thread may end the profile at any moment, so `log` is looked at once.


def during(phase: str) -> AbstractContextManager[None]:
    """Be in a phase, if a profile is being taken."""
    return _NOTHING if (found := log) is None else found.during(phase)


def hook(name: str) -> AbstractContextManager[None]:
    """Be calling a hook of the callbacks outside of a step, if a profile is being taken."""
    return _NOTHING if (found := log) is None else _Hook(found, name)


def timed(callback: object, call: Callable[..., None]) -> Callable[..., None]:
    """A method of a callback, whose time is noted under the callback's class if a profile is being taken."""
    if (found := log) is None:
        return call
    name = type(callback).__name__

    def timing(*arguments: Any) -> None:
        began = time.perf_counter_ns()
        try:
            call(*arguments)
        finally:
            found.note_callback(name, began)

    return timing


def wait() -> None:
    """Wait for the device, if a profile is being taken."""
    if (found := log) is not None:
        found.wait()


def note_source(describe: Callable[[], Row]) -> None:
    """`fit` reads this, if a profile is being taken."""
    if (found := log) is not None:
        found.source = describe()
