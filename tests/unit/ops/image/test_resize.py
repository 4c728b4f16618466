"""Crops that end at the border of an image."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.summary.protos import message

RANDOM = np.random.default_rng(0).uniform(0, 1, (20, 4))
BOXES = np.concatenate([[[0, 0, 1, 1], [0.25, 0.5, 1, 1], [1, 1, 0, 0]], RANDOM]).astype("float32")
BOXES[5:, 2:] = 1


def places(begin: Any, end: Any, size: int, count: int) -> Any:
    """Where TensorFlow's kernel reads, in float32 that is rounded after each step."""
    last = np.float32(size - 1)
    step = (end - begin) * last / np.float32(count - 1)
    return (begin * last)[:, None] + np.arange(count, dtype="float32") * step[:, None]


@pytest.mark.parametrize(
    ("size", "count"), [(7, 3), (14, 7), (15, 24), (28, 14), (33, 9), (64, 14), (100, 7)]
)
def test_crops_end_where_tensorflows_do(size: int, count: int) -> None:
    found = tf.image.crop_and_resize(np.ones((1, size, size, 1)), BOXES, [0] * len(BOXES), [count, count])
    at = [places(BOXES[:, axis], BOXES[:, 2 + axis], size, count) for axis in (0, 1)]
    rows, columns = ((p >= 0) & (p <= size - 1) for p in at)
    np.testing.assert_allclose(found[..., 0], rows[:, :, None] & columns[:, None, :], atol=1e-6)
    assert found.numpy()[0].all()  # the whole image has no border


def test_crops_in_saved_models(tmp_path: Path) -> None:
    class Crop(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, None, None, 1]), tf.TensorSpec([None, 4])])
        def crop(self, images: Any, boxes: Any) -> Any:
            owners = tf.zeros([tf.shape(boxes)[0]], tf.int32)
            return tf.image.crop_and_resize(images, boxes, owners, [5, 6], "nearest", -1.0)

    tf.saved_model.save(Crop(), tmp_path / "m")
    model = message("SavedModel").FromString((tmp_path / "m" / "saved_model.pb").read_bytes())
    nodes = [n for f in model.meta_graphs[0].graph_def.library.function for n in f.node_def]
    (crop,) = [n for n in nodes if n.op == "CropAndResize"]
    assert (crop.attr["method"].s, crop.attr["extrapolation_value"].f) == (b"nearest", -1)
