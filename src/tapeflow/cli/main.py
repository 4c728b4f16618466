"""The command line: which command is meant, and exit codes.

0: success. 1: failure, and a line on stderr says why. 2: usage error. Nobody is shown a
traceback for a mistake of their own.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys
from collections.abc import Sequence

from tapeflow import __version__
from tapeflow.cli.failure import Failure

# Imported when asked for: the help of one shall not wait for what another needs.
_COMMANDS = {
    "board": "tapeflow.cli.board",
    "board export": "tapeflow.cli.export",
    "convert": "tapeflow.cli.convert",
    "demo": "tapeflow.cli.demo",
    "doctor": "tapeflow.cli.doctor",
    "inspect": "tapeflow.cli.inspect",
    "launch": "tapeflow.cli.launch",
    "run": "tapeflow.cli.run",
}
# What commands need and TapeFlow brings along; without it, something is wrong with the installation.
_NEEDED = (
    "google",
    "google_crc32c",
    "jax",
    "jaxlib",
    "numpy",
    "orjson",
    "PIL",
    "psutil",
    "starlette",
    "tsdownsample",
    "uvicorn",
)
_HELP = """\
usage: tapeflow COMMAND ...

  tapeflow board          show runs live in the browser: `tapeflow board --logdir runs`
  tapeflow board export   write what the board shows into one HTML file
  tapeflow convert        convert models and weights: Keras, SavedModel, ONNX, safetensors, checkpoints
  tapeflow demo           train a small network on digits, log everything, and open the board
  tapeflow doctor         report what is installed, broken or slow, with a fix for each problem
  tapeflow inspect        list what a run contains, as text, JSON, CSV or Parquet
  tapeflow launch         run a script in several processes of this machine: `tapeflow launch -n 4 train.py`
  tapeflow run            run a TensorFlow script unchanged on TapeFlow

`tapeflow COMMAND --help` explains a command. `tapeflow --version` prints the version.
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
        sys.stderr.write(f"tapeflow expected one of the commands below; {_got(name)}\n\n{_HELP}")
        return 2
    try:
        return _run(name, given[words:])
    except Failure as failure:
        sys.stderr.write(f"tapeflow {name}: {failure}\n")
        return failure.code
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if name == "run" or package not in _NEEDED:  # a script's own imports are its own affair
            raise
        sys.stderr.write(
            f"tapeflow {name}: {package} is not installed here; `tapeflow doctor` says what to do.\n"
        )
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `tapeflow inspect ... | head`
        sys.stderr.close()
        return 0


def _got(name: str) -> str:
    """What was given instead of a command, and what may have been meant."""
    if not name:
        return "got none."
    close = difflib.get_close_matches(name, _COMMANDS, 1)
    return f"got {name!r}." + (f" Did you mean {close[0]!r}?" if close else "")


def _run(name: str, arguments: list[str]) -> int:
    command = importlib.import_module(_COMMANDS[name])
    parser = argparse.ArgumentParser(
        prog=f"tapeflow {name}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    try:
        chosen = parser.parse_args(arguments)
    except SystemExit as done:  # argparse has said what is wrong, or given its help
        return int(done.code or 0)
    return command.run(chosen)
