"""Converting functions: from a function to one that does the same through operators.

The converted code is compiled under the user's file name and line numbers, shares the closure and the globals of the
function it comes from, and finds the operators in a cell of its own.
"""

from __future__ import annotations
import __future__

import ast
import copy
import weakref
from types import CellType, CodeType, FunctionType, SimpleNamespace
from typing import Any

from tapeflow.autograph.reporting import report
from tapeflow.autograph.rewriting import OPERATORS, NotConvertible, mangled, rewritten
from tapeflow.autograph.source import NoSource, find

operators = SimpleNamespace()
"""What converted code calls; `tapeflow.ops` fills it."""

_cell = CellType(operators)
_codes: dict[int, tuple[CodeType, CodeType | None]] = {}
_made: weakref.WeakKeyDictionary[FunctionType, FunctionType] = weakref.WeakKeyDictionary()

UNCONVERTED = "_tapeflow_is_unconverted"
"""The attribute that marks a function as not to be converted."""


def converted_function(function: FunctionType) -> FunctionType:
    """The converted form of a function; the function itself if there is nothing to convert, or no source to read."""
    made = _made.get(function)
    if made is None:
        code = None if getattr(function, UNCONVERTED, False) else _converted_code(function)
        made = _made[function] = function if code is None else _bound(function, code)
    return made


def _converted_code(function: FunctionType) -> CodeType | None:
    original = function.__code__
    if OPERATORS in original.co_freevars:
        return None  # nested in a converted function, and converted with it
    known = _codes.get(id(original))
    if known is None:
        try:
            found = _compiled(tree_of(function), original)
        except (NoSource, NotConvertible, SyntaxError) as error:
            report(1, f"{function.__qualname__} runs as it is: {error}.")
            found = None
        else:
            report(
                3, f"{function.__qualname__} is converted." if found else f"{function.__qualname__} stays."
            )
        known = _codes[id(original)] = (original, found)
    return known[1]


def tree_of(function: FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The rewritten syntax tree of a function.

    Raises:
        NoSource: its source cannot be found.
        NotConvertible: it is of a kind that is left as it is.
    """
    node, class_name = find(function)
    _check_unchanged(copy.deepcopy(node), class_name, function.__code__)
    return rewritten(copy.deepcopy(node), class_name)


def _check_unchanged(tree: ast.FunctionDef | ast.Lambda, class_name: str | None, original: CodeType) -> None:
    """Raise unless a tree is what code was compiled from: a file may have been edited since it was imported.

    What pytest adds to `assert` statements does not count.
    """
    if isinstance(tree, ast.FunctionDef):
        tree.decorator_list = []
    found = _code_of(mangled(tree, class_name), original)
    if not (
        set(found.co_names) <= set(original.co_names)
        and set(found.co_varnames) <= {*original.co_varnames, *original.co_cellvars}
        and _last_line(found) == _last_line(original)
    ):
        raise NoSource("its source has changed since it was imported")


def _last_line(code: CodeType) -> int:
    inner = [_last_line(c) for c in code.co_consts if isinstance(c, CodeType)]
    return max([line for _, _, line in code.co_lines() if line is not None] + inner)


def _compiled(tree: ast.FunctionDef | ast.Lambda, original: CodeType) -> CodeType | None:
    """The code of a rewritten function; None if nothing in it was rewritten."""
    if not any(isinstance(n, ast.Name) and n.id == OPERATORS for n in ast.walk(tree)):
        return None
    return _renamed(_code_of(tree, original), original.co_name, original.co_qualname)


def _code_of(tree: ast.FunctionDef | ast.Lambda, original: CodeType) -> CodeType:
    """The code of a function, compiled so that the names around it are free in it."""
    around = [ast.arg(n) for n in (*original.co_freevars, OPERATORS)]
    name = tree.name if isinstance(tree, ast.FunctionDef) else "<lambda>"
    if isinstance(tree, ast.FunctionDef):
        tree.returns = None
        for arg in ast.walk(tree.args):
            if isinstance(arg, ast.arg):
                arg.annotation = None
        body: list[ast.stmt] = [tree]
    else:
        body = [ast.Expr(tree)]
    if name not in original.co_freevars and name != "<lambda>":
        body.insert(
            0, ast.Global([name])
        )  # a function that calls itself finds what its module has under its name
    factory = ast.FunctionDef(
        "ag__factory", ast.arguments([], around, None, [], [], None, []), body, [], None
    )
    if "type_params" in ast.FunctionDef._fields:  # of Python 3.12
        factory.type_params = []  # pyright: ignore[reportAttributeAccessIssue]
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(factory, tree)], []))
    flags = original.co_flags & __future__.annotations.compiler_flag
    code = compile(module, original.co_filename, "exec", flags=flags, dont_inherit=True)
    outer = next(c for c in code.co_consts if isinstance(c, CodeType))
    return next(c for c in outer.co_consts if isinstance(c, CodeType) and c.co_name == name)


def _renamed(code: CodeType, name: str, qualname: str) -> CodeType:
    """Code whose made-up functions have the name of the one they were part of, as tracebacks show it."""
    constants = tuple(
        [
            _renamed(c, *((name, qualname) if c.co_name.startswith("ag__") else (c.co_name, c.co_qualname)))
            if isinstance(c, CodeType)
            else c
            for c in code.co_consts
        ]
    )
    return code.replace(co_consts=constants, co_name=name, co_qualname=qualname)


def _bound(function: FunctionType, code: CodeType) -> FunctionType:
    """Converted code as a function with all that the original has."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[OPERATORS] = _cell
    closure = tuple([cells[name] for name in code.co_freevars])
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__module__, made.__doc__ = (
        function.__qualname__,
        function.__module__,
        function.__doc__,
    )
    made.__annotations__ = function.__annotations__
    return made


def is_converted(function: Any) -> bool:
    """Whether a function is one that conversion made."""
    code = getattr(function, "__code__", None)
    return code is not None and OPERATORS in code.co_freevars
