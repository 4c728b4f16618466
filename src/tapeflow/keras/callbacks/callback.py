"""`Callback`: the base class, with a hook for everything that happens in `fit`, `evaluate` and `predict`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

TRAIN_HOOKS = ("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end")
TEST_HOOKS = ("on_test_batch_begin", "on_test_batch_end")
PREDICT_HOOKS = ("on_predict_batch_begin", "on_predict_batch_end")


class Callback:
    """The base class of callbacks: override the hooks you need.

    `logs` is a dict of plain numbers (`{"loss": 0.2, "accuracy": 0.7}`), empty where Keras has nothing to
    say. Overriding a batch hook makes `fit` run one step at a time, so that the hook sees the model as it
    is after that step; a class that only looks at `batch` and `logs` may say `supports_fused_steps = True`
    and is then called for every step of a group when the group has run.

    Attributes:
        model: the model being trained.
        params: `verbose`, `epochs` and `steps`, as the caller of `fit` chose them.
        supports_fused_steps: whether batch hooks may be called some steps late.
        wants_last_step_only: of a group of fused steps, whether to be called for the last one alone.

    >>> class Lines(tf.keras.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(epoch, logs["loss"])
    """

    # Defaults live on the class: many a subclass does not call `super().__init__()`.
    model: Any = None
    params: Any = None
    validation_data: Any = None
    supports_fused_steps: bool = False
    wants_last_step_only: bool = False
    _commits: bool = (
        False  # whether what it writes says that a step or epoch is done: it is called after the others
    )

    def __init__(self) -> None:
        self.validation_data = None
        self.model = None

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Take the parameters of the run."""
        self.params = params

    def set_model(self, model: Model) -> None:
        """Take the model."""
        self.model = model

    def get_training_state(self) -> Any:
        """The state needed to resume an interrupted training run exactly; None if there is none.

        Plain values: numbers, texts, numpy arrays, and dicts, lists and tuples of them. It is called before a backup
        of a step or epoch is written: a callback with a thread of its own waits here until its files are on disk.
        """
        return None

    def set_training_state(self, state: Any) -> None:
        """Remember what `get_training_state` gave, in another process; called after `on_train_begin`."""

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """`fit` begins."""

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """`fit` ends; `logs` are those of the last epoch."""

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        """`evaluate`, or validation inside `fit`, begins."""

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """`evaluate`, or validation inside `fit`, ends."""

    def on_predict_begin(self, logs: dict[str, Any] | None = None) -> None:
        """`predict` begins."""

    def on_predict_end(self, logs: dict[str, Any] | None = None) -> None:
        """`predict` ends."""

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """A training epoch begins; epochs count from 0."""

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """A training epoch and its validation have ended; `val_` names are the validation's."""

    def on_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Keras's older name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Keras's older name of `on_train_batch_end`."""

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """A training step begins; steps count from 0 in every epoch."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """A training step has ended; `logs` are the running values of this epoch."""
        self.on_batch_end(batch, logs)

    def on_test_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """An evaluation step begins."""

    def on_test_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """An evaluation step has ended."""

    def on_predict_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """A prediction step begins."""

    def on_predict_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """A prediction step has ended; `logs["outputs"]` is what it predicted."""

    def _on_train_steps_end(self, first: int, logs: Mapping[str, Any], count: int) -> None:
        """Fused training steps have run, from step `first` on; `logs` are columns.

        Who overrides this is not called for each of them.
        """

    def _before_steps(self, count: int) -> int:
        """`count` training steps are about to run as one program; how many of them may, at least one."""
        return count

    def _after_steps(self, count: int) -> None:
        """`count` training steps have run, and their batch hooks have been called."""

    def _keep_beginning(self) -> None:
        """Training has begun, for everybody, and no epoch has; only in `fit`."""

    def _keep_state(self) -> None:
        """Steps or an epoch have ended, for everybody: now the training's state may be taken; only in `fit`."""

    def _forget_state(self) -> None:
        """Training has ended, for everybody: what was kept to go on with it may go."""

    def _release(self) -> None:
        """`fit` is left, perhaps by an exception: let go of what must not outlive it."""

    def _implements_train_batch_hooks(self) -> bool:
        """Whether it wants to be called at every training step."""
        return any(overrides(self, hook) for hook in TRAIN_HOOKS)

    def _implements_test_batch_hooks(self) -> bool:
        """Whether it wants to be called at every evaluation step."""
        return any(overrides(self, hook) for hook in TEST_HOOKS)

    def _implements_predict_batch_hooks(self) -> bool:
        """Whether it wants to be called at every prediction step."""
        return any(overrides(self, hook) for hook in PREDICT_HOOKS)


def overrides(callback: Callback, hook: str) -> bool:
    """Whether a hook does anything: overridden by the class, or set on the object."""
    method = getattr(callback, hook)
    return getattr(method, "__func__", method) is not getattr(Callback, hook)


def is_users(callback: Callback) -> bool:
    """Whether a callback runs code of its user's: all but TapeFlow's own classes do."""
    kind = type(callback)
    return not kind.__module__.startswith("tapeflow.") or kind.__name__ == "LambdaCallback"
