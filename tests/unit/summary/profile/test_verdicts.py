"""Verdicts on steps."""

from __future__ import annotations

import pytest

from tapeflow.summary.profile.records import PHASES, Pipeline, Step
from tapeflow.summary.profile.verdicts import judge


def step(number: int = 0, **phases: float) -> Step:
    spent = dict.fromkeys(PHASES, 0.0) | phases
    return Step("train", number, 1, 0.0, sum(spent.values()), spent)


@pytest.mark.parametrize(
    ("phases", "kind", "share"),
    [
        ({"input": 84, "device": 16}, "input", 0.84),
        ({"input": 20, "device": 80}, "input", 0.2),
        ({"input": 19, "device": 81}, "device", 0.81),
        ({"input": 10, "device": 5, "host": 49, "dispatch": 1, "callbacks": 10}, "host", 2 / 3),
        ({"input": 19, "device": 15, "host": 30, "callbacks": 12}, "input", 0.25),
        ({"callbacks": 30, "device": 70}, "callbacks", 0.3),
        ({"host": 40, "dispatch": 20, "device": 40}, "host", 0.6),
        ({"device": 100}, "device", 1.0),
    ],
    ids=range(8),
)
def test_the_phase_that_takes_longest_gives_the_verdict(
    phases: dict[str, float], kind: str, share: float
) -> None:
    verdict = judge([step(**phases)], {}, [])
    assert verdict.kind == kind
    assert verdict.share == pytest.approx(share)
    assert bool(verdict.remedies) == (kind != "device")


def test_the_sentence_of_an_input_bound_pipeline() -> None:
    mapped = {"method": "map", "function": "decode", "workers": 1, "is_recorded": False}
    pipelines = [
        Pipeline(1, 0.1, [{"method": "from_generator"}]),  # that of the validation, which is quick
        Pipeline(9, 5.0, [{"method": "range"}, {"method": "batch"}, mapped]),
    ]
    verdict = judge([step(input=84, device=16)], {}, pipelines)
    assert str(verdict) == (
        "84% of step time waits for input: add cache(), map(num_parallel_calls=AUTOTUNE), prefetch()."
    )


@pytest.mark.parametrize(
    ("callbacks", "named"),
    [
        ([("Saver", 3.0), ("Printer", 1.0)], "Saver"),
        ([("Saver", 1.0), ("Printer", 1.0)], ""),
        ([], ""),
    ],
)
def test_the_callback_that_takes_most_is_named(callbacks: list[tuple[str, float]], named: str) -> None:
    verdict = judge([step(callbacks=30, device=70)], {}, [], callbacks)
    assert verdict.advice[0].subject == named
    assert (f"most of it into {named}" in str(verdict)) == bool(named)
    assert verdict.remedies[0].startswith(f"Let {named or 'callbacks'} do")


def test_steps_that_compile_do_not_count_if_there_are_others() -> None:
    verdict = judge([step(compile=100, input=50, device=1), step(1, device=10)], {}, [])
    assert verdict.kind == "device"
    assert judge([step(compile=100, input=50, device=1)], {}, []).kind == "input"


def test_compiling_again_and_again_is_a_verdict() -> None:
    once = [step(compile=100), step(1, compile=90, device=10)]
    later = [step(n, device=10) for n in range(2, 5)]
    assert judge([*once, *later], {}, []).kind == "device"
    again = [step(n, compile=10, device=10) for n in range(5, 8)]
    verdict = judge([*once, *later, *again], {}, [])
    assert verdict.kind == "compile"
    assert "is compiling, in 4 of 7 steps" in str(verdict)
    assert "all batches the same shape" in verdict.remedies[0]


def test_without_steps_the_threads_time_counts() -> None:
    total = dict.fromkeys(PHASES, 0.0) | {"input": 9.0, "host": 1.0}
    verdict = judge([], total, [])
    assert verdict.is_input_bound
    assert "90% of the time waits for input" in str(verdict)


def test_nothing_is_no_verdict() -> None:
    assert judge([], {}, []).kind == "unknown"
    assert "mark the steps" in str(judge([], {}, []))
    assert judge([step(compile=3)], {}, []).kind == "compile"
