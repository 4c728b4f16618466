"""`tapeflow run script.py`: a TensorFlow script as it is, on TapeFlow."""

from __future__ import annotations

import importlib.util
import os
import runpy
import site
import sys
import sysconfig
import traceback
from collections.abc import Callable, Sequence
from types import ModuleType

from tapeflow.compat.finder import install
from tapeflow.compat.names import is_ours, nearest
from tapeflow.engine.recording.node import is_ours as is_package_code


class MissingName(Exception):
    """A script asked for a name that TapeFlow does not have. Its text is all that a user need see."""


def run_script(path: str, arguments: Sequence[str] = ()) -> None:
    """Run a script as `python script.py arguments` would, with `import tensorflow` meaning TapeFlow.

    Raises:
        FileNotFoundError: there is no such script.
        MissingName: the script asked for a name that TapeFlow does not have.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"tapeflow run expected a Python script; got {path!r}, which is no file. Give the path of one."
        )
    _run(path, arguments, lambda: runpy.run_path(path, run_name="__main__"), os.path.dirname(path))


def run_module(name: str, arguments: Sequence[str] = ()) -> None:
    """The same as `python -m name arguments` would.

    Raises:
        FileNotFoundError: there is no such module.
    """

    def start() -> None:
        if not _is_module(name):
            raise FileNotFoundError(
                f"tapeflow run expected a module; got {name!r}, which is neither in this folder nor installed."
            )
        runpy.run_module(name, run_name="__main__", alter_sys=True)

    _run(name, arguments, start, "")


def _is_module(name: str) -> bool:
    if name.startswith("."):
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise  # one of its packages is there, and lacks something
        return False


def _run(name: str, arguments: Sequence[str], start: Callable[[], object], folder: str) -> None:
    install()
    before, sys.argv = sys.argv, [name, *arguments]
    place = os.path.abspath(folder)  # now: the script may go elsewhere
    sys.path.insert(0, place)
    try:
        start()
    except (AttributeError, ImportError) as error:
        text = _missing(error)
        if text is None:
            raise
        raise MissingName(text) from error
    finally:
        sys.argv = before
        if place in sys.path:
            sys.path.remove(place)


def _missing(error: AttributeError | ImportError) -> str | None:
    """What to say of a name that one of TapeFlow's modules does not have; None for any other error."""
    place = _place(error)
    if isinstance(error, ImportError):
        return f"{place}: {error}" if "TapeFlow has no such" in str(error) else None
    module = error.obj
    if not isinstance(module, ModuleType) or not (
        is_ours(module.__name__) or module.__name__.partition(".")[0] == "tapeflow"
    ):
        return None
    shown = module.__name__.replace("tapeflow", "tensorflow", 1)
    return f"{place}: TapeFlow has no {shown}.{error.name}{nearest(str(error.name), dir(module))}."


def _place(error: BaseException) -> str:
    """`file:line` of the last of the user's lines on the way to an error."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if _is_users(f.filename)]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "<unknown>"


def _is_users(filename: str) -> bool:
    """Whether code is the script's or that of a module beside it: not ours, Python's own or an installed package's."""
    folders = [sysconfig.get_path("stdlib"), *site.getsitepackages(), site.getusersitepackages()]
    libraries = [os.path.join(folder, "") for folder in folders]
    return not is_package_code[filename] and not filename.startswith(("<", *libraries))
