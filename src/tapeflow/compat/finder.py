"""The finder that Python asks for modules first, and how it is put there and taken away."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import DistributionFinder
from types import ModuleType

from tapeflow.compat import tensorboard
from tapeflow.compat.keras_modules import sources
from tapeflow.compat.names import MOVED, NAMESPACES, is_ours, nearest, real_name
from tapeflow.compat.namespace import Namespace, make_namespace
from tapeflow.compat.release import Project, projects, release
from tapeflow.engine.values.origin import say_theirs


class Finder(DistributionFinder):
    """Finds TapeFlow's modules under TensorFlow's, Keras's and TensorBoard's names."""

    def __init__(self) -> None:
        self.given: set[str] = set()  # the names put into `sys.modules`

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for a name that is ours; an error that names what there is, if it stands for nothing."""
        if is_ours(fullname):
            module = make_namespace(fullname) if fullname in NAMESPACES else _module(fullname)
            if fullname == "tensorflow":
                say_theirs(True)
        elif fullname.partition(".")[0] == "tensorboard":
            module = tensorboard.find(fullname, path)
            if module is None:
                return None
        elif not fullname.startswith("tapeflow.") or PathFinder.find_spec(fullname, path) is not None:
            return None
        elif fullname in MOVED:
            module = importlib.import_module(MOVED[fullname])
        elif sources(fullname) is not None:
            module = make_namespace(fullname)
        else:
            # `from tensorflow.keras.layers import Desne` asks for the submodule `tapeflow.keras.layers.Desne`
            # last, before it fails. A ModuleNotFoundError would be passed over, so it is an ImportError.
            raise ImportError(_cannot_import(*fullname.rsplit(".", 1)), name=fullname)
        self.given.add(fullname)
        return ModuleSpec(fullname, _Handover(module), is_package=True)

    def find_distributions(
        self,
        context: DistributionFinder.Context = DistributionFinder.Context(),  # noqa: B008
    ) -> Iterator[Project]:
        """TensorFlow and Keras, for `importlib.metadata`."""
        return projects(context)


class _Handover(Loader):
    """Loads nothing: the module exists, and takes the place of the empty one Python has made."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is None:
            return
        if isinstance(self.module, Namespace):
            self.module.__spec__, self.module.__loader__ = spec, self
        sys.modules[spec.name] = self.module


def _module(name: str) -> ModuleType:
    """TapeFlow's module for a TensorFlow or Keras module name."""
    real = real_name(name)
    if real is not None:
        parent, _, last = real.rpartition(".")
        # Only public names of the root: `tensorflow.engine` is no way to our engine.
        if parent != "tapeflow" or last in dir(importlib.import_module("tapeflow")):
            module = _public_module(real)
            if real == "tapeflow.keras" and module is not None:
                module.__version__ = release()  # pyright: ignore[reportAttributeAccessIssue]
            if module is not None:
                return module
    above, _, last = name.rpartition(".")
    # Its `name` is not the asked one: `from tensorflow import constnt` passes over an error that has that.
    raise ModuleNotFoundError(
        f"No module or name {name!r}: TapeFlow has no such name{nearest(last, dir(sys.modules[above]))}.",
        name=real,
    )


def _public_module(real: str) -> ModuleType | None:
    try:
        return importlib.import_module(real)
    except ImportError as error:  # ours, of a name that is not there, or of a module above it
        if error.name is None or not f"{real}.".startswith(f"{error.name}."):
            raise
    if real in MOVED:
        return importlib.import_module(MOVED[real])
    parent, _, last = real.rpartition(".")
    value = getattr(sys.modules.get(parent), last, None)  # a module under another name
    return value if isinstance(value, ModuleType) else None


def _cannot_import(module: str, name: str) -> str:
    shown = module.replace("tapeflow", "tensorflow", 1)
    return (
        f"cannot import name {name!r} from {shown!r}: TapeFlow has no such name"
        f"{nearest(name, dir(sys.modules[module]))}."
    )


_installed: Finder | None = None


def install() -> None:
    """Make `import tensorflow` and `import keras` mean TapeFlow, in this process, from now on.

    Call it before anything imports TensorFlow. Calling it again does nothing.

    Raises:
        RuntimeError: if the real TensorFlow or Keras has been imported already.
    """
    global _installed
    if _installed is not None:
        return
    for name in ("tensorflow", "keras"):
        if name in sys.modules:
            where = getattr(sys.modules[name], "__file__", None)
            raise RuntimeError(
                f"tapeflow.compat.install() expected {name} not to be imported yet; got the real one, from "
                f"{where!r}. Call install() at the start of the program, before anything imports {name}."
            )
    _installed = Finder()
    sys.meta_path.insert(0, _installed)


def uninstall() -> None:
    """Undo `install`: the next `import tensorflow` looks for the real one again."""
    global _installed
    if _installed is None:
        return
    sys.meta_path.remove(_installed)
    say_theirs(False)
    for name in _installed.given:
        module = sys.modules.pop(name, None)
        above, _, last = name.rpartition(".")
        package = sys.modules.get(above)  # TensorBoard's own stays, without what was put into it
        if above.startswith("tensorboard") and package is not None and vars(package).get(last) is module:
            delattr(package, last)
    _installed = None


def is_installed() -> bool:
    """Whether `import tensorflow` means TapeFlow."""
    return _installed is not None
