"""Train a small network on handwritten digits, log everything, and show it on the board. No network is needed.

A convolutional network learns to read 8x8 digits; then a random search tries other learning rates, sizes and
dropouts. It takes less than a minute on two cores. The board then opens in the browser and stays until Ctrl+C.

  tapeflow demo                     train, then show the board
  tapeflow demo --live              show the board while it trains
  tapeflow demo --quick --no-open   the shortest demo; prints the address instead of opening a browser
  tapeflow demo --check             train, check every panel of the board, exit: 0 if all answer, 1 if not

The logs stay below --logdir: `tapeflow board --logdir logs` shows them again.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tapeflow import __version__
from tapeflow.board.app import STATIC
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import PortTaken, Running
from tapeflow.cli.failure import Failure
from tapeflow.summary.files import close_all
from tapeflow.summary.run_folders import new_folder

_MOST_TRIALS = 36  # there are no more combinations
_STOPPED = 130
_CLOSING_S = 3.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add(
        "--logdir",
        default="logs",
        metavar="DIR",
        help="the folder in which to create this demo's folder (default: logs)",
    )
    add("--quick", action="store_true", help="fewer epochs and trials: seconds instead of a minute")
    add("--trials", type=int, metavar="N", help="trials of the search (default: 8; with --quick 2; 0: none)")
    add("--live", action="store_true", help="start the board first, and watch the training")
    add("--no-board", action="store_true", help="only train")
    add(
        "--port",
        type=int,
        default=6006,
        help="the port; if it is taken, the next free one (default: 6006; 0: any free port)",
    )
    add("--no-open", action="store_true", help="do not open the page in the browser")
    add("--check", action="store_true", help="check that the board answers for every panel, and exit")


def run(chosen: argparse.Namespace) -> int:
    """Train, and serve until interrupted."""
    if not 0 <= chosen.port <= 65535:
        raise Failure(f"--port expected a number from 0 to 65535; got {chosen.port}.", 2)
    if chosen.trials is not None and not 0 <= chosen.trials <= _MOST_TRIALS:
        raise Failure(f"--trials expected a number from 0 to {_MOST_TRIALS}; got {chosen.trials}.", 2)
    if chosen.no_board and (chosen.check or chosen.live):
        raise Failure("--check and --live expected a board to look at; got --no-board, too.", 2)
    if not (STATIC / "index.html").is_file() and not chosen.no_board:
        sys.stderr.write("The board's page is not built here: `tapeflow doctor` says how to build it.\n")
    folder = _folder(chosen.logdir)
    with ExitStack() as stack:
        with _leaving_at_once(folder):
            running = stack.enter_context(_served(folder, chosen)) if chosen.live else None
            _train(folder, chosen.quick, chosen.trials)
        if chosen.no_board:
            return 0
        running = running or stack.enter_context(_served(folder, chosen))
        if chosen.check:
            return _check(running)
        _say("Press Ctrl+C to stop.")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            _say(f"\nStopped. To look again: tapeflow board --logdir {folder}")
    return 0


@contextmanager
def _leaving_at_once(folder: str) -> Iterator[None]:
    """Inside, Ctrl+C ends the process cleanly, whatever it is doing.

    An exception would not: JAX loses one that comes while memory is collected, turns one that comes while it is
    imported into another, and crashes at the end of a process that has left a compilation half-way.
    """

    def close() -> None:
        close_all()
        sys.stdout.flush()

    def leave(*_: Any) -> None:
        # On a thread: what this one was doing may hold a lock that closing needs.
        closing = threading.Thread(target=close, daemon=True)
        closing.start()
        closing.join(_CLOSING_S)
        os.write(2, f"\nStopped. What was logged until now is in {folder}\n".encode())
        os._exit(_STOPPED)

    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _folder(logdir: str) -> str:
    """A new folder for what is logged."""
    try:
        os.makedirs(logdir, exist_ok=True)
        folder = new_folder(os.path.join(logdir, ""), "demo")
        os.scandir(folder).close()
    except OSError as error:
        why = error.strerror if os.access(logdir, os.W_OK) or not os.path.isdir(logdir) else "not allowed"
        raise Failure(f"--logdir {logdir} cannot be written to: {why}. Name another folder.") from None
    return folder


@contextmanager
def _served(folder: str, chosen: argparse.Namespace) -> Iterator[Running]:
    """The board of a folder, served beside what the process does otherwise."""
    try:
        running = Running(
            [Logdir(os.path.abspath(folder))], BoardOptions(port=chosen.port, version=__version__)
        )
    except PortTaken as error:
        raise Failure(f"{error}. Name another with --port, or any free one with --port 0.") from None
    thread = running.run_in_thread()
    try:
        if running.is_other_port:
            sys.stderr.write(f"Port {chosen.port} is taken; using {running.options.port}.\n")
        _say(f"\nTapeFlow board at {running.url}")
        if _has_browser() and not (chosen.no_open or chosen.check):
            webbrowser.open(running.url)
        yield running
    finally:
        running.stop()
        thread.join(_CLOSING_S)


def _has_browser() -> bool:
    """Whether a page can be opened in a window; a browser of text would take the terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _train(folder: str, is_quick: bool, trials: int | None) -> None:
    """Train the network, then the trials of the search, saying how it goes."""
    from tapeflow.demo import digits, search, training  # start-up

    began = time.monotonic()
    data = digits.load()
    epochs, count = (3, 2) if is_quick else (12, 8)
    chosen = search.draw(count if trials is None else trials)
    _say(f"{len(data.x_train)} digits to learn from, {len(data.x_test)} to test with; logged to {folder}")
    _say(f"\nA convolutional network, {epochs} epochs. Compiling its step takes some seconds the first time.")
    accuracy = training.train(data, os.path.join(folder, "cnn"), epochs)
    _say(f"It reads {accuracy:.1%} of the test digits.")
    if chosen:
        _say(f"\nA random search over {', '.join(h.name for h in search.SPACE)}: {len(chosen)} trials.")
    found: list[tuple[float, search.Trial]] = []
    results = search.search(data, os.path.join(folder, "search"), chosen, 2 if is_quick else 6)
    for trial in chosen:
        sys.stdout.write(f"{trial.number:2d} of {len(chosen)}: {str(trial) + ' ':.<50} ")
        sys.stdout.flush()
        found.append((next(results), trial))
        _say(f"{found[-1][0]:.1%}")
    if found:
        accuracy, best = max(found)
        _say(f"The best is trial {best.number}, with {accuracy:.1%}: {best}.")
    _say(f"\nAll this took {time.monotonic() - began:.0f} s.")


def _check(running: Running) -> int:
    """Ask for every panel; 1 if one does not answer."""
    from tapeflow.demo.panels import findings  # start-up

    _say("Asking for every panel:")
    code = 0
    for finding in findings(running.url):
        _say(f"  {'FAILED ' if finding.trouble else 'ok '} {finding}")
        code = 1 if finding.trouble else code
    return code


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
