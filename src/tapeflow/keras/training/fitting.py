"""`fit`: epochs of training, with the validation and the hooks around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.engine.devices import placement
from tapeflow.engine.devices.placement import Share
from tapeflow.engine.programs import phases
from tapeflow.engine.values import nest
from tapeflow.keras.annotations import CallbacksLike, DataLike
from tapeflow.keras.callbacks import CallbackList
from tapeflow.keras.training.loop import Loop, as_callbacks, evaluate, share_of
from tapeflow.keras.training.mode import TRAIN
from tapeflow.keras.training.resume import Run
from tapeflow.keras.training.sources import Source, make_source, split_validation, warn_ran_out
from tapeflow.keras.training.steps import Steps
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight

if TYPE_CHECKING:
    from tapeflow.keras.callbacks.history import History


def fit(
    model: Steps,
    x: DataLike,
    y: DataLike,
    sample_weight: DataLike,
    *,
    batch_size: int | None,
    epochs: int,
    verbose: str | int,
    callbacks: CallbacksLike,
    validation: Validation,
    validation_split: float,
    shuffle: Any,
    class_weight: Any,
    initial_epoch: int,
    steps_per_epoch: int | None,
    reading: dict[str, Any],
) -> History:
    """Train `model`; the arguments are those of `Model.fit`."""
    if validation_split and validation.data is None:
        (x, y, sample_weight), held_out = split_validation(x, y, sample_weight, validation_split)
        validation.data = held_out
    source = make_source(
        x,
        y,
        sample_weight,
        batch_size=batch_size,
        shuffle=shuffle,
        steps=steps_per_epoch,
        epochs=epochs - initial_epoch,
        class_weight=class_weight,
        share=share_of(model),
        **reading,
    )
    listeners = as_callbacks(callbacks, model, verbose, epochs=epochs, steps=source.steps)
    model.stop_training = False
    model._initial_epoch = initial_epoch
    model._run = run = Run(model, listeners, source, validation)
    try:
        listeners.on_train_begin()
        run.loop = loop = Loop(model, TRAIN, source, listeners)
        loop.run = run
        run.go_on(is_in_epoch=False)
        listeners.after_begin()
        logs: dict[str, Any] = run.logs()
        # A callback that restores a backup moves the first epoch, and perhaps its first step.
        for epoch in range(epochs if run.is_over else model._initial_epoch, epochs):
            logs = _train_epoch(loop, run, validation, epoch, epochs)
            if run.is_over:
                break
        for optimizer in nest.flatten(model.optimizer):
            optimizer.finalize_variable_values(model.trainable_variables)
        listeners.on_train_end(logs)
    finally:
        listeners.release()
        model._run = run.loop = None  # or the two would keep one another, and the callbacks, alive
        source.close()
        validation.close()
    return model.history


def _train_epoch(loop: Loop, run: Run, validation: Validation, epoch: int, epochs: int) -> dict[str, Any]:
    """Train for an epoch, or for the rest of one that was interrupted, and validate if that is due."""
    model, source, callbacks = loop.model, loop.source, loop.callbacks
    start = run.start(epoch)
    if not start:
        model.reset_metrics()
    with phases.hook("on_epoch_begin"):
        callbacks.on_epoch_begin(epoch)
    run.begin_epoch(epoch, start)
    run.go_on(is_in_epoch=True)
    rows = None
    for _, rows in loop.epoch(epoch, start):  # noqa: B007 - the last one is wanted
        pass
    if rows is None and not start:
        raise ValueError(
            "Model.fit expected at least one batch in an epoch: Unexpected result of `train_function` (Empty Logs). "
            "Check that the data is not empty and that a generator has not been used up."
        )
    logs = run.logs()
    if source.ran_out:
        warn_ran_out(epochs * (source.steps or 0))
    source.on_epoch_end()
    if validation.is_due(epoch):
        results = validation.run(model, callbacks)
        logs.update({f"val_{name}": value for name, value in results.items()})
    with phases.hook("on_epoch_end"):
        callbacks.on_epoch_end(epoch, logs)
    run.end_epoch(logs, is_over=model.stop_training or source.ran_out)
    callbacks.after_epoch()
    return logs


class Validation:
    """The data `fit` validates with, read anew after each epoch that is due.

    Args:
        data: `validation_data`.
        frequency: every so many epochs, or a list of epochs, counted from 1.
        batch_size, steps, reading: as for `evaluate`.
    """

    def __init__(
        self,
        data: DataLike,
        frequency: Any,
        batch_size: int | None,
        steps: int | None,
        reading: dict[str, Any],
    ) -> None:
        if not isinstance(frequency, (int, list, tuple, set)) or frequency == 0:
            raise ValueError(
                "Model.fit expected validation_freq to be a positive integer or a list of epochs; got "
                f"validation_freq={frequency!r}."
            )
        self.data = data
        self._frequency = frequency
        self._batch_size = batch_size
        self._steps = steps
        self._reading = reading
        self._source: Source | None = None
        self.is_tracked = False

    def is_due(self, epoch: int) -> bool:
        """Whether to validate after this epoch."""
        if self.data is None:
            return False
        if isinstance(self._frequency, int):
            return (epoch + 1) % self._frequency == 0
        return epoch + 1 in self._frequency

    def run(self, model: Steps, callbacks: CallbackList) -> dict[str, Any]:
        """The logs of an evaluation."""
        return evaluate(model, self._made(share_of(model)), callbacks)

    def _made(self, share: Share | None) -> Source:
        if self._source is None:
            x, y, weight = _unpacked(self.data)
            self._source = make_source(
                x, y, weight, batch_size=self._batch_size, steps=self._steps, share=share, **self._reading
            )
            self._source.is_tracked = self.is_tracked
        return self._source

    def state(self) -> Any:
        """Where the next validation begins; None if there has been none yet."""
        return None if self._source is None else self._source.state(None)

    def restore(self, state: Any) -> None:
        """Begin the next validation where another process would have."""
        self._made(placement.current_share()).restore(state, 0, 0)

    def close(self) -> None:
        """Let go of the source."""
        if self._source is not None:
            self._source.close()


def _unpacked(data: DataLike) -> tuple[Any, Any, Any]:
    """`validation_data` as x, y and weights; only a tuple or list of arrays is taken apart."""
    if isinstance(data, (tuple, list)):
        return unpack_x_y_sample_weight(tuple(data))
    return data, None, None
