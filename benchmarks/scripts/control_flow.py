"""A program with control flow, run again and again; or, as a script, run for the first time.

`python benchmarks/scripts/control_flow.py package program` prints the seconds of the first call as JSON.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path


def contender(package: str, program: str) -> Callable[[int], float]:
    """The program written with the package of that name; its first call has been made."""
    programs = importlib.import_module("benchmarks.scripts.control_flow_programs").PROGRAMS
    run = programs[program](importlib.import_module(package))
    first = run()

    def run_steps(count: int) -> float:
        for _ in range(count):
            run()
        return first

    return run_steps


def main() -> None:
    """Time the first call, without the imports."""
    package, program = sys.argv[1:]
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    tf = importlib.import_module(package)
    programs = importlib.import_module("benchmarks.scripts.control_flow_programs").PROGRAMS
    float(tf.constant(1.0).numpy())  # what a package imports when it is first used is no part of it
    run = programs[program](tf)
    start = time.perf_counter()
    run()
    print(json.dumps({"seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
