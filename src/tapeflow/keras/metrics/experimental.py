"""`tf.keras.metrics.experimental`."""

from tapeflow.keras.metrics.py_metric import PyMetric as PyMetric
