"""A series folded into at most a few hundred means, as it grows: what rules look at, whatever its length."""

from __future__ import annotations

import numpy as np

MOST = 512
_RECENT = 32


class Trend:
    """A series as far as it has been added.

    Where steps go back, because training was restarted or resumed, what it repeats is forgotten.

    Attributes:
        count: the finite values in it.
        recent: the last few values, finite or not.
        bad_since: the step at which values ceased to be finite; None while they are.
        bad_total: how many values have been infinite or no numbers.
        bad_streak: how many values have been infinite or no numbers in a row, up to the last.
        worst_streak: the longest such streak.
        worst_since: the step at which that began.
        zeros: how many values have been 0 in a row, up to the last.
        zeros_since: the step at which these began.
        last_step, last_time: of the last value.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._width = 1
        self._means = np.zeros(0)
        self._steps = np.zeros(0, np.int64)
        self._rest = np.zeros(0)
        self._rest_steps = np.zeros(0, np.int64)
        self.recent = np.zeros(0)
        self.count = 0
        self.bad_since: int | None = None
        self.bad_total = self.bad_streak = self.worst_streak = self.worst_since = 0
        self.zeros = self.zeros_since = 0
        self.last_step, self.last_time = -1, 0.0

    @property
    def means(self) -> np.ndarray:
        """Means of equally many finite values each."""
        return self._means

    @property
    def steps(self) -> np.ndarray:
        """The first step of each mean."""
        return self._steps

    def add(self, steps: np.ndarray, values: np.ndarray, last_time: float = 0.0) -> None:
        """Add values that came next."""
        if not len(values):
            return
        back = np.flatnonzero(np.diff(steps) < 0)
        begin = 0
        for end in [*(back + 1).tolist()[-MOST:], len(steps)]:
            self._add_rising(steps[begin:end], values[begin:end])
            begin = end
        self.last_time = last_time

    def _add_rising(self, steps: np.ndarray, values: np.ndarray) -> None:
        if int(steps[0]) < self.last_step:
            self._go_back(int(steps[0]))
        is_finite = np.isfinite(values)
        self._count_bad(steps, is_finite)
        self._count_zeros(steps, values == 0)
        self.recent = np.concatenate([self.recent, values[-_RECENT:]])[-_RECENT:]
        self.last_step = int(steps[-1])
        self._fold(steps[is_finite], values[is_finite])

    def _go_back(self, step: int) -> None:
        """Forget what came at and after a step."""
        kept = int(np.searchsorted(self._steps, step))
        means, steps, width = self._means[:kept], self._steps[:kept], self._width
        self._forget()
        self._means, self._steps, self._width, self.count = means, steps, width, kept * width

    def _count_bad(self, steps: np.ndarray, is_finite: np.ndarray) -> None:
        if is_finite.all():
            self.bad_streak, self.bad_since = 0, None
            return
        self.bad_total += int((~is_finite).sum())
        edges = np.flatnonzero(np.diff(np.concatenate([[True], is_finite, [True]]).astype(np.int8)))
        for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            goes_on = begin == 0 and self.bad_since is not None
            streak = end - begin + (self.bad_streak if goes_on else 0)
            since = self.bad_since if goes_on and self.bad_since is not None else int(steps[begin])
            if streak > self.worst_streak:
                self.worst_streak, self.worst_since = streak, since
            self.bad_streak, self.bad_since = (streak, since) if end == len(is_finite) else (0, None)

    def _count_zeros(self, steps: np.ndarray, is_zero: np.ndarray) -> None:
        others = np.flatnonzero(~is_zero)
        if others.size:
            begin = int(others[-1]) + 1
            self.zeros = len(is_zero) - begin
            self.zeros_since = int(steps[begin]) if self.zeros else 0
        else:
            self.zeros_since = self.zeros_since if self.zeros else int(steps[0])
            self.zeros += len(is_zero)

    def _fold(self, steps: np.ndarray, values: np.ndarray) -> None:
        self.count += len(values)
        values = np.concatenate([self._rest, values])
        steps = np.concatenate([self._rest_steps, steps])
        while len(self._means) + len(values) // self._width > MOST:
            if len(self._means) % 2:  # the last one goes back to those that are not folded yet
                values = np.concatenate([np.full(self._width, self._means[-1]), values])
                steps = np.concatenate([np.full(self._width, self._steps[-1]), steps])
            whole = len(self._means) // 2 * 2
            self._means = self._means[:whole].reshape(-1, 2).mean(axis=1)
            self._steps = self._steps[:whole:2]
            self._width *= 2
        whole = len(values) // self._width * self._width
        means = values[:whole].reshape(-1, self._width).mean(axis=1)
        self._means = np.concatenate([self._means, means])
        self._steps = np.concatenate([self._steps, steps[: whole : self._width]])
        self._rest, self._rest_steps = values[whole:], steps[whole:]
