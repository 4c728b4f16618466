"""Options are taken and kept; a misspelt one is an error."""

from __future__ import annotations

import pytest

from tapeflow import data
from tapeflow.data import Dataset, Options


def test_options_are_kept_along_the_chain() -> None:
    options = Options()
    options.deterministic = False
    options.autotune.enabled = True
    options.threading.private_threadpool_size = 4
    policy = data.experimental.AutoShardPolicy.DATA
    options.experimental_distribute.auto_shard_policy = policy
    found = Dataset.range(3).with_options(options).batch(2).options()
    assert found.deterministic is False
    assert found.autotune.enabled is True
    assert found.threading.private_threadpool_size == 4
    assert found.experimental_distribute.auto_shard_policy is policy


def test_later_options_win_and_others_stay() -> None:
    first, second = Options(), Options()
    first.deterministic, first.autotune.enabled = False, True
    second.deterministic = True
    found = Dataset.range(3).with_options(first).with_options(second).options()
    assert (found.deterministic, found.autotune.enabled) == (True, True)


def test_an_unknown_option() -> None:
    with pytest.raises(
        AttributeError, match="Cannot set the property nonsense on Options: it expected one of"
    ):
        Options().nonsense = 1  # pyright: ignore[reportAttributeAccessIssue]


def test_equal_options() -> None:
    assert Options() == Options()
    changed = Options()
    changed.deterministic = True
    assert changed != Options()
    assert repr(changed).startswith("Options(autotune=AutotuneOptions(), deterministic=True")
