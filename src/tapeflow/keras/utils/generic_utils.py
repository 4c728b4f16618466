"""Names that programs written for Keras 2 import from `keras.utils.generic_utils`."""

from tapeflow.keras.saving.family import deserialize_keras_object as deserialize_keras_object
from tapeflow.keras.saving.registry import CustomObjectScope as CustomObjectScope
from tapeflow.keras.saving.registry import custom_object_scope as custom_object_scope
from tapeflow.keras.saving.registry import get_custom_objects as get_custom_objects
from tapeflow.keras.saving.registry import get_registered_name as get_registered_name
from tapeflow.keras.saving.registry import get_registered_object as get_registered_object
from tapeflow.keras.saving.registry import register_keras_serializable as register_keras_serializable
from tapeflow.keras.saving.registry import serialize_keras_object as serialize_keras_object
from tapeflow.keras.utils.progress import Progbar as Progbar
