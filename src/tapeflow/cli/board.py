"""Show runs in the browser: scalars, images, sound, text and more, from the event files of TapeFlow, TensorFlow,
PyTorch, Keras or Lightning, live while they are written, with every logged point.

    tapeflow board --logdir runs
    tapeflow board --logdir ours:runs --logdir theirs:/data/runs --port 8080
"""

from __future__ import annotations

import argparse

from tapeflow import __version__
from tapeflow.board.board import BoardOptions
from tapeflow.board.cache import cache_folder
from tapeflow.board.health.webhook import checked
from tapeflow.board.logdirs import Logdir
from tapeflow.board.remote.mirrors import INTERVAL_S
from tapeflow.board.serving import PortTaken, serve
from tapeflow.cli import inspect, logdirs
from tapeflow.cli.failure import Failure

# What TensorBoard needs to be told and the board does not.
_NOT_NEEDED = (
    "--samples_per_plugin",
    "--max_reload_threads",
    "--reload_multifile",
    "--reload_multifile_inactive_secs",
    "--reload_task",
    "--load_fast",
    "--purge_orphaned_data",
    "--window_title",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    logdirs.add_arguments(parser)
    add(
        "--host",
        default="127.0.0.1",
        help="the address to listen on (default: this machine only). On any other address, access needs a token, "
        "which is printed as part of the URL",
    )
    add(
        "--bind_all",
        "--bind-all",
        action="store_true",
        help="listen on all addresses, as in TensorBoard: the same as --host 0.0.0.0",
    )
    add(
        "--port",
        type=int,
        default=6006,
        help="the port; if it is taken, the next free one (default: 6006; 0: any free port)",
    )
    add(
        "--open",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="open the page in the browser (default: no)",
    )
    add(
        "--reload-interval",
        "--reload_interval",
        type=float,
        default=0.2,
        metavar="SECONDS",
        help="seconds between checks for new data (default: 0.2)",
    )
    add(
        "--remote-interval",
        type=float,
        default=INTERVAL_S,
        metavar="SECONDS",
        help="seconds between checks for new data at addresses such as s3://bucket/runs (default: 1)",
    )
    add("--read-only", action="store_true", help="do not allow changes to settings (labels, notes, colours)")
    add(
        "--path-prefix",
        "--path_prefix",
        default="",
        metavar="/PREFIX",
        help="serve the board under this path, for use behind a proxy",
    )
    add(
        "--mcp",
        action="store_true",
        help="answer questions of assistants about the runs, over standard input and output (Model Context Protocol), "
        "instead of serving the page",
    )
    add("--inspect", action="store_true", help="list what the runs contain and exit; see `tapeflow inspect`")
    add(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME[:PORT]",
        help="another host name under which the board may be reached, for use behind a proxy on this machine",
    )
    add("--token", default="", help="the access token to use, instead of a new one at every start")
    add(
        "--cache-dir",
        default=None,
        metavar="DIR",
        help="the folder for the index (default: the user's cache folder)",
    )
    add("--no-cache", action="store_true", help="keep no index; every start reads all files")
    add(
        "--settings",
        default="",
        metavar="FILE",
        help="the file for labels, notes and colours, to share them",
    )
    add(
        "--webhook",
        default="",
        metavar="URL",
        help="post alerts of runs that are being written to this address, as JSON",
    )
    for flag in _NOT_NEEDED:
        add(flag, nargs="?", help=argparse.SUPPRESS)


def run(chosen: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if chosen.inspect:
        return inspect.show(logdirs.logdirs_of(chosen), is_json=False)
    found, options = options_of(chosen)
    if chosen.mcp:
        return _answer(found, options)
    try:
        return serve(found, options, chosen.open)
    except PortTaken as error:
        raise Failure(f"{error}. Name another with --port, or any free one with --port 0.") from None


def _answer(found: list[Logdir], options: BoardOptions) -> int:
    try:
        from tapeflow.board.mcp.server import serve as answer  # start-up
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "mcp":
            raise
        raise Failure("--mcp needs the package mcp, 2.0 or newer: `pip install 'tapeflow[mcp]'`.") from None
    return answer(found, options)


def options_of(chosen: argparse.Namespace, is_framed: bool = False) -> tuple[list[Logdir], BoardOptions]:
    """The log folders and options that were asked for.

    Raises:
        Failure: they cannot be.
    """
    found = logdirs.logdirs_of(chosen)
    if not 0 <= chosen.port <= 65535:
        raise Failure(f"--port expected a number from 0 to 65535; got {chosen.port}.", 2)
    if not 0.02 <= chosen.reload_interval <= 86400:
        raise Failure(f"--reload-interval expected 0.02 to 86400 seconds; got {chosen.reload_interval:g}.", 2)
    if not 0.1 <= chosen.remote_interval <= 86400:
        raise Failure(f"--remote-interval expected 0.1 to 86400 seconds; got {chosen.remote_interval:g}.", 2)
    try:
        webhook = checked(chosen.webhook) if chosen.webhook else ""
    except ValueError as error:
        raise Failure(str(error), 2) from None
    prefix = chosen.path_prefix.strip("/")
    return found, BoardOptions(
        host="0.0.0.0" if chosen.bind_all else chosen.host,
        port=chosen.port,
        hosts=tuple(chosen.allowed_host),
        token=chosen.token,
        path_prefix=f"/{prefix}" if prefix else "",
        reload_interval_s=chosen.reload_interval,
        remote_interval_s=chosen.remote_interval,
        read_only=chosen.read_only,
        cache=None if chosen.no_cache else chosen.cache_dir or cache_folder(),
        settings=chosen.settings,
        webhook=webhook,
        is_framed=is_framed,
        version=__version__,
    )
