"""The far side of a Loop: a process that builds its work once, then times rounds on command.

Started as `python -m benchmarks.worker module:factory {"argument": ...}` with the contender's own
interpreter, so nothing here may import more than the standard library. The factory returns
`run_steps(count) -> float`: it does that many steps, waits for the last result and returns a number
(a loss, a checksum) by which the harness sees that all contenders did the same work.

The conversation is one JSON object a line: `{"ready": true}` or `{"absent": reason}` first, then
`{"steps": n}` in, `{"seconds": s, "value": v, "peak_mb": m}` out, until stdin closes. Any other failure ends the
process with its traceback on stderr, which the harness quotes.
"""

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from benchmarks.scripts.import_cost import peak_mb


def main() -> None:
    """Build the contender named on the command line and serve rounds until stdin closes."""
    answers = _take_stdout()
    target, arguments = sys.argv[1], json.loads(sys.argv[2])
    try:
        run_steps = _build(target, arguments)
    except ModuleNotFoundError as error:
        _answer(answers, absent=str(error))
        return
    _answer(answers, ready=True)
    for line in sys.stdin:
        steps = json.loads(line)["steps"]
        start = time.perf_counter()
        value = run_steps(steps)
        seconds = time.perf_counter() - start
        _answer(answers, seconds=seconds, value=value, peak_mb=peak_mb())


def _build(target: str, arguments: dict[str, Any]) -> Callable[[int], float]:
    module, _, factory = target.partition(":")
    return getattr(importlib.import_module(module), factory)(**arguments)


def _take_stdout() -> TextIO:
    """Keep the real stdout for answers and send whatever libraries print to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _answer(stream: TextIO, **fields: Any) -> None:
    stream.write(json.dumps(fields) + "\n")
    stream.flush()


if __name__ == "__main__":
    main()
