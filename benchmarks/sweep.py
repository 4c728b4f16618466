"""`python -m benchmarks.sweep [conv|pool|product ...]`: shapes for which TapeFlow's kernels are slow.

Shapes are drawn from a grid with a fixed seed. Each is run by TapeFlow, TensorFlow and PyTorch (channels last), in
processes that stay up and take turns, and the shortest call of each counts. What is printed are the shapes whose ratio
to the faster peer is worst. Calls so short that starting them is most of the time are left out. With `--strict`, the
status is 1 if a shape takes more than twice the time of the faster peer.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import asdict

from benchmarks.contenders import PEERS, PROJECT, Loop, LoopProcess, NotMeasured
from benchmarks.scripts.sweep_cases import Case, draw

KINDS = ("conv", "pool", "product")
_TARGET = "benchmarks.scripts.sweep_contenders:contender"
_CONTENDERS = (("tapeflow", PROJECT), ("tensorflow", PEERS), ("torch", PEERS))
_TURNS = 2
_WORST = 10
_AT_MOST = 2.0
# A call of a compiled program takes about as long as this by itself.
_SHORTEST_S = 50e-6


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"any of: {', '.join(KINDS)} (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="what is drawn (default: 0)")
    parser.add_argument("--shapes", type=int, default=100, help="at most so many of each kind (default: 100)")
    parser.add_argument("--seconds", type=float, default=200.0, help="for each kind (default: 200)")
    parser.add_argument(
        "--alone", action="store_true", help="one thread, and the processor's time: if others use the machine"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a ratio is above 2")
    options = parser.parse_args()
    unknown = sorted(set(options.kinds) - set(KINDS))
    if unknown:
        parser.error(f"sweep expected kinds out of {', '.join(KINDS)}; got {', '.join(unknown)}")
    worst = 0.0
    for kind in options.kinds or KINDS:
        ratios = measure(kind, options.seed, options.shapes, options.seconds, options.alone)
        _print(kind, ratios)
        worst = max([worst, *(ratio for ratio, _, _ in ratios)])
    return 1 if options.strict and worst > _AT_MOST else 0


def measure(
    kind: str, seed: int, count: int, seconds: float, is_alone: bool
) -> list[tuple[float, Case, dict[str, float]]]:
    """The ratio to the faster peer of each case for which there is time, with the times; the worst first."""
    arguments = {"kind": kind, "seed": seed, "count": count, "is_alone": is_alone}
    running: dict[str, LoopProcess] = {}
    found = []
    try:
        for package, interpreter in _CONTENDERS:
            running[package] = Loop(package, interpreter, _TARGET, {"package": package, **arguments}).start()
        end = time.perf_counter() + seconds
        for number, case in enumerate(draw(kind, seed, count)):
            if time.perf_counter() > end:
                break
            times = _measure_case(running, number)
            peers = [t for package, t in times.items() if package != "tapeflow" and not math.isnan(t)]
            if peers and times["tapeflow"] > _SHORTEST_S:
                found.append((times["tapeflow"] / min(peers), case, times))
    finally:
        for process in running.values():
            process.close()
    return sorted(found, key=lambda row: -row[0])


def _measure_case(running: dict[str, LoopProcess], number: int) -> dict[str, float]:
    """The shortest call of each in several turns."""
    times: dict[str, float] = {}
    for _ in range(_TURNS):
        for package, process in running.items():
            seconds = process.round(number).value
            if seconds is None:
                raise NotMeasured("failed", f"{package} gave no time for case {number}")
            times[package] = min(times.get(package, math.inf), seconds) if seconds == seconds else math.nan
    return times


def _print(kind: str, ratios: list[tuple[float, Case, dict[str, float]]]) -> None:
    above = sum(ratio > _AT_MOST for ratio, _, _ in ratios)
    print(f"\n{kind}: {len(ratios)} shapes, {above} above {_AT_MOST:g} times the faster peer")
    for ratio, case, times in ratios[:_WORST]:
        text = ", ".join(f"{package} {seconds * 1e3:.3f} ms" for package, seconds in times.items())
        shape = " ".join(f"{name}={value}" for name, value in asdict(case).items())
        print(f"  {ratio:6.2f}  {text}\n          {shape}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
