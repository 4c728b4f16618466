"""Runs the contenders of a benchmark in interleaved rounds and says which bars are met.

Machines drift: a number from one minute says little about a number from the next. So every
contender stays ready in a process of its own, one works at a time, a round of each follows a round
of the other (in an order that rotates), and what is judged is the median of the ratios of rounds
that were neighbours in time.
"""

import json
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.contenders import Loop, LoopProcess, NotMeasured, Sample, Script
from benchmarks.report import RESULTS, machine

QUICK_ROUNDS = 3
# Thread pools spin for a while after their last job; the next contender shall not pay for it.
SETTLE_S = 0.03
BUSY_LOAD = 0.5


@dataclass(frozen=True)
class Bar:
    """What a contender must reach: at most `at_most` times the reference's time, or `fact` if one is named.

    A `reference` of several names means the fastest of them.
    """

    contender: str
    reference: str | tuple[str, ...]
    at_most: float
    fact: str | None = None

    @property
    def references(self) -> tuple[str, ...]:
        """The names it is compared with."""
        return (self.reference,) if isinstance(self.reference, str) else self.reference

    def judge(self, result: "Result") -> "Verdict":
        """Compare with the limit: the median of paired ratios, and the fastest rounds.

        Both must agree. A busy machine slows some contenders far more than others, so a median
        alone would now and then find a bar met that is not.
        """
        names = self.references
        what = "" if self.fact is None else f", {self.fact}"
        text = f"{self.contender}{what} <= {self.at_most:.3g}x {' and '.join(names)}"
        missing = [name for name in (self.contender, *names) if name not in result.samples]
        if missing:
            return Verdict(text, None, f"not measured: {', '.join(missing)}")
        ratio = max(result.ratio(self.contender, name, self.fact) for name in names)
        at_best = max(result.ratio_at_best(self.contender, name, self.fact) for name in names)
        figure = f"{ratio:.3g}x, {at_best:.3g}x at best"
        if (ratio <= self.at_most) != (at_best <= self.at_most):
            return Verdict(text, None, f"unsure, measure again: {figure}")
        return Verdict(text, ratio <= self.at_most, figure)


@dataclass(frozen=True)
class Fact:
    """Something a script reports of itself that must have one value."""

    contender: str
    name: str
    expected: Any
    references: tuple[str, ...] = ()

    def judge(self, result: "Result") -> "Verdict":
        """Compare the fact of the last round with what is expected."""
        text = f"{self.contender}: {self.name} is {self.expected}"
        if self.contender not in result.samples:
            return Verdict(text, None, f"not measured: {self.contender}")
        value = result.samples[self.contender][-1].facts.get(self.name)
        return Verdict(text, value == self.expected, repr(value))


@dataclass(frozen=True)
class Verdict:
    """A bar in words, whether it is met (None: not known), and by what figure."""

    text: str
    is_met: bool | None
    figure: str

    def __str__(self) -> str:
        word = {True: "met", False: "MISSED", None: "unsure"}[self.is_met]
        return f"  {word:<7} {self.text}: {self.figure}"


@dataclass(frozen=True)
class Benchmark:
    """Contenders that do the same work, the one they are compared with, and the bars.

    Args:
        name: the file the results go to.
        title: what is measured, in the words of the table's head.
        contenders: Loops or Scripts, in the order of the table.
        reference: the contender whose time is 1.00 in the column of ratios.
        bars: what must hold.
        steps: steps a round of a Loop.
        warm_up: steps every Loop does first, untimed; all must then agree on the value.
        tolerance: by how much, relatively, they may differ in it.
        rounds: rounds of each contender; with --quick, three.
        unit: "us" a step or "s" a run.
        prepare: called once before anything starts.
        is_extra: left out with --quick.
    """

    name: str
    title: str
    contenders: Sequence[Loop | Script]
    reference: str
    bars: Sequence[Bar | Fact]
    steps: int = 1
    warm_up: int = 0
    tolerance: float = 1e-2
    rounds: int = 9
    unit: str = "us"
    prepare: Callable[[], None] | None = None
    is_extra: bool = False


@dataclass
class Result:
    """What one run of a benchmark gave; times in it are seconds a step."""

    benchmark: Benchmark
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    warm_up: dict[str, Sample] = field(default_factory=dict)
    not_measured: dict[str, NotMeasured] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    load_before: float = 0.0

    @property
    def is_all_met(self) -> bool:
        """Whether every bar was measured and met."""
        return all(verdict.is_met for verdict in self.verdicts)

    def drop(self, name: str, reason: NotMeasured) -> None:
        """Take a contender out that failed on the way."""
        self.not_measured[name] = reason
        self.samples.pop(name, None)
        self.seconds.pop(name, None)

    def figures(self, name: str, fact: str | None = None) -> list[float]:
        """Seconds a step in each round, or what the script reported as `fact`."""
        if fact is None:
            return self.seconds[name]
        return [sample.facts[fact] for sample in self.samples[name]]

    def ratio(self, name: str, reference: str, fact: str | None = None) -> float:
        """The median of the ratios of rounds that ran next to each other."""
        pairs = zip(self.figures(name, fact), self.figures(reference, fact), strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs)

    def ratio_at_best(self, name: str, reference: str, fact: str | None = None) -> float:
        """The ratio of the fastest rounds: what is left when nothing else ran on the machine."""
        return min(self.figures(name, fact)) / min(self.figures(reference, fact))

    def disagreements(self) -> list[str]:
        """Contenders whose value after the warm-up is not the reference's: they did other work."""
        values = {name: sample.value for name, sample in self.warm_up.items() if sample.value is not None}
        expected = values.get(self.benchmark.reference)
        if expected is None:
            return []
        limit = self.benchmark.tolerance * abs(expected)
        return [
            f"{n}: {v:.6g}, not {expected:.6g}" for n, v in values.items() if not abs(v - expected) <= limit
        ]


def run(benchmark: Benchmark, is_quick: bool = False, only: Sequence[str] = ()) -> Result:
    """Run all rounds of a benchmark, print its table and bars, and store them as JSON.

    Args:
        benchmark: what to run.
        is_quick: three rounds, for a first look; of those contenders alone that a bar is about.
        only: parts of names; the reference and the contenders with one of them in their names run.
    """
    if only:
        chosen = [
            c for c in benchmark.contenders if c.name == benchmark.reference or any(t in c.name for t in only)
        ]
        names = {contender.name for contender in chosen}
        bars = [bar for bar in benchmark.bars if bar.contender in names]
        benchmark = replace(benchmark, contenders=chosen, bars=bars)
    elif is_quick:
        named = {n for bar in benchmark.bars for n in (bar.contender, *bar.references)} | {
            benchmark.reference
        }
        benchmark = replace(benchmark, contenders=[c for c in benchmark.contenders if c.name in named])
    rounds = min(QUICK_ROUNDS, benchmark.rounds) if is_quick else benchmark.rounds
    result = Result(benchmark, load_before=os.getloadavg()[0])
    if benchmark.prepare is not None:
        benchmark.prepare()
    running = _start(benchmark, result)
    try:
        _measure(running, rounds, result)
    finally:
        for process in running.values():
            process.close()
    result.verdicts = [bar.judge(result) for bar in benchmark.bars]
    print(_table(result, rounds), flush=True)
    _save(result, rounds)
    return result


def _start(benchmark: Benchmark, result: Result) -> dict[str, LoopProcess | Script]:
    """Start and warm up all contenders, several at a time: nothing of that is timed."""
    running: dict[str, LoopProcess | Script] = {}

    def start(contender: Loop | Script) -> None:
        try:
            process = running[contender.name] = contender.start()
            if benchmark.warm_up or isinstance(contender, Script):
                result.warm_up[contender.name] = process.round(benchmark.warm_up)
        except NotMeasured as reason:
            result.drop(contender.name, reason)
            if contender.name in running:
                running.pop(contender.name).close()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(start, benchmark.contenders))
    return running


def _measure(running: Mapping[str, LoopProcess | Script], rounds: int, result: Result) -> None:
    contenders = [c for c in result.benchmark.contenders if c.name in running]
    for contender in contenders:
        result.samples[contender.name] = []
        result.seconds[contender.name] = []
    for number in range(rounds):
        shift = number % max(len(contenders), 1)
        for contender in (*contenders[shift:], *contenders[:shift]):
            if contender.name in result.not_measured:
                continue
            steps = contender.steps or result.benchmark.steps
            try:
                sample = running[contender.name].round(steps)
            except NotMeasured as reason:
                result.drop(contender.name, reason)
                continue
            result.samples[contender.name].append(sample)
            result.seconds[contender.name].append(sample.seconds / steps)
            time.sleep(SETTLE_S)


def _table(result: Result, rounds: int) -> str:
    benchmark = result.benchmark
    steps = f" of {benchmark.steps} steps" if benchmark.unit == "us" else ""
    width = max(len(contender.name) for contender in benchmark.contenders)
    lines = [
        "",
        f"{benchmark.title} ({benchmark.unit}, {rounds} rounds{steps})",
        f"  {'':<{width}} {'median':>9} {'fastest..slowest':>18} {'ratio':>8} {'at best':>8}",
    ]
    for contender in benchmark.contenders:
        name = contender.name
        reason = result.not_measured.get(name)
        if reason is None:
            text = _row(result, name)
        else:
            text = f"   {reason.kind}: {reason.reason.strip().splitlines()[-1]}"
        lines.append(f"  {name:<{width}} {text}".rstrip())
    lines += [f"  WARNING: not the same work: {text}" for text in result.disagreements()]
    if result.load_before > BUSY_LOAD:
        lines.append(f"  WARNING: the machine was busy before this began: load {result.load_before:.1f}")
    return "\n".join([*lines, *map(str, result.verdicts)])


def _row(result: Result, name: str) -> str:
    scale, digits = (1e6, 0) if result.benchmark.unit == "us" else (1.0, 3)
    times = [seconds * scale for seconds in result.seconds[name]]
    spread = f"{min(times):.{digits}f}..{max(times):.{digits}f}"
    ratios = ["-", "-"]
    if (reference := result.benchmark.reference) in result.seconds:
        found = result.ratio(name, reference), result.ratio_at_best(name, reference)
        ratios = [f"{ratio:.3f}" for ratio in found]
    facts = ", ".join(f"{key} {value}" for key, value in result.samples[name][-1].facts.items())
    median = f"{statistics.median(times):.{digits}f}"
    return f"{median:>9} {spread:>18} {ratios[0]:>8} {ratios[1]:>8}  {facts}"


def _figures(result: Result, name: str) -> dict[str, Any]:
    times, reference = result.seconds[name], result.benchmark.reference
    return {
        "median": statistics.median(times),
        "fastest": min(times),
        "ratio": result.ratio(name, reference) if reference in result.seconds else None,
        "at_best": result.ratio_at_best(name, reference) if reference in result.seconds else None,
        "facts": dict(result.samples[name][-1].facts),
    }


def _save(result: Result, rounds: int) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{result.benchmark.name}.json"
    content = {
        "benchmark": result.benchmark.title,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": machine(),
        "load_before": result.load_before,
        "rounds": rounds,
        "unit": result.benchmark.unit,
        "contenders": {name: _figures(result, name) for name in result.seconds},
        "seconds_a_step": result.seconds,
        "not_measured": {name: [r.kind, r.reason] for name, r in result.not_measured.items()},
        "bars": [{"bar": v.text, "is_met": v.is_met, "figure": v.figure} for v in result.verdicts],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")
    return path
