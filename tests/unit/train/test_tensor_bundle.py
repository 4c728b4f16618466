"""TensorFlow's checkpoints: every bit comes back, and what is broken is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.summary.protos import message
from tapeflow.train.tensor_bundle import TensorBundle
from tapeflow.train.tensor_file import BrokenFile

from .bundles import write_bundle

ARRAYS = {
    "float32": np.arange(6, dtype=np.float32).reshape(2, 3),
    "scalar": np.array(3, np.int64),
    "bfloat16": np.array([1.5, -2.0], ml_dtypes.bfloat16),
    "bool": np.array([True, False]),
    "empty": np.zeros((0, 3), np.float16),
    "complex128": np.array([[1 + 2j, 3 - 1j]]),
}


def test_every_bit_comes_back(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b", ARRAYS)
    file = TensorBundle(str(tmp_path / "b"))
    assert file.names == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        found = file.read(name)
        assert (
            (found.dtype, found.shape) == (array.dtype, array.shape) == (file.dtype(name), file.shape(name))
        )
        assert found.tobytes() == array.tobytes()


ONE = {"x": np.arange(6, dtype=np.float32)}


@pytest.mark.parametrize(
    ("changes", "header", "why"),
    [
        pytest.param({"size": 20}, {}, "no sound entry for 'x'", id="short"),
        pytest.param({"offset": 1}, {}, "no sound entry for 'x'", id="over the end"),
        pytest.param({"offset": -1}, {}, "no sound entry for 'x'", id="before the start"),
        pytest.param({"shard_id": 1}, {}, "no sound entry for 'x'", id="unknown part"),
        pytest.param({"dtype": 7}, {}, "tensor 'x'", id="no texts"),
        pytest.param({"dtype": 99}, {}, "no sound entry for 'x'", id="unknown type"),
        pytest.param({"crc32c": 1}, {}, "'x' has changed since it was written", id="checksum"),
        pytest.param(
            {}, {"num_shards": 2}, r"part 'b.data-00000-of-00002' cannot be opened", id="missing part"
        ),
        pytest.param({}, {"endianness": 1}, "big-endian", id="big endian"),
    ],
)
def test_what_is_refused(tmp_path: Path, changes: dict[str, Any], header: dict[str, Any], why: str) -> None:
    write_bundle(tmp_path / "b", ONE, changes, **header)
    with pytest.raises(
        BrokenFile, match=f"whole TensorFlow checkpoint; got '.*b.index'.*{why}.*use another copy"
    ):
        TensorBundle(str(tmp_path / "b")).read("x")


def test_a_cut_off_part(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b", ONE)
    file = TensorBundle(str(tmp_path / "b"))
    data = tmp_path / "b.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:9])
    with pytest.raises(BrokenFile, match="it ends too early"):
        file.read("x")


def test_neither_true_nor_false(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b", {"x": np.array([2], np.uint8)}, {"dtype": 10})
    with pytest.raises(BrokenFile, match="neither true nor false"):
        TensorBundle(str(tmp_path / "b")).read("x")


def test_slices(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b", ONE)
    file = TensorBundle(str(tmp_path / "b"))
    file._entries["x"].slices.append(message("TensorSliceProto")())
    with pytest.raises(ValueError, match="got 'x' in .*, which lies there in slices"):
        file.read("x")


def test_names_alone(tmp_path: Path) -> None:
    write_bundle(tmp_path / "b", ONE)  # as TensorFlow 1 wrote them
    assert tf.train.list_variables(tmp_path / "b") == [("x", [6])]
    assert not tf.train.load_checkpoint(tmp_path / "b").has_tensor("_CHECKPOINTABLE_OBJECT_GRAPH")
    with pytest.raises(ValueError, match="no graph of objects.*load_checkpoint gives its tensors by name"):
        tf.train.Checkpoint(x=tf.Variable(ONE["x"])).restore(tmp_path / "b")


def test_an_index_of_unbelievable_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeflow.train.tensor_bundle._MOST_INDEX_BYTES", 10)
    write_bundle(tmp_path / "b", ONE)
    with pytest.raises(BrokenFile, match="its index is too long"):
        TensorBundle(str(tmp_path / "b"))
