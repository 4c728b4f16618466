"""The engine's rule 10: ops whose shape depends on values read them."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import tapeflow as tf


class TestRule10DataDependentShapes:
    """Ops whose shape depends on data materialise and count as a read; shapes stay with the host."""

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: tf.boolean_mask(x, x > 1.0),
            lambda x: x[x > 1.0],
            lambda x: tf.unique(x)[0],
            lambda x: tf.where(x > 1.0),
            lambda x: tf.range(tf.cast(tf.reduce_sum(x), tf.int32)),
        ],
        ids=["boolean_mask", "mask index", "unique", "where", "range"],
    )
    def test_materialise_and_count_as_a_read(self, function, counting):
        staged = tf.function(function)
        with pytest.warns(UserWarning, match=rf"is run as plain Python: at {re.escape(__file__)}:\d+"):
            first = staged(tf.constant([1.0, 2.0, 3.0]))
        second = staged(tf.constant([3.0, 1.0, 1.0]))
        np.testing.assert_array_equal(second, function(tf.constant([3.0, 1.0, 1.0])))
        assert first.shape != second.shape or first.shape == (3,)

    def test_shapes_run_nothing(self, counting):
        x = tf.random.normal([4, 6])
        with counting() as spent:
            rows, columns = tf.shape(x)[0], tf.shape(x)[1]
            y = tf.reshape(x, [rows * 2, columns // 2])
            z = tf.zeros([rows, columns + 1])
            t = tf.reshape(x, tf.stack([rows, -1]))
            u = tf.range(rows)
            w = tf.ones(tf.shape(x))
            assert [s.shape for s in (y, z, t, u, w)] == [(8, 3), (4, 7), (4, 6), (4,), (4, 6)]
        assert (spent.dispatched, spent.op_by_op) == (0, 0)

    def test_shapes_do_not_keep_a_function_from_being_staged(self):
        @tf.function
        def flat(x):
            return tf.reshape(x, [tf.shape(x)[0] * tf.shape(x)[1]]) + tf.cast(tf.size(x), tf.float32)

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                assert flat(tf.ones([2, 3])).shape == (6,)
        assert flat.experimental_get_tracing_count() == 1
