"""`tf.summary.run`: a folder of its own for each run."""

from __future__ import annotations

import itertools
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, SupportsInt

from tapeflow.summary.captured.capture import Capture, checked_kinds
from tapeflow.summary.files import create_file_writer
from tapeflow.summary.remote import is_remote
from tapeflow.summary.writer import SummaryWriter


@contextmanager
def run(
    name: str = "",
    logdir: str | os.PathLike[str] = "logs",
    step: SupportsInt | None = None,
    capture: bool | Iterable[str] = True,
    seed: int | None = None,
    **options: Any,
) -> Iterator[SummaryWriter]:
    """Log to a new folder inside a `with` block, and close its file at the end.

    The folder is `logdir/name-20240131-235959`; nothing has to be deleted or renamed before the next run. If
    another run began in the same second, in any process, a number is added; below an address, such as
    `s3://bucket/logs`, four random digits always are.

    Args:
        name: the beginning of the folder's name; it may contain folders: `"lr=0.1/seed 3"`.
        logdir: the folder in which the new folder is created.
        step: the default step.
        capture: what is written about the run by itself, of "facts", "code", "system" and "console"; True for all,
            False for none. See `tf.summary.capture`.
        seed: the seed of the run; `tf.random.set_seed` is known without.
        **options: go to `create_file_writer`.

    Yields:
        The writer, which is the default one inside the block. Its `logdir` is the new folder.

    >>> with tf.summary.run("mnist") as run:
    ...     model.fit(x, y, callbacks=[tf.keras.callbacks.TensorBoard(run.logdir)])
    ...     tf.summary.text("notes", "a first try", step=0)
    """
    kinds = checked_kinds(capture)
    writer = create_file_writer(new_folder(os.fspath(logdir), name), **options)
    try:
        with Capture(writer, kinds, seed) as captured, writer.as_default(step):
            captured.start()
            yield writer
    finally:
        writer.close()


def new_folder(logdir: str, name: str) -> str:
    """Make a folder that nobody else has; its name ends with the time.

    One that cannot be made is for the writer to complain about: it does not stop training. Elsewhere there are no
    folders to make, so a random part keeps two runs apart.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S")
    if is_remote(logdir):
        return f"{logdir.rstrip('/')}/{f'{name}-{stamp}' if name else stamp}-{secrets.token_hex(2)}"
    first = folder = os.path.join(logdir, f"{name}-{stamp}" if name else stamp)
    for number in itertools.count(2):
        try:
            os.makedirs(folder)
        except FileExistsError:
            folder = f"{first}-{number}"
        except OSError:
            break
        else:
            break
    return folder
