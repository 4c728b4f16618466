"""`ProfiledBatches`: a profile of some batches of a training, for `TensorBoard`."""

from __future__ import annotations

import logging

import tapeflow as tf

_log = logging.getLogger("tapeflow.keras")


class ProfiledBatches:
    """Starts and stops a profile around a range of batches. What goes wrong is no reason not to train.

    Args:
        log_dir: the folder for the profile.
        first, last: the batches, counted from 1; 0 for none.

    Attributes:
        run: how many batches have run.
    """

    def __init__(self, log_dir: str, first: int, last: int) -> None:
        self.run = 0
        self._log_dir = log_dir
        self._first, self._last = first, last
        self._is_profiling = False

    def before(self, count: int) -> int:
        """`count` batches are about to run as one program; how many of them may."""
        coming = self.run + 1
        if coming < self._first:
            return self._first - coming
        if coming == self._first and not self._is_profiling:
            self._start()
        return self._last + 1 - coming if coming <= self._last else count

    def after(self, count: int) -> None:
        """`count` batches have run."""
        self.run += count
        if self.run >= self._last:
            self.stop()

    def _start(self) -> None:
        try:
            tf.profiler.experimental.start(self._log_dir)
            self._is_profiling = True
        except (tf.errors.AlreadyExistsError, OSError) as error:
            _log.error("TensorBoard could not start to profile: %s", error)

    def stop(self) -> None:
        """Write the profile, if there is one going on."""
        if not self._is_profiling:
            return
        self._is_profiling = False
        try:
            tf.profiler.experimental.stop()
        except (tf.errors.UnavailableError, OSError) as error:
            _log.error("TensorBoard could not write the profile: %s", error)
