"""Where a script binds its names, and to what: Python's scopes, told from the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple


class Binding(NamedTuple):
    """One of the things that a name stands for.

    Attributes:
        module: an imported name, `tensorflow.keras.layers`.
        chain: what was assigned, if it is a chain of names: `("tf", "keras", "layers")`.
        is_guarded: whether the script goes on without it: an import inside `try`.
    """

    module: str = ""
    chain: tuple[str, ...] = ()
    is_guarded: bool = False


OTHER = Binding()
"""Something that is no module's."""


class Meaning(NamedTuple):
    """A name of a module that a name of the script may stand for."""

    name: str
    is_guarded: bool


class Scope:
    """The names bound in a module, a class, a function or a comprehension."""

    def __init__(self, parent: Scope | None = None, is_class: bool = False) -> None:
        self.parent = parent
        self.is_class = is_class
        self.bindings: dict[str, list[Binding]] = {}
        self.elsewhere: dict[str, Scope] = {}  # names declared `global` or `nonlocal`

    def bind(self, name: str, binding: Binding = OTHER) -> None:
        """Take note that a name is bound here, and to what."""
        self.elsewhere.get(name, self).bindings.setdefault(name, []).append(binding)

    def declare(self, names: list[str], is_global: bool) -> None:
        """`global` or `nonlocal`."""
        for name in names:
            home = self.root() if is_global or self.parent is None else self.parent.home(name)
            self.elsewhere[name] = home or self.root()

    def root(self) -> Scope:
        """The scope of the module."""
        return self if self.parent is None else self.parent.root()

    def home(self, name: str) -> Scope | None:
        """The scope whose binding a name has here; None for a builtin, or for what `import *` brought."""
        scope: Scope | None = self.elsewhere.get(name, self)
        while scope is not None and (name not in scope.bindings or (scope.is_class and scope is not self)):
            scope = scope.parent
        return scope

    def meanings(self, chain: tuple[str, ...]) -> tuple[list[Meaning], bool]:
        """What a chain of names may stand for, and whether it may be something that is no module's.

        All bindings of its first name count, wherever in the scope they stand: two imports are two meanings.
        """
        found, is_other = self._resolved(chain[0], frozenset())
        return [Meaning(".".join((m.name, *chain[1:])), m.is_guarded) for m in found], is_other

    def _resolved(self, name: str, seen: frozenset[tuple[int, str]]) -> tuple[list[Meaning], bool]:
        home = self.home(name)
        if home is None:
            return [], True
        found, is_other, key = dict[str, Meaning](), False, (id(home), name)
        for binding in home.bindings[name]:
            if binding.module:
                found.setdefault(binding.module, Meaning(binding.module, binding.is_guarded))
            elif not binding.chain:
                is_other = True
            elif key not in seen:  # `tf = tf.compat.v1` is another meaning of what `tf` was before
                above, is_other_above = home._resolved(binding.chain[0], seen | {key})
                is_other |= is_other_above
                for meaning in above:
                    whole = ".".join((meaning.name, *binding.chain[1:]))
                    found.setdefault(whole, Meaning(whole, meaning.is_guarded or binding.is_guarded))
        return list(found.values()), is_other


def chain_of(node: ast.AST) -> tuple[str, ...] | None:
    """`("tf", "keras", "layers")` for `tf.keras.layers` and `getattr(tf.keras, "layers")`; None for anything else."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call) and (name := _gotten(node)) is not None:
            parts.append(name)
            node = node.args[0]
        else:
            return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else None


def _gotten(call: ast.Call) -> str | None:
    """The name that `getattr(x, "name")` asks for."""
    if isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) in (2, 3):
        name = call.args[1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value.isidentifier():
            return name.value
    return None


def is_guard(node: ast.expr) -> bool:
    """Whether a condition asks what there is: `hasattr(tf, "x")`, a version, `if tpu:`."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and (inner.id == "hasattr" or "tpu" in inner.id.lower()):
            return True
        if isinstance(inner, ast.Attribute) and inner.attr in ("__version__", "VERSION"):
            return True
    return False


def is_guarding(block: ast.Try) -> bool:
    """Whether a `try` is there for names that may be missing, or for a TPU that is not there."""
    caught = {name for handler in block.handlers for name in _caught(handler)}
    if caught & {"ImportError", "ModuleNotFoundError", "AttributeError"}:
        return True
    if any(isinstance(n, ast.Attribute) and n.attr == "TPUClusterResolver" for n in ast.walk(block)):
        return bool(caught)
    simple = (ast.Import, ast.ImportFrom, ast.Assign)
    return bool(caught) and all(isinstance(statement, simple) for statement in block.body)


def _caught(handler: ast.ExceptHandler) -> Iterator[str]:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    for kind in kinds:
        chain = () if kind is None else chain_of(kind) or ()
        yield chain[-1] if chain else "Exception"
