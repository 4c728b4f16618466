"""A process that lays points out: `python -m tapeflow.board.api.projector.worker FOLDER`.

The folder holds `vectors.npy` and `job.json`. What is reached so far is put into `layout.tfa` again and again; a line
of JSON on stdout says so. The process ends when its stdin does: it does not outlive the board that started it.
"""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import orjson

from tapeflow.board.api.projector.jobs import JOB, LAYOUT, VECTORS
from tapeflow.board.api.projector.layouts import lay_out, note_of, packed_layout


def _main(folder: str) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no report
    os.nice(2)  # the server comes first
    with open(os.path.join(folder, JOB), "rb") as file:
        job = orjson.loads(file.read())
    vectors = np.load(os.path.join(folder, VECTORS), mmap_mode="r", allow_pickle=False)
    note = note_of(len(vectors))
    layouts = 0

    def report(iteration: int, total: int, what: str, layout: np.ndarray | None) -> None:
        nonlocal layouts
        if layout is not None:
            layouts += 1
            part = os.path.join(folder, LAYOUT + ".part")
            with open(part, "wb") as file:
                file.write(packed_layout(layout, iteration, total, note))
            os.replace(part, os.path.join(folder, LAYOUT))
        facts = {"iteration": iteration, "total": total, "doing": what, "layout": layouts}
        said.write(orjson.dumps(facts).decode() + "\n")
        said.flush()

    layout = lay_out(vectors, job["method"], job["parameters"], report)
    total = int(job["parameters"]["iterations"])
    report(total, total, "", np.asarray(layout, np.float32))


def _end_with_parent() -> None:
    os.read(0, 1)  # not through sys.stdin: its lock would be held when the interpreter ends
    os._exit(1)


if __name__ == "__main__":
    _main(sys.argv[1])
