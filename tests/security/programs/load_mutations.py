"""Loads changed files: `python load_mutations.py KIND,KIND,... FIRST COUNT LOG`.

Each gives an object or a clear error, within bounds of memory and time, and does nothing else. LOG says which change
is being loaded, or what went wrong; it ends in "done" if nothing did.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

from confinement import Confinement
from loaders import Loader, Loaders

import tapeflow as tf

ROOM = 1 << 30
MOST_SECONDS = 60
# What a user may see: anything else is a crash of ours.
EXPECTED = (ValueError, OSError, NotImplementedError, tf.errors.OpError)


def load_all(loader: Loader, numbers: range, log: int) -> None:
    watched = 0.0
    for number in numbers:
        if time.monotonic() - watched > 1:
            watched = time.monotonic()
            faulthandler.dump_traceback_later(MOST_SECONDS, exit=True, file=log)
        os.pwrite(log, b"%12d\n" % number, 0)
        loader.change(number)
        try:
            loader.load()
        except (*EXPECTED, *loader.also) as error:
            if not str(error):
                raise AssertionError(f"an error without a text: {error!r}") from error


def main(kinds: str, first: int, count: int, log: int) -> None:
    warnings.simplefilter("ignore")
    faulthandler.enable(log)
    with tempfile.TemporaryDirectory() as name:
        confinement = Confinement(Path(name), log)
        for kind in kinds.split(","):
            folder = Path(name, kind)
            folder.mkdir()
            loader = Loaders(folder).of(kind)
            loader.change(0)
            loader.load()
            os.write(log, f"{kind}\n".encode())
            confinement.begin(ROOM)
            try:
                load_all(loader, range(first, first + count), log)
            finally:
                confinement.end()
                faulthandler.cancel_dump_traceback_later()
    os.write(log, b"done\n")


if __name__ == "__main__":
    descriptor = os.open(sys.argv[4], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.lseek(descriptor, 13, os.SEEK_SET)
    try:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), descriptor)
    except BaseException:
        os.write(descriptor, traceback.format_exc().encode())
        raise
