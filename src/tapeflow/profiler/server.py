"""`tf.profiler.experimental.server`: let other processes take profiles of this one."""

from __future__ import annotations

import operator

from tapeflow.engine.errors import AlreadyExistsError
from tapeflow.engine.programs.capture import start_server

__all__ = ["start"]


def start(port: int) -> None:
    """Serve profiles on a port until the process ends; XProf's "capture profile" and `client.trace` ask for them.

    Args:
        port: the port.

    Raises:
        AlreadyExistsError: there is a server in this process already.

    >>> tf.profiler.experimental.server.start(6009)
    """
    number = operator.index(port)
    if not 0 < number < 65536:
        raise ValueError(
            f"tf.profiler.experimental.server.start expected a port from 1 to 65535; got port={port!r}."
        )
    try:
        start_server(number)
    except ValueError:
        raise AlreadyExistsError(
            None,
            None,
            "tf.profiler.experimental.server.start expected that no server is running in this process; got "
            f"port={port!r} for a second one. Use the one there is: it serves until the process ends.",
        ) from None
