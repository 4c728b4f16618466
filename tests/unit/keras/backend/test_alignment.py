"""CTC in `tf.keras.backend`, with what Keras 2 gave in TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

K = tf.keras.backend
PREDICTED = np.random.RandomState(0).dirichlet(np.ones(4), size=(2, 6)).astype("float32")


def test_the_loss():
    labels = np.array([[0, 1, 2], [2, 2, 0]], "float32")
    found = K.ctc_batch_cost(labels, PREDICTED, np.array([[6], [5]]), np.array([[3], [2]]))
    np.testing.assert_allclose(found, [[4.340171], [4.29706]], rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "labels", "chances"),
    [
        ({}, [[[1, 0, 1, 0, -1, -1], [2, -1, -1, -1, -1, -1]]], [[4.3611193], [3.3895946]]),
        (
            {"greedy": False, "beam_width": 10, "top_paths": 2},
            [
                [[1, 0, 1, 0, -1, -1], [1, 2, -1, -1, -1, -1]],
                [[1, 0, 1, -1, -1, -1], [0, 2, -1, -1, -1, -1]],
            ],
            [[-2.8192146, -3.1616478], [-2.0367224, -2.3415046]],
        ),
    ],
    ids=["greedy", "search"],
)
def test_decoding(options, labels, chances):
    paths, logs = K.ctc_decode(PREDICTED, np.array([6, 5]), **options)
    assert [path.numpy().tolist() for path in paths] == labels
    np.testing.assert_allclose(logs, chances, rtol=1e-6)


def test_a_search_merges_labels_that_come_twice_in_a_row():
    seen = np.eye(5, dtype="float32")[[[0, 1, 4, 1, 2, 2]]] * 0.9 + 0.02
    (path,), _ = K.ctc_decode(seen, [6], greedy=False, beam_width=10)
    assert path.numpy().tolist() == [[0, 1, 2, -1, -1, -1]]
    (path,), _ = K.ctc_decode(seen, [6])
    assert path.numpy().tolist() == [[0, 1, 1, 2, -1, -1]]
