"""Where a function was written: its syntax tree, with the lines and columns of the user's file.

The whole file is parsed once and the function is found in it by position, so that code compiled from the tree keeps
the user's file name and line numbers, and tracebacks need no translation.
"""

from __future__ import annotations

import ast
import linecache
from types import CodeType, FunctionType

Function = ast.FunctionDef | ast.Lambda


class NoSource(Exception):
    """The source of a function is not to be had, or is not what the function was compiled from."""


class _File:
    """A parsed file: its functions by the line where their code begins, and what encloses each."""

    def __init__(self, lines: list[str], name: str) -> None:
        self.lines = lines
        try:
            tree = ast.parse("".join(lines), name)
        except (SyntaxError, ValueError) as error:
            raise NoSource(f"its source cannot be parsed: {error}") from None
        self.functions: dict[int, list[Function]] = {}
        self.classes: dict[int, str] = {}
        self._collect(tree, None)

    def _collect(self, node: ast.AST, class_name: str | None) -> None:
        for child in ast.iter_child_nodes(node):
            inner = child.name if isinstance(child, ast.ClassDef) else class_name
            if isinstance(child, ast.FunctionDef | ast.Lambda):
                self.functions.setdefault(_first_line(child), []).append(child)
                if class_name is not None:
                    self.classes[id(child)] = class_name
            self._collect(child, inner)


_files: dict[str, _File] = {}


def _first_line(node: Function) -> int:
    decorators = getattr(node, "decorator_list", None)
    return decorators[0].lineno if decorators else node.lineno


def find(function: FunctionType) -> tuple[Function, str | None]:
    """The syntax tree of a function, which is not to be changed, and the name of the class it is written in.

    Raises:
        NoSource: there is none, or it is not that of this function.
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NoSource("its source is not available")
    file = _files.get(code.co_filename)
    if file is None or file.lines != lines:
        file = _files[code.co_filename] = _File(lines, code.co_filename)
    found = [n for n in file.functions.get(code.co_firstlineno, []) if _is_of(n, code)]
    if len(found) > 1:
        found = [n for n in found if _holds(n, code)]
    if len(found) != 1:
        raise NoSource("its source has changed since it was imported, or holds several like it in one line")
    return found[0], file.classes.get(id(found[0]))


def _is_of(node: Function, code: CodeType) -> bool:
    """Whether code has the name and the arguments of a node."""
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    a = node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    names += [x.arg for x in (a.vararg, a.kwarg) if x is not None]
    count = len(names)
    own = [n if not n.startswith("__") or n.endswith("__") else n.split("__", 2)[-1] for n in names]
    given = [
        v if "__" not in v or v.endswith("__") or not v.startswith("_") else v.split("__", 1)[-1]
        for v in code.co_varnames[:count]
    ]
    return name == code.co_name and (own == given or tuple(names) == code.co_varnames[:count])


def _holds(node: Function, code: CodeType) -> bool:
    """Whether the instructions of code lie within a node: of two lambdas in a line, which it is."""
    places = [
        (line, column)
        for line, _, column, _ in code.co_positions()
        if line is not None and column is not None and (line, column) != (code.co_firstlineno, 0)
    ]
    body = node.body if isinstance(node, ast.Lambda) else node
    first = (body.lineno, body.col_offset)  # type: ignore[union-attr]
    last = (body.end_lineno or 0, body.end_col_offset or 0)  # type: ignore[union-attr]
    return bool(places) and min(places) == first and max(places) <= last
