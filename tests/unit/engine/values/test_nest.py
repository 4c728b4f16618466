"""tf.nest: results as TensorFlow 2.21 gives them."""

import collections
import dataclasses
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow.engine.values import nest


class Point(NamedTuple):
    y: Any
    x: Any


class FrozenMap(Mapping[str, Any]):
    def __init__(self, items: Any = ()) -> None:
        self.items_ = dict(items)

    def __getitem__(self, key: str) -> Any:
        return self.items_[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_)

    def __len__(self) -> int:
        return len(self.items_)


class MyList(list[Any]):
    pass


class OtherList(list[Any]):
    pass


class MyTuple(tuple[Any, ...]):
    pass


class Series(Sequence[Any]):
    def __init__(self, values: Any) -> None:
        self.values = list(values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)


@dataclasses.dataclass
class Record:
    a: Any


class Attrs:
    """What attrs makes of a class with the fields b and a, as far as nest looks."""

    __attrs_attrs__ = (types.SimpleNamespace(name="b"), types.SimpleNamespace(name="a"))

    def __init__(self, b: Any, a: Any) -> None:
        self.b, self.a = b, a


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        ([], []),
        ((), []),
        ({}, []),
        ([1, (2, {"b": 3, "a": 4})], [1, 2, 4, 3]),
        (Point(1, [2]), [1, 2]),
        (FrozenMap({"b": 1, "a": 2}), [2, 1]),
        (Series([1, [2]]), [1, 2]),
        (MyList([1, [2]]), [1, 2]),
        (OrderedDict([("b", 1), ("a", None)]), [None, 1]),
        (defaultdict(list, {"b": 1, "a": 2}), [2, 1]),
        (deque([1, 2]), [1, 2]),
        ({2: "two", 1: "one"}, ["one", "two"]),
        ({"b": 1, "a": 2}.items(), ["b", 1, "a", 2]),
        (range(3), [0, 1, 2]),
        (Attrs(1, [2]), [1, 2]),
        ([[], [None]], [None]),
    ],
)
def test_structures(structure: Any, leaves: list[Any]) -> None:
    assert nest.is_nested(structure)
    assert nest.flatten(structure) == leaves
    assert [leaf for _, leaf in nest.flatten_with_paths(structure)] == leaves


@pytest.mark.parametrize(
    "leaf", [1, None, "ab", b"ab", {1, 2}, frozenset([1]), np.arange(3), slice(1), Record(1)]
)
def test_leaves(leaf: Any) -> None:
    assert not nest.is_nested(leaf)
    (only,) = nest.flatten(leaf)
    assert only is leaf
    assert nest.map_structure(lambda x: x, leaf) is leaf
    assert nest.flatten_with_paths(leaf) == [((), leaf)]


@pytest.mark.parametrize(
    "structure",
    [
        [1, (2, {"b": 3, "a": 4})],
        Point(1, [2]),
        MyList([1, [2]]),
        MyTuple([1]),
        OrderedDict([("b", 1), ("a", 2)]),
        defaultdict(list, {"b": 1, "a": 2}),
        collections.Counter("ab"),
        deque([1, 2]),
    ],
)
def test_map_structure_keeps_types_and_key_order(structure: Any) -> None:
    for result in (
        nest.map_structure(lambda x: x, structure),
        nest.pack_sequence_as(structure, nest.flatten(structure)),
    ):
        assert type(result) is type(structure)
        assert result == structure
        assert list(result) == list(structure)


def test_map_structure_of_other_types() -> None:
    negative = nest.map_structure(lambda x: -x, FrozenMap({"b": 1, "a": 2}))
    assert type(negative) is FrozenMap
    assert list(negative.items()) == [("b", -1), ("a", -2)]
    assert nest.map_structure(lambda x: -x, Series([1, 2])).values == [-1, -2]
    assert nest.map_structure(lambda x: -x, range(3)) == [0, -1, -2]
    assert nest.map_structure(str, {"b": 1}.items()) == [("b", "1")]
    attrs = nest.map_structure(lambda x: -x, Attrs(1, [2]))
    assert (attrs.b, attrs.a) == (-1, [-2])
    assert nest.map_structure(lambda x: x, defaultdict(list, a=1)).default_factory is list


def test_map_structure_calls_in_flatten_order() -> None:
    calls: list[int] = []
    nest.map_structure(calls.append, {"b": 1, "a": [2, {"d": 3, "c": 4}]})
    assert calls == [2, 4, 3, 1]


def test_map_structure_of_several() -> None:
    assert nest.map_structure(lambda a, b: a + b, [1, (2,)], [3, (4,)]) == [4, (6,)]
    assert nest.map_structure(lambda a, b: (a, b), 1, 3) == (1, 3)
    mixed = nest.map_structure(lambda *a: a, OrderedDict(b=1, a=2), {"a": 3, "b": 4})
    assert list(mixed.items()) == [("b", (1, 4)), ("a", (2, 3))]
    unchecked = nest.map_structure(lambda *a: a, [1, (2,)], [3, [4]], check_types=False)
    assert unchecked == [(1, 3), ((2, 4),)]
    assert nest.map_structure(lambda a: a, [1], expand_composites=True) == [1]


def test_map_structure_bad_arguments() -> None:
    with pytest.raises(TypeError, match="expected func to be callable; got func=3"):
        nest.map_structure(3, [1])  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="expected at least one structure; got none"):
        nest.map_structure(lambda: None)
    with pytest.raises(ValueError, match=r"but check_types and expand_composites; got \['foo'\]"):
        nest.map_structure(lambda a: a, [1], foo=2)
    with pytest.raises(ZeroDivisionError):
        nest.map_structure(lambda a: a / 0, [1])


def test_keys_that_do_not_sort() -> None:
    for walk in (nest.flatten, lambda s: nest.map_structure(id, s), nest.flatten_with_paths):
        with pytest.raises(TypeError, match=r"whose keys can be sorted; got keys=\['b', 2\]"):
            walk({"b": 1, 2: 3})


def test_mappings_that_cannot_be_rebuilt() -> None:
    proxy = types.MappingProxyType({"b": 1, "a": 2})
    assert nest.flatten(proxy) == [2, 1]
    with pytest.raises(TypeError, match="expected mappingproxy to be constructible from key-value"):
        nest.map_structure(id, proxy)


def test_pack_sequence_as() -> None:
    assert nest.pack_sequence_as([1, [2, 3]], (4, 5, 6)) == [4, [5, 6]]
    assert nest.pack_sequence_as({"b": 1, "a": [2]}, ["x", "y"]) == {"b": "y", "a": ["x"]}
    assert nest.pack_sequence_as(Point(1, 2), [3, 4]) == Point(3, 4)
    assert nest.pack_sequence_as(None, [5]) == 5
    assert nest.pack_sequence_as([], []) == []
    # The leaves are taken as they are, even where they are structures themselves.
    assert nest.pack_sequence_as([1, 2], [[3], None]) == [[3], None]


@pytest.mark.parametrize("flat", [5, "xy", np.arange(2), {"a": 1, "b": 2}, iter([1, 2]), {1, 2}])
def test_pack_what_is_no_sequence(flat: Any) -> None:
    with pytest.raises(TypeError, match="expected flat_sequence to be a list or tuple; got"):
        nest.pack_sequence_as([1, 2], flat)


@pytest.mark.parametrize(("structure", "flat"), [([1, [2]], [1]), ([1], [1, 2]), (1, []), (1, [1, 2])])
def test_pack_wrong_number(structure: Any, flat: list[int]) -> None:
    count = len(nest.flatten(structure))
    with pytest.raises(ValueError, match=f"expected {count} leaves for .*; got {len(flat)}"):
        nest.pack_sequence_as(structure, flat)


def test_paths() -> None:
    structure = {"b": [1, Point(2, 3)], "a": Attrs(4, ())}
    assert nest.flatten_with_paths(structure) == [
        (("a", "b"), 4),
        (("b", 0), 1),
        (("b", 1, "y"), 2),
        (("b", 1, "x"), 3),
    ]


class P2(NamedTuple):
    y: Any
    x: Any


SAME_FIELDS = collections.namedtuple("Point", "y x")
OTHER_FIELDS = collections.namedtuple("Point", "y z")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, None),
        ([1, 2], [3, 4]),
        ("ab", np.zeros(2)),
        (Point(1, 2), SAME_FIELDS(1, 2)),
        (MyList([1]), [1]),
        (MyList([1]), OtherList([1])),
        ({"a": 1}, OrderedDict(a=1)),
        (FrozenMap({"a": 1}), {"a": 1}),
        (OrderedDict(a=1, b=2), defaultdict(list, b=1, a=2)),
        ({"a": [1, (2,)]}, {"a": [None, (3,)]}),
    ],
)
def test_same_structure(a: Any, b: Any) -> None:
    nest.assert_same_structure(a, b)
    nest.assert_same_structure(b, a)


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ([1, 2], (3, 4), r"equal structure types; got list \[\., \.\] and tuple \(\., \.\)"),
        ([], (), "equal structure types"),
        ({"a": 1}, [1], r"equal structure types; got dict \{'a': \.\} and list \[\.\]"),
        ({"a": [1]}, {"a": (1,)}, "equal structure types; got list"),
        (MyTuple([1]), (1,), "equal structure types; got MyTuple"),
        (Point(1, 2), (1, 2), "equal structure types; got Point"),
        (Point(1, 2), P2(1, 2), "equal structure types; got Point .* and P2"),
        (Point(1, 2), OTHER_FIELDS(1, 2), "equal structure types"),
        (deque([1]), [1], "equal structure types; got deque"),
    ],
)
def test_different_types(a: Any, b: Any, text: str) -> None:
    with pytest.raises(TypeError, match=f"don't have the same nested structure: .*{text}"):
        nest.assert_same_structure(a, b)
    nest.assert_same_structure(a, b, check_types=False)


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ([1], 1, r"two leaves or two structures; got list \[\.\] and a leaf of type int"),
        ([1, 2], [1, [2]], "two leaves or two structures; got a leaf of type int and list"),
        ("ab", [1], "two leaves or two structures; got a leaf of type str"),
        ([1, 2], [3], "equal numbers of elements"),
        ([[1], [2, 3]], [[1, 2], [3]], r"equal numbers .* got list \[\.\] and list \[\., \.\]"),
        ({"a": 1}, {"a": 1, "b": 2}, r"equal keys; got \['a'\] and \['a', 'b'\]"),
    ],
)
def test_different_nesting(a: Any, b: Any, text: str) -> None:
    with pytest.raises(ValueError, match=f"don't have the same nested structure: .*{text}"):
        nest.assert_same_structure(a, b)
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        nest.map_structure(lambda *_: None, a, b)
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        nest.assert_same_structure(a, b, check_types=False)


def test_keys_count_only_with_check_types() -> None:
    with pytest.raises(ValueError, match=r"equal keys; got \['a'\] and \['b'\]"):
        nest.assert_same_structure({"a": 1}, {"b": 1})
    nest.assert_same_structure({"a": 1}, {"b": 1}, check_types=False)


def test_classes_made_in_a_loop_are_let_go() -> None:
    for _ in range(nest._MAX_KINDS + 10):
        nest.is_nested(type("Made", (list,), {})())
    assert len(nest._KINDS) <= nest._MAX_KINDS
    assert nest.flatten([1, {"a": 2}]) == [1, 2]


structures = st.recursive(
    st.integers() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.builds(Point, inner, inner)
    ),
    max_leaves=8,
)


@given(structures)
def test_flatten_and_pack_are_inverse(structure: Any) -> None:
    leaves = nest.flatten(structure)
    packed = nest.pack_sequence_as(structure, leaves)
    assert packed == structure
    nest.assert_same_structure(packed, structure)
    assert nest.flatten(nest.map_structure(lambda x: (x,) and 7, structure)) == [7] * len(leaves)
