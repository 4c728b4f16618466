"""`Namespace`: a thin module that answers with the names of others."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from tapeflow.compat.internals import ABSENT, INTERNAL, alias
from tapeflow.compat.keras_modules import keras_alias, sources
from tapeflow.compat.names import NAMESPACES, ROOTS, nearest
from tapeflow.compat.release import release
from tapeflow.engine.absent import absent


class Namespace(ModuleType):
    """A module with the names of others, of which the first counts, and a version of its own.

    Names are looked up when used, so importing it stays as quick as importing TapeFlow. A name set on it
    stays here and does not reach the other modules.
    """

    def __init__(self, name: str, *behind: ModuleType, own: Sequence[ModuleType] = ()) -> None:
        super().__init__(name, behind[0].__doc__ if behind else f"Names below `{name}`.")
        self.__path__ = []  # makes it a package; the finder looks names up, no folder is searched
        self.__version__ = release()
        self._behind = behind
        self._own = own  # those that `from ... import *` takes its names from
        if behind:
            self.__file__ = behind[0].__file__

    def __getattr__(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        if full in ROOTS or full in NAMESPACES or sources(full) is not None:
            return importlib.import_module(full)
        public = alias(self.__name__, name) or keras_alias(self.__name__, name)
        if public is not None:
            return operator.attrgetter(public)(importlib.import_module("tensorflow"))
        if name == "__all__" and self._own:
            return sorted({n for module in self._own for n in dir(module) if not n.startswith("_")})
        if self.__name__ in ABSENT and not name.startswith("__"):
            return absent(f"{self.__name__}.{name}", ABSENT[self.__name__])
        if not name.startswith("__") or name == "__internal__":
            missing = object()
            for module in self._behind:
                value = getattr(module, name, missing)
                if value is not missing:
                    return value
        raise AttributeError(
            f"module {self.__name__!r} has no attribute {name!r}: TapeFlow has no such name"
            f"{nearest(name, dir(self))}.",
            name=name,
            obj=self,
        )

    def __dir__(self) -> list[str]:
        prefix = f"{self.__name__}."
        below = [n.removeprefix(prefix) for n in (*ROOTS, *NAMESPACES) if n.startswith(prefix)]
        names = {n for n in below if "." not in n}
        for module in self._behind:
            names.update(dir(module))
        return sorted(names | {"__version__"})


def make_namespace(name: str) -> Namespace:
    """The namespace of a name in `NAMESPACES`."""
    if name == "tensorflow.compat.v2":
        return Namespace(name, importlib.import_module("tensorflow"))
    if name in INTERNAL:
        spaces = [importlib.import_module(f"tensorflow.{space}") for space in INTERNAL[name]]
        return Namespace(name, *spaces, importlib.import_module("tensorflow"), own=spaces)
    inner = sources(name)
    if inner is not None:
        return Namespace(name, *(importlib.import_module(f"tapeflow.{module}") for module in inner))
    made = Namespace(name, *[importlib.import_module(ROOTS[n]) for n in (name,) if n in ROOTS])
    if name == "tensorflow.version":
        made.VERSION = release()  # pyright: ignore[reportAttributeAccessIssue]
    return made
