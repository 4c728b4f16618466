"""Which module tensors and Variables say that they are of.

Packages tell TensorFlow's tensors by `type(x).__module__`, without importing it. Where TapeFlow takes TensorFlow's
place, its tensors answer as TensorFlow's do. Nothing else depends on it.
"""

from __future__ import annotations

_modules: dict[type, tuple[str, str]] = {}  # by class: ours, and TensorFlow's
_is_theirs = False


def stands_for(kind: type, module: str) -> None:
    """Note the module that TensorFlow has a class in."""
    _modules[kind] = kind.__module__, module
    kind.__module__ = _modules[kind][_is_theirs]


def say_theirs(is_theirs: bool) -> None:
    """Have all these classes say TensorFlow's module, or ours again."""
    global _is_theirs
    _is_theirs = is_theirs
    for kind, modules in _modules.items():
        kind.__module__ = modules[is_theirs]
