"""Python control flow over tensors under `tf.function` and in `Dataset.map`: first calls and later ones.

A first call compiles; TapeFlow keeps no programs from other runs here. Both packages run the same lines.
"""

from benchmarks.contenders import PEERS, PROJECT, Loop, Script
from benchmarks.harness import Bar, Benchmark
from benchmarks.scripts.control_flow_programs import PROGRAMS

_SCRIPT = "benchmarks/scripts/control_flow.py"
_TARGET = "benchmarks.scripts.control_flow:contender"

TAPEFLOW, TENSORFLOW = "TapeFlow", "TensorFlow"


def _later(program: str, title: str) -> Benchmark:
    return Benchmark(
        name=f"control_flow_{program}",
        title=f"{title} Later calls",
        contenders=(
            Loop(TENSORFLOW, PEERS, _TARGET, {"package": "tensorflow", "program": program}),
            Loop(TAPEFLOW, PROJECT, _TARGET, {"package": "tapeflow", "program": program}),
        ),
        reference=TENSORFLOW,
        bars=(Bar(TAPEFLOW, TENSORFLOW, at_most=1.0),),
        steps=3,
        warm_up=3,
        rounds=9,
    )


def _first(program: str, title: str) -> Benchmark:
    return Benchmark(
        name=f"control_flow_{program}_first",
        title=f"{title} First call",
        contenders=(
            Script(TENSORFLOW, PEERS, (_SCRIPT, "tensorflow", program), times_itself=True),
            Script(
                TAPEFLOW,
                PROJECT,
                (_SCRIPT, "tapeflow", program),
                {"TAPEFLOW_CACHE": "off"},
                times_itself=True,
            ),
        ),
        reference=TENSORFLOW,
        bars=(Bar(TAPEFLOW, TENSORFLOW, at_most=1.5),),
        rounds=3,
        unit="s",
    )


BENCHMARKS = tuple(
    benchmark(name, program.__doc__ or name)
    for name, program in PROGRAMS.items()
    for benchmark in (_later, _first)
)
