"""Examples: what fixtures of TensorFlow do not show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import errors

train = tf.train


def _ints(*values: int) -> Any:
    return train.Feature(int64_list=train.Int64List(value=values))


def _example(**features: Any) -> bytes:
    return train.Example(features=train.Features(feature=features)).SerializeToString()


def test_examples_go_through_a_file_and_a_pipeline(tmp_path: Any) -> None:
    path = str(tmp_path / "e.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(5):
            image = tf.io.serialize_tensor(tf.fill([2, 2], i))
            bytes_list = train.BytesList(value=[image.numpy()])
            writer.write(_example(label=_ints(i), image=train.Feature(bytes_list=bytes_list)))
    wanted = {"label": tf.io.FixedLenFeature([], tf.int64), "image": tf.io.FixedLenFeature([], tf.string)}

    def parse(record: tf.Tensor) -> Any:
        found = tf.io.parse_single_example(record, wanted)
        return tf.io.parse_tensor(found["image"], tf.int32), found["label"]

    batches = list(tf.data.TFRecordDataset(path).map(parse, num_parallel_calls=2).batch(2))
    assert [b[0].shape for b in batches] == [[2, 2, 2], [2, 2, 2], [1, 2, 2]]
    assert [b[1].numpy().tolist() for b in batches] == [[0, 1], [2, 3], [4]]
    assert int(batches[2][0][0, 1, 1]) == 4


def test_sequence_examples() -> None:
    lists = {"w": train.FeatureList(feature=[_ints(1, 2), _ints(3, 4)])}
    proto = train.SequenceExample(
        context=train.Features(feature={"n": _ints(7)}), feature_lists=train.FeatureLists(feature_list=lists)
    )
    context, found = tf.io.parse_single_sequence_example(
        proto.SerializeToString(),
        {"n": tf.io.FixedLenFeature([], tf.int64)},
        {"w": tf.io.FixedLenSequenceFeature([2], tf.int64)},
    )
    assert int(context["n"]) == 7
    assert found["w"].numpy().tolist() == [[1, 2], [3, 4]]
    ragged = tf.io.parse_single_sequence_example(
        proto.SerializeToString(), None, {"w": tf.io.RaggedFeature(tf.int64)}
    )[1]
    assert ragged["w"].to_list() == [[1, 2], [3, 4]]
    shorter = train.SequenceExample(feature_lists=train.FeatureLists(feature_list={}))
    _, padded, lengths = tf.io.parse_sequence_example(
        [proto.SerializeToString(), shorter.SerializeToString()],
        sequence_features={"w": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)},
    )
    assert padded["w"].numpy().tolist() == [[[1, 2], [3, 4]], [[0, 0], [0, 0]]]
    assert lengths["w"].numpy().tolist() == [2, 0]


def test_sparse_features() -> None:
    feature = tf.io.SparseFeature("at", "v", tf.int64, 5)
    found = tf.io.parse_example([_example(at=_ints(4, 0), v=_ints(1, 2)), _example()], {"s": feature})
    assert tf.sparse.to_dense(found["s"]).numpy().tolist() == [[2, 0, 0, 0, 1], [0] * 5]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda e: tf.io.parse_single_example([e], {"a": 1}),
            errors.InvalidArgumentError,
            "Use parse_example",
        ),
        (lambda e: tf.io.parse_example([[e]], {"a": 1}), errors.InvalidArgumentError, "a vector of strings"),
        (lambda e: tf.io.parse_example([e], {"a": 1}), ValueError, "such as tf.io.FixedLenFeature"),
        (lambda e: tf.io.parse_single_example(e, {}), ValueError, "features cannot be empty"),
        (
            lambda e: tf.io.parse_single_example(b"\xff", {"a": tf.io.VarLenFeature(tf.int64)}),
            errors.InvalidArgumentError,
            "could not parse example input",
        ),
        (
            lambda e: tf.io.parse_example([e], {"a": tf.io.FixedLenSequenceFeature([], tf.int64)}),
            ValueError,
            "requires allow_missing to be True",
        ),
        (
            lambda e: tf.io.parse_example([e], {"a": tf.io.FixedLenSequenceFeature([3], tf.int64, True)}),
            errors.InvalidArgumentError,
            "in entries of 3 values",
        ),
        (
            lambda e: tf.io.parse_example([e], {"a": tf.io.RaggedFeature(tf.int64, partitions=[1])}),
            ValueError,
            "expected no partitions",
        ),
        (
            lambda e: tf.io.parse_example([e], {"a": tf.io.SparseFeature("a", "b", tf.int64, 3)}),
            errors.InvalidArgumentError,
            "as many indices as values",
        ),
    ],
)
def test_features_that_do_not_fit_raise(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(_example(a=_ints(1, 2)))


def test_numbers_survive() -> None:
    extreme = [-(2**63), 2**63 - 1]
    found = tf.io.parse_single_example(
        _example(a=_ints(*extreme)), {"a": tf.io.FixedLenFeature([2], tf.int64)}
    )
    assert found["a"].numpy().tolist() == extreme
    assert np.asarray(found["a"]).dtype == np.int64


def test_features_come_by_kind_and_name() -> None:
    fixed, sparse = tf.io.FixedLenFeature([], tf.int64, 0), tf.io.VarLenFeature(tf.int64)
    wanted = {"z": fixed, "r": tf.io.RaggedFeature(tf.int64), "b": sparse, "a": fixed}
    assert list(tf.io.parse_single_example(_example(), wanted)) == ["b", "a", "z", "r"]
