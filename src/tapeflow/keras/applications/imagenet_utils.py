"""`preprocess_input` and `decode_predictions` for networks trained on ImageNet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.applications.pixels import DEVIATIONS, MEANS
from tapeflow.keras.config import floatx, read_data_format
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.utils import get_file

_CLASSES_URL = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
_MEANS = {"caffe": (103.939, 116.779, 123.68), "torch": MEANS}


def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> np.ndarray | Tensor:
    """Images from 0 to 255 as a network wants them.

    Args:
        x: an array, which may be changed in place as Keras does, or a tensor.
        data_format: "channels_last" or "channels_first".
        mode: "caffe" for BGR less the mean, "tf" for -1 to 1, "torch" for 0 to 1 standardised by channel.
    """
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(f"Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={mode}")
    axis = -1 if read_data_format(data_format) == "channels_last" else -3
    is_array = isinstance(x, np.ndarray)
    if is_array:
        x = x.astype(floatx(), copy=False) if not np.issubdtype(x.dtype, np.floating) else x
    else:
        x = tf.convert_to_tensor(x)
        x = x if x.dtype.is_floating else tf.cast(x, floatx())
    if mode == "tf":
        return x / 127.5 - 1.0
    shape = (3,) if axis == -1 else (3, 1, 1)
    means = np.reshape(_MEANS[mode], shape)
    if mode == "caffe":
        return _backwards(x, axis, is_array) - _like(means, x, is_array)
    return (x / 255.0 - _like(means, x, is_array)) / _like(np.reshape(DEVIATIONS, shape), x, is_array)


def _backwards(x: KerasTensor, axis: int, is_array: bool) -> Any:
    return np.flip(x, axis) if is_array else tf.reverse(x, [axis])


def _like(values: np.ndarray, x: Any, is_array: bool) -> Any:
    return values.astype(x.dtype) if is_array else tf.constant(values, x.dtype)


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """The likeliest classes of each image: WordNet's number, the name and the score.

    The names come from `imagenet_class_index.json` in the models folder of `KERAS_HOME`, downloaded if need be.
    """
    scores = np.asarray(preds)
    if scores.ndim != 2 or scores.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, 1000)). Found "
            f"array with shape: {scores.shape}"
        )
    path = get_file(
        "imagenet_class_index.json",
        _CLASSES_URL,
        cache_subdir="models",
        file_hash="c2c37ea517e94d9795004a39431a14cb",
    )
    names = json.loads(Path(path).read_text(encoding="utf-8"))
    best = np.argsort(-scores, axis=1, kind="stable")[:, :top]
    return [
        [(*names[str(i)], row[i].item()) for i in places]
        for row, places in zip(scores, best.tolist(), strict=True)
    ]
