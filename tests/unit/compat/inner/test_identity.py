"""Collections that compare objects by identity."""

from __future__ import annotations

import pytest

from tapeflow.compat.inner.identity import ObjectIdentityDictionary, ObjectIdentitySet


def test_a_set_holds_equal_objects_apart() -> None:
    first, second = [1], [1]
    found = ObjectIdentitySet([first, first])
    assert (len(found), first in found, second in found) == (1, True, False)
    found.update([second])
    assert [id(item) for item in found] == [id(first), id(second)]
    found.discard(first)
    found.discard(first)
    assert list(found) == [second]


def test_a_dictionary_holds_equal_keys_apart() -> None:
    first, second = [1], [1]
    found = ObjectIdentityDictionary([(first, "a")])
    found[second] = "b"
    assert [found[first], found[second], len(found)] == ["a", "b", 2]
    del found[first]
    assert list(found.items()) == [([1], "b")]
    with pytest.raises(KeyError):
        found[first]
    with pytest.raises(KeyError):
        del found[first]
