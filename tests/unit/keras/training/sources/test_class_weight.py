"""class_weight becomes sample_weight; expected values are those of Keras 2."""

import numpy as np
import pytest

from tapeflow.keras.training.sources import make_source
from tapeflow.keras.training.sources.class_weight import ClassWeight

WEIGHTS = {0: 1.0, 1: 2.0, 2: 4.0}
IDS = np.array([2, 0, 1, 1])


@pytest.mark.parametrize(
    "y",
    [IDS, IDS[:, None], IDS.astype(np.float32) + 0.1, np.eye(3)[IDS], np.eye(3, dtype=np.float32)[IDS] * 0.5],
    ids=["ids", "column", "floats", "one-hot", "probabilities"],
)
def test_classes_are_taken_from_y(y):
    _, _, weight = make_source(np.zeros(4), y, class_weight=WEIGHTS).peek()
    assert weight.tolist() == [4, 1, 2, 2]
    assert weight.dtype == np.float32


def test_it_multiplies_sample_weight():
    given = np.array([1.0, 10.0, 1.0, 0.5])
    _, _, weight = make_source(np.zeros(4), IDS, sample_weight=given, class_weight=WEIGHTS).peek()
    assert weight.tolist() == [4, 10, 2, 1]


def test_labels_of_sequences_get_a_weight_each():
    y = np.eye(3)[np.array([[0, 1], [2, 0]])]
    weight = ClassWeight(WEIGHTS).sample_weight(y, np.array([1.0, 10.0]))
    assert weight.tolist() == [[1, 2], [40, 10]]


def test_integer_sample_weights_do_not_truncate_the_class_weights():
    assert ClassWeight({0: 0.5}).sample_weight(np.zeros(2), np.array([1, 3])).tolist() == [0.5, 1.5]


def test_streams_and_arrays_agree():
    x = np.zeros((4, 1))
    by_arrays = [g.data for g in make_source(x, IDS, class_weight=WEIGHTS, batch_size=2).epoch(0)]
    batches = iter([(x[:2], IDS[:2]), (x[2:], IDS[2:])])
    by_stream = [g.data for g in make_source(batches, class_weight=WEIGHTS).epoch(0)]
    for a, b in zip(by_arrays, by_stream, strict=True):
        assert len(a) == len(b) == 3
        np.testing.assert_array_equal(a[2], b[2])
        assert a[2].dtype == b[2].dtype


@pytest.mark.parametrize(
    ("weights", "y", "text"),
    [
        (
            {0: 1.0, 2: 3.0},
            IDS,
            "to be a dict with keys from 0 to one less than the number of classes, found",
        ),
        ({0: 1.0, 1: 3.0}, IDS, "expected labels from 0 to 1, one for each weight; got labels from 0 to 2"),
        (WEIGHTS, -IDS, "got labels from -2 to 0"),
        (WEIGHTS, [IDS, IDS + 0.0], "`class_weight` is only supported for Models with a single output"),
        (WEIGHTS, None, "expected y to take the classes from; got y=None"),
    ],
)
def test_wrong_weights_and_labels_raise(weights, y, text):
    with pytest.raises(ValueError, match=text):
        make_source(np.zeros(4), y, class_weight=weights)
