"""Which names are read after a branch or loop, before they are bound again.

Works on code without jumps (`jumps`), backwards. What may be left early by an exception (`try`) counts as reading all
that any part of it reads.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tapeflow.autograph.names import SCOPES, names_in

_BINDING = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Import, ast.ImportFrom)


@dataclass
class Live:
    """Names that are live at a branch or loop.

    Attributes:
        after: when it is done.
        around: of a loop, when a turn begins or ends.
    """

    after: frozenset[str]
    around: frozenset[str] = frozenset()


def live_names(body: Sequence[ast.stmt], at_end: frozenset[str]) -> dict[int, Live]:
    """What is live at each branch and loop of a function's body, by the `id` of its node."""
    analysis = _Liveness()
    analysis.block(body, at_end)
    return analysis.found


class _Liveness:
    def __init__(self) -> None:
        self.found: dict[int, Live] = {}

    def block(self, body: Sequence[ast.stmt], live: frozenset[str]) -> frozenset[str]:
        """What is live before some statements, given what is live after them."""
        for statement in reversed(body):
            live = self._statement(statement, live)
        return live

    def _statement(self, node: ast.stmt, live: frozenset[str]) -> frozenset[str]:
        if isinstance(node, ast.If):
            self.found[id(node)] = Live(live)
            branches = self.block(node.body, live) | self.block(node.orelse, live)
            return branches | names_in(node.test).read
        if isinstance(node, ast.While | ast.For):
            return self._loop(node, live)
        if isinstance(node, ast.Return):
            return frozenset() if node.value is None else frozenset(names_in(node.value).read)
        if isinstance(node, ast.With):
            given = names_in(node.items)
            return (self.block(node.body, live) - given.bound) | given.read
        if isinstance(node, ast.Match) or hasattr(node, "handlers"):
            return self._protected(node, live)
        names = names_in(node)
        if isinstance(node, (*_BINDING, *SCOPES)):
            return (live - names.bound) | names.read
        return live | names.read

    def _loop(self, node: ast.While | ast.For, live: frozenset[str]) -> frozenset[str]:
        stops = frozenset(getattr(node, "stops", ()))
        if isinstance(node, ast.While):
            tested, bound = frozenset(names_in(node.test).read), frozenset[str]()
        else:
            tested, bound = frozenset(names_in(node.iter).read), frozenset(names_in(node.target).bound)
        around = live | stops | (tested if isinstance(node, ast.While) else frozenset())
        while True:
            before = self.block(node.body, around) - bound
            if before <= around:
                break
            around |= before
        self.found[id(node)] = Live(live, around)
        return around | tested

    def _protected(self, node: ast.stmt, live: frozenset[str]) -> frozenset[str]:
        """A statement with blocks of its own that may not run to their end, or not at all."""
        seen = live | names_in(node).read
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self.block(value, seen)
            elif isinstance(value, list):
                for part in value:  # handlers and cases
                    self.block(getattr(part, "body", []), seen)
        return seen
