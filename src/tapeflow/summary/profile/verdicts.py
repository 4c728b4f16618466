"""What training waits for, judged from its steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tapeflow.summary.profile.records import PHASES, Pipeline, Step
from tapeflow.summary.profile.remedies import Remedy, remedies

HIGH = 0.2
MODERATE = 0.05
_MOSTLY = 0.5

_WAITS = {
    "input": "waits for input",
    "callbacks": "goes into callbacks and logging",
    "host": "is Python and dispatching",
    "device": "is computing",
}
_AGAIN = 3
_RARER = "a rarer update_freq and save_freq"
_REMEDIES = {
    "host": [
        Remedy(
            "larger_batches",
            "larger batches",
            "Use larger batches: Python takes the same time for a step whatever the batch size.",
        ),
        Remedy(
            "staging",
            "tf.function",
            "Put tf.function on your own step; in fit, leave run_eagerly off, pass steps_per_execution, and set "
            "supports_fused_steps = True in callbacks that only read logs.",
        ),
    ],
    "compile": [
        Remedy(
            "equal_shapes",
            "batches of equal shapes",
            "Give all batches the same shape: batch(drop_remainder=True), padded_batch to one length.",
        ),
        Remedy(
            "tensors", "tensors for numbers", "Pass Python numbers that change to a tf.function as tensors."
        ),
    ],
}


@dataclass(frozen=True)
class Verdict:
    """What training waits for.

    Attributes:
        kind: 'input', 'callbacks', 'host' (Python and dispatching), 'device', 'compile' if steps compile again and
            again, or there were no others, or 'unknown' if there were none.
        share: the share of step time that it takes, without compiling.
        text: the verdict in a sentence.
        advice: what to do; nothing if the device is what is waited for.
    """

    kind: str
    share: float
    text: str
    advice: list[Remedy]

    @property
    def remedies(self) -> list[str]:
        """What to do, a sentence each."""
        return [remedy.long for remedy in self.advice]

    @property
    def is_input_bound(self) -> bool:
        """Whether steps wait for their input more than a little."""
        return self.kind == "input"

    def __str__(self) -> str:
        return self.text


def breakdown(steps: Sequence[Step]) -> dict[str, float]:
    """The seconds of steps by phase."""
    return {phase: math.fsum(step.phases[phase] for step in steps) for phase in PHASES}


def judge(
    steps: Sequence[Step],
    total: dict[str, float],
    pipelines: Sequence[Pipeline],
    callbacks: Sequence[tuple[str, float]] = (),
) -> Verdict:
    """The verdict on steps; if none were marked, on all the time of the thread.

    Args:
        steps: the steps.
        total: how the thread that was profiled spent its time.
        pipelines: where batches came from.
        callbacks: the names of callbacks and what each took in steps, the slowest first.
    """
    if (again := _compiling_again(steps)) is not None:
        return again
    spent = breakdown(
        [s for s in steps if not s.phases["compile"]]
    )  # without those in which something was compiled
    if not math.fsum(spent.values()):
        spent = breakdown(steps) if steps else dict(total)
    whole = math.fsum(spent.values()) - spent.get("compile", 0.0)
    if whole <= 0:
        return _without_steps(spent.get("compile", 0.0))
    shares = {
        "input": spent["input"] / whole,
        "callbacks": spent["callbacks"] / whole,
        "host": (spent["host"] + spent["dispatch"]) / whole,
        "device": spent["device"] / whole,
    }
    kind = _kind(shares)
    what = "step time" if steps else "the time"
    text = f"{shares[kind]:.0%} of {what} {_WAITS[kind]}"
    found = _REMEDIES.get(kind, [])
    if kind == "input":
        found = remedies(max(pipelines, key=lambda p: p.wall).steps if pipelines else [])
        text += f": add {', '.join(remedy.short for remedy in found)}"
    elif kind == "callbacks":
        found = [_of_callbacks(callbacks)]
        text += f", most of it into {found[0].subject}" if found[0].subject else ""
    elif kind == "device":
        text += f"; input takes {shares['input']:.0%}"
    return Verdict(kind, shares[kind], text + ".", found)


def _of_callbacks(callbacks: Sequence[tuple[str, float]]) -> Remedy:
    """Whom to call less often: a callback by name if it takes more than all the others."""
    name, seconds = callbacks[0] if callbacks else ("", 0.0)
    if seconds <= _MOSTLY * math.fsum(each for _, each in callbacks):
        advice = "Let callbacks do their work less often than in every batch: update_freq, save_freq, print."
        return Remedy("callbacks", _RARER, advice)
    advice = f"Let {name} do its work less often than in every batch: update_freq, save_freq, print."
    return Remedy("callbacks", _RARER, advice, name)


def _compiling_again(steps: Sequence[Step]) -> Verdict | None:
    """The verdict on training that compiles again and again; the first steps may."""
    later = steps[1:]
    again = [step for step in later if step.phases["compile"]]
    whole = math.fsum(step.wall for step in later)
    share = math.fsum(step.phases["compile"] for step in again) / whole if whole else 0.0
    if len(again) < _AGAIN or share < HIGH:
        return None
    return Verdict(
        "compile",
        share,
        f"{share:.0%} of the time after the first step is compiling, in {len(again)} of {len(later)} steps.",
        _REMEDIES["compile"],
    )


def _kind(shares: dict[str, float]) -> str:
    """What matters most: what can be mended first, however much it is beyond a share that is to be expected."""
    if shares["input"] >= HIGH:
        return "input"
    if shares["callbacks"] >= HIGH:
        return "callbacks"
    if shares["host"] >= _MOSTLY:
        return "host"
    return "input" if shares["input"] >= MODERATE and shares["input"] > shares["device"] else "device"


def _without_steps(compiling: float) -> Verdict:
    if compiling:
        return Verdict("compile", 1.0, "Nothing but compiling: profile more steps, after the first ones.", [])
    return Verdict(
        "unknown",
        0.0,
        "No steps: profile a fit, or mark the steps of your loop with "
        'tf.profiler.experimental.Trace("train", step_num=step).',
        [],
    )
