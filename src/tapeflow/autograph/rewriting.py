"""Rewriting a function's syntax tree: control flow and calls become calls of `operators`.

A branch or a loop's body becomes a nested function that shares the names of the function around it (`nonlocal`), so
Python code runs in it as it did before; the operator decides whether to call it or to record it. For

    if x > 0:
        y = x

the tree of this code is made:

    def ag__body_1():
        nonlocal y
        y = x
    ag__.if_(x > 0, ag__body_1, None, lambda: ag__.State(lambda: y, ("y",), ...))
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Sequence
from typing import TypeVar

from tapeflow.autograph.jumps import lower_jumps
from tapeflow.autograph.liveness import Live, live_names
from tapeflow.autograph.names import SCOPES, Names, argument_names, names_in, own_nodes

OPERATORS = "ag__"
"""The name by which converted code knows the operators."""

_UNCONVERTED_CALLS = frozenset(["super", "locals", "globals", "vars", "eval", "exec", "dir", "isinstance"])
_FRAME_CALLS = frozenset(["locals", "eval", "exec"])
_E = TypeVar("_E", bound=ast.AST)


class NotConvertible(Exception):
    """A function that cannot be converted, and the reason."""


def rewritten(node: ast.FunctionDef | ast.Lambda, class_name: str | None) -> ast.FunctionDef | ast.Lambda:
    """A function with its control flow and calls rewritten; the tree that is given is used up."""
    check_convertible(node)
    node = mangled(node, class_name)
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        _Rewriting(None).function(node)
    else:
        node.body = _Rewriting(None).visit(node.body)
    return ast.fix_missing_locations(node)


def mangled(node: ast.FunctionDef | ast.Lambda, class_name: str | None) -> ast.FunctionDef | ast.Lambda:
    """A function with its private names as the class it is written in makes them."""
    if class_name is not None:
        _Mangling(class_name).visit(node)
    return node


def check_convertible(node: ast.FunctionDef | ast.Lambda) -> None:
    """Raise `NotConvertible` for a generator, or a function that looks into its own frame."""
    body: Sequence[ast.AST] = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    for inner in own_nodes(body):
        if isinstance(inner, ast.Yield | ast.YieldFrom | ast.Await):
            raise NotConvertible("it is a generator or coroutine")
        called = inner.func.id if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) else ""
        if called in _FRAME_CALLS or (called in ("vars", "dir") and not inner.args):  # type: ignore[union-attr]
            raise NotConvertible(f"it calls {called}()")


class _Mangling(ast.NodeTransformer):
    """Names with two leading underscores, as the class they are written in makes them."""

    def __init__(self, class_name: str) -> None:
        self._prefix = f"_{class_name.lstrip('_')}"

    def _mangled(self, name: str) -> str:
        return f"{self._prefix}{name}" if name.startswith("__") and not name.endswith("__") else name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._mangled(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._mangled(node.arg)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        node.attr = self._mangled(node.attr)
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node  # a class of its own

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self._mangled(node.name) if not node.decorator_list else node.name
        self.generic_visit(node)
        return node


class _Rewriting(ast.NodeTransformer):
    """Rewrites one function, and those nested in it with others of its kind.

    Args:
        first: the name of the first argument of the method this is in, for `super()`.
    """

    def __init__(self, first: str | None) -> None:
        self._first = first
        self._numbers = itertools.count(1)
        self._live: dict[int, Live] = {}
        self._soft: frozenset[str] = frozenset()
        self._globals: set[str] = set()
        self._is_lambda = True

    def function(self, node: ast.FunctionDef) -> None:
        """Rewrite a function's body in place."""
        self._is_lambda = False
        arguments = [*node.args.posonlyargs, *node.args.args]
        self._first = arguments[0].arg if arguments else self._first
        lower_jumps(node)
        declared = {n for s in own_nodes(node.body) if isinstance(s, ast.Nonlocal) for n in s.names}
        names = names_in(node.body)
        self._globals = names.globals
        self._soft = frozenset(names_in([s for s in own_nodes(node.body) if isinstance(s, SCOPES)]).read)
        self._live = live_names(node.body, frozenset(declared))
        local = names.bound - declared - names.globals - argument_names(node.args)
        docstring = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        rest = node.body[len(docstring) :]
        body = [made for s in rest for made in _listed(self.visit(s))]
        if local and any(isinstance(n, ast.Nonlocal) for s in body for n in ast.walk(s)):
            # What only nested functions bind is a name of this function all the same.
            stores: list[ast.expr] = [ast.Name(n, ast.Store()) for n in sorted(local)]
            body.insert(
                0, _at(ast.If(ast.Constant(False), [ast.Assign(stores, ast.Constant(None))], []), node)
            )
            _move_declarations_up(body)
        node.body = [*docstring, *body]

    # Nested scopes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        try:
            check_convertible(node)
        except NotConvertible:
            return node
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.args = self.visit(node.args)
        _Rewriting(self._first).function(node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        node.args = self.visit(node.args)
        node.body = _Rewriting(self._first).visit(node.body)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    # Expressions

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super" and not node.args and self._first:
            node.args = [_load("__class__"), _load(self._first)]
            return ast.fix_missing_locations(node)
        self.generic_visit(node)
        if isinstance(function, ast.Name) and function.id in _UNCONVERTED_CALLS:
            return node
        owner = function.value if isinstance(function, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id == OPERATORS:
            return node
        node.func = _at(ast.Call(_operator("call"), [node.func], []), function)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        if _binds(node):
            return self.generic_visit(node)  # type: ignore[return-value]
        self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return _at(ast.Call(_operator(name), [_delayed(v) for v in node.values], []), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return _at(ast.Call(_operator("not_"), [node.operand], []), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        is_bound = _binds(node)
        self.generic_visit(node)
        if is_bound:
            return node
        given = [node.test, _delayed(node.body), _delayed(node.orelse)]
        return _at(ast.Call(_operator("if_expression"), given, []), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        is_bound = _binds(node)
        self.generic_visit(node)
        if len(node.ops) == 1 or is_bound:
            return node
        # a < b < c: what is in the middle is computed once, and the second test only if the first holds.
        test: ast.expr = _load("ag__r")
        operands = [node.left, *node.comparators]
        made: ast.expr | None = None
        for k in reversed(range(len(node.ops))):
            pair = ast.Compare(_load(f"ag__c{k}"), [node.ops[k]], [_load(f"ag__c{k + 1}")])
            test = pair if made is None else ast.Call(_operator("and_"), [_delayed(pair), _delayed(made)], [])
            arguments = [f"ag__c{k}", f"ag__c{k + 1}"] if k == 0 else [f"ag__c{k + 1}"]
            given = operands[:2] if k == 0 else [operands[k + 1]]
            made = ast.Call(ast.Lambda(_arguments(*arguments), test), given, [])
        return _at(made or test, node)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        self.generic_visit(node)
        said = ast.Constant(None) if node.msg is None else _delayed(node.msg)
        return _at(ast.Expr(ast.Call(_operator("assert_"), [_delayed(node.test), said], [])), node)

    # Statements

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)  # type: ignore[return-value]
        if node.value is None:
            return _at(ast.Pass(), node)
        # A name that is shared with nested functions cannot be annotated.
        return _at(ast.Assign([node.target], self.visit(node.value)), node)

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        live = self._live.get(id(node), Live(frozenset()))
        names = names_in([*node.body, *node.orelse])
        number = next(self._numbers)
        test = self.visit(node.test)
        body = self._nested(f"ag__body_{number}", (), node.body, node)
        made: list[ast.stmt] = [body]
        orelse: ast.expr = ast.Constant(None)
        if node.orelse:
            made.append(self._nested(f"ag__else_{number}", (), node.orelse, node.orelse[0]))
            orelse = _load(f"ag__else_{number}")
        given = [test, _load(f"ag__body_{number}"), orelse, self._state(names, live.after, frozenset(), None)]
        made.append(_at(ast.Expr(ast.Call(_operator("if_"), given, [])), node.test))
        return made

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        live = self._live.get(id(node), Live(frozenset()))
        names, number = names_in(node.body), next(self._numbers)
        bound = names_in(node.test).bound
        why = "its test assigns a name" if bound else None
        tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), _load(s)) for s in getattr(node, "stops", ())]
        test = ast.BoolOp(ast.And(), [*tests, node.test]) if tests else node.test
        declared: list[ast.stmt] = [ast.Nonlocal(sorted(bound))] if bound else []
        answer = ast.Return(self.visit(_at(test, node.test)))
        tested = self._function(f"ag__test_{number}", (), [*declared, answer], node.test)
        body = self._nested(f"ag__body_{number}", (), node.body, node)
        state = self._state(names, live.after, live.around, why)
        given = [_load(f"ag__test_{number}"), _load(f"ag__body_{number}"), state]
        return [tested, body, _at(ast.Expr(ast.Call(_operator("while_"), given, [])), node.test)]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        live = self._live.get(id(node), Live(frozenset()))
        names, number = names_in([node.target, *node.body]), next(self._numbers)
        stops: Sequence[str] = getattr(node, "stops", ())
        iterated = self._iterated(node.iter)
        take = _at(ast.Assign([node.target], _load("ag__item")), node.target)
        body = self._nested(f"ag__body_{number}", ("ag__item",), [take, *node.body], node)
        made: list[ast.stmt] = [body]
        test: ast.expr = ast.Constant(None)
        if stops:
            tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), _load(s)) for s in stops]
            goes_on = self.visit(_at(tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests), node))
            made.append(self._function(f"ag__test_{number}", (), [ast.Return(goes_on)], node))
            test = _load(f"ag__test_{number}")
        state = self._state(names, live.after, live.around, None)
        given = [iterated, test, _load(f"ag__body_{number}"), state]
        made.append(_at(ast.Expr(ast.Call(_operator("for_"), given, [])), node.iter))
        return made

    def _iterated(self, node: ast.expr) -> ast.expr:
        """What a loop goes over: ranges and their kin are not made into tensors first."""
        if not isinstance(node, ast.Call):
            return self.visit(node)
        function = self.visit(node.func)
        node.args = [self._iterated(a) if isinstance(a, ast.Call) else self.visit(a) for a in node.args]
        node.keywords = [self.visit(k) for k in node.keywords]
        node.func = _at(ast.Call(_operator("iterated"), [function], []), node.func)
        return node

    # What is made

    def _nested(
        self, name: str, arguments: Sequence[str], body: Sequence[ast.stmt], where: ast.AST
    ) -> ast.FunctionDef:
        """A block as a nested function that binds the names of the function around it."""
        names = names_in(body)
        made = [m for s in body for m in _listed(self.visit(s))]
        declared: list[ast.stmt] = []
        if shared := names.bound - self._globals:
            declared.append(ast.Nonlocal(sorted(shared)))
        if shared := names.bound & self._globals:
            declared.append(ast.Global(sorted(shared)))
        return self._function(name, arguments, [*declared, *made], where)

    def _function(
        self, name: str, arguments: Sequence[str], body: list[ast.stmt], where: ast.AST
    ) -> ast.FunctionDef:
        body = [s for s in body if not isinstance(s, ast.Global | ast.Nonlocal) or s.names]
        made = ast.FunctionDef(name, _arguments(*arguments), body or [ast.Pass()], [], None)
        if "type_params" in ast.FunctionDef._fields:  # of Python 3.12
            made.type_params = []  # pyright: ignore[reportAttributeAccessIssue]
        return _at(made, where)

    def _state(
        self, names: Names, after: frozenset[str], around: frozenset[str], why: str | None
    ) -> ast.expr:
        """An expression that gives the names and attributes a block changes, with what is known of them."""
        shared = sorted(names.bound - self._globals)
        reached = (after | around) & names.bound
        soft = (self._soft & names.bound) - reached
        if why is None and names.bound & self._globals:
            why = "it assigns a global name"
        if why is None and names.raises:
            why = "it raises an exception"
        attributes = [a for path, a in names.attributes.items() if not _is_made_inside(a, names.bound)]
        items = [i for i in names.items.values() if not _is_made_inside(i.value, names.bound)]
        mutated = [m for m in names.mutated.values() if not _is_made_inside(m, names.bound)]
        given: list[ast.expr] = [
            ast.Lambda(_arguments(), ast.Tuple([_load(n) for n in shared], ast.Load())),
            _strings(shared),
            _strings(sorted(after & names.bound)),
            _strings(sorted(around & names.bound)),
            _strings(sorted(soft)),
            ast.Tuple([_place(a, ast.Constant(a.attr)) for a in attributes], ast.Load()),
            ast.Tuple([_place(i, copy.deepcopy(i.slice)) for i in items], ast.Load()),
            ast.Tuple([_delayed(_loaded(m)) for m in mutated], ast.Load()),
            ast.Constant(why),
        ]
        return ast.Lambda(_arguments(), ast.Call(_operator("State"), given, []))


def _is_made_inside(node: ast.expr, bound: set[str]) -> bool:
    """Whether an expression starts from a name that the block itself binds."""
    return not names_in(node).read.isdisjoint(bound)


def _binds(node: ast.AST) -> bool:
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))


def _place(node: ast.Attribute | ast.Subscript, key: ast.expr) -> ast.expr:
    """`("self.x", lambda: self, "x")`"""
    owner = _delayed(_loaded(node.value))
    return ast.Tuple([ast.Constant(ast.unparse(node)), owner, key], ast.Load())


def _loaded(node: ast.expr) -> ast.expr:
    """A copy of an expression, to be read."""
    copied = copy.deepcopy(node)
    if isinstance(copied, ast.Attribute | ast.Name | ast.Subscript):
        copied.ctx = ast.Load()
    return copied


def _delayed(value: ast.expr) -> ast.Lambda:
    return ast.Lambda(_arguments(), value)


def _arguments(*names: str) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def _strings(values: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(v) for v in values], ast.Load())


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _operator(name: str) -> ast.Attribute:
    return ast.Attribute(_load(OPERATORS), name, ast.Load())


def _listed(made: ast.AST | list[ast.stmt] | None) -> list[ast.stmt]:
    return made if isinstance(made, list) else [] if made is None else [made]  # type: ignore[list-item]


def _move_declarations_up(body: list[ast.stmt]) -> None:
    """Declarations of the function's own come before any use of what they name."""
    own = [s for s in body if isinstance(s, ast.Nonlocal | ast.Global)]
    for statement in own:
        body.remove(statement)
    body[:0] = own


def _at(node: _E, where: ast.AST) -> _E:
    """A new node, and all new ones in it, at the place of another."""
    for inner in ast.walk(node):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, where)
            if inner.end_lineno != inner.lineno:  # type: ignore[attr-defined]
                # Python names the last line of a call of a method, which is here the first of a block.
                inner.end_lineno, inner.end_col_offset = inner.lineno, inner.col_offset  # type: ignore[attr-defined]
    return node
