"""Log folders as they are named on the command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from tapeflow.board.logdirs import Logdir
from tapeflow.cli.failure import Failure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that name log folders."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a log folder; the same as --logdir PATH")
    parser.add_argument(
        "--logdir",
        action="append",
        default=[],
        metavar="[NAME:]PATH",
        help="a folder with runs in it, or a single event file. May be repeated; a NAME is prepended "
        "to the names of its runs. The folder need not exist yet",
    )
    parser.add_argument(
        "--logdir_spec",
        "--logdir-spec",
        default="",
        metavar="NAME:PATH,...",
        help="several folders in one argument, as in TensorBoard",
    )


def logdirs_of(chosen: argparse.Namespace) -> list[Logdir]:
    """The log folders that were named.

    Raises:
        Failure: there is none, or one that cannot be.
    """
    given: Sequence[str] = [*chosen.paths, *chosen.logdir, *filter(None, chosen.logdir_spec.split(","))]
    if not given:
        raise Failure("expected a folder with runs in it; got none. For example: --logdir runs", 2)
    found = [parse(text) for text in given]
    names = [logdir.name for logdir in found]
    for logdir in found:
        if len(found) > 1 and names.count(logdir.name) > 1:
            return [_named(one, number) for number, one in enumerate(found)]
    return found


def _named(logdir: Logdir, number: int) -> Logdir:
    """One of several without names: called by its folder, and by its number so that no two are alike."""
    if logdir.name:
        return logdir
    base = os.path.basename(logdir.path.rstrip(os.sep)) or "root"
    return Logdir(logdir.path, f"{base}-{number + 1}")


def parse(text: str) -> Logdir:
    """`path` or `name:path`. What exists as it stands is a path, whatever is in it."""
    if "://" in text:
        raise Failure(f"--logdir expected a folder on this machine; got {text!r}. Mount or copy it first.", 2)
    name, colon, path = text.partition(":")
    is_path = not colon or os.path.exists(text) or os.sep in name or len(name) < 2 or not path
    if is_path:
        name, path = "", text
    if not path or "\0" in path:
        raise Failure(f"--logdir expected a path; got {text!r}.", 2)
    return Logdir(os.path.abspath(os.path.expanduser(path)), name)
