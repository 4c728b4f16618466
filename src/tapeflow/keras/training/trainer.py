"""`Trainer`: `compile`, `fit`, `evaluate` and `predict`, and the steps they are made of.

A step is written once, with a tape: `train_step`. `fit` stages it (`engine.repeat`) and runs many of them
in one program; a hand-written loop calls the same losses, metrics and optimizers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine import nest
from tapeflow.engine.repeat import Repeater
from tapeflow.keras.training.compiled_loss import CompiledLoss
from tapeflow.keras.training.compiled_metrics import CompiledMetrics
from tapeflow.keras.training.loop import Validation, as_callbacks, evaluate, fit, predict
from tapeflow.keras.training.sources import make_source, single_batch
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight


class Trainer:
    """The half of a model that trains it."""

    _name: str

    def _init_training(self) -> None:
        self.stop_training = False
        self.history: Any = None
        self.optimizer: Any = None
        self.loss: Any = None
        self.compiled_loss: Any = None
        self.compiled_metrics: Any = None
        self.output_names: list[str] | None = None
        self._is_compiled = False
        self._compile_arguments: dict[str, Any] = {}
        self._run_eagerly: bool | None = None
        self._steps_per_execution: int | None = None
        self._repeaters: dict[str, Repeater] = {}
        # Whether fit and its like have begun, whose batches may differ in size: a stack that builds now
        # leaves the size open.
        self._meets_batches = False

    def _forget_programs(self) -> None:
        self._repeaters = {}

    # compile

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool | None = None,
        steps_per_execution: int | None = None,
        jit_compile: Any = None,
        pss_evaluation_shards: int = 0,
        auto_scale_loss: bool = True,
        **kwargs: Any,
    ) -> None:
        """Say how to train.

        Args:
            optimizer: a name or an optimizer.
            loss: a name, a function of (y_true, y_pred), a `Loss`; a list or dict of them for several outputs.
            metrics: names, functions or `Metric`s to report; a list or dict of lists for several outputs.
            loss_weights: factors for the losses of several outputs.
            weighted_metrics: metrics that see sample and class weights.
            run_eagerly: call the steps as plain Python, to debug them.
            steps_per_execution: how many steps run as one program; chosen unless given.
            jit_compile: changes nothing; everything is compiled.
        """
        if kwargs:
            raise TypeError(
                f"Invalid keyword argument(s) in `compile()`: {sorted(kwargs)}. Valid keyword arguments are those of "
                "its signature."
            )
        names = list(self.output_names) if self.output_names else None
        self.optimizer = _optimizer(optimizer)
        self.loss = loss if loss is not None else {}
        self.compiled_loss = (
            loss if isinstance(loss, CompiledLoss) else CompiledLoss(loss, loss_weights, names)
        )
        self.compiled_metrics = CompiledMetrics(metrics, weighted_metrics, names)
        self._run_eagerly = run_eagerly
        self._steps_per_execution = steps_per_execution
        self._compile_arguments = {
            "optimizer": optimizer,
            "loss": loss,
            "metrics": metrics,
            "loss_weights": loss_weights,
            "weighted_metrics": weighted_metrics,
            "run_eagerly": run_eagerly,
            "steps_per_execution": steps_per_execution,
            "jit_compile": jit_compile,
        }
        self._is_compiled = True
        self._forget_programs()

    @property
    def run_eagerly(self) -> bool:
        """Whether steps are called as plain Python."""
        return bool(self._run_eagerly) or tf.config.functions_run_eagerly()

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._run_eagerly = value
        self._forget_programs()

    def get_compile_config(self) -> dict[str, Any] | None:
        """What `compile` was given, as a config; None before."""
        from tapeflow.keras.saving.registry import serialize_keras_object

        if not self._is_compiled:
            return None
        given = {**self._compile_arguments, "optimizer": self.optimizer}
        return nest.map_structure(lambda v: v if _is_plain(v) else serialize_keras_object(v), given)

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile as a config says, of this or another version of Keras."""
        from tapeflow.keras.saving.training_state import compile_arguments

        self.compile(**compile_arguments(config))

    def explain(self, x: Any = None, y: Any = None) -> str:
        """Which loss and which metrics training really computes, over which axes, and why; printed and returned.

        Args:
            x: a batch of inputs, if the model has not seen data yet.
            y: its labels.
        """
        from tapeflow.keras.training.explain import explanation

        self._require_compiled("explain")
        text = explanation(self, x, y)
        print(text)  # noqa: T201 - what it is for
        return text

    # The steps, which a subclass may override

    def train_step(self, data: Any) -> Any:
        """One step of training on a batch; the logs."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)  # pyright: ignore[reportCallIssue]
            loss = self.compute_loss(x, y, y_pred, sample_weight)
        self._validate_target_and_loss(y, loss)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)  # pyright: ignore
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> Any:
        """One step of evaluation on a batch; the logs."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)  # pyright: ignore[reportCallIssue]
        self.compute_loss(x, y, y_pred, sample_weight)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The outputs for a batch."""
        x, _, _ = unpack_x_y_sample_weight(data)
        return self(x, training=False)  # pyright: ignore[reportCallIssue]

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, **_: Any
    ) -> Any:
        """The loss of a batch: what `compile` says, and what layers and the model add."""
        return self.compiled_loss(y, y_pred, sample_weight, regularization_losses=self.losses)  # pyright: ignore

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> dict[str, Any]:
        """Update the metrics with a batch; their results so far."""
        self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def get_metrics_result(self) -> dict[str, Any]:
        """The results of all metrics, by name."""
        results: dict[str, Any] = {}
        for metric in self.metrics:
            result = metric.result()
            results.update(result if isinstance(result, dict) else {metric.name: result})
        return results

    def _validate_target_and_loss(self, y: Any, loss: Any) -> None:
        if self.loss and y is None and not self.losses:  # pyright: ignore[reportAttributeAccessIssue]
            raise TypeError(
                "Target data is missing. Your model was compiled with "
                f"loss={self.loss}, and therefore expects target data to be provided in `fit()`."
            )
        if loss is None or (not self.loss and not self.losses):  # pyright: ignore[reportAttributeAccessIssue]
            raise ValueError(
                "No loss found. You may have forgotten to provide a `loss` argument in the `compile()` method."
            )

    @property
    def metrics(self) -> list[Any]:
        """The metrics of training: the compiled ones, then those of the model and its layers."""
        found: list[Any] = []
        if self._is_compiled:
            found += [*self.compiled_loss.metrics, *self.compiled_metrics.metrics]
        found += super().metrics  # pyright: ignore[reportAttributeAccessIssue]
        return list({id(m): m for m in found}.values())

    @property
    def metrics_names(self) -> list[str]:
        """The names of `metrics`; known once the model has seen data."""
        return [m.name for m in self.metrics]

    def reset_metrics(self) -> None:
        """Begin all metrics anew, as every epoch does."""
        for metric in self.metrics:
            metric.reset_state()

    # Staging

    def make_train_function(self, force: bool = False) -> Any:
        """The staged training step, from stacked batches to stacked logs."""
        return self._repeater("train", self.train_step, force)

    def make_test_function(self, force: bool = False) -> Any:
        """The staged evaluation step."""
        return self._repeater("test", self.test_step, force)

    def make_predict_function(self, force: bool = False) -> Any:
        """The staged prediction step."""
        return self._repeater("predict", self.predict_step, force)

    def _repeater(self, mode: str, step: Any, force: bool) -> Any:
        self._meets_batches = True
        if self.run_eagerly:
            return _EagerSteps(step)
        found = self._repeaters.get(mode)
        if found is None or force:
            found = self._repeaters[mode] = Repeater(step)
        return found

    def _require_compiled(self, method: str) -> None:
        if not self._is_compiled:
            raise RuntimeError(
                f"You must compile your model before training/testing. Use `model.compile(optimizer, loss)`: "
                f"Model.{method} was called on {self._name!r}, which has not been compiled."
            )

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
            batch_size: samples in a step; 32 unless given.
            epochs: the number of the last epoch.
            verbose: 0 silent, 1 a progress bar, 2 a line an epoch, 'auto' 1 on a terminal.
            callbacks: objects to call on the way.
            validation_split: this share of the arrays, their end, is set aside to validate with.
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
        """The loss and metrics on data; the arguments are those of `fit`.

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
        source = make_source(x, y, sample_weight, batch_size=batch_size, steps=steps, **reading)
        try:
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
            return predict(self, source, as_callbacks(callbacks, self, verbose, epochs=1, steps=source.steps))
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
        """One step of training on one batch; the loss and metrics."""
        self._require_compiled("train_on_batch")
        if reset_metrics:
            self.reset_metrics()
        return self._on_batch(
            self.make_train_function(), single_batch(x, y, sample_weight, class_weight), return_dict
        )

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
        return self._on_batch(self.make_test_function(), single_batch(x, y, sample_weight), return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch, as numpy arrays."""
        return nest.map_structure(np.asarray, self._one(self.make_predict_function(), single_batch(x)))

    def _on_batch(self, function: Any, data: Any, return_dict: bool) -> Any:
        logs = {name: _number(value) for name, value in self._one(function, data).items()}
        return logs if return_dict else _listed(logs)

    def _one(self, function: Any, data: Any) -> Any:
        stacked = nest.map_structure(lambda a: None if a is None else np.asarray(a)[None], data)
        return function(stacked, 1)[0]


class _EagerSteps:
    """Calls a step as plain Python, batch by batch."""

    read_at = None

    def __init__(self, step: Any) -> None:
        self._step = step

    def __call__(self, batches: Any, count: int) -> Any:
        return Repeater(self._step)._called(batches, range(count))


def _optimizer(optimizer: Any) -> Any:
    """The optimizer to train with; scaled losses where the global policy computes in float16."""
    found = tf.keras.optimizers.get(optimizer)
    scaled = tf.keras.mixed_precision.LossScaleOptimizer
    if tf.keras.mixed_precision.global_policy().name == "mixed_float16" and not isinstance(found, scaled):
        return scaled(found)
    return found


def _number(value: Any) -> Any:
    array = np.asarray(value)
    return array if array.ndim else array.item()


def _listed(logs: dict[str, Any]) -> Any:
    values = list(logs.values())
    return values[0] if len(values) == 1 else values


def _is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float, str, type(None)))


def _refuse(method: str, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {sorted(kwargs)} given to Model.{method}.")
