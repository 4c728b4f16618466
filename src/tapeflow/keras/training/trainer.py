"""`Trainer`: `fit`, `evaluate` and `predict`, and the steps they are made of.

A step is written once, with a tape: `train_step`. `fit` stages it (`engine.repeat`) and runs many of them
in one program; a hand-written loop calls the same losses, metrics and optimizers.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.devices import placement
from tapeflow.engine.recording.name_scope import op_scope
from tapeflow.engine.recording.symbolic import CallTaker
from tapeflow.engine.values import nest
from tapeflow.keras.training.compilation import Compilation
from tapeflow.keras.training.explain import explanation
from tapeflow.keras.training.generator_methods import GeneratorMethods
from tapeflow.keras.training.loop import Validation, as_callbacks, evaluate, fit, predict, share_of
from tapeflow.keras.training.mode import PREDICT, TEST, TRAIN, Mode
from tapeflow.keras.training.sources import make_source, single_batch
from tapeflow.keras.training.staged_steps import run_one
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight

# Arguments of `compute_loss` that only Keras 3 has.
_OF_KERAS_3 = frozenset({"training", "allow_empty"})


class Trainer(Compilation, GeneratorMethods):
    """The half of a model that trains it."""

    # What a `fit` depends on while it runs, for callbacks that save it.
    _run: Any = None

    def _init_training(self) -> None:
        self.stop_training = False
        self.history: Any = None
        self._init_compilation()

    # The steps, which a subclass may override

    def train_step(self, data: Any) -> Any:
        """Train on one batch and return the logs."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)  # pyright: ignore[reportCallIssue]
            loss = self._loss_of_batch(x, y, y_pred, sample_weight, training=True)
        self._validate_target_and_loss(y, loss)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)  # pyright: ignore
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> Any:
        """Evaluate one batch and return the logs."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)  # pyright: ignore[reportCallIssue]
        self._loss_of_batch(x, y, y_pred, sample_weight, training=False)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """Return the outputs for one batch."""
        x, _, _ = unpack_x_y_sample_weight(data)
        return self(x, training=False)  # pyright: ignore[reportCallIssue]

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, **_: Any
    ) -> Any:
        """The loss of a batch: the compiled loss, plus the losses that layers and the model add."""
        with op_scope("loss"):
            loss = self.compiled_loss(y, y_pred, sample_weight, regularization_losses=self.losses)  # pyright: ignore
        if y is not None and not self.compiled_metrics.built:
            # A `train_step` of Keras 3 goes over `self.metrics` next.
            self.compiled_metrics.build(y_pred, y)
        return loss

    def _loss_of_batch(self, x: Any, y: Any, y_pred: Any, sample_weight: Any, training: bool) -> Any:
        """The loss of a batch, reported as `loss` if `compute_loss` is overridden in Keras 3's way.

        What Keras 2 reports is the sum of the compiled losses, even if `compute_loss` returns something else.
        """
        if type(self).compute_loss is Trainer.compute_loss:
            return self.compute_loss(x, y, y_pred, sample_weight)
        taken = inspect.signature(self.compute_loss).parameters
        if not _OF_KERAS_3.intersection(taken):
            return self.compute_loss(x, y, y_pred, sample_weight)
        self.compiled_loss.is_part = True
        told = {"training": training} if "training" in taken else {}
        loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, **told)
        self.compiled_loss.note(loss, tf.shape(nest.flatten(x)[0])[0])
        return loss

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> dict[str, Any]:
        """Update the metrics with a batch and return their results so far."""
        with op_scope("metrics"):
            self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def get_metrics_result(self) -> dict[str, Any]:
        """The results of all metrics, by name."""
        results: dict[str, Any] = {}
        with op_scope("metrics"):
            for metric in self.metrics:
                result = metric.result()
                results.update(result if isinstance(result, dict) else {metric.name: result})
        return results

    def _validate_target_and_loss(self, y: Any, loss: Any) -> None:
        given = getattr(self, "loss", None)
        if given and y is None and not self.losses:  # pyright: ignore[reportAttributeAccessIssue]
            raise TypeError(
                "Target data is missing. Your model was compiled with "
                f"loss={given}, and therefore expects target data to be provided in `fit()`."
            )
        is_own = type(self).compute_loss is not Trainer.compute_loss
        if loss is None or not (is_own or given or self.losses):  # pyright: ignore[reportAttributeAccessIssue]
            raise ValueError(
                "No loss found. You may have forgotten to provide a `loss` argument in the `compile()` method."
            )

    # Staging

    def make_train_function(self, force: bool = False) -> Any:
        """The staged training step, from stacked batches to stacked logs."""
        return self._staged_steps.staged("train", self.train_step, self.run_eagerly, force)

    def make_test_function(self, force: bool = False) -> Any:
        """The staged evaluation step."""
        return self._staged_steps.staged("test", self.test_step, self.run_eagerly, force)

    def make_predict_function(self, force: bool = False) -> Any:
        """The staged prediction step."""
        return self._staged_steps.staged("predict", self.predict_step, self.run_eagerly, force)

    # fit, evaluate, predict

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
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
        self._require_compiled("fit")
        reading = {
            "max_queue_size": max_queue_size,
            "workers": workers,
            "use_multiprocessing": use_multiprocessing,
        }
        with placement.using(self._placement), self._trainable_as_compiled():
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
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
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
        self._require_compiled("evaluate")
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
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
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
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """Train on one batch and return the loss and metrics."""
        self._require_compiled("train_on_batch")
        if reset_metrics:
            self.reset_metrics()
        with self._trainable_as_compiled():
            return _logs_of_batch(self, TRAIN, single_batch(x, y, sample_weight, class_weight), return_dict)

    def test_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """The loss and metrics of one batch."""
        self._require_compiled("test_on_batch")
        if reset_metrics:
            self.reset_metrics()
        return _logs_of_batch(self, TEST, single_batch(x, y, sample_weight), return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch, as numpy arrays."""
        found = run_one(self, PREDICT, single_batch(x))
        return nest.map_structure(lambda y: y if isinstance(y, CallTaker) else np.asarray(y), found)

    def explain(self, x: Any = None, y: Any = None) -> str:
        """Explain which losses and metrics training computes, over which axes, and why; printed and returned.

        Args:
            x: a batch of inputs, if the model has not seen data yet.
            y: its labels.
        """
        self._require_compiled("explain")
        text = explanation(self, x, y, type(self).train_step is not Trainer.train_step)
        print(text)  # noqa: T201 - what it is for
        return text


def _logs_of_batch(model: Any, mode: Mode, data: Any, return_dict: bool) -> Any:
    logs = {name: _number(value) for name, value in run_one(model, mode, data).items()}
    return logs if return_dict else _listed(logs)


def _number(value: Any) -> Any:
    array = np.asarray(value)
    return array if array.ndim else array.item()


def _listed(logs: dict[str, Any]) -> Any:
    values = list(logs.values())
    return values[0] if len(values) == 1 else values


def _refuse(method: str, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {sorted(kwargs)} given to Model.{method}.")
