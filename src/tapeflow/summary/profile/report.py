"""A profile in words, for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapeflow.summary.profile.profiles import Profile
    from tapeflow.summary.profile.xplane import Op

_WORDS = {
    "input": "waiting for input",
    "compile": "staging and compiling",
    "dispatch": "dispatching",
    "device": "computing on the device",
    "callbacks": "callbacks and logging",
    "host": "other Python",
}
_MOST = 5


def report(profile: Profile) -> str:
    """The summary of a profile."""
    parts = [_head(profile), _steps(profile), _ops(profile), _compiles(profile), _memory(profile)]
    if profile.damages:
        parts.append("\n".join(["Not read", *[f"  {damage}" for damage in profile.damages]]))
    return "\n\n".join(part for part in parts if part)


def _head(profile: Profile) -> str:
    verdict = profile.verdict
    lines = [f"Profile {profile.path} ({profile.device or 'unknown device'}, {_time(profile.duration)})"]
    return "\n".join([*lines, verdict.text, *[f"  - {remedy}" for remedy in verdict.remedies]])


def _steps(profile: Profile) -> str:
    spent = {phase: seconds for phase, seconds in profile.breakdown.items() if seconds}
    whole = math.fsum(spent.values())
    if not whole:
        return ""
    steps = profile.main_steps
    count = sum(step.count for step in steps)
    if steps:
        title = f"Steps: {count} of '{steps[0].name}' in {len(steps)} runs of a program, {_time(whole / count)} each"
    else:
        title = "No steps were marked; all the time of the thread"
    rows = [f"  {_WORDS[phase]:26}{_time(s):>10}{s / whole:>7.1%}" for phase, s in spent.items()]
    between = math.fsum(seconds for _, seconds in profile.hooks)
    if between:
        rows.append(f"  callbacks between steps   {_time(between):>10}")
    return "\n".join([title, *rows])


def _ops(profile: Profile) -> str:
    whole = math.fsum(op.wall for op in profile.ops)
    if not whole:
        return ""
    kinds: dict[str, list[Op]] = {}
    for op in profile.ops:
        kinds.setdefault(f"{op.kind}{' (gradient)' if op.is_gradient else ''}", []).append(op)
    walls = {kind: math.fsum(op.wall for op in ops) for kind, ops in kinds.items()}
    rows = []
    for kind in sorted(walls, key=lambda k: -walls[k])[:_MOST]:
        largest = kinds[kind][0]
        form = f"{largest.dtype}{list(largest.shape)}"
        rows.append(f"  {kind:26}{_time(walls[kind]):>10}{walls[kind] / whole:>7.1%}  {form}")
    low = f"  computed in 16 bits or fewer{profile.low_precision_share:>15.1%}"
    return "\n".join(["Ops", *rows, low])


def _compiles(profile: Profile) -> str:
    found = profile.compiles
    if not found:
        return ""
    whole = math.fsum(c.wall for c in found)
    rows = [f"  {_time(c.wall):>10}  {c.name}{' (cached)' if c.is_cached else ''}" for c in found[:_MOST]]
    parts = ", ".join(
        f"{name} {_time(math.fsum(getattr(c, part) for c in found))}"
        for part, name in (("trace", "tracing"), ("lower", "lowering"), ("compile", "XLA"))
    )
    return "\n".join([f"Compiled {len(found)} programs in {_time(whole)}: {parts}", *rows])


def _memory(profile: Profile) -> str:
    if not profile.memory:
        return ""
    rss, live = (max(getattr(m, name) for m in profile.memory) for name in ("rss_bytes", "live_bytes"))
    return f"Memory at most: {_size(rss)} of the process, {_size(live)} in arrays"


def _size(nbytes: int) -> str:
    return f"{nbytes / 1e6:.1f} MB" if nbytes >= 1e6 else f"{nbytes / 1e3:.1f} kB"


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} us"
