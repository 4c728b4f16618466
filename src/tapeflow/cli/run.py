"""Run a TensorFlow 2 script unchanged on TapeFlow.

`import tensorflow`, `import keras` and `tensorboard.plugins` mean TapeFlow inside it. With --report nothing is run:
the report lists every TensorFlow name in the script, and whether TapeFlow supports it. With --log, a run on the
board records the execution: command line, code, packages, console output, CPU, memory and GPUs.

  tapeflow run train.py --epochs 5
  tapeflow run -m my_package.train
  tapeflow run --report train.py
  tapeflow run --log runs train.py
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from tapeflow.cli.failure import Failure
from tapeflow.compat.release import DEFAULT, choose
from tapeflow.compat.script import MissingName, run_module, run_script


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tapeflow run`."""
    parser.add_argument("-m", dest="is_module", action="store_true", help="SCRIPT is the name of a module")
    parser.add_argument(
        "--report",
        action="store_true",
        help="list the names in the script; exit 1 if a required one is missing",
    )
    parser.add_argument("--json", action="store_true", help="with --report: as JSON")
    parser.add_argument(
        "--log",
        metavar="DIR",
        help="record command line, code, packages, console output and system metrics in a new run below DIR",
    )
    parser.add_argument(
        "--tensorflow-version",
        metavar="VERSION",
        default=DEFAULT,
        help="the value of tf.__version__, by which packages choose between old and new names (default: %(default)s)",
    )
    parser.add_argument("script", metavar="SCRIPT", help="a Python file")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="passed on to the script")


def run(chosen: argparse.Namespace) -> int:
    """Run the script, or report on it."""
    try:
        choose(chosen.tensorflow_version)
    except ValueError as error:
        raise Failure(str(error).removeprefix("tapeflow run "), 2) from None
    if chosen.report and chosen.is_module:
        raise Failure(
            "--report expected the path of a file; got -m, and nothing is run to find a module by.", 2
        )
    if chosen.report and chosen.log is not None:
        raise Failure("--log expected a script to run; got --report, which runs none.", 2)
    if chosen.report:
        return _report(chosen.script, chosen.json)
    if chosen.json:
        raise Failure("--json expected --report, whose form it is; got --json alone.", 2)
    if chosen.log == "":
        raise Failure("--log expected a folder; got ''. Name one, runs for example.", 2)
    try:
        with _logged(chosen):
            (run_module if chosen.is_module else run_script)(chosen.script, chosen.arguments)
    except (FileNotFoundError, MissingName) as error:
        if isinstance(error, FileNotFoundError) and "tapeflow run" not in str(error):
            raise  # the script's own
        raise Failure(str(error).removeprefix("tapeflow run ")) from None
    except SyntaxError as error:
        if error.filename not in (None, chosen.script):
            raise  # of something it imports
        raise _not_python(chosen.script, error) from None
    return 0


def _logged(chosen: argparse.Namespace) -> AbstractContextManager[object]:
    """What keeps the run that was asked for with --log."""
    if chosen.log is None:
        return nullcontext()
    from tapeflow.summary.captured.capture import Capture, checked_kinds  # start-up
    from tapeflow.summary.files import create_file_writer
    from tapeflow.summary.run_folders import new_folder

    try:
        kinds = checked_kinds(True)
    except ValueError as error:
        raise Failure(str(error), 2) from None
    writer = create_file_writer(new_folder(chosen.log, Path(chosen.script).stem))
    script = "" if chosen.is_module else chosen.script
    capture = Capture(writer, kinds, owns_writer=True, script=script)
    capture.start()
    return capture


def _not_python(script: str, error: SyntaxError) -> Failure:
    place = script if error.lineno is None else f"{script}:{error.lineno}"
    return Failure(f"{place}: this is not Python: {error.msg}")


def _report(script: str, is_json: bool) -> int:
    from tapeflow.compat.report import report_on  # start-up
    from tapeflow.compat.usage import usage_of

    try:
        usage = usage_of(Path(script).read_bytes(), script)
    except OSError as error:
        raise Failure(f"expected a Python script; got {script!r}, which cannot be read: {error}") from None
    except SyntaxError as error:
        raise _not_python(script, error) from None
    report = report_on(script, usage)
    sys.stdout.write((json.dumps(report.as_json(), indent=2) if is_json else str(report)) + "\n")
    return 0 if report.is_runnable else 1
