"""The gradients of a batch, to be looked at: nothing is trained, nothing random is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tapeflow as tf
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model


def batch_gradients(model: Model, data: Any) -> list[tuple[Any, Any]]:
    """The trainable weights that the loss of a batch depends on, each with its gradient.

    The model runs as in inference, as old Keras did for its histograms of gradients: dropout draws no numbers
    and batch normalisation learns nothing, so training goes on as if nobody had looked.
    """
    x, y, sample_weight = unpack_x_y_sample_weight(tf.nest.map_structure(_tensor, data))
    with tf.GradientTape() as tape:
        loss = model.compute_loss(x, y, model(x, training=False), sample_weight)
    weights = model.trainable_weights
    pairs = zip(weights, tape.gradient(loss, weights), strict=True)
    return [(weight, gradient) for weight, gradient in pairs if gradient is not None]


def _tensor(part: Any) -> Any:
    return None if part is None else tf.convert_to_tensor(part)
