"""`tf.keras.preprocessing.image`."""

from tapeflow.keras.preprocessing import image_batches as _batches
from tapeflow.keras.preprocessing.image_changes import apply_affine_transform as apply_affine_transform
from tapeflow.keras.preprocessing.image_changes import apply_brightness_shift as apply_brightness_shift
from tapeflow.keras.preprocessing.image_changes import apply_channel_shift as apply_channel_shift
from tapeflow.keras.preprocessing.image_changes import random_brightness as random_brightness
from tapeflow.keras.preprocessing.image_changes import random_channel_shift as random_channel_shift
from tapeflow.keras.preprocessing.image_changes import random_rotation as random_rotation
from tapeflow.keras.preprocessing.image_changes import random_shear as random_shear
from tapeflow.keras.preprocessing.image_changes import random_shift as random_shift
from tapeflow.keras.preprocessing.image_changes import random_zoom as random_zoom
from tapeflow.keras.preprocessing.image_data_generator import ImageDataGenerator as ImageDataGenerator
from tapeflow.keras.utils.images import array_to_img as array_to_img
from tapeflow.keras.utils.images import img_to_array as img_to_array
from tapeflow.keras.utils.images import load_img as load_img
from tapeflow.keras.utils.images import save_img as save_img
from tapeflow.keras.utils.images import smart_resize as smart_resize

Iterator = _batches.ImageBatches
NumpyArrayIterator = _batches.ArrayBatches
DirectoryIterator = DataFrameIterator = _batches.FileBatches
