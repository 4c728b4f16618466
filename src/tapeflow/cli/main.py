"""The command line: which command is meant, and exit codes.

0: done. 1: it could not be done, and a line on stderr says why. 2: it was asked for wrongly. Nobody is shown a
traceback for a mistake of their own.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from tapeflow import __version__
from tapeflow.cli.failure import Failure

# Imported when asked for: the help of one shall not wait for what another needs.
_COMMANDS = {
    "board": "tapeflow.cli.board",
    "board export": "tapeflow.cli.export",
    "inspect": "tapeflow.cli.inspect",
    "run": "tapeflow.cli.run",
}
_HELP = """\
usage: tapeflow COMMAND ...

  tapeflow board          show runs in the browser, live: `tapeflow board --logdir runs`
  tapeflow board export   write what the board shows into one HTML file
  tapeflow inspect        say what a run holds, as text, JSON, CSV or Parquet
  tapeflow run            run a TensorFlow script, as it is, on TapeFlow

`tapeflow COMMAND --help` says more. `tapeflow --version` says which TapeFlow this is.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; gives its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] in (["-h"], ["--help"], ["help"]):
        sys.stdout.write(_HELP)
        return 0
    if given[:1] == ["--version"]:
        sys.stdout.write(f"tapeflow {__version__}\n")
        return 0
    words = 2 if " ".join(given[:2]) in _COMMANDS else 1
    name = " ".join(given[:words])
    if name not in _COMMANDS:
        got = f"got {name!r}" if name else "got none"
        sys.stderr.write(f"tapeflow expected a command, {', '.join(_COMMANDS)}; {got}.\n\n{_HELP}")
        return 2
    command = importlib.import_module(_COMMANDS[name])
    parser = argparse.ArgumentParser(
        prog=f"tapeflow {name}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    try:
        chosen = parser.parse_args(given[words:])
    except SystemExit as done:  # argparse has said what is wrong, or given its help
        return int(done.code or 0)
    try:
        return command.run(chosen)
    except Failure as failure:
        sys.stderr.write(f"tapeflow {name}: {failure}\n")
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `tapeflow inspect ... | head`
        sys.stderr.close()
        return 0
