"""Write what the board shows into one HTML file that needs no server, with charts and images.

tapeflow board export --logdir runs -o report.html
"""

from __future__ import annotations

import argparse
import sys

from tapeflow import __version__
from tapeflow.cli import logdirs
from tapeflow.cli.failure import Failure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    logdirs.add_arguments(parser)
    add("-o", "--output", required=True, metavar="FILE", help="the HTML file to write")
    add("--points", type=int, default=2000, help="the maximum number of points per series (default: 2000)")
    add(
        "--steps",
        type=int,
        default=20,
        help="the maximum number of steps of images, sounds and texts (default: 20)",
    )
    add("--settings", default="", metavar="FILE", help="the file with labels, notes and colours")


def run(chosen: argparse.Namespace) -> int:
    """Write the file."""
    found = logdirs.logdirs_of(chosen)
    for name in ("points", "steps"):
        if getattr(chosen, name) < 1:
            raise Failure(f"--{name} expected 1 or more; got {getattr(chosen, name)}.", 2)
    from tapeflow.board.board import BoardOptions  # start-up
    from tapeflow.board.export import NotBuilt, export

    try:
        options = BoardOptions(settings=chosen.settings, version=__version__)
        report = export(found, chosen.points, chosen.steps, options)
    except NotBuilt as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise logdirs.unreadable(found, error) from None
    if not report.runs:
        raise Failure(f"there are no event files in {', '.join(logdir.place for logdir in found)}.")
    try:
        with open(chosen.output, "wb") as file:
            file.write(report.page)
    except OSError as error:
        raise Failure(f"{chosen.output} cannot be written: {error.strerror}.") from None
    size = len(report.page) / 1e6
    runs = "1 run" if report.runs == 1 else f"{report.runs} runs"
    sys.stderr.write(f"{runs} written to {chosen.output} ({size:.1f} MB).\n")
    if report.left_out:
        sys.stderr.write(f"Left out to keep it small: {report.left_out}.\n")
    return 0
