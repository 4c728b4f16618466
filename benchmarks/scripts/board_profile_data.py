"""A profile of 100,000 nested events on eight threads, as an XPlane file."""

import tempfile
from pathlib import Path

import numpy as np

from tapeflow.summary.protos import message

EVENTS = 100_000
FOLDER = Path(tempfile.gettempdir()) / "tapeflow-benchmark-board-profile"
_THREADS = 8
_NAMES = 400
_NESTED = 4


def make() -> None:
    """Write it, unless it is there: on each thread calls one after the other, with others inside them."""
    path = FOLDER / "run" / "plugins" / "profile" / "2026_01_01_00_00_00" / "host.xplane.pb"
    if path.exists():
        return
    random = np.random.default_rng(0)
    space = message("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    for number in range(1, _NAMES + 1):
        plane.event_metadata[number].name = (
            f"model/block_{number}/dense:MatMul" if number % 3 else f"call {number}"
        )
    for thread in range(_THREADS):
        line, at = plane.lines.add(name=f"thread {thread}"), 0
        for _ in range(EVENTS // _THREADS // (_NESTED + 1)):
            at += int(random.integers(1_000, 4_000_000))
            duration = int(random.integers(2_000_000, 40_000_000))
            line.events.add(metadata_id=int(random.integers(1, _NAMES)), offset_ps=at, duration_ps=duration)
            for inner in range(_NESTED):
                offset = at + inner * duration // _NESTED
                number = int(random.integers(1, _NAMES))
                line.events.add(metadata_id=number, offset_ps=offset, duration_ps=duration // (_NESTED + 1))
            at += duration
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(space.SerializeToString())
