"""Which TensorFlow and Keras names a script uses, told from its syntax tree: the script is not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tapeflow.compat.names import is_ours


@dataclass(frozen=True)
class Use:
    """A name at a place: `tensorflow.keras.layers.Dense`, at line 12."""

    name: str
    line: int


@dataclass
class Usage:
    """What a script uses.

    Attributes:
        uses: every use, in the order of the lines.
        hidden: lines with `from tensorflow... import *`, after which names cannot be told apart.
    """

    uses: list[Use] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)

    def by_name(self) -> dict[str, list[int]]:
        """The lines of each name, the longest chain of each place alone."""
        found: dict[str, list[int]] = {}
        for use in self.uses:
            lines = found.setdefault(use.name, [])
            if use.line not in lines:
                lines.append(use.line)
        return found


def usage_of(source: str, filename: str = "<script>") -> Usage:
    """The names used by a script's source.

    Followed are imports, their `as` names, and plain assignments such as `layers = tf.keras.layers`, wherever
    in the script they stand; a name that stands for two things in two functions counts as both.

    Raises:
        SyntaxError: the script is not Python.
    """
    tree = ast.parse(source, filename)
    usage = Usage()
    meanings: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        for name, line in _imported(node, meanings, usage):
            usage.uses.append(Use(name, line))
    # An alias of an alias needs another round, and nothing else does: no script has many.
    while sum(_assigned(node, meanings) for node in ast.walk(tree)):
        pass
    _Chains(meanings, usage).visit(tree)
    usage.uses.sort(key=lambda use: use.line)
    return usage


def _imported(node: ast.AST, meanings: dict[str, set[str]], usage: Usage) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if is_ours(alias.name):
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                meanings.setdefault(alias.asname or whole, set()).add(whole)
                yield alias.name, node.lineno
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level and is_ours(node.module):
        for alias in node.names:
            if alias.name == "*":
                usage.hidden.append(node.lineno)
                yield node.module, node.lineno
                continue
            name = f"{node.module}.{alias.name}"
            meanings.setdefault(alias.asname or alias.name, set()).add(name)
            yield name, node.lineno


def _assigned(node: ast.AST, meanings: dict[str, set[str]]) -> bool:
    """Take note of `layers = tf.keras.layers`; whether that was news."""
    if (
        not isinstance(node, ast.Assign)
        or len(node.targets) != 1
        or not isinstance(node.targets[0], ast.Name)
    ):
        return False
    chain = _chain(node.value)
    if chain is None or chain[0] not in meanings or chain[0] == node.targets[0].id:
        return False
    known = meanings.setdefault(node.targets[0].id, set())
    new = {".".join([whole, *chain[1:]]) for whole in meanings[chain[0]]} - known
    # `x = tf.x`, `f = x.f`, ...: a name that grows without end is no alias.
    new = {name for name in new if name.count(".") < 8}
    known |= new
    return bool(new)


def _chain(node: ast.AST) -> list[str] | None:
    """`['tf', 'keras', 'layers']` for `tf.keras.layers`; None for what is no chain of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else None


class _Chains(ast.NodeVisitor):
    """Notes every chain of names that begins with one that stands for something of ours."""

    def __init__(self, meanings: dict[str, set[str]], usage: Usage) -> None:
        self._meanings = meanings
        self._usage = usage

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain = _chain(node)
        if chain is None or chain[0] not in self._meanings:
            self.generic_visit(node)
            return
        line = node.end_lineno or node.lineno  # the name at the end of the chain is what may be missing
        for whole in self._meanings[chain[0]]:
            self._usage.uses.append(Use(".".join([whole, *chain[1:]]), line))
