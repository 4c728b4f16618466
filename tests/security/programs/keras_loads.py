"""What real Keras does with files: `python keras_loads.py FOLDER` prints what became of each, as JSON.

"refused" is an error of Keras's own, "exhausted" much memory taken or none left, "loaded" neither; "slow" is more than
a minute.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import warnings
from pathlib import Path

os.environ["KERAS_BACKEND"] = "jax"

import keras

ROOM = 2 << 30
MOST_SECONDS = 60
MUCH_KB = 400 << 10
REFUSED, EXHAUSTED = 1, 2
NAMES = {0: "loaded", REFUSED: "refused", EXHAUSTED: "exhausted", -signal.SIGALRM: "slow"}


def load(path: Path | None) -> int:
    """Load a file, or nothing; the exit code."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, resource.RLIM_INFINITY))
    signal.alarm(MOST_SECONDS)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4)])
    try:
        if path is not None and path.name.endswith(".weights.h5"):
            model.load_weights(path)
        elif path is not None:
            keras.models.load_model(path)
    except Exception as error:  # noqa: BLE001 (whatever it says)
        text = f"{type(error).__name__}: {error}"
        wanting = ("RESOURCE_EXHAUSTED", "allocate", "MemoryError", "Out of memory", "memory allocation")
        return EXHAUSTED if any(word in text for word in wanting) else REFUSED
    return 0


def outcome(path: Path | None) -> tuple[str, int]:
    """What became of loading a file, and the most memory in kB, in a process of its own: it may be aborted."""
    child = os.fork()
    if child == 0:
        os._exit(load(path))
    _, status, used = os.wait4(child, 0)
    return NAMES.get(os.waitstatus_to_exitcode(status), "exhausted"), used.ru_maxrss


def main(folder: Path) -> None:
    _, usual = outcome(None)
    found = {"version": keras.__version__}
    for path in sorted(p for p in folder.iterdir() if p.name[0] != "_"):
        name, used = outcome(path)
        found[path.name] = "exhausted" if used > usual + MUCH_KB else name
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
