"""What `tf.keras.models` has of `tf.keras.saving`."""

from tapeflow.keras.saving.architecture import model_from_config as model_from_config
from tapeflow.keras.saving.architecture import model_from_json as model_from_json
from tapeflow.keras.saving.architecture import model_from_yaml as model_from_yaml
from tapeflow.keras.saving.model_file import save_model as save_model
from tapeflow.keras.saving.model_loading import load_model as load_model
