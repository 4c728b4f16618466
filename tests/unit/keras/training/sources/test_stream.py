"""Streams: generators, iterables and datasets, with Keras's rules for where an epoch begins and ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.keras.training.sources import make_source, warn_ran_out


def values(groups):
    """The first x of every batch."""
    return [int(v) for g in groups for v in np.ravel(g.data if g.count > 1 else g.data.flat[0])]


def numbers(count):
    return (np.array([i]) for i in range(count))


class Loader:
    """An iterable of batches with a length, like a PyTorch DataLoader."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return numbers(self.count)

    def __len__(self):
        return self.count


def dataset(count):
    return tf.data.Dataset.range(count).batch(1)


def test_a_generator_is_read_once():
    source = make_source(numbers(3))
    assert source.steps is None
    assert source.batch_size is None
    assert values(source.epoch(0)) == [0, 1, 2]
    assert source.steps == 3
    assert not source.ran_out
    assert values(source.epoch(1)) == []
    assert source.ran_out


def test_an_endless_generator_needs_steps_and_goes_on():
    source = make_source(
        (np.array([i]) for i in iter(lambda counter=[-1]: counter.append(0) or len(counter), 0)), steps=2
    )
    first, second = values(source.epoch(0)), values(source.epoch(1))
    assert second == [v + 2 for v in first]


def test_a_generator_that_ends_early_has_run_out():
    source = make_source(numbers(3), steps=2)
    assert values(source.epoch(0)) == [0, 1]
    assert not source.ran_out
    assert values(source.epoch(1)) == [2]
    assert source.ran_out
    with pytest.warns(
        UserWarning, match=r"ran out of data; interrupting training.*\(in this case, 4 batches\)"
    ):
        warn_ran_out(4)


@pytest.mark.parametrize("steps", [None, 2])
def test_an_empty_generator_raises(steps):
    with pytest.raises(ValueError, match="Expected input data to be non-empty"):
        list(make_source(numbers(0), steps=steps).epoch(0))
    with pytest.raises(ValueError, match="Expected input data to be non-empty"):
        make_source(numbers(0), steps=steps).peek()


@pytest.mark.parametrize("data", [lambda: numbers(4), lambda: Loader(4), lambda: dataset(4)])
def test_peek_takes_nothing_away(data):
    source = make_source(data())
    assert source.peek().tolist() == source.peek().tolist() == [0]
    source.rewind()
    assert values(source.epoch(0)) == [0, 1, 2, 3]


@pytest.mark.parametrize("data", [Loader, dataset])
def test_what_can_begin_again_does(data):
    source = make_source(data(3))
    assert source.steps == 3
    assert [values(source.epoch(n)) for n in range(2)] == [[0, 1, 2]] * 2
    source = make_source(data(3), steps=3)
    assert [values(source.epoch(n)) for n in range(2)] == [[0, 1, 2]] * 2


@pytest.mark.parametrize("data", [Loader, dataset])
def test_with_other_steps_it_goes_on(data):
    source = make_source(data(3), steps=2)
    assert values(source.epoch(0)) == [0, 1]
    assert values(source.epoch(1)) == [2]
    assert source.ran_out
    source.rewind()
    assert values(source.epoch(0)) == [0, 1]
    assert not source.ran_out


def test_unknown_cardinality_is_known_after_an_epoch():
    source = make_source(dataset(3).filter(lambda x: x[0] >= 0))
    assert source.steps is None
    assert values(source.epoch(0)) == [0, 1, 2]
    assert source.steps == 3


def test_infinite_datasets_need_steps():
    with pytest.raises(
        ValueError, match="When providing an infinite dataset, you must specify the number of steps"
    ):
        make_source(dataset(9).repeat())
    source = make_source(dataset(3).repeat(), steps=4)
    assert [values(source.epoch(n)) for n in range(2)] == [[0, 1, 2, 0], [1, 2, 0, 1]]
    with pytest.warns(UserWarning, match="will run indefinitely since you have set `steps_per_epoch=-1`"):
        source = make_source(dataset(3).repeat(), steps=-1)
    epoch = source.epoch(0)
    assert values(next(epoch) for _ in range(7)) == [0, 1, 2, 0, 1, 2, 0]


def test_empty_datasets_and_iterables_raise():
    for data in (dataset(0), Loader(0)):
        with pytest.raises(ValueError, match="Expected input data to be non-empty"):
            make_source(data)


def test_an_iterable_without_a_length():
    class Endless(Loader):
        def __len__(self):
            raise TypeError

    source = make_source(Endless(3))
    assert source.steps is None
    assert [values(source.epoch(n)) for n in range(2)] == [[0, 1, 2]] * 2


@given(count=st.integers(1, 20), group=st.integers(1, 5), data=st.data())
def test_resuming_gives_the_tail(count, group, data):
    start = data.draw(st.integers(0, count))
    assert values(make_source(Loader(count)).epoch(0, group, start)) == list(range(start, count))


def test_batches_of_a_generator_are_standardised():
    def batch(*parts):
        return make_source(iter([list(parts)])).peek()

    x, y = batch(np.zeros((2, 1)), [1, 2], None)
    assert x.dtype == np.float32
    assert y.tolist() == [1, 2]
    x, y = batch([[1.0], [2.0]], [3, 4])
    assert (x.tolist(), y.tolist()) == ([[1], [2]], [3, 4])
    assert isinstance(batch(np.zeros(2)), np.ndarray)
    (inputs, _) = batch([np.zeros(2), np.zeros(2)], np.zeros(2))
    assert isinstance(inputs, tuple)
    assert batch(tf.zeros(2, tf.float64), tf.zeros(2))[0].dtype == np.float64
    with pytest.raises(ValueError, match="Data is expected to be in format"):
        batch(1, 2, 3, 4)


def test_elements_of_a_dataset_keep_form_and_dtype():
    def element(value):
        return make_source(tf.data.Dataset.from_tensors(value)).peek()

    assert len(element((np.zeros(2),))) == 1
    assert element((np.zeros(2),))[0].dtype == np.float64
    assert len(element((np.zeros(2),) * 4)) == 4
    assert element({"a": np.zeros(2)})["a"].shape == (2,)
    assert element("text").shape == ()
    assert [leaf.dtype for leaf in element((np.float32(1), np.int64(2)))] == ["float32", "int64"]


def test_class_weight_with_a_dataset():
    data = tf.data.Dataset.from_tensors((np.zeros((2, 1)), np.array([1, 0])))
    assert make_source(data, class_weight={0: 1.0, 1: 3.0}).peek()[2].tolist() == [3, 1]


def test_a_dataset_brings_its_own_targets():
    with pytest.raises(ValueError, match="`y` argument is not supported when using dataset as input."):
        make_source(dataset(3), np.zeros(3))


@pytest.mark.parametrize("group", [1, 3])
def test_a_dataset_shuffles_itself(group):
    data = tf.data.Dataset.from_tensor_slices(np.arange(40)).shuffle(40, seed=1).batch(3)
    source = make_source(data)
    epochs = [[v for g in source.epoch(n, group) for v in g.data.ravel().tolist()] for n in range(2)]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(40))
    assert epochs[0] != epochs[1]


def test_what_numpy_can_convert_is_converted():
    class Torchlike:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    (group,) = make_source(iter([(Torchlike(), Torchlike())])).epoch(0)
    assert group.data[0].dtype == np.float32
