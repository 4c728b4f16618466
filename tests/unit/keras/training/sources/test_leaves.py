"""Leaves: dtypes and shapes as Keras 2 gives them to `train_step`."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import config
from tapeflow.keras.training.sources import make_source, to_arrays


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (np.zeros((3, 2), np.float64), "float32", (3, 2)),
        (np.zeros((3, 2), np.float16), "float32", (3, 2)),
        (np.zeros(3, np.int64), "int64", (3,)),
        (np.zeros(3, bool), "bool", (3,)),
        ([[1, 2], [3, 4]], "int64", (2, 2)),
        ([1.5, 2, 3], "float32", (3,)),
        ([np.float32(1), np.float32(2)], "float32", (2,)),
        (["a", "b"], "object", (2,)),
    ],
)
def test_numpy_and_lists(value, dtype, shape):
    array = make_source(value).peek()
    assert (array.dtype, array.shape) == (np.dtype(dtype), shape)


def test_tensors_and_variables_keep_their_dtype():
    assert make_source(tf.zeros((3, 2), tf.float64)).peek().dtype == np.float64
    assert make_source(tf.Variable([1.0, 2.0])).peek().tolist() == [1.0, 2.0]


def test_floats_follow_floatx(monkeypatch):
    monkeypatch.setattr(config, "_settings", config._Settings(floatx="float64"))
    assert make_source(np.zeros(3, np.float32)).peek().dtype == np.float64


def test_a_list_of_numbers_may_come_with_arrays():
    x, y = make_source([[1, 2], [3, 4]], np.array([5.0, 6.0])).peek()
    assert x.tolist() == [[1, 2], [3, 4]]
    assert y.tolist() == [5, 6]


def test_pandas_columns():
    pandas = pytest.importorskip("pandas")
    x, y = make_source(pandas.DataFrame({"a": [1.0, 2.0], "b": [3, 4]}), pandas.Series([5, 6])).peek()
    assert x.tolist() == [[1, 3], [2, 4]]
    assert x.dtype == np.float32
    assert y.tolist() == [[5], [6]]


def test_a_table_needs_no_pandas():
    class Series:
        def to_numpy(self):
            return np.array([1.0, 2.0])

    assert make_source(Series()).peek().tolist() == [[1.0], [2.0]]


def test_objects_raise():
    with pytest.raises(ValueError, match=r"\(Unsupported object type float\)"):
        make_source(np.array([1.0, None], object))
    for strings in (np.array(["a", "é"], object), np.array(["a", "é"]), ["a", "é"]):
        assert make_source(strings).peek().tolist() == [b"a", "é".encode()]


def test_what_is_no_array_inside_a_batch_raises():
    with pytest.raises(
        ValueError, match="Failed to find data adapter that can handle input: <class 'object'>"
    ):
        to_arrays((np.zeros(2), object()))


def test_named_tuples_and_dicts_keep_their_form():
    from collections import namedtuple

    Pair = namedtuple("Pair", "a b")
    result = to_arrays({"z": Pair([1, 2], None), "a": [np.zeros(1), np.ones(1)]})
    assert list(result) == ["z", "a"]
    assert result["z"].a.tolist() == [1, 2]
    assert result["z"].b is None
    assert isinstance(result["a"], tuple)


class Refilled(tf.keras.utils.Sequence):
    """Batches that come in one array, filled again and again."""

    def __init__(self):
        self.batch = np.zeros((2, 1), np.float32)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.batch[:] = index
        return self.batch

    def generate(self):
        for index in range(len(self)):
            yield self[index]


@pytest.mark.parametrize("group", [1, 4])
@pytest.mark.parametrize("kind", ["sequence", "generator"])
def test_an_array_may_be_filled_again_for_the_next_batch(kind, group):
    refilled = Refilled()
    source = make_source(refilled if kind == "sequence" else refilled.generate())
    groups = list(source.epoch(0, group=group))
    assert np.concatenate([g.data.ravel() for g in groups]).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
