"""Log folders as they are named on the command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from tapeflow.board.logdirs import Logdir
from tapeflow.cli.failure import Failure
from tapeflow.summary.remote import check_address, is_remote


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that name log folders."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a log folder; the same as --logdir PATH")
    parser.add_argument(
        "--logdir",
        action="append",
        default=[],
        metavar="[NAME:]PATH",
        help="a folder with runs in it, or a single event file, on this machine or as an address (s3://, gs://, az://, "
        "sftp://, hf://, https://). May be repeated; a NAME is prepended to the names of its runs. The folder need not "
        "exist yet",
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
    base = os.path.basename(logdir.place.rstrip("/" + os.sep)) or "root"
    return Logdir(logdir.path, f"{base}-{number + 1}")


def parse(text: str) -> Logdir:
    """`path` or `name:path`. What exists as it stands is a path, whatever is in it; a path may be an address."""
    if "://" in text and not os.path.exists(text):
        return _remote(text)
    name, colon, path = text.partition(":")
    is_path = not colon or os.path.exists(text) or os.sep in name or len(name) < 2 or not path
    if is_path:
        name, path = "", text
    if not path or "\0" in path:
        raise Failure(f"--logdir expected a path; got {text!r}.", 2)
    return Logdir(os.path.abspath(os.path.expanduser(path)), name)


def unreadable(folders: Sequence[Logdir], error: OSError) -> Failure:
    """What is said of log folders elsewhere that cannot be read; any other error is raised again."""
    places = [folder.place for folder in folders if is_remote(folder.path)]
    if not places:
        raise error
    return Failure(f"{', '.join(places)} cannot be read: {error.strerror or error}.")


def _remote(text: str) -> Logdir:
    """`scheme://...` or `name:scheme://...`."""
    first, colon, rest = text.partition(":")
    name, address = (first, rest) if colon and is_remote(rest) else ("", text)
    try:
        check_address(address, "--logdir")
    except ValueError as error:
        raise Failure(str(error), 2) from None
    except ImportError as error:
        raise Failure(str(error)) from None
    return Logdir(address, name)
