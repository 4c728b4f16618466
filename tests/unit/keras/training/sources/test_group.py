"""Grouping: stacks where it can, never changes what comes in which order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow.engine.values.nest import flatten
from tapeflow.keras.training.sources.group import Group, grouped


def batches(sizes):
    return [(np.full((n, 2), i, np.float32), {"b": np.full(n, i)}) for i, n in enumerate(sizes)]


def unstacked(groups):
    """The single batches of some groups, as pairs of step and leaves."""
    singles = []
    for group in groups:
        if group.count == 1:
            singles.append((group.step, flatten(group.data)))
        else:
            leaves = flatten(group.data)
            assert {len(leaf) for leaf in leaves} == {group.count}
            singles += [(group.step + k, [leaf[k] for leaf in leaves]) for k in range(group.count)]
    return singles


@given(
    sizes=st.lists(st.integers(1, 3), max_size=20),
    group=st.integers(1, 6),
    start=st.integers(0, 9),
)
def test_grouping_never_changes_the_batches(sizes, group, start):
    expected = unstacked(grouped(batches(sizes), 1, start))
    groups = list(grouped(batches(sizes), group, start))
    got = unstacked(groups)
    assert [step for step, _ in got] == list(range(start, start + len(sizes)))
    for (_, a), (_, b) in zip(expected, got, strict=True):
        for left, right in zip(a, b, strict=True):
            np.testing.assert_array_equal(left, right)
            assert left.dtype == right.dtype
    for g in groups:
        assert g.step // group == (g.step + g.count - 1) // group


def test_equal_batches_are_stacked_and_aligned_to_step_numbers():
    groups = list(grouped(batches([2] * 9), 4, 2))
    assert [(g.step, g.count) for g in groups] == [(2, 2), (4, 4), (8, 3)]
    assert groups[1].data[0].shape == (4, 2, 2)
    assert groups[1].data[1]["b"].tolist() == [[2, 2], [3, 3], [4, 4], [5, 5]]


def test_batches_of_different_shape_or_dtype_are_not_stacked():
    assert [g.count for g in grouped(batches([2, 2, 2, 1]), 4, 0)] == [3, 1]
    mixed = [np.zeros(2, np.float32), np.zeros(2, np.int32)]
    assert [g.count for g in grouped(mixed, 2, 0)] == [1, 1]


def test_none_stays_none_in_a_stack():
    (group,) = grouped([(np.zeros(1), None), (np.ones(1), None)], 2, 0)
    assert isinstance(group, Group)
    assert group.data[1] is None
    assert group.data[0].tolist() == [[0], [1]]


def test_batches_before_an_error_are_not_lost():
    def broken():
        yield from batches([2] * 6)
        raise OSError("no such image")

    seen = []
    with pytest.raises(OSError, match="no such image"):
        seen.extend((g.step, g.count) for g in grouped(broken(), 4, 0))
    assert seen == [(0, 4), (4, 2)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_group_is_cut_in_two(count):
    (group,) = grouped(batches([2] * 4), 4, 0)
    first, rest = group.cut(count)
    assert [(g.step, g.count) for g in (first, rest)] == [(0, count), (count, 4 - count)]
    assert str(unstacked([first, rest])) == str(unstacked([group]))


def test_a_group_that_need_not_be_cut_is_itself():
    (group,) = grouped(batches([2] * 4), 4, 0)
    assert group.cut(4) == (group, None)
    assert group.cut(9)[0] is group
