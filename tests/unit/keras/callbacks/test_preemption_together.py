"""`Preemption` among several processes: all end after the same step."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tapeflow.engine.devices import processes
from tapeflow.engine.devices.processes import Member
from tapeflow.keras.callbacks import preemption
from tapeflow.keras.callbacks.preemption import Preemption


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Preemption]]:
    """Two processes' worth of them, with one table."""
    table: dict[str, str] = {}
    monkeypatch.setattr(processes, "joined", lambda: Member("a:1", 2, 0))
    monkeypatch.setattr(processes, "tell_once", table.setdefault)
    monkeypatch.setattr(processes, "glance", table.get)
    monkeypatch.setattr(preemption, "_trainings", iter([0, 0]))
    made = [Preemption(), Preemption()]
    for each in made:
        each.begin()
    yield made
    for each in reversed(made):
        each.is_asked = False
        each.end()


def test_all_end_after_the_next_step(pair: list[Preemption]) -> None:
    one, other = pair
    waited: list[int] = []
    assert not one.is_due(True, lambda: waited.append(1))
    assert not other.is_due(True, lambda: waited.append(2))
    one.is_asked = True
    assert not one.is_due(True, lambda: waited.append(1))
    assert not other.is_due(True, lambda: waited.append(2))
    assert other.is_due(True, lambda: waited.append(2))
    assert one.is_due(True, lambda: waited.append(1))
    assert waited == [1, 2, 1, 2, 2, 1]


def test_the_end_of_an_epoch_is_no_step(pair: list[Preemption]) -> None:
    one, other = pair
    one.is_asked = True
    assert not other.is_due(True, list)
    assert not other.is_due(False, list)  # already at the end of the epoch when the other is asked
    assert not one.is_due(True, list)
    assert not one.is_due(False, list)
    assert [other.is_due(True, list), one.is_due(True, list)] == [True, True]


def test_alone_at_once() -> None:
    alone = Preemption()
    assert not alone.is_due(False, list)
    alone.is_asked = True
    assert alone.is_due(False, list)
    alone.is_asked = False
