"""`compiled_loss`: the losses given to `compile`, and what they sum to."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.keras import losses as losses_module
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.losses import Loss
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.metrics import Mean
from tapeflow.keras.training.outputs import flat_data, flat_for, matched, names_for


class CompiledLoss:
    """The losses of a model's outputs. Called on a batch it gives their weighted sum.

    Args:
        losses: what `compile(loss=...)` was given.
        loss_weights: what `compile(loss_weights=...)` was given.
        output_names: the model's names of its outputs, where it has any.
    """

    def __init__(
        self, losses: object, loss_weights: object = None, output_names: list[str] | None = None
    ) -> None:
        self._given = losses
        self._given_weights = loss_weights
        self._output_names = output_names
        self.built = False
        self.names: list[str] = []
        self.losses: list[Any] = []
        self.weights: list[Any] = []
        self.shapes: list[Any] = []
        self._total = Mean(name="loss")
        self._each: list[Any] = []
        # Whether a model that computes its loss in its own way notes it, so that the sum here is only a part of it.
        self.is_part = False

    @property
    def metrics(self) -> list[Any]:
        """The mean of the whole loss and, for several outputs, of each."""
        return [self._total, *[m for m in self._each if m is not None]] if self.built or self.is_part else []

    def note(self, loss: Any, batch_size: Any) -> None:
        """Report the whole loss of a batch, of which the sum here is a part."""
        self._total.update_state(loss, sample_weight=batch_size)

    def build(self, y_pred: Any) -> None:
        """Find out which loss belongs to which output."""
        self.names = names_for(y_pred, self._output_names)
        given = flat_for(y_pred, self._given, self.names, "loss")
        self.losses = [loss_object(loss) for loss in given]
        self.weights = flat_for(y_pred, self._given_weights, self.names, "loss_weights")
        self.shapes = [None] * len(self.names)
        if len(self.names) > 1:
            self._each = [
                None if loss is None else Mean(name=f"{name}_loss")
                for name, loss in zip(self.names, self.losses, strict=True)
            ]
        else:
            self._each = [None]
        self.built = True

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: DataLike = None, regularization_losses: Any = None
    ) -> Any:
        """The loss of a batch, regularization included.

        Args:
            y_true: labels, in the structure of the outputs or by their names.
            y_pred: the model's outputs.
            sample_weight: weights for all outputs, or for each.
            regularization_losses: further terms to add.
        """
        if not self.built:
            self.build(y_pred)
        predictions = nest.flatten(y_pred)
        labels = (
            flat_data(y_pred, y_true, self.names, "y") if y_true is not None else [None] * len(self.names)
        )
        weights = flat_data(y_pred, sample_weight, self.names, "sample_weight")
        values: list[Any] = []
        size = None
        for i, (true, pred, weight) in enumerate(zip(labels, predictions, weights, strict=True)):
            loss = self.losses[i]
            if loss is None or true is None:
                continue
            true, pred, weight = matched(true, pred, weight)
            self.shapes[i] = (true.shape, pred.shape)
            value = loss(true, pred, sample_weight=weight)
            size = true.shape[0] if size is None and true.shape else size
            if self._each[i] is not None:
                self._each[i].update_state(value, sample_weight=size)
            if self.weights[i] is not None:
                value = value * self.weights[i]
            values.append(value)
        values += regularization_losses or []
        if not values:
            return tf.zeros(())
        total = _sum(values)
        if not self.is_part:
            self._total.update_state(total, sample_weight=1 if size is None else size)
        return total

    def reset_state(self) -> None:
        """Forget the batches so far."""
        for metric in self.metrics:
            metric.reset_state()


def loss_object(loss: Loss) -> Any:
    """A loss given by name, as a function or as an object, as something to call with sample weights."""
    if loss is None:
        return None
    function = losses_module.get(loss)
    if isinstance(function, Loss):
        return function
    return LossFunctionWrapper(function, name=getattr(function, "__name__", type(function).__name__))


def _sum(values: list[Any]) -> Any:
    dtype = max((v.dtype for v in values), key=lambda d: d.size)
    total = values[0] if values[0].dtype is dtype else tf.cast(values[0], dtype)
    for value in values[1:]:
        total = total + (value if value.dtype is dtype else tf.cast(value, dtype))
    return total
