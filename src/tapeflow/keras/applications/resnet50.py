"""`tf.keras.applications.resnet50`: another name of the module `resnet`."""

from tapeflow.keras.applications.resnet import ResNet50 as ResNet50
from tapeflow.keras.applications.resnet import decode_predictions as decode_predictions
from tapeflow.keras.applications.resnet import preprocess_input as preprocess_input
