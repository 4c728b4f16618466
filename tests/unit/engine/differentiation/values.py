"""Variables and constants of float64, and how near two results have to be."""

from __future__ import annotations

import numpy as np

import tapeflow as tf

F64 = tf.float64


def variable(value, **options):
    return tf.Variable(np.array(value, np.float64), **options)


def constant(value):
    return tf.constant(np.array(value, np.float64))


def close(tensor, expected, tolerance=1e-12):
    np.testing.assert_allclose(np.asarray(tensor), np.asarray(expected), tolerance, tolerance)
