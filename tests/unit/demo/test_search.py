from __future__ import annotations

from tapeflow.demo import search


def test_no_two_trials_are_alike() -> None:
    drawn = search.draw(36)
    assert len({str(trial) for trial in drawn}) == 36
    assert drawn[:3] == search.draw(3)
