"""`Progbar`: the bar of `fit`, and of anybody's own loop."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import Any

from tapeflow.keras.utils.messages import say

# Off a terminal every drawing is a line that stays, so there are few.
_LINE_INTERVAL_S = 10.0


class Progbar:
    """Shows the progress of a loop, the remaining time, and running values.

    On a terminal, and in a notebook, the bar is redrawn in place; elsewhere, as in a log file, it is a
    plain line every ten seconds and one at the end.

    Args:
        target: the number of steps; `None` if it is not known.
        width: of the bar, in characters.
        verbose: 0 shows nothing, 1 the bar, 2 one line at the end.
        interval: seconds between two drawings, at least.
        stateful_metrics: names whose last value is shown; of all others it is the average over the steps.
        unit_name: what a step is called.

    >>> bar = tf.keras.utils.Progbar(3, verbose=0)
    >>> for _ in range(3):
    ...     bar.add(1, values=[("loss", 0.5)])
    """

    def __init__(
        self,
        target: int | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Iterable[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        self.target = target
        self.width = width
        self.verbose = verbose
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._is_in_place = _can_redraw()
        self.interval = interval if self._is_in_place else max(interval, _LINE_INTERVAL_S)
        # Of each value, the sum and the number of steps it stands for.
        self._values: dict[str, tuple[Any, int]] = {}
        self._seen = 0
        self._drawn_width = 0
        self._start_s = time.time()
        self._drawn_at_s = 0.0 if self._is_in_place else self._start_s
        self._first_steps: tuple[int, float] | None = None  # how many, and when they were done

    def update(
        self, current: int, values: Iterable[tuple[str, Any]] | None = None, finalize: bool | None = None
    ) -> None:
        """Say that step `current` is done, and what the values of the steps since the last update were.

        Args:
            current: how many steps are done.
            values: pairs of name and value.
            finalize: whether this is the last update; by default when the target is reached.
        """
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        # At least one: the last update of an epoch may repeat the step before it.
        steps = max(current - self._seen, 1)
        for name, value in values or ():
            if name in self.stateful_metrics:
                self._values[name] = (value, 1)
            else:
                total, count = self._values.get(name, (0.0, 0))
                self._values[name] = (total + value * steps, count + steps)
        self._seen = current

        now_s = time.time()
        if self.verbose == 1:
            step_s = self._step_duration(current, now_s)
            if finalize or now_s - self._drawn_at_s >= self.interval:
                self._draw(current, step_s, now_s, finalize)
                self._drawn_at_s = now_s
        elif self.verbose == 2 and finalize:
            self._summarise(current, now_s)

    def add(self, n: int, values: Iterable[tuple[str, Any]] | None = None) -> None:
        """`update`, with the number of steps since the last one."""
        self.update(self._seen + n, values)

    def note(self, text: str) -> None:
        """Show a remark behind the bar, until it is drawn again."""
        now_s = time.time()
        if self.verbose == 1 and now_s - self._drawn_at_s >= self.interval:
            self._put(f"{self._bar(self._seen)} - {text}", is_last=False)
            self._drawn_at_s = now_s

    def _draw(self, current: int, step_s: float, now_s: float, finalize: bool) -> None:
        text = self._bar(current)
        if self.target is None or finalize:
            text += f" - {now_s - self._start_s:.0f}s {_duration(step_s)}/{self.unit_name}"
        else:
            text += f" - ETA: {_clock(step_s * (self.target - current))}"
        self._put(text + self._shown_values(), is_last=finalize)

    def _put(self, text: str, is_last: bool) -> None:
        width = len(text)
        if self._is_in_place:
            rubout = "\b" * self._drawn_width + "\r"
            text = rubout + text.ljust(self._drawn_width)
        self._drawn_width = width
        say(text, end="\n" if is_last or not self._is_in_place else "")

    def _bar(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        filled = int(self.width * current / self.target) if self.target else self.width
        head = "" if not filled else "=" * (filled - 1) + (">" if current < self.target else "=")
        rest = "." * (self.width - filled)
        return f"{current:{len(str(self.target))}d}/{self.target} [{head}{rest}]"

    def _summarise(self, current: int, now_s: float) -> None:
        elapsed_s = now_s - self._start_s
        target = current if self.target is None else self.target
        say(
            f"{current:{len(str(target))}d}/{target} - {elapsed_s:.0f}s{self._shown_values()}"
            f" - {_duration(elapsed_s)}/epoch - {_duration(elapsed_s / max(target, 1))}/{self.unit_name}"
        )

    def _shown_values(self) -> str:
        return "".join(
            f" - {name}: {_number(total / max(count, 1))}" for name, (total, count) in self._values.items()
        )

    def _step_duration(self, current: int, now_s: float) -> float:
        """Seconds a step takes. The first ones told of, which compile, count only while there are no others."""
        if current == 0:
            return 0.0
        if self._first_steps is None:
            self._first_steps = (current, now_s)
        steps, done_at_s = self._first_steps
        if current > steps:
            return (now_s - done_at_s) / (current - steps)
        return (now_s - self._start_s) / current


def _can_redraw() -> bool:
    """Whether what is printed can be rubbed out again."""
    isatty = getattr(sys.stdout, "isatty", None)
    return (isatty is not None and isatty()) or "ipykernel" in sys.modules or "PYCHARM_HOSTED" in os.environ


def _number(value: Any) -> str:
    mean = float(value) if getattr(value, "ndim", 0) == 0 else float(value.mean())
    return f"{mean:.4f}" if abs(mean) > 1e-3 else f"{mean:.4e}"


def _clock(seconds: float) -> str:
    if seconds > 3600:
        return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d}:{int(seconds % 60):02d}"
    if seconds > 60:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d}"
    return f"{int(seconds)}s"


def _duration(seconds: float) -> str:
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.0f}ms"
    return f"{seconds * 1e6:.0f}us"
