"""A profile for the page: everything but its events."""

from __future__ import annotations

import os
from typing import cast

from tapeflow.board.api.profile.schema import (
    ProfileMemory,
    ProfileOp,
    ProfileOverview,
    ProfilePipeline,
    ProfileSteps,
    VerdictKind,
)
from tapeflow.board.api.profile.sessions import ProfileSession
from tapeflow.summary.profile.profiles import Profile
from tapeflow.summary.profile.records import PHASES
from tapeflow.summary.profile.trace import Label, shortened

MOST_STEPS = 200_000
MOST_OPS = 5_000
MOST_ROWS = 10_000


def overview_of(session: ProfileSession) -> ProfileOverview:
    """What a profile says."""
    profile = session.profile
    verdict, main, ops = profile.verdict, profile.main_steps, _ops(profile)
    damages = [damage.replace(profile.path + os.sep, "") for damage in profile.damages]
    if len(profile.trace):  # `is_measured` says it: that another tool took the profile is no damage
        damages = [damage for damage in damages if not damage.startswith("there is no record of steps")]
    if len(profile.steps) > MOST_STEPS:
        damages.append(f"{len(profile.steps) - MOST_STEPS} steps after the first {MOST_STEPS} are left out")
    return {
        "run": session.run.id,
        "session": session.name,
        "host": session.host,
        "hosts": profile.hosts,
        "device": profile.device,
        "duration": profile.duration,
        "is_measured": bool(profile.device),
        "verdict": {
            "kind": cast("VerdictKind", verdict.kind),
            "share": verdict.share,
            "text": verdict.text,
            "remedies": [
                {"kind": remedy.kind, "subject": shortened(remedy.subject), "text": remedy.long}
                for remedy in verdict.advice
            ],
        },
        "breakdown": profile.breakdown,
        "main": shortened(main[0].name) if main else "",
        "steps": _steps(profile),
        "ops": sorted(ops, key=lambda op: -op["own"])[:MOST_OPS],
        "op_total": len(ops),
        "low_precision_share": profile.low_precision_share,
        "memory": _memory(profile),
        "pipelines": [_pipeline(p.reads, p.wall, p.steps) for p in profile.pipelines[:20]],
        "compiles": [
            {"name": shortened(c.name), "start": c.at, "wall": c.wall, "is_cached": c.is_cached}
            for c in profile.compiles[:MOST_ROWS]
        ],
        "hooks": _summed(profile.hooks),
        "callbacks": _summed(profile.callbacks),
        "events": len(profile.trace) + profile.trace.left_out,
        "damages": damages,
    }


def _steps(profile: Profile) -> ProfileSteps:
    steps = profile.steps[:MOST_STEPS]
    kinds = list(dict.fromkeys(shortened(step.name) for step in steps))
    places = {name: i for i, name in enumerate(kinds)}
    return {
        "kinds": kinds,
        "names": [places[shortened(step.name)] for step in steps],
        "numbers": [step.number for step in steps],
        "counts": [step.count for step in steps],
        "starts": [step.at for step in steps],
        "walls": [step.wall for step in steps],
        "phases": {phase: [step.phases[phase] for step in steps] for phase in PHASES},
        "total": len(profile.steps),
    }


def _ops(profile: Profile) -> list[ProfileOp]:
    """All names of events: instructions with what is known about them, the others as their names tell."""
    trace = profile.trace
    found: list[ProfileOp] = [
        {
            "name": op.name,
            "kind": "xla",
            "type": shortened(op.kind),
            "module": op.module,
            "detail": f"{op.dtype}{list(op.shape)}",
            "is_gradient": op.is_gradient,
            "count": op.occurrences,
            "total": op.wall,
            "own": op.own,
        }
        for op in profile.ops
    ]
    for label, count, wall, own in zip(trace.labels, *trace.totals(), trace.own, strict=True):
        if label.kind != "xla" and count:
            found.append(
                {
                    "name": label.name,
                    "kind": label.kind,
                    "type": type_of(label),
                    "module": "",
                    "detail": "",
                    "is_gradient": label.kind == "framework" and "gradient" in label.name.lower(),
                    "count": int(count),
                    "total": int(wall) / 1e12,
                    "own": int(own) / 1e12,
                }
            )
    return found


def type_of(label: Label) -> str:
    """What events are grouped by: the type of an op, the stage of a pipeline, the file of a function."""
    if label.kind == "framework":
        return label.name.rpartition(":")[2]
    if label.kind == "input":
        return label.name.partition("#")[0].rpartition("::")[2]
    if label.kind == "python":
        return label.name[1:].partition(" ")[0].partition(":")[0]
    return label.name.partition("::")[0].partition("(")[0].partition(":")[0] or label.name


def _memory(profile: Profile) -> ProfileMemory:
    own, allocated = profile.memory[:MOST_STEPS], profile.trace.memory[:MOST_STEPS]
    return {
        "starts": [m.at for m in own],
        "process": [m.rss_bytes for m in own],
        "arrays": [m.live_bytes for m in own],
        "allocator_starts": [at / 1e12 for at, _, _ in allocated],
        "allocator": [in_use for _, in_use, _ in allocated],
        "allocator_peak": max((peak for _, _, peak in profile.trace.memory), default=0),
    }


def _pipeline(reads: int, wall: float, steps: list[dict[str, object]]) -> ProfilePipeline:
    return {
        "reads": reads,
        "wall": wall,
        "stages": [
            {
                "method": shortened(str(step["method"])),
                "function": shortened(str(step.get("function", ""))),
                "workers": _number(step, "workers"),
                "busy": _number(step, "busy_ns") / 1e9,
                "calls": _number(step, "calls"),
            }
            for step in steps[:100]
        ],
    }


def _number(step: dict[str, object], key: str) -> int:
    value = step.get(key, 0)
    return value if isinstance(value, int) else 0


def _summed(times: list[tuple[str, float]]) -> dict[str, float]:
    """The seconds of each name; of names that a file makes up, only so many are told."""
    found: dict[str, float] = {}
    for name, seconds in times:
        key = shortened(name)
        if key in found or len(found) < 100:
            found[key] = found.get(key, 0.0) + seconds
    return found
