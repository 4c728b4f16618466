"""Which names a piece of code binds and reads, and what else it changes that a recorded branch could not undo."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

MUTATORS = frozenset(
    name
    for names in (
        "add append appendleft clear discard extend insert pop",
        "popitem popleft remove reverse setdefault sort update",
    )
    for name in names.split()
)
"""Methods by which Python's containers are changed in place."""


@dataclass
class Names:
    """What a piece of code does with names, nested functions' reads included.

    Attributes:
        bound: names of this scope that are assigned, deleted, imported or defined.
        read: names that are read.
        globals: names declared global.
        attributes: attributes of names that are assigned, as written ("self.count").
        items: items of names, by a constant key, that are assigned, as written ("state['count']").
        mutated: expressions whose object is changed in place, by another item or a method such as `append`.
        raises: whether there is a `raise`.
    """

    bound: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    attributes: dict[str, ast.Attribute] = field(default_factory=dict)
    items: dict[str, ast.Subscript] = field(default_factory=dict)
    mutated: dict[str, ast.expr] = field(default_factory=dict)
    raises: bool = False


def names_in(nodes: ast.AST | Iterable[ast.AST]) -> Names:
    """What some code does with names."""
    collector = _Collector()
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes:
        collector.visit(node)
    return collector.names


def is_path(node: ast.AST) -> bool:
    """Whether an expression is a name, or an attribute of a path."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


class _Collector(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names = Names()

    def visit_Name(self, node: ast.Name) -> None:
        (self.names.read if isinstance(node.ctx, ast.Load) else self.names.bound).add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.names.read.add(node.target.id)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            if is_path(node.value):
                self.names.attributes[ast.unparse(node)] = node
            else:
                self.names.mutated[ast.unparse(node.value)] = node.value
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store) and is_path(node.value) and isinstance(node.slice, ast.Constant):
            self.names.items[ast.unparse(node)] = node
        elif not isinstance(node.ctx, ast.Load):
            self.names.mutated[ast.unparse(node.value)] = node.value
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        method = node.func
        if isinstance(method, ast.Attribute) and method.attr in MUTATORS and is_path(method.value):
            self.names.mutated[ast.unparse(method.value)] = method.value
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self.names.raises = True
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.names.globals.update(node.names)

    def visit_Import(self, node: ast.Import) -> None:
        self.names.bound.update((a.asname or a.name).split(".")[0] for a in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.names.bound.update(a.asname or a.name for a in node.names)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self.names.bound.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name is not None:
            self.names.bound.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name is not None:
            self.names.bound.add(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.names.bound.add(node.rest)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.names.bound.add(node.name)
        for outside in (*node.decorator_list, *_defaults(node.args)):
            self.visit(outside)
        self._inner(node.args, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for outside in _defaults(node.args):
            self.visit(outside)
        self._inner(node.args, [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.names.bound.add(node.name)
        for outside in (*node.decorator_list, *node.bases, *[k.value for k in node.keywords]):
            self.visit(outside)
        inner = names_in(node.body)
        self.names.read |= inner.read  # a class body reads names of its own before those around it

    def _inner(self, args: ast.arguments, body: Sequence[ast.AST]) -> None:
        """What a nested function does to the names around it."""
        inner = names_in(body)
        declared = {n for b in body for s in own_nodes(b) if isinstance(s, ast.Nonlocal) for n in s.names}
        own = (inner.bound | argument_names(args)) - declared - inner.globals
        self.names.read |= (inner.read | declared) - own
        self.names.bound |= declared

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        inner = _Collector()
        for child in ast.iter_child_nodes(node):
            inner.generic_visit(child) if isinstance(child, ast.comprehension) else inner.visit(child)
        targets = names_in([g.target for g in node.generators]).bound
        self.names.read |= inner.names.read - targets
        self.names.read |= names_in(node.generators[0].iter).read
        self.names.bound |= inner.names.bound - targets  # by `:=`
        self.names.mutated |= inner.names.mutated

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def _defaults(args: ast.arguments) -> list[ast.expr]:
    return [d for d in (*args.defaults, *args.kw_defaults) if d is not None]


def argument_names(args: ast.arguments) -> set[str]:
    """The names of a function's arguments."""
    given = [*args.posonlyargs, *args.args, *args.kwonlyargs, *[a for a in (args.vararg, args.kwarg) if a]]
    return {a.arg for a in given}


def own_nodes(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of some code but those inside nested functions and classes, which come as they are."""
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes:
        yield node
        if not isinstance(node, SCOPES):
            yield from own_nodes(ast.iter_child_nodes(node))
