"""One batch for train_on_batch: as a source would give it, but tensors are left alone."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.training.sources import single_batch


def test_arrays_and_class_weight():
    x, y, weight = single_batch([[1.0], [2.0]], np.array([0, 1]), class_weight={0: 1.0, 1: 5.0})
    assert x.tolist() == [[1], [2]]
    assert x.dtype == np.float32
    assert (y.tolist(), weight.tolist()) == ([0, 1], [1, 5])
    assert single_batch(np.zeros((100, 2))).shape == (100, 2)


def test_tensors_are_not_read():
    x, y = single_batch(tf.zeros((2, 1), tf.float64), [1.0, 2.0])
    assert isinstance(x, tf.Tensor)
    assert isinstance(y, np.ndarray)


def test_weights_of_one_output():
    _, _, weights = single_batch(np.zeros(2), [np.zeros(2), np.zeros(2)], [None, np.full(2, 3.0)])
    assert [w.tolist() for w in weights] == [[1, 1], [3, 3]]


@pytest.mark.parametrize(
    ("x", "y", "text"),
    [
        (np.zeros(3), np.zeros(2), "Data cardinality is ambiguous:\n  x sizes: 3\n  y sizes: 2\n"),
        (iter([1]), None, "Failed to find data adapter that can handle input: "),
        ("abc", None, "Failed to find data adapter that can handle input: <class 'str'>"),
        (3.0, None, "Failed to find data adapter that can handle input: <class 'float'>"),
        (np.zeros((0, 2)), None, "Expected input data to be non-empty."),
        (tf.zeros(()), None, r"first axis of samples; got a scalar"),
    ],
)
def test_unusable_data_raises(x, y, text):
    with pytest.raises(ValueError, match=text):
        single_batch(x, y)
