"""`Namespace`: a thin module that answers with another module's names."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from tapeflow.compat.names import NAMESPACES, ROOTS, VERSION, nearest


class Namespace(ModuleType):
    """A module with the names of another one, and a version of its own.

    Names are looked up when used, so importing it stays as quick as importing TapeFlow. A name set on it
    stays here and does not reach the other module.
    """

    def __init__(self, name: str, behind: ModuleType | None) -> None:
        super().__init__(name, behind.__doc__ if behind is not None else f"Names below `{name}`.")
        self.__path__ = []  # makes it a package; the finder looks names up, no folder is searched
        self.__version__ = VERSION
        self._behind = behind
        if behind is not None:
            self.__file__ = behind.__file__

    def __getattr__(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        if full in ROOTS or full in NAMESPACES:
            return importlib.import_module(full)
        if not name.startswith("__") and self._behind is not None:
            missing = object()
            value = getattr(self._behind, name, missing)
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
        if self._behind is not None:
            names.update(dir(self._behind))
        return sorted(names | {"__version__"})


def make_namespace(name: str) -> Namespace:
    """The namespace of a name in `NAMESPACES`."""
    if name == "tensorflow.compat.v2":
        return Namespace(name, importlib.import_module("tensorflow"))
    made = Namespace(name, importlib.import_module(ROOTS[name]) if name in ROOTS else None)
    if name == "tensorflow.version":
        made.VERSION = VERSION  # pyright: ignore[reportAttributeAccessIssue]
    return made
