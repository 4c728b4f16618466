"""`tf.keras.preprocessing.image`."""

from tapeflow.keras.utils.images import array_to_img as array_to_img
from tapeflow.keras.utils.images import img_to_array as img_to_array
from tapeflow.keras.utils.images import load_img as load_img
from tapeflow.keras.utils.images import save_img as save_img
