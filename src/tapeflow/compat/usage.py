"""Which TensorFlow and Keras names a script uses, told from its syntax tree: the script is not run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from tapeflow.compat.names import is_ours
from tapeflow.compat.packages import Import, imports_of
from tapeflow.compat.scopes import Binding, Scope, chain_of, is_guard, is_guarding


@dataclass(frozen=True)
class Use:
    """A name at a place: `tensorflow.keras.layers.Dense`, at line 12.

    Attributes:
        names: the name; several, if it is imported from one place or another.
        line: where it ends.
        is_guarded: whether the script goes on without it: inside `try: ... except ImportError`, or after `hasattr`.
        is_certain: whether it stands for nothing else; a list may have an imported module's name later on.
    """

    names: tuple[str, ...]
    line: int
    is_guarded: bool = False
    is_certain: bool = True


_BUILTINS = {*vars(builtins), "__file__", "__path__"}


class Star(NamedTuple):
    """`from tensorflow.keras.layers import *`, at a line."""

    module: str
    line: int


class Unbound(NamedTuple):
    """A name that nothing in the script binds, at a line: if it runs, an `import *` brings it."""

    name: str
    line: int


@dataclass
class Usage:
    """What a script uses.

    Attributes:
        uses: every use, in the order of the lines.
        stars: every `import *` from a module of ours.
        unbound: the names that an `import *` brings.
        imports: the packages it imports, whoever's they are.
    """

    uses: list[Use] = field(default_factory=list)
    stars: list[Star] = field(default_factory=list)
    unbound: list[Unbound] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)


def usage_of(source: str | bytes, filename: str = "<script>") -> Usage:
    """The names used by a script's source.

    Followed are imports, their `as` names, `getattr` with a name written out, and plain assignments such as
    `layers = tf.keras.layers`, each in its scope.

    Raises:
        SyntaxError: the script is not Python.
    """
    walk = _Walk()
    tree = ast.parse(source, filename)
    walk.visit(tree)
    usage = Usage(walk.imports, walk.stars, imports=list(imports_of(tree)))
    for chain, line, scope, is_guarded in walk.chains:
        if scope.home(chain[0]) is None and chain[0] not in _BUILTINS:
            usage.unbound.append(Unbound(".".join(chain), line))
            continue
        found, is_other = scope.meanings(chain)
        if found and len(chain) > 1:
            names = tuple(meaning.name for meaning in found)
            guarded = is_guarded or all(meaning.is_guarded for meaning in found)
            usage.uses.append(Use(names, line, guarded, not is_other))
    usage.uses.sort(key=lambda use: use.line)
    return usage


def _is_looked_up(module: str) -> bool:
    """Whether a module is one that `tapeflow run` resolves."""
    return is_ours(module) or module.startswith("tensorboard.plugins")


class _Chain(NamedTuple):
    names: tuple[str, ...]
    line: int
    scope: Scope
    is_guarded: bool


class _Walk(ast.NodeVisitor):
    """Notes what each scope binds, and every chain of names that is read in it."""

    def __init__(self) -> None:
        self.imports: list[Use] = []
        self.stars: list[Star] = []
        self.chains: list[_Chain] = []
        self._scope = Scope()
        self._is_guarded = False

    # What binds names.

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            whole = alias.name if alias.asname else alias.name.partition(".")[0]
            self._import(alias.asname or whole, whole, alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "" if node.level or not node.module else node.module
        for alias in node.names:
            if alias.name != "*":
                name = f"{module}.{alias.name}" if module else ""
                self._import(alias.asname or alias.name, name, name, node.lineno)
            elif _is_looked_up(module):
                self.stars.append(Star(module, node.lineno))
                self.imports.append(Use((module,), node.lineno, self._is_guarded))

    def _import(self, bound: str, whole: str, asked: str, line: int) -> None:
        if not _is_looked_up(asked):
            self._scope.bind(bound)
            return
        self._scope.bind(bound, Binding(module=whole, is_guarded=self._is_guarded))
        self.imports.append(Use((asked,), line, self._is_guarded))

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assign(target, node.value)
        self.visit(node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        pair = (ast.Tuple, ast.List)
        if isinstance(target, pair) and isinstance(value, pair) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._assign(one, other)
        elif isinstance(target, ast.Name) and (chain := chain_of(value)) is not None:
            self._scope.bind(target.id, Binding(chain=chain, is_guarded=self._is_guarded))
        elif not (isinstance(target, ast.Name) and isinstance(value, ast.Constant) and value.value is None):
            self.visit(target)  # `tf = None` where the import failed is no other meaning

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._note((node.id,), node)
        else:
            self._scope.bind(node.id)

    def visit_arg(self, node: ast.arg) -> None:
        self._scope.bind(node.arg)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._bind(node.rest)
        self.generic_visit(node)

    def _bind(self, name: str | None) -> None:
        if name is not None:
            self._scope.bind(name)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.declare(node.names, is_global=True)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.declare(node.names, is_global=False)

    # What opens a scope.

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._scope.bind(node.name)
        arguments = node.args
        given = (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        )
        notes = [argument.annotation for argument in given if argument is not None]
        self._visit_all(
            *node.decorator_list, *arguments.defaults, *arguments.kw_defaults, *notes, node.returns
        )
        with self._inside():
            self._visit_all(*given, *node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        arguments = node.args
        self._visit_all(*arguments.defaults, *arguments.kw_defaults)
        given = (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        )
        with self._inside():
            self._visit_all(*given, node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.bind(node.name)
        self._visit_all(*node.decorator_list, *node.bases, *node.keywords)
        with self._inside(is_class=True):
            self._visit_all(*node.body)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        first = node.generators[0]
        self.visit(first.iter)  # outside, as Python does
        with self._inside():
            for child in ast.iter_child_nodes(node):
                self._visit_all(*((first.target, *first.ifs) if child is first else (child,)))

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    @contextmanager
    def _inside(self, is_class: bool = False) -> Iterator[None]:
        outer, self._scope = self._scope, Scope(self._scope, is_class)
        yield
        self._scope = outer

    # What the script goes on without.

    def visit_Try(self, node: ast.Try) -> None:
        with self._guarded(is_guarding(node)):
            self._visit_all(*node.body)
        self._visit_all(*node.handlers, *node.orelse, *node.finalbody)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        with self._guarded(is_guard(node.test)):
            self._visit_all(*node.body, *node.orelse)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        with self._guarded(is_guard(node.test)):
            self._visit_all(node.body, node.orelse)

    @contextmanager
    def _guarded(self, is_guarded: bool) -> Iterator[None]:
        was, self._is_guarded = self._is_guarded, self._is_guarded or is_guarded
        yield
        self._is_guarded = was

    # What reads names.

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain = chain_of(node) if isinstance(node.ctx, ast.Load) else None  # what is set need not be there
        if chain is None:
            self.generic_visit(node)
        else:
            self._note(chain, node)

    def visit_Call(self, node: ast.Call) -> None:
        chain = chain_of(node)
        if chain is None:
            self.generic_visit(node)
            return
        with self._guarded(len(node.args) == 3):  # `getattr` with a default
            self._note(chain, node)

    def _note(self, chain: tuple[str, ...], node: ast.expr) -> None:
        line = node.end_lineno or node.lineno  # the name at the end of the chain is what may be missing
        self.chains.append(_Chain(chain, line, self._scope, self._is_guarded))

    def _visit_all(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)
