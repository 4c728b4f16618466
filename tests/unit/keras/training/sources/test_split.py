"""validation_split takes the last part, before shuffling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.keras.training.sources import split_validation


def test_the_last_part_of_everything_is_set_aside():
    x = {"a": np.arange(10), "b": np.arange(20).reshape(10, 2)}
    train, validation = split_validation(x, np.arange(10), None, 0.25)
    assert train[0]["a"].tolist() == list(range(7))
    assert validation[0]["b"].tolist() == [[14, 15], [16, 17], [18, 19]]
    assert validation[1].tolist() == [7, 8, 9]
    assert train[2] is validation[2] is None


@given(rows=st.integers(2, 200), share=st.floats(0.01, 0.99))
def test_both_parts_together_are_the_whole(rows, share):
    at = int(np.floor(rows * (1.0 - share)))
    if at in (0, rows):
        with pytest.raises(ValueError, match="which is not sufficient"):
            split_validation(np.arange(rows), None, None, share)
        return
    (train, _, _), (validation, _, _) = split_validation(np.arange(rows), None, None, share)
    assert len(train) == at
    assert [*train, *validation] == list(range(rows))


def test_tensors_lists_and_tables_are_split():
    (x, y, _), (vx, vy, _) = split_validation(tf.range(4), [1.0, 2.0, 3.0, 4.0], None, 0.5)
    assert (x.numpy().tolist(), vx.numpy().tolist()) == ([0, 1], [2, 3])
    assert (y.tolist(), vy.tolist()) == ([1, 2], [3, 4])
    pandas = pytest.importorskip("pandas")
    (x, _, _), (vx, _, _) = split_validation(pandas.DataFrame({"a": [1, 2, 3, 4]}), None, None, 0.5)
    assert (x.tolist(), vx.tolist()) == ([[1], [2]], [[3], [4]])


@pytest.mark.parametrize("share", [1.0, 1.5, 0.95])
def test_too_little_data_raises(share):
    text = rf"Training data contains 10 samples, .* as specified by `validation_split={share}`"
    with pytest.raises(ValueError, match=text):
        split_validation(np.arange(10), np.arange(10), None, share)


def test_streams_cannot_be_split():
    text = r"only supported for Tensors or NumPy arrays, found following types in the input: \[<class 'generator'>\]"
    with pytest.raises(ValueError, match=text):
        split_validation((i for i in range(3)), None, None, 0.5)
