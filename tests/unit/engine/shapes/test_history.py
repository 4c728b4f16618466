"""The sizes that programs have had go into checkpoints."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from typing import Any

import pytest

from tapeflow.engine.shapes import family as families
from tapeflow.engine.shapes import history
from tapeflow.engine.shapes.family import Family, Owner, family_of


@dataclass
class Program:
    sizes: tuple[int, ...]
    axes: int = 2
    skeleton: Any = ("op", int, len, print)
    assigns: bool = True


@pytest.fixture(autouse=True)
def own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Families and memories of this test alone."""
    new_process(monkeypatch)


def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "_nobodys", {})
    monkeypatch.setattr(families, "_owned", type(families._owned)())
    monkeypatch.setattr(history, "_remembered", {})


def values(owner: Owner, *sizes: int) -> list[Any]:
    return [family_of(Program((n, 4)), owner).values_of(Program((n, 4))) for n in sizes]


def run_padded(family: Family, least: int) -> tuple[int, ...]:
    return family.capacities_for((least,), sum, 16)


def test_a_process_goes_on_where_another_was(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner()
    values(owner, 5, 7, 9)
    family = family_of(Program((9, 4)), owner)
    family.is_settled(Program((9, 4)))
    run_padded(family, 16)
    run_padded(family, 8)
    family.exact_draft(Program((7, 4)), 20)
    family.padded_draft((16,), 5, 100)
    told = history.history()
    expected = values(owner, 11, 5, 9)
    new_process(monkeypatch)
    history.set_history(told)
    again = Owner()
    assert values(again, 11, 5, 9) == expected == [{"s0": 11}, None, {"s0": 9}]
    family = family_of(Program((9, 4)), again)
    assert family.uses == {(9, 4): 1, (7, 4): 20}
    assert family.drafted == {(16,): 5}
    assert family.largest == (11, 4)
    assert family.capacities == [(16,)]
    assert family.borrowed == {(8,): 8}
    assert run_padded(family, 8) == (16,)
    assert run_padded(family, 8) == (8,)


def test_what_is_not_asked_for_yet_is_told_on(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner()
    values(owner, 5, 7)
    told = history.history()
    new_process(monkeypatch)
    history.set_history(told)
    assert history.history() == told


def test_equal_families_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = [Owner(), Owner()]
    values(owners[0], 5, 7)
    values(owners[1], 8)
    told = history.history()
    new_process(monkeypatch)
    history.set_history(told)
    owners = [Owner(), Owner()]
    assert values(owners[0], 9) == [{"s0": 9}]
    assert values(owners[1], 9) == [None]


def test_families_that_are_there_are_reminded(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner()
    values(owner, 5, 7)
    told = history.history()
    new_process(monkeypatch)
    owner = Owner()
    values(owner, 9)
    history.set_history(told)
    assert values(owner, 5, 9) == [None, {"s0": 9}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no base 85 \x00",
        base64.b85encode(b"not packed").decode(),
        base64.b85encode(zlib.compress(b"[1]")).decode(),
        base64.b85encode(
            zlib.compress(json.dumps({"a-0": [[["x"]], [], [], [], []], "b-0": 3}).encode())
        ).decode(),
        base64.b85encode(zlib.compress(b" " * (1 << 25))).decode(),
    ],
)
def test_other_texts_change_nothing(text: str) -> None:
    history.set_history(text)
    assert history.history() == ""
