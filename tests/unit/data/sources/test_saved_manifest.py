"""What a folder of a saved dataset says of its elements."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data.sources.saved_manifest import ElementReader, read_manifest
from tapeflow.summary.event_files.tensors import tensor_bytes
from tapeflow.summary.event_files.wire import block


def test_structures_come_back(tmp_path: Path) -> None:
    spec = {"spec": [[None, 2], "float32"]}
    element = {"tuple": [{"dict": [["a", spec], ["b", None]]}, {"spec": [None, "string"]}]}
    (tmp_path / "m").write_text(json.dumps({"element": element, "count": 3, "compression": "GZIP"}))
    found = read_manifest(str(tmp_path), "m", "load")
    inner = {"a": tf.TensorSpec((None, 2), tf.float32), "b": None}
    assert found.element == (inner, tf.TensorSpec(None, tf.string))
    assert (found.cardinality, found.compression) == (3, "GZIP")


def test_elements_must_be_of_the_kind_that_is_said(tmp_path: Path) -> None:
    reader = ElementReader((tf.TensorSpec((None,), tf.int64),), "file")
    for size in (2, 2, 3):
        (found,) = reader.element(block(1, tensor_bytes(np.arange(size))))
        assert found.tolist() == list(range(size))
    for wrong in (np.arange(2.0), np.zeros((2, 2), np.int64), np.array([b"a"], object)):
        with pytest.raises(tf.errors.DataLossError, match="a record with another kind"):
            reader.element(block(1, tensor_bytes(wrong)))
    with pytest.raises(tf.errors.DataLossError, match="a record with another kind"):
        reader.element(b"")
