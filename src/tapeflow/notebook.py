"""The board inside a notebook.

    %load_ext tapeflow.notebook
    %tapeflow board --logdir runs

`%tensorboard --logdir runs` does the same, unless TensorBoard's own extension has taken the name. A board started
once is shown again for the same arguments; it ends with the notebook's kernel.
"""

from __future__ import annotations

import argparse
import atexit
import html
import shlex
import sys
from typing import TYPE_CHECKING, Any

from tapeflow.cli import board as command
from tapeflow.cli.failure import Failure

if TYPE_CHECKING:
    from tapeflow.board.serving import Running

HEIGHT = 800
_USAGE = "%tapeflow expected a command, as in: %tapeflow board --logdir runs"
_running: dict[tuple[str, ...], Running] = {}


def load_ipython_extension(shell: Any) -> None:
    """Add the magics; called by `%load_ext tapeflow.notebook`."""
    shell.register_magic_function(tapeflow, "line")
    if "tensorboard" not in shell.magics_manager.magics["line"]:
        shell.register_magic_function(show, "line", "tensorboard")


def tapeflow(line: str) -> None:
    """`%tapeflow board --logdir runs`: show the board below the cell."""
    word, _, rest = line.strip().partition(" ")
    if word != "board":
        sys.stderr.write(f"{_USAGE}; got {word!r}.\n")
        return
    show(rest)


def show(line: str) -> None:
    """Show the board of a line of arguments below the cell."""
    try:
        running = start(shlex.split(line))
    except (Failure, ValueError, OSError) as error:
        sys.stderr.write(f"%tapeflow board: {error}\n")
        return
    except SystemExit:  # argparse has said what is wrong
        return
    from IPython.display import HTML, display  # optional

    display(HTML(frame(running.frame_url, running.url)))


def start(arguments: list[str]) -> Running:
    """The board of these arguments, started unless it runs already."""
    key = tuple(arguments)
    if key not in _running:
        parser = argparse.ArgumentParser(
            prog="%tapeflow board", description=command.__doc__, allow_abbrev=False
        )
        command.add_arguments(parser)
        logdirs, options = command.options_of(parser.parse_args(arguments), is_framed=True)
        from tapeflow.board.serving import Running  # start-up

        running = Running(logdirs, options)
        running.run_in_thread()
        _running[key] = running
    return _running[key]


def frame(url: str, page_url: str) -> str:
    """The board as a part of a page, and a link to it."""
    style = f"width: 100%; height: {HEIGHT}px; border: 1px solid rgb(128 128 128 / 0.3); border-radius: 6px"
    return (
        f'<iframe src="{html.escape(url)}" style="{style}" title="TapeFlow board"></iframe>'
        f'<a href="{html.escape(page_url)}" target="_blank" rel="noopener">open in a page of its own</a>'
    )


def stop() -> None:
    """End all boards of this kernel."""
    while _running:
        _running.popitem()[1].stop()


atexit.register(stop)
