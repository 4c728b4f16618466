"""`python -m benchmarks [--quick] [name ...]`: run the benchmarks and judge their bars."""

import argparse
import importlib
import sys

from benchmarks import report
from benchmarks.harness import run

MODULES = (
    *("tape_loop", "control_flow", "conv", "fit", "shapes", "networks", "distribute"),
    *("data", "summary", "saving", "startup"),
    *("board", "board_histograms", "board_graphs", "board_hparams", "board_profile", "board_projector"),
)


def main() -> int:
    """Run what was asked for; with --strict, status 1 means that not every bar was met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"any of: {', '.join(MODULES)}, or one benchmark of them, as network_vgg (default: all)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a first look: three rounds of the contenders that bars name, without extra sizes",
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 unless every bar is met")
    parser.add_argument("--only", action="append", metavar="TEXT", help="contenders whose name contains TEXT")
    options = parser.parse_args()
    benchmarks = {name: importlib.import_module(f"benchmarks.{name}").BENCHMARKS for name in MODULES}
    every = {benchmark.name: benchmark for found in benchmarks.values() for benchmark in found}
    unknown = sorted(set(options.names) - {*MODULES, *every})
    if unknown:
        parser.error(f"benchmarks expected names out of {', '.join(MODULES)}; got {', '.join(unknown)}")
    wanted = []
    for name in options.names or MODULES:
        chosen = benchmarks.get(name, ())
        wanted += [b for b in chosen if not (options.quick and b.is_extra)] if chosen else [every[name]]
    all_met = True
    for benchmark in wanted:
        all_met &= run(benchmark, is_quick=options.quick, only=tuple(options.only or ())).is_all_met
        report.write(list(every))  # after each: an interrupted run keeps what it has measured
    return 1 if options.strict and not all_met else 0


if __name__ == "__main__":
    sys.exit(main())
