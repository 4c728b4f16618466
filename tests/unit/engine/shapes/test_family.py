"""Families of programs: what is compiled for itself, what runs padded, and which sizes follow from which."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from tapeflow.engine.programs.compiled import Draft
from tapeflow.engine.shapes.expression import NotPadded
from tapeflow.engine.shapes.family import (
    EXACT,
    USES_UNTIL_EXACT,
    Family,
    Owner,
    Template,
    all_families,
    family_of,
)


@dataclass
class Program:
    """What a family is told of."""

    sizes: tuple[int, ...]
    axes: int = 2
    skeleton: Any = "x"
    assigns: bool = True


def test_sizes_that_follow_from_others() -> None:
    # axes: n, m, n; numbers: 5, 8 n, n m, n - 1, half of n rounded up
    samples = [(n, m, n, 5, 8 * n, n * m, n - 1, -(-n // 2)) for n, m in ((7, 3), (4, 9), (11, 5))]
    template = Template(samples, 3, 1)
    assert list(map(str, template.sizes[:3])) == ["s0", "s1", "s0"]
    assert template.values_of((20, 6, 20, 5, 160, 120, 19, 10)) == {"s0": 20, "s1": 6}
    assert template.values_of((20, 6, 20, 5, 160, 121, 19, 10)) is None
    assert template.values_of((20, 6, 21, 5, 160, 120, 19, 10)) is None


def test_a_number_that_follows_from_nothing() -> None:
    with pytest.raises(NotPadded, match="does not follow"):
        Template([(3, 17), (4, 5), (5, 90)], 1, 1)


def test_sizes_that_are_multiples() -> None:
    template = Template([(8, 4), (12, 6), (20, 10)], 1, 1)
    assert template.steps == {"s0": 4}
    assert template.values_of((16, 8)) == {"s0": 4}
    assert template.values_of((18, 9)) is None


def test_nothing_is_learnt_from_empty_inputs() -> None:
    family = Family("x", True)
    sizes = [(0, 5, 0), (3, 4, 12), (2, 0, 0), (5, 7, 35), (0, 0, 0), (6, 3, 18)]
    found = [family.values_of(Program(s)) for s in sizes]
    assert found == [None, None, None, None, None, {"s0": 6, "s1": 3}]
    assert Template([(0, 5, 0), (3, 4, 12)], 3, 1).values_of((6, 3, 18)) is None


def test_the_first_sizes_are_compiled_for_themselves() -> None:
    family = Family("x", True)
    found = [family.values_of(Program((n, 4))) for n in (5, 7, 9, 5, 7, 9, 30)]
    assert found == [None, None, {"s0": 9}, None, None, {"s0": 9}, {"s0": 30}]
    assert len(family.exact) == EXACT


def test_symbols_are_learnt_again_from_what_does_not_fit() -> None:
    family = Family("x", True)
    for n in (10, 20, 30):
        family.values_of(Program((n, 4)))
    assert family.values_of(Program((7, 4))) == {"s0": 7}  # no multiple of ten
    assert family.values_of(Program((7, 5))) == {"s0": 7, "s1": 5}
    assert family.values_of(Program((6, 8))) == {"s0": 6, "s1": 8}


def test_a_size_that_comes_again_and_again_is_compiled_for_itself() -> None:
    family = Family("x", True)
    for n in (5, 7, 9):
        family.values_of(Program((n, 4)))
    settled = [family.is_settled(Program((9, 4))) for _ in range(USES_UNTIL_EXACT + 1)]
    assert settled == [False] * USES_UNTIL_EXACT + [True]
    assert family.values_of(Program((9, 4))) is None
    for n in range(100, 150):
        for _ in range(USES_UNTIL_EXACT + 1):
            family.is_settled(Program((n, 4)))
    assert len(family.exact) <= 10


def test_a_larger_program_stands_in_until_that_has_cost_a_compilation() -> None:
    family = Family("x", True)

    def capacities_for(*least: int) -> tuple[int, ...]:
        return family.capacities_for(least, math.prod, 100)

    assert capacities_for(8, 4) == (8, 4)
    assert capacities_for(16, 8) == (16, 8)
    assert capacities_for(4, 8) == (16, 8)  # (8, 4) is too small
    assert [capacities_for(8, 2) for _ in range(7)] == [(8, 4)] * 6 + [(8, 2)]  # 16 wasted each time
    assert capacities_for(8, 2) == (8, 2)
    assert family.borrowed == {(4, 8): 96}
    assert capacities_for(4, 8) == (4, 8)
    assert capacities_for(1, 1) == (8, 2)
    assert family.capacities == [(8, 4), (16, 8), (8, 2), (4, 8)]
    assert family.borrowed == {(1, 1): 15}


def test_a_program_is_made_larger_where_that_is_cheap() -> None:
    family = Family("x", True)

    def capacities_for(*least: int, compile_time: int = 64 * 1000) -> tuple[int, ...]:
        return family.capacities_for(least, math.prod, compile_time, seen=(1, 16))

    assert capacities_for(8, 8) == (8, 16)  # so large a size has come before
    assert capacities_for(16, 8) == (32, 16)  # the first axis may go on growing
    assert capacities_for(8, 32, compile_time=64 * 800) == (32, 32)  # what came before, together
    assert capacities_for(64, 64, compile_time=64 * 100) == (64, 64)


def test_drafts_are_for_all_programs_but_the_first() -> None:
    family = Family("x", True)
    for n in (5, 7):
        family.values_of(Program((n, 4)))
    assert family.exact_draft(Program((5, 4)), 1000) is Draft.NONE
    half = USES_UNTIL_EXACT // 2
    steps = [family.exact_draft(Program((7, 4))) for _ in range(USES_UNTIL_EXACT + 1)]
    assert steps == [Draft.FIRST] * (half - 1) + [Draft.LAST] * (half + 1) + [Draft.NONE]
    assert family.exact_draft(Program((7, 4)), 0) is Draft.NONE


def test_a_draft_runs_until_that_has_cost_as_much_as_compiling() -> None:
    family = Family("x", True)
    found = [family.padded_draft((8,), 10, 20) for _ in range(6)]
    assert found == [Draft.FIRST, *[Draft.LAST] * 3, Draft.NONE, Draft.NONE]
    assert family.padded_draft((16,), 10, 20) is Draft.FIRST


def test_what_a_file_says_of_capacities_is_bounded() -> None:
    family = Family("x", True)
    family.capacities = [(8,), (1 << 40, 1 << 40), (-8, 8)]
    assert family.capacities_for((4, 4), lambda capacities: 1, 100) == (4, 4)


def test_owners_have_families_of_their_own() -> None:
    one, other = Owner(), Owner()
    assert family_of(Program((1,)), one) is family_of(Program((2,)), one)
    assert family_of(Program((1,)), one) is not family_of(Program((1,)), other)
    assert family_of(Program((1,)), None) is not family_of(Program((1,)), other)
    count = len(all_families())
    del one
    assert len(all_families()) == count - 1
