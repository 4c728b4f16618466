"""`PreemptionCheckpointHandler`: a training that is told to end saves itself, and goes on when started again."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.distribute.resolvers import workers_of
from tapeflow.keras.callbacks.preemption import Preemption


class TerminationConfig:
    """When a training ends early, and how.

    Args:
        termination_watcher_fn: called after every step: whether to end. A `SIGTERM` is noticed in any case.
        exit_fn: called once the training is saved; the process ends with status 143 unless given.
        grace_period: how many seconds to go on before saving; at once unless given.
        save_fn: called instead of saving a checkpoint.
    """

    def __init__(
        self,
        termination_watcher_fn: Callable[[], bool] | None = None,
        exit_fn: Callable[[], Any] | None = None,
        grace_period: float | None = None,
        save_fn: Callable[[], Any] | None = None,
    ) -> None:
        if grace_period:
            raise ValueError(
                "TerminationConfig expected no grace_period: the training is saved after the step; got "
                f"grace_period={grace_period!r}."
            )
        self.termination_watcher_fn = termination_watcher_fn
        self.exit_fn = exit_fn
        self.grace_period = 0
        self.save_fn = save_fn


class PreemptionCheckpointHandler:
    """Restores the latest checkpoint, and saves one after the step in which the process receives the signal to end.

    Args:
        cluster_resolver: who works together; it must be this process alone.
        checkpoint_or_checkpoint_manager: what is saved.
        checkpoint_dir: the folder, for a Checkpoint.
        termination_config: a `TerminationConfig`.

    >>> import tempfile
    >>> steps = tf.Variable(0)
    >>> checkpoint = tf.train.Checkpoint(steps=steps)
    >>> handler = tf.distribute.experimental.PreemptionCheckpointHandler(None, checkpoint, tempfile.mkdtemp())
    >>> while handler.total_run_calls < 3:
    ...     _ = handler.run(lambda: steps.assign_add(1))
    >>> int(steps)
    3
    """

    def __init__(
        self,
        cluster_resolver: Any,
        checkpoint_or_checkpoint_manager: Any,
        checkpoint_dir: Any = None,
        termination_config: TerminationConfig | None = None,
    ) -> None:
        where = "PreemptionCheckpointHandler"
        if cluster_resolver is not None and len(workers_of(cluster_resolver.cluster_spec())) > 1:
            raise ValueError(
                f"{where} expected a cluster of this process alone; got {cluster_resolver.cluster_spec()!r}. Train "
                "with `fit` and the callback BackupAndRestore."
            )
        manager = checkpoint_or_checkpoint_manager
        if isinstance(manager, tf.train.Checkpoint):
            if not checkpoint_dir:
                raise ValueError(
                    f"{where} expected checkpoint_dir with a Checkpoint; got {checkpoint_dir!r}."
                )
            manager = tf.train.CheckpointManager(manager, checkpoint_dir, max_to_keep=1)
        self._manager = manager
        self._config = termination_config or TerminationConfig()
        self._runs = tf.Variable(0, dtype=tf.int64, trainable=False, name="checkpointed_runs")
        manager.checkpoint.checkpointed_runs = self._runs
        manager.restore_or_initialize()
        self._preemption = Preemption()
        self._preemption.begin()
        # Who has dropped the handler saves nothing any more: a SIGTERM is to end the process again.
        weakref.finalize(self, self._preemption.end).atexit = False

    @property
    def total_run_calls(self) -> int:
        """How often `run` has been called, by the processes before this one too."""
        return int(self._runs)

    def run(self, distributed_train_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a training function; then, if the process has received the signal to end, save and end."""
        found = distributed_train_function(*args, **kwargs)
        self._runs.assign_add(1)
        watch = self._config.termination_watcher_fn
        if self._preemption.is_asked or (watch is not None and watch()):
            self._save_and_leave()
        return found

    def _save_and_leave(self) -> None:
        if self._config.save_fn is not None:
            self._config.save_fn()
        else:
            self._manager.save()
        text = f"saved after {self.total_run_calls} calls; start again to go on"
        leave = self._config.exit_fn
        if leave is None:
            self._preemption.leave(text)
            return
        self._preemption.is_asked = False
        self._preemption.end()
        leave()
