"""The names that SavedModels use for their parts: keys of signatures, tags, files."""

from __future__ import annotations

DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
SERVING = "serve"
TRAINING = "train"
GPU = "gpu"
TPU = "tpu"

PREDICT_INPUTS = CLASSIFY_INPUTS = REGRESS_INPUTS = "inputs"
PREDICT_OUTPUTS = REGRESS_OUTPUTS = "outputs"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"

ASSETS_DIRECTORY = "assets"
ASSETS_KEY = "saved_model_assets"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
VARIABLES_DIRECTORY = VARIABLES_FILENAME = "variables"

_BUNDLE = f"{VARIABLES_DIRECTORY}/{VARIABLES_FILENAME}"
GRAPH_FILES = (
    SAVED_MODEL_FILENAME_PB,
    f"{_BUNDLE}.index",
    f"{_BUNDLE}.data-00000-of-00001",
    "keras_metadata.pb",
)
"""What a SavedModel of TensorFlow's consists of, as we write it."""
