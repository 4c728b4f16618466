"""`Trainer`: `fit`, `evaluate` and `predict`. Each reads its arguments and leaves the rest to `fitting` and `loop`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.devices import placement
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.values import nest
from tapeflow.keras.annotations import CallbacksLike, DataLike
from tapeflow.keras.training.compilation import require_compiled
from tapeflow.keras.training.explain import explanation
from tapeflow.keras.training.fitting import Validation, fit
from tapeflow.keras.training.generator_methods import GeneratorMethods
from tapeflow.keras.training.loop import as_callbacks, evaluate, predict, share_of
from tapeflow.keras.training.mode import PREDICT, TEST, TRAIN, Mode
from tapeflow.keras.training.running import run_one
from tapeflow.keras.training.sources import make_source, single_batch
from tapeflow.keras.training.steps import Steps

if TYPE_CHECKING:
    from tapeflow.keras.callbacks.history import History


class Trainer(Steps, GeneratorMethods):
    """What trains a model: its steps (`Steps`), and the methods that go over data with them."""

    def fit(
        self,
        x: DataLike = None,
        y: DataLike = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: str | int = "auto",
        callbacks: CallbacksLike = None,
        validation_split: float = 0.0,
        validation_data: DataLike = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: DataLike = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> History:
        """Train the model.

        Args:
            x: inputs: arrays, tensors, lists or dicts of them, pandas objects, a `tf.data.Dataset`, a generator, a
                `keras.utils.Sequence` or any iterable of batches.
            y: labels, unless `x` holds them.
            batch_size: samples per step; 32 by default.
            epochs: the number of the last epoch.
            verbose: 0 silent, 1 a progress bar, 2 a line an epoch, 'auto' 1 on a terminal.
            callbacks: `tf.keras.callbacks.Callback` objects.
            validation_split: the fraction of the arrays, at their end, to hold out for validation.
            validation_data: `(x, y)`, `(x, y, sample_weight)`, a Dataset, generator or Sequence.
            shuffle: whether to shuffle arrays and Sequences before each epoch.
            class_weight: a factor for the loss of each class.
            sample_weight: a factor for the loss of each sample.
            initial_epoch: the epoch to begin with.
            steps_per_epoch: the batches of an epoch; all there are unless given.
            validation_steps: the batches to validate with.
            validation_batch_size: samples in a validation step.
            validation_freq: validate every so many epochs, or after those in a list.
            max_queue_size, workers, use_multiprocessing: how a Sequence is read ahead.

        Returns:
            A `History`: `history.history['loss']` has a value for each epoch.
        """
        require_compiled(self, "fit")
        reading = {
            "max_queue_size": max_queue_size,
            "workers": workers,
            "use_multiprocessing": use_multiprocessing,
        }
        with placement.using(self._placement), self._trainable_at_compile.applied(self._below()):
            return fit(
                self,
                x,
                y,
                sample_weight,
                batch_size=batch_size,
                epochs=epochs,
                verbose=verbose,
                callbacks=callbacks,
                validation=Validation(
                    validation_data,
                    validation_freq,
                    validation_batch_size or batch_size,
                    validation_steps,
                    reading,
                ),
                validation_split=validation_split,
                shuffle=shuffle,
                class_weight=class_weight,
                initial_epoch=initial_epoch,
                steps_per_epoch=steps_per_epoch,
                reading=reading,
            )

    def evaluate(
        self,
        x: DataLike = None,
        y: DataLike = None,
        batch_size: int | None = None,
        verbose: str | int = "auto",
        sample_weight: DataLike = None,
        steps: int | None = None,
        callbacks: CallbacksLike = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Compute the loss and metrics on data; the same arguments as `fit`.

        Returns:
            The loss, or a list of the loss and metrics; with `return_dict` a dict by name.
        """
        require_compiled(self, "evaluate")
        _refuse("evaluate", kwargs)
        reading = {
            "max_queue_size": max_queue_size,
            "workers": workers,
            "use_multiprocessing": use_multiprocessing,
        }
        with placement.using(self._placement):
            share = share_of(self)
        source = make_source(x, y, sample_weight, batch_size=batch_size, steps=steps, share=share, **reading)
        try:
            with placement.using(self._placement):
                logs = evaluate(
                    self, source, as_callbacks(callbacks, self, verbose, epochs=1, steps=source.steps)
                )
        finally:
            source.close()
        return logs if return_dict else _listed(logs)

    def predict(
        self,
        x: DataLike,
        batch_size: int | None = None,
        verbose: str | int = "auto",
        steps: int | None = None,
        callbacks: CallbacksLike = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The outputs for data, as numpy arrays, computed batch by batch."""
        reading = {
            "max_queue_size": max_queue_size,
            "workers": workers,
            "use_multiprocessing": use_multiprocessing,
        }
        source = make_source(x, batch_size=batch_size, steps=steps, **reading)
        try:
            with placement.using(self._placement and self._placement.readable):
                return predict(
                    self, source, as_callbacks(callbacks, self, verbose, epochs=1, steps=source.steps)
                )
        finally:
            source.close()

    def train_on_batch(
        self,
        x: DataLike,
        y: DataLike = None,
        sample_weight: DataLike = None,
        class_weight: Any = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """Train on one batch and return the loss and metrics."""
        require_compiled(self, "train_on_batch")
        if reset_metrics:
            self.reset_metrics()
        with self._trainable_at_compile.applied(self._below()):
            return _logs_of_batch(self, TRAIN, single_batch(x, y, sample_weight, class_weight), return_dict)

    def test_on_batch(
        self,
        x: DataLike,
        y: DataLike = None,
        sample_weight: DataLike = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """The loss and metrics of one batch."""
        require_compiled(self, "test_on_batch")
        if reset_metrics:
            self.reset_metrics()
        return _logs_of_batch(self, TEST, single_batch(x, y, sample_weight), return_dict)

    def predict_on_batch(self, x: DataLike) -> Any:
        """The outputs for one batch, as numpy arrays."""
        outputs = run_one(self, PREDICT, single_batch(x))
        return nest.map_structure(lambda y: y if isinstance(y, DispatchTarget) else np.asarray(y), outputs)

    def explain(self, x: DataLike = None, y: DataLike = None) -> str:
        """Explain which losses and metrics training computes, over which axes, and why; printed and returned.

        Args:
            x: a batch of inputs, if the model has not seen data yet.
            y: its labels.
        """
        require_compiled(self, "explain")
        text = explanation(self, x, y, type(self).train_step is not Steps.train_step)
        print(text)  # noqa: T201 - what it is for
        return text


def _logs_of_batch(model: Steps, mode: Mode, data: DataLike, return_dict: bool) -> Any:
    logs = {name: _number(value) for name, value in run_one(model, mode, data).items()}
    return logs if return_dict else _listed(logs)


def _number(value: object) -> Any:
    array = np.asarray(value)
    return array if array.ndim else array.item()


def _listed(logs: dict[str, Any]) -> Any:
    values = list(logs.values())
    return values[0] if len(values) == 1 else values


def _refuse(method: str, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {sorted(kwargs)} given to Model.{method}.")
