"""`tf.keras.utils.legacy`: the functions that newer Keras moved here, which is what programs ask for by either name."""

from tapeflow.keras.saving.family import deserialize_keras_object as deserialize_keras_object
from tapeflow.keras.saving.registry import serialize_keras_object as serialize_keras_object
