"""TensorShape: results as TensorFlow 2.21 gives them."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow.engine.values.shape import TensorShape, as_shape, static_shape, unknown_shape

UNKNOWN = TensorShape(None)


@pytest.mark.parametrize(
    ("dims", "text", "short"),
    [
        ([2, 3], "TensorShape([2, 3])", "(2, 3)"),
        ((None, 3), "TensorShape([None, 3])", "(None, 3)"),
        ([3], "TensorShape([3])", "(3,)"),
        ([], "TensorShape([])", "()"),
        (None, "TensorShape(None)", "<unknown>"),
        (5, "TensorShape([5])", "(5,)"),
        (np.int64(4), "TensorShape([4])", "(4,)"),
        (np.array([2, 3]), "TensorShape([2, 3])", "(2, 3)"),
        (np.array(7), "TensorShape([7])", "(7,)"),
        (range(2), "TensorShape([0, 1])", "(0, 1)"),
        (iter([1, None]), "TensorShape([1, None])", "(1, None)"),
        (TensorShape([1]), "TensorShape([1])", "(1,)"),
    ],
)
def test_construction_and_printing(dims: object, text: str, short: str) -> None:
    shape = TensorShape(dims)  # pyright: ignore[reportArgumentType]
    assert repr(shape) == text
    assert str(shape) == f"{shape}" == short


def test_dimensions_become_python_ints() -> None:
    assert type(TensorShape([np.int64(4)])[0]) is int
    assert type(TensorShape([True])[0]) is int


@pytest.mark.parametrize("dims", ["ab", b"ab", {"a": 1}])
def test_what_is_no_shape(dims: object) -> None:
    with pytest.raises(TypeError, match="TensorShape expected None, one dimension such as 10"):
        TensorShape(dims)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("dims", [[2.0], [2.5], ["a"], 2.5])
def test_what_is_no_dimension(dims: object) -> None:
    with pytest.raises(TypeError, match="every dimension to be an integer or None; got dimension="):
        TensorShape(dims)  # pyright: ignore[reportArgumentType]


def test_negative_dimension() -> None:
    with pytest.raises(ValueError, match=r"Dimension -1 must be >= 0: .* Use None"):
        TensorShape([-1, 2])


def test_what_is_known() -> None:
    shape = TensorShape([2, None])
    assert (shape.rank, shape.ndims, len(shape)) == (2, 2, 2)
    assert shape.as_list() == list(shape) == [2, None]
    assert [dim.value for dim in shape.dims] == [2, None]
    assert TensorShape(shape.dims).as_list() == [2, None]
    assert (UNKNOWN.rank, UNKNOWN.ndims, UNKNOWN.dims) == (None, None, None)
    assert bool(TensorShape([])) is True
    assert bool(UNKNOWN) is False
    assert tuple(reversed(TensorShape([2, 3]))) == (3, 2)
    assert None in shape


def test_unknown_rank_is_no_sequence() -> None:
    rule = r"expected a shape of known rank; got TensorShape\(None\)"
    with pytest.raises(ValueError, match=f"TensorShape as_list {rule}"):
        UNKNOWN.as_list()
    with pytest.raises(ValueError, match=f"TensorShape len {rule}"):
        len(UNKNOWN)
    with pytest.raises(ValueError, match=f"TensorShape iteration {rule}"):
        list(UNKNOWN)


def test_indexing() -> None:
    shape = TensorShape([2, 3, 4])
    assert (shape[0], shape[-1], shape[np.int64(1)]) == (2, 4, 3)
    assert shape[1:] == TensorShape([3, 4])
    assert isinstance(shape[::2], TensorShape)
    assert shape[::2] == [2, 4]
    assert shape[:9] == shape
    with pytest.raises(IndexError):
        shape[5]


def test_indexing_an_unknown_rank() -> None:
    assert UNKNOWN[0] is None
    assert repr(UNKNOWN[1:3]) == "TensorShape([None, None])"
    assert repr(UNKNOWN[:2]) == "TensorShape([None, None])"
    assert repr(UNKNOWN[2:1]) == "TensorShape([])"
    for key in (slice(1, None), slice(None, -1), slice(-2, None)):
        assert repr(UNKNOWN[key]) == "TensorShape(None)"
    with pytest.raises(ValueError, match="expected a known rank for a slice with a step; got key="):
        UNKNOWN[::2]


def test_equality_and_hash() -> None:
    shape = TensorShape([2, None])
    assert shape == [2, None]
    assert shape == (2, None)
    assert (2, None) == shape  # noqa: SIM300
    assert TensorShape([2]) == 2
    assert TensorShape([2]) == np.array([2])
    assert TensorShape([]) == ()
    assert TensorShape(None) == UNKNOWN
    assert TensorShape(None) == None  # noqa: E711
    assert shape != [2, 3]
    for other in ("ab", 2.5, [-1], None, object()):
        assert TensorShape([2]) != other
    assert hash(shape) == hash(TensorShape([2, None]))
    assert hash(TensorShape([2, 3])) == hash((2, 3))


def test_concatenation() -> None:
    assert TensorShape([2]).concatenate([3, 4]) == [2, 3, 4]
    assert TensorShape([2]) + [3] == [2, 3]
    assert [3] + TensorShape([2]) == [3, 2]
    assert (3,) + TensorShape([None]) == [3, None]
    assert TensorShape([2]) + 3 == [2, 3]
    assert TensorShape([2]) + None == UNKNOWN
    assert UNKNOWN + [3] == UNKNOWN


def test_merging() -> None:
    assert TensorShape([2, None]).merge_with([None, 3]) == [2, 3]
    assert UNKNOWN.merge_with([3]) == [3]
    assert TensorShape([3]).merge_with(None) == [3]
    for other in ([3], [2, 2]):
        with pytest.raises(ValueError, match=r"Shapes \(2,\) and .* are not compatible"):
            TensorShape([2]).merge_with(other)


def test_compatibility() -> None:
    shape = TensorShape([2, None])
    assert shape.is_compatible_with([2, 3])
    assert not shape.is_compatible_with([3, 3])
    assert not shape.is_compatible_with([2])
    assert shape.is_compatible_with(None)
    assert UNKNOWN.is_compatible_with([3])
    shape.assert_is_compatible_with([2, 3])
    with pytest.raises(ValueError, match=r"Shapes \(2, None\) and \(3,\) are incompatible"):
        shape.assert_is_compatible_with([3])


def test_subtypes() -> None:
    assert TensorShape([2, 3]).is_subtype_of(TensorShape([None, 3]))
    assert not TensorShape([None, 3]).is_subtype_of(TensorShape([2, 3]))
    assert TensorShape([2, 3]).is_subtype_of(UNKNOWN)
    assert not UNKNOWN.is_subtype_of(TensorShape([2]))


def test_most_specific_compatible_shape() -> None:
    assert TensorShape([2, 3]).most_specific_compatible_shape([2, 4]) == [2, None]
    assert TensorShape([2, 3]).most_specific_compatible_shape([2]) == UNKNOWN
    assert UNKNOWN.most_specific_compatible_shape([2]) == UNKNOWN


def test_ranks() -> None:
    assert UNKNOWN.with_rank(2) == [None, None]
    assert TensorShape([2]).with_rank(1) == [2]
    assert UNKNOWN.with_rank_at_least(2) == UNKNOWN
    assert TensorShape([2, 3]).with_rank_at_most(2) == [2, 3]
    TensorShape([2]).assert_has_rank(1)
    UNKNOWN.assert_has_rank(1)
    TensorShape([2]).assert_same_rank(None)
    with pytest.raises(ValueError, match=r"Shape \(2,\) must have rank 2: .* got rank=1"):
        TensorShape([2]).with_rank(2)
    with pytest.raises(ValueError, match=r"Shape \(2,\) must have rank 2"):
        TensorShape([2]).assert_has_rank(2)
    with pytest.raises(ValueError, match=r"Shape \(2,\) must have rank at least 2"):
        TensorShape([2]).with_rank_at_least(2)
    with pytest.raises(ValueError, match=r"Shape \(2, 3\) must have rank at most 1"):
        TensorShape([2, 3]).with_rank_at_most(1)
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(2, 3\) must have the same rank"):
        TensorShape([2]).assert_same_rank([2, 3])


def test_fully_defined() -> None:
    assert TensorShape([2]).is_fully_defined()
    assert TensorShape([]).is_fully_defined()
    assert not TensorShape([None]).is_fully_defined()
    assert not UNKNOWN.is_fully_defined()
    TensorShape([2]).assert_is_fully_defined()
    with pytest.raises(ValueError, match=r"Shape \(None,\) is not fully defined"):
        TensorShape([None]).assert_is_fully_defined()


def test_num_elements() -> None:
    assert TensorShape([2, 3]).num_elements() == 6
    assert TensorShape([]).num_elements() == 1
    assert TensorShape([0, 3]).num_elements() == 0
    assert TensorShape([2, None]).num_elements() is None
    assert UNKNOWN.num_elements() is None


def test_helpers() -> None:
    shape = TensorShape([2])
    assert as_shape(shape) is shape
    assert as_shape([2]) == shape
    assert unknown_shape() == UNKNOWN
    assert unknown_shape(2) == [None, None]
    assert static_shape((2, 3)) == [2, 3]
    assert static_shape((2, 3)) is static_shape((2, 3))


def test_numpy_takes_a_shape() -> None:
    assert np.zeros(TensorShape([2, 3])).shape == (2, 3)  # pyright: ignore
    assert np.prod(TensorShape([2, 3])) == 6  # pyright: ignore


def test_copies() -> None:
    shape = TensorShape([2, None])
    assert copy.deepcopy(shape) == shape
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert pickle.loads(pickle.dumps(UNKNOWN)) == UNKNOWN


dims = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=3)


@given(dims, dims)
def test_merging_and_compatibility_agree(a: list[int | None] | None, b: list[int | None] | None) -> None:
    left, right = TensorShape(a), TensorShape(b)
    common = left.most_specific_compatible_shape(right)
    assert left.is_subtype_of(common)
    assert right.is_subtype_of(common)
    if left.is_compatible_with(right):
        merged = left.merge_with(right)
        assert merged == right.merge_with(left)
        assert merged.is_subtype_of(left)
        assert merged.is_subtype_of(right)
    else:
        with pytest.raises(ValueError, match="not compatible"):
            left.merge_with(right)
