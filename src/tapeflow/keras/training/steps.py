"""`Steps`: what training, evaluation and prediction do with one batch. A model's class may override each of them.

A step is written once, with a tape. `fit` stages it (`staged_steps`) and runs many of them in one program; a
hand-written loop calls the same losses, metrics and optimizers.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import tapeflow as tf
from tapeflow.engine.recording.name_scope import op_scope
from tapeflow.engine.values import nest
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.training.compilation import Compilation
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight

if TYPE_CHECKING:
    from tapeflow.keras.losses.loss import Loss
    from tapeflow.keras.training.resume import Run


# Arguments of `compute_loss` that only Keras 3 has.
_OF_KERAS_3 = frozenset({"training", "allow_empty"})


class Steps(Compilation):
    """A compiled layer's steps of one batch, and the staged ones that run many.

    The loop of `fit` (`loop`) needs no more of a model than this.
    """

    stop_training: bool
    history: Any
    _initial_epoch: int
    # What a `fit` depends on while it runs, for callbacks that save it.
    _run: Run | None = None

    def train_step(self, data: Any) -> Any:
        """Train on one batch and return the logs."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self._loss_of_batch(x, y, y_pred, sample_weight, training=True)
        self._validate_target_and_loss(y, loss)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> Any:
        """Evaluate one batch and return the logs."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        self._loss_of_batch(x, y, y_pred, sample_weight, training=False)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """Return the outputs for one batch."""
        x, _, _ = unpack_x_y_sample_weight(data)
        return self(x, training=False)

    def compute_loss(
        self,
        x: DataLike = None,
        y: DataLike = None,
        y_pred: Any = None,
        sample_weight: DataLike = None,
        **_: Any,
    ) -> Any:
        """The loss of a batch: the compiled loss, plus the losses that layers and the model add."""
        with op_scope("loss"):
            loss = self.compiled_loss(y, y_pred, sample_weight, regularization_losses=self.losses)
        if y is not None and not self.compiled_metrics.built:
            # A `train_step` of Keras 3 goes over `self.metrics` next.
            self.compiled_metrics.build(y_pred, y)
        return loss

    def _loss_of_batch(
        self, x: DataLike, y: DataLike, y_pred: Any, sample_weight: DataLike, training: bool
    ) -> Any:
        """The loss of a batch, reported as `loss` if `compute_loss` is overridden in Keras 3's way.

        What Keras 2 reports is the sum of the compiled losses, even if `compute_loss` returns something else.
        """
        if type(self).compute_loss is Steps.compute_loss:
            return self.compute_loss(x, y, y_pred, sample_weight)
        taken = inspect.signature(self.compute_loss).parameters
        if not _OF_KERAS_3.intersection(taken):
            return self.compute_loss(x, y, y_pred, sample_weight)
        self.compiled_loss.is_part = True
        given = {"training": training} if "training" in taken else {}
        loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, **given)
        self.compiled_loss.note(loss, tf.shape(nest.flatten(x)[0])[0])
        return loss

    def compute_metrics(
        self, x: DataLike, y: DataLike, y_pred: Any, sample_weight: DataLike = None
    ) -> dict[str, Any]:
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

    def _validate_target_and_loss(self, y: DataLike, loss: Loss) -> None:
        given = getattr(self, "loss", None)
        if given and y is None and not self.losses:
            raise TypeError(
                "Target data is missing. Your model was compiled with "
                f"loss={given}, and therefore expects target data to be provided in `fit()`."
            )
        is_own = type(self).compute_loss is not Steps.compute_loss
        if loss is None or not (is_own or given or self.losses):
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
