"""Arrays: every sample once an epoch, orders that can be computed again, one gather a group."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow.keras.training.sources import make_source


def steps_of(source, number=0, group=1, start=0):
    """The batches of an epoch as lists of x."""
    result = []
    for g in source.epoch(number, group=group, start=start):
        x = g.data[0] if isinstance(g.data, tuple) else g.data
        result += [x.tolist()] if g.count == 1 else x.tolist()
    return result


shuffles = st.sampled_from([False, True, "batch"])


@given(
    rows=st.integers(1, 60),
    batch=st.integers(1, 70),
    group=st.integers(1, 5),
    shuffle=shuffles,
    number=st.integers(0, 3),
)
def test_every_sample_comes_once_an_epoch(rows, batch, group, shuffle, number):
    x = np.arange(rows)
    source = make_source(x, -x, batch_size=batch, shuffle=shuffle, seed=5)
    seen = []
    for g in source.epoch(number, group=group):
        np.testing.assert_array_equal(g.data[0], -g.data[1])
        assert g.data[0].shape[0] == g.count <= group if g.count > 1 else g.data[0].shape[0] <= batch
        seen += g.data[0].ravel().tolist()
    assert sorted(seen) == x.tolist()
    if not shuffle:
        assert seen == x.tolist()


@given(
    rows=st.integers(1, 40),
    batch=st.integers(1, 9),
    group=st.integers(1, 5),
    shuffle=shuffles,
    steps=st.one_of(st.none(), st.integers(1, 12)),
    number=st.integers(0, 3),
    data=st.data(),
)
def test_groups_and_resuming_give_the_same_batches(rows, batch, group, shuffle, steps, number, data):
    def source():
        return make_source(np.arange(rows), batch_size=batch, shuffle=shuffle, steps=steps, epochs=9, seed=3)

    plain = steps_of(source(), number)
    assert steps_of(source(), number, group) == plain
    start = data.draw(st.integers(0, len(plain)))
    assert steps_of(source(), number, group, start) == plain[start:]


def test_epochs_differ_and_the_seed_decides():
    def order(seed, number):
        return steps_of(make_source(np.arange(50), shuffle=True, seed=seed), number)

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_the_seed_is_drawn_from_the_engine_and_only_to_shuffle():
    import tapeflow as tf
    from tapeflow.engine.random import counter_for

    tf.random.set_seed(7)
    first = steps_of(make_source(np.arange(50), shuffle=True))
    second = steps_of(make_source(np.arange(50), shuffle=True))
    tf.random.set_seed(7)
    assert steps_of(make_source(np.arange(50), shuffle=True)) == first != second
    before = counter_for(None).count
    make_source(np.arange(50))
    assert counter_for(None).count == before


def test_shuffle_batch_keeps_batches_whole_and_the_smaller_one_last():
    batches = steps_of(make_source(np.arange(22), batch_size=4, shuffle="batch", seed=0))
    assert sorted(batches) == [list(range(i, min(i + 4, 22))) for i in range(0, 22, 4)]
    assert batches[-1] == [20, 21]
    assert batches != sorted(batches)


def test_unshuffled_batches_and_groups_are_views():
    x = np.arange(24, dtype=np.float32).reshape(12, 2)
    for g in make_source(x, batch_size=2).epoch(0, group=3):
        assert np.shares_memory(g.data, x)
        assert g.data.shape == (3, 2, 2)


def test_eight_bit_images_stay():
    source = make_source(np.zeros((4, 2, 2, 1), np.uint8), np.arange(4, dtype=np.uint8), shuffle=True, seed=0)
    x, y = source.peek()
    assert x.dtype == np.uint8
    assert y.dtype == np.uint8


def test_batch_size_follows_from_steps():
    source = make_source(np.arange(10), steps=3)
    assert (source.batch_size, source.steps) == (4, 3)
    assert steps_of(source) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert make_source(np.arange(100)).batch_size == 32


def test_with_steps_epochs_go_on_where_the_last_one_ended():
    source = make_source(np.arange(10), batch_size=2, steps=3, epochs=3)
    assert [steps_of(source, number) for number in range(3)] == [
        [[0, 1], [2, 3], [4, 5]],
        [[6, 7], [8, 9], [0, 1]],
        [[2, 3], [4, 5], [6, 7]],
    ]
    assert not source.ran_out


def test_more_steps_than_batches_run_out_after_one_pass_an_epoch():
    source = make_source(np.arange(4), batch_size=2, steps=3, epochs=3)
    assert steps_of(source, 0) == [[0, 1], [2, 3], [0, 1]]
    assert not source.ran_out
    assert steps_of(source, 1) == [[2, 3], [0, 1], [2, 3]]
    assert steps_of(source, 2) == []
    assert source.ran_out
    source.rewind()
    assert len(steps_of(source, 0)) == 3


def test_structures_stay_and_lists_become_tuples():
    x = {"b": np.zeros((3, 2)), "a": [np.zeros(3, np.int32), None]}
    (group,) = make_source(x, [np.zeros(3), np.ones(3)], sample_weight=[None, np.full(3, 2.0)]).epoch(0)
    got_x, got_y, weights = group.data
    assert list(got_x) == ["b", "a"]
    assert isinstance(got_x["a"], tuple)
    assert got_x["a"][1] is None
    assert isinstance(got_y, tuple)
    assert [w.tolist() for w in weights] == [[1, 1, 1], [2, 2, 2]]
    assert {w.dtype for w in weights} == {np.dtype(np.float32)}


def test_x_alone_is_not_wrapped_unless_there_are_several():
    assert isinstance(make_source(np.zeros((2, 1))).peek(), np.ndarray)
    (inputs,) = make_source([np.zeros((2, 1)), np.ones((2, 1))]).peek()
    assert len(inputs) == 2
    assert isinstance(make_source(np.zeros(2), sample_weight=np.ones(2)).peek(), np.ndarray)


def test_different_lengths_raise():
    text = "Data cardinality is ambiguous:\n  x sizes: 10, 5\n  y sizes: 9\nMake sure all arrays contain the same"
    with pytest.raises(ValueError, match=text):
        make_source([np.zeros(10), np.zeros(5)], np.zeros(9))


def test_empty_data_and_scalars_raise():
    with pytest.raises(ValueError, match="Expected input data to be non-empty."):
        make_source(np.zeros((0, 2)), np.zeros(0))
    with pytest.raises(ValueError, match="first axis of samples; got a scalar"):
        make_source(np.array(3.0))
