"""`tf.types`: types for annotations."""

from tapeflow.types import experimental as experimental
