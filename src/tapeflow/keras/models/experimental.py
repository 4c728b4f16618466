"""`tf.keras.models.experimental`."""

from tapeflow.keras.models.sharpness_aware import SharpnessAwareMinimization as SharpnessAwareMinimization
