"""`break`, `continue` and `return` as plain control flow, so that a branch or a loop's body can be a function.

What comes after a statement that may jump goes into the branch that does not, where there is one:

    if a:                 if a:
        return b    ->        result = b
    return c              else:
                              result = c

Otherwise a flag says that the jump was made, and what comes after is done unless it is set; a loop ends on it.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from typing import TypeVar

from tapeflow.autograph.names import SCOPES, own_nodes

RESULT, RETURNED = "ag__result", "ag__returned"
"""What a function is to return, and whether it has."""

_LOOPS = (ast.While, ast.For)
_N = TypeVar("_N", bound=ast.AST)


def lower_jumps(node: ast.FunctionDef) -> None:
    """Replace the jumps of a function, not of those nested in it, in place; `Loop.stops` are flags that end a loop."""
    lowering = _Lowering()
    returns = _has_return_in_flow(node.body)
    always_returns = _ends(node.body)
    lowering.lowers_returns = returns
    node.body = lowering.block(node.body, frozenset())
    if not returns:
        return
    start: list[ast.stmt] = [_at(_assign(RESULT, _operator("NOTHING")), node.body[0])]
    if lowering.flags_return:
        start.append(_at(_assign(RETURNED, ast.Constant(False)), node.body[0]))
    last = node.body[-1]
    tells = lowering.flags_return and not always_returns
    given: list[ast.expr] = [_load(RESULT), _load(RETURNED)] if tells else [_load(RESULT)]
    finish = _at(ast.Return(ast.Call(_operator("result"), given, [])), last)
    node.body = [*start, *node.body, finish]


def _has_return_in_flow(body: Sequence[ast.stmt]) -> bool:
    """Whether there is a `return` inside a branch or loop; one elsewhere can stay."""
    flows = [n for n in own_nodes(body) if isinstance(n, (ast.If, *_LOOPS))]
    return any(isinstance(n, ast.Return) for flow in flows for n in own_nodes(flow))


class _Lowering:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._breaks: list[str] = []
        self._continues: list[str] = []
        self.lowers_returns = False
        self.flags_return = False

    def block(self, body: Sequence[ast.stmt], told: frozenset[str]) -> list[ast.stmt]:
        """Statements without jumps; `told` are the kinds of jump that code after the block must learn of."""
        made: list[ast.stmt] = []
        for k, statement in enumerate(body):
            if isinstance(statement, (ast.Break, ast.Continue, ast.Return)):
                if isinstance(statement, ast.Return) and not self.lowers_returns:
                    made.append(statement)
                else:
                    made += self._jump(statement, told)
                return made
            jumps, rest = self._jumps_in(statement), body[k + 1 :]
            if jumps and isinstance(statement, ast.If):
                if _ends(statement.body):
                    made.append(self._branch(statement, statement.body, [*statement.orelse, *rest], told))
                    return made
                if statement.orelse and _ends(statement.orelse):
                    made.append(self._branch(statement, [*statement.body, *rest], statement.orelse, told))
                    return made
            made += self._inside(statement, told | jumps if rest else told)
            if jumps and rest:
                made.append(self._unless(self._flags(jumps), self.block(rest, told), rest[0]))
                return made
        return made

    def _jump(self, statement: ast.Break | ast.Continue | ast.Return, told: frozenset[str]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        if isinstance(statement, ast.Return):
            made.append(_at(_assign(RESULT, statement.value or ast.Constant(None)), statement))
            if "return" in told:
                self.flags_return = True
                made.append(_at(_assign(RETURNED, ast.Constant(True)), statement))
        elif isinstance(statement, ast.Break):
            made.append(_at(_assign(self._breaks[-1], ast.Constant(True)), statement))
        elif "continue" in told:
            made.append(_at(_assign(self._continues[-1], ast.Constant(True)), statement))
        return made or [_at(ast.Pass(), statement)]

    def _branch(
        self, node: ast.If, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], told: frozenset[str]
    ) -> ast.If:
        branches = self.block(body, told), self.block(orelse, told)
        return ast.copy_location(ast.If(node.test, branches[0] or [_at(ast.Pass(), node)], branches[1]), node)

    def _inside(self, node: ast.stmt, told: frozenset[str]) -> list[ast.stmt]:
        """A statement with the jumps inside it lowered, and what has to be done before and after."""
        if isinstance(node, ast.If):
            return [self._branch(node, node.body, node.orelse, told)]
        if isinstance(node, _LOOPS):
            return self._loop(node, told)
        if isinstance(node, SCOPES):
            return [node]
        if isinstance(node, ast.Try) and node.orelse and self._jumps_in_all(node.body):
            jumps = self._jumps_in_all(node.body)
            body = self.block(node.body, told | jumps)
            orelse = [self._unless(self._flags(jumps), self.block(node.orelse, told), node.orelse[0])]
            handlers = [self._handler(h, told) for h in node.handlers]
            made = ast.Try(body, handlers, orelse, self.block(node.finalbody, told))
            return [ast.copy_location(made, node)]
        fields = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                value = self.block(value, told)
            elif isinstance(value, list) and value and isinstance(value[0], ast.ExceptHandler):
                value = [self._handler(h, told) for h in value]
            elif isinstance(value, list) and value and isinstance(value[0], ast.match_case):
                value = [ast.match_case(c.pattern, c.guard, self.block(c.body, told)) for c in value]
            fields[name] = value
        return [ast.copy_location(type(node)(**fields), node)]

    def _handler(self, node: ast.ExceptHandler, told: frozenset[str]) -> ast.ExceptHandler:
        return ast.copy_location(ast.ExceptHandler(node.type, node.name, self.block(node.body, told)), node)

    def _loop(self, node: ast.While | ast.For, told: frozenset[str]) -> list[ast.stmt]:
        number = next(self._numbers)
        inner = self._jumps_in_all(node.body)
        self._breaks.append(f"ag__break_{number}")
        self._continues.append(f"ag__continue_{number}")
        body = self.block(node.body, frozenset(inner - {"continue"}))
        broken, continued = self._breaks.pop(), self._continues.pop()
        if any(isinstance(n, ast.Name) and n.id == continued for s in body for n in ast.walk(s)):
            body.insert(0, _at(_assign(continued, ast.Constant(False)), node))
        stops = [broken] if "break" in inner else []
        if "return" in inner:
            stops.append(RETURNED)
        made: list[ast.stmt] = []
        if "break" in inner:
            made.append(_at(_assign(broken, ast.Constant(False)), node))
        if isinstance(node, ast.While):
            loop: ast.stmt = ast.While(node.test, body, [])
        else:
            loop = ast.For(node.target, node.iter, body, [])
        loop.stops = stops  # pyright: ignore[reportAttributeAccessIssue]
        made.append(ast.copy_location(loop, node))
        if node.orelse:
            after = self.block(node.orelse, told)
            made += [self._unless(stops, after, node.orelse[0])] if stops else after
        return made

    def _unless(self, flags: Sequence[str], body: list[ast.stmt], where: ast.AST) -> ast.stmt:
        tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), _load(f)) for f in flags]
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        return _at(ast.If(test, body or [ast.Pass()], []), where)

    def _flags(self, jumps: frozenset[str]) -> list[str]:
        if "return" in jumps:
            self.flags_return = True
        names = {"return": RETURNED}
        if self._breaks:
            names |= {"break": self._breaks[-1], "continue": self._continues[-1]}
        return [names[j] for j in sorted(jumps)]

    def _jumps_in_all(self, body: Sequence[ast.stmt]) -> frozenset[str]:
        return frozenset().union(*[self._jumps_in(s) for s in body])

    def _jumps_in(self, node: ast.AST) -> frozenset[str]:
        """The kinds of jump in a statement that leave it."""
        if isinstance(node, ast.Return):
            return frozenset({"return"} if self.lowers_returns else ())
        if isinstance(node, ast.Break):
            return frozenset({"break"})
        if isinstance(node, ast.Continue):
            return frozenset({"continue"})
        if isinstance(node, SCOPES):
            return frozenset()
        found = frozenset().union(*[self._jumps_in(child) for child in ast.iter_child_nodes(node)])
        return found & {"return"} if isinstance(node, _LOOPS) else found


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether control never reaches the end of a block."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.With):
        return False  # a context may swallow what is raised in it
    return isinstance(last, (ast.Return, ast.Break, ast.Continue, ast.Raise))


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _operator(name: str) -> ast.Attribute:
    return ast.Attribute(_load("ag__"), name, ast.Load())


def _at(node: _N, where: ast.AST) -> _N:
    """A new node at the place of another."""
    ast.copy_location(node, where)
    return ast.fix_missing_locations(node)
