"""Where Keras 3 looks for `LossScaleOptimizer`; it belongs to `keras.mixed_precision`."""

from tapeflow.keras.mixed_precision.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer
