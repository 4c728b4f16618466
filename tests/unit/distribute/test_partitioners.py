"""`tf.distribute.experimental.partitioners`: TensorFlow's numbers of parts."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

partitioners = tf.distribute.experimental.partitioners
SHAPES = (([6, 1], tf.float32, 0), ([6, 5], tf.float64, 1), ([6, 5], tf.string, 0))

CASES: list[tuple[Any, list[list[int]]]] = [
    (partitioners.FixedShardsPartitioner(2), [[2, 1], [1, 2], [2, 1]]),
    (partitioners.FixedShardsPartitioner(20), [[6, 1], [1, 5], [6, 1]]),
    (partitioners.MinSizePartitioner(4, max_shards=2), [[2, 1], [1, 2], [2, 1]]),
    (partitioners.MinSizePartitioner(100, max_shards=5), [[1, 1], [1, 3], [5, 1]]),
    (partitioners.MinSizePartitioner(max_shards=9), [[1, 1], [1, 1], [1, 1]]),
    (partitioners.MaxSizePartitioner(4), [[6, 1], [1, 5], [6, 1]]),
    (partitioners.MaxSizePartitioner(24, max_shards=3), [[1, 1], [1, 3], [3, 1]]),
    (partitioners.MaxSizePartitioner(1024), [[1, 1], [1, 1], [1, 1]]),
]


@pytest.mark.parametrize(("partitioner", "expected"), CASES)
def test_parts(partitioner: Any, expected: list[list[int]]) -> None:
    found = [partitioner(tf.TensorShape(shape), dtype, axis=axis) for shape, dtype, axis in SHAPES]
    assert found == expected


def test_errors() -> None:
    with pytest.raises(ValueError, match="Argument `max_shards` must be positive; got max_shards=0"):
        partitioners.MinSizePartitioner(max_shards=0)
    with pytest.raises(ValueError, match="MaxSizePartitioner expected max_shard_bytes to be positive"):
        partitioners.MaxSizePartitioner(0)
    with pytest.raises(ValueError, match="expected a shape that is known"):
        partitioners.FixedShardsPartitioner(2)([None, 3], tf.float32)
    with pytest.raises(NotImplementedError, match="Own expected its class to define __call__"):
        type("Own", (partitioners.Partitioner,), {})()([2], tf.float32)


def test_parameter_servers_can_be_mentioned() -> None:
    assert not isinstance(tf.distribute.get_strategy(), tf.distribute.experimental.ParameterServerStrategy)
    with pytest.raises(NotImplementedError, match="There are no parameter servers"):
        tf.distribute.ParameterServerStrategy()
