"""Names that programs mention and never use here: what TPUs, graphs and other compilers would need.

Such a name is a class, so `isinstance` with it is false and it can stand among the bases of another. Calling it, or
asking it for anything, raises an error that names it and says what to use instead.
"""

from __future__ import annotations

from typing import Any, NoReturn


class Absent(type):
    """The type of a name that is there to be mentioned."""

    __tapeflow_name__: str
    __tapeflow_advice__: str

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"{cls.__tapeflow_name__} is not part of TapeFlow. {cls.__tapeflow_advice__}"
        )

    def __getattr__(cls, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return absent(f"{cls.__tapeflow_name__}.{name}", cls.__tapeflow_advice__)


def absent(name: str, advice: str) -> Absent:
    """A name to be mentioned, with what to do instead of using it."""
    own = name.rpartition(".")[2]
    return Absent(own, (), {"__tapeflow_name__": name, "__tapeflow_advice__": advice, "__doc__": advice})
