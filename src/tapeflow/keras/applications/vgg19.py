"""`VGG19`: VGG16 with one more convolution in three of its blocks."""

from __future__ import annotations

from tapeflow.keras.applications.vgg import vgg
from tapeflow.keras.applications.vgg16 import decode_predictions as decode_predictions
from tapeflow.keras.applications.vgg16 import preprocess_input as preprocess_input

VGG19 = vgg(
    "VGG19", (2, 2, 4, 4, 4), ("cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6")
)
