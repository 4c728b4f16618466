"""Start several processes of one script on this machine, as a cluster would, to try it.

Each process runs `SCRIPT` as `tapeflow run` does, and `tf.distribute.MultiWorkerMirroredStrategy()` in it finds the
others. Every line of output begins with the number of its process. On a real cluster, use the cluster's own launcher.

  tapeflow launch -n 4 train.py --epochs 5
  tapeflow launch -n 2 -m my_package.train
  tapeflow launch -n 4 --restarts 3 train.py     # with the callback BackupAndRestore, training resumes

When a process fails, the others get SIGTERM, and SIGKILL if they still run after --grace seconds; the exit code is
that of the first failure, 128 + N for signal N. Ctrl+C interrupts all processes; a second one kills them.

The processes share the cores of this machine. They get the environment variables of torchrun (RANK, LOCAL_RANK,
WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT) and TF_CONFIG.
"""

from __future__ import annotations

import argparse
import os
import sys

from tapeflow.cli.failure import Failure
from tapeflow.cli.workers import Workers

_MOST = 512


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tapeflow launch`."""
    parser.add_argument(
        "-n", "--processes", type=int, required=True, metavar="N", help="how many processes to start"
    )
    parser.add_argument(
        "--restarts",
        type=int,
        default=0,
        metavar="N",
        help="start all processes again after a failure, at most N times (default: %(default)s)",
    )
    parser.add_argument(
        "--grace",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="how long processes may take to end before they are killed (default: %(default)s)",
    )
    parser.add_argument("-m", dest="is_module", action="store_true", help="SCRIPT is the name of a module")
    parser.add_argument("script", metavar="SCRIPT", help="a Python file")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="passed on to the script")


def run(chosen: argparse.Namespace) -> int:
    """Run the processes to their end, again if they may be restarted."""
    _check(chosen)
    command = [*(["-m"] if chosen.is_module else []), chosen.script, *chosen.arguments]
    workers = Workers(command, chosen.processes, chosen.grace)
    with workers.signals():
        code = workers.run()
        for restart in range(1, chosen.restarts + 1):
            if code == 0 or workers.is_stopping:
                break
            _say(f"starting all {chosen.processes} processes again, restart {restart} of {chosen.restarts}")
            code = workers.run()
    return code


def _check(chosen: argparse.Namespace) -> None:
    if not 1 <= chosen.processes <= _MOST:
        raise Failure(f"-n expected 1 to {_MOST} processes; got {chosen.processes}.", 2)
    if chosen.restarts < 0:
        raise Failure(f"--restarts expected 0 or more; got {chosen.restarts}.", 2)
    if chosen.grace < 0:
        raise Failure(f"--grace expected 0 or more seconds; got {chosen.grace:g}.", 2)
    if not chosen.is_module and not os.path.isfile(chosen.script):
        raise Failure(f"expected a Python script; got {chosen.script!r}, which is no file.")


def _say(text: str) -> None:
    sys.stderr.write(f"tapeflow launch: {text}\n")
    sys.stderr.flush()
