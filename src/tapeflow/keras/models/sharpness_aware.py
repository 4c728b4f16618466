"""`SharpnessAwareMinimization`: training that looks for flat minima."""

from __future__ import annotations

from typing import Any, Self

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.models.model import Model
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight


class SharpnessAwareMinimization(Model):
    """A model trained with the gradient at the worst point nearby instead of the one where it is (SAM).

    Every step goes `rho` uphill, takes the gradient there, comes back and applies it: two passes a step.

    Args:
        model: the model; it must be built, or be built by the first batch.
        rho: how far to go.
        num_batch_splits: into how many parts a batch is split, each with an uphill of its own; None for one.
        name: its name.
    """

    def __init__(
        self, model: Any, rho: float = 0.05, num_batch_splits: int | None = None, name: str | None = None
    ) -> None:
        super().__init__(name=name)
        self.model = model
        self.rho = rho
        self.num_batch_splits = num_batch_splits

    def call(self, inputs: TensorLike, **kwargs: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.model(inputs, **kwargs)

    def train_step(self, data: Any) -> Any:
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        steps = [
            self._part_step(*part) for part in zip(*map(self._split, (x, y, sample_weight)), strict=True)
        ]
        predictions = tf.concat([p for p, _ in steps], 0)
        # A weight that the loss does not depend on has no gradient in any part.
        totals = [
            None if g[0] is None else tf.add_n(list(g)) for g in zip(*[g for _, g in steps], strict=True)
        ]
        self.optimizer.apply_gradients(zip(totals, self.model.trainable_variables, strict=True))
        return self.compute_metrics(x, y, predictions, sample_weight)

    def _split(self, value: object) -> list[Any]:
        count = self.num_batch_splits
        if count is None or value is None:
            return [value] * (count or 1)
        flat = [tf.split(part, count) for part in tf.nest.flatten(value)]
        return [tf.nest.pack_sequence_as(value, list(parts)) for parts in zip(*flat, strict=True)]

    def _part_step(self, x: Tensor, y: Any, sample_weight: Any) -> tuple[Any, list[Any]]:
        """The outputs at the point where the weights are, and the gradients uphill of it."""
        outputs, gradients = self._gradients(x, y, sample_weight, training=False)
        variables = self.model.trainable_variables
        norm = tf.linalg.global_norm([tf.convert_to_tensor(g) for g in gradients if g is not None])
        scale = self.rho / (norm + 1e-12)
        before = [tf.convert_to_tensor(v) for v in variables]
        for variable, gradient in zip(variables, gradients, strict=True):
            if gradient is not None:
                variable.assign_add(gradient * scale)
        _, uphill = self._gradients(x, y, sample_weight, training=True)
        for variable, value in zip(variables, before, strict=True):
            variable.assign(value)
        return outputs, uphill

    def _gradients(self, x: Tensor, y: Any, sample_weight: Any, training: bool) -> tuple[Any, list[Any]]:
        with tf.GradientTape() as tape:
            outputs = self(x, training=training)
            loss = self.compiled_loss(y, outputs, sample_weight)
        return outputs, tape.gradient(loss, self.model.trainable_variables)

    def get_config(self) -> dict[str, Any]:
        return {
            "name": Layer.get_config(self)["name"],
            "model": tf.keras.layers.serialize(self.model),
            "rho": self.rho,
            "num_batch_splits": self.num_batch_splits,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: CustomObjects = None) -> Self:
        config = dict(config)
        model = tf.keras.layers.deserialize(config.pop("model"), custom_objects=custom_objects)
        return cls(model, **config)
