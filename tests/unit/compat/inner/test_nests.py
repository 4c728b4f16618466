"""Structures walked only as deep as another one."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tapeflow.compat.inner import nests


class Pair(NamedTuple):
    a: Any
    b: Any


def test_as_deep_as_the_shallow_one() -> None:
    deep = {"b": [1, [2, 3]], "a": (4, 5)}
    assert nests.flatten_up_to({"b": [0, 0], "a": 0}, deep) == [(4, 5), 1, [2, 3]]
    assert nests.map_structure_up_to([0, 0], len, [[1, 2], [3]]) == [2, 1]
    paths = nests.flatten_with_tuple_paths_up_to({"b": 0, "a": 0}, deep)
    assert [p for p, _ in paths] == [("a",), ("b",)]
    found = nests.map_structure_with_tuple_paths_up_to(
        Pair(0, 0), lambda p, x, y: (p, x + y), Pair(1, 2), Pair(3, 4)
    )
    assert found == Pair((("a",), 4), (("b",), 6))


@pytest.mark.parametrize(
    ("shallow", "deep", "error", "text"),
    [
        ([0], 1, TypeError, "input must also be a sequence"),
        ([0], (1,), TypeError, "same sequence type"),
        ([0, 0], [1], ValueError, "same sequence length"),
        ({"a": 0}, {"b": 1}, ValueError, "same keys"),
    ],
)
def test_shallower_structures_are_refused(shallow: Any, deep: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        nests.assert_shallow_structure(shallow, deep)


def test_paths() -> None:
    assert nests.flatten_with_joined_string_paths({"a": [1, 2]}) == [("a/0", 1), ("a/1", 2)]
    assert list(nests.yield_flat_paths({"a": [1, 2]})) == [("a", 0), ("a", 1)]
    assert nests.map_structure_with_paths(lambda p, x: f"{p}={x}", {"a": [1]}) == {"a": ["a/0=1"]}
    for function in (nests.map_structure_with_tuple_paths, lambda f: nests.map_structure_up_to([0], f)):
        with pytest.raises(ValueError, match="a structure to map; got none"):
            function(lambda *_: None)


def test_the_shallow_structure_that_a_function_describes() -> None:
    assert nests.get_traverse_shallow_structure(lambda s: isinstance(s, list), [1, (2, 3)]) == [False, False]
    assert nests.get_traverse_shallow_structure(lambda s: True, [1, (2, 3)]) == [True, (True, True)]
    assert nests.get_traverse_shallow_structure(
        lambda s: [True, False] if isinstance(s, list) else True, [1, [2]]
    ) == [
        True,
        False,
    ]
    with pytest.raises(TypeError, match="return bool for a leaf"):
        nests.get_traverse_shallow_structure(lambda s: 3, 1)


def test_kinds() -> None:
    assert nests.is_mapping({})
    assert nests.is_namedtuple(Pair(1, 2))
    assert not nests.is_namedtuple((1, 2))
    assert nests.list_to_tuple({"a": [1, [2]]}) == {"a": (1, (2,))}
    assert nests.sequence_like(Pair(1, 2), [3, 4]) == Pair(3, 4)
