#!/usr/bin/env python3
"""Figures of a Python package, to compare releases and projects: `.ci/figures.py [FOLDER]...`.

Each folder is the source of one package; without one it is `src/tapeflow`. `tests/unit/test_types.py` keeps the shares
of untyped parameters and returns from rising.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
ROOT = Path(__file__).parents[1] / "src" / "tapeflow"


@dataclass
class Share:
    """How many of some things are of a kind."""

    count: int = 0
    total: int = 0

    def add(self, is_counted: bool) -> None:
        self.count += is_counted
        self.total += 1

    @property
    def percent(self) -> float:
        return 100 * self.count / max(self.total, 1)


@dataclass
class Figures:
    """What is measured of a package.

    Attributes:
        untyped_parameters: of all but `self` and `cls`, those without an annotation or with a bare `Any`.
        untyped_returns: likewise, of the results of functions.
        by_package: `untyped_parameters` of each direct subpackage and module.
        public_docstrings: of modules, classes and functions whose path has no name that begins with an underscore.
        deferred_imports: import statements inside functions.
        files: how many modules each folder holds.
    """

    module_lines: list[int] = field(default_factory=list)
    function_lines: list[int] = field(default_factory=list)
    untyped_parameters: Share = field(default_factory=Share)
    untyped_returns: Share = field(default_factory=Share)
    by_package: dict[str, Share] = field(default_factory=dict)
    public_docstrings: Share = field(default_factory=Share)
    deferred_imports: int = 0
    files: Counter[Path] = field(default_factory=Counter)


def measure(root: Path) -> Figures:
    """The figures of the package whose `__init__.py` is in a folder."""
    figures = Figures()
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        relative = path.relative_to(root)
        figures.module_lines.append(text.count("\n"))
        figures.files[relative.parent] += 1
        package = figures.by_package.setdefault(relative.with_suffix("").parts[0], Share())
        is_public = not any(part.startswith("_") and part != "__init__.py" for part in relative.parts)
        for node in [tree, *_public_in(tree)] if is_public else []:
            figures.public_docstrings.add(ast.get_docstring(node) is not None)
        for function in _functions_in(tree):
            figures.function_lines.append((function.end_lineno or 0) - function.lineno + 1)
            figures.untyped_returns.add(_says_nothing(function.returns))
            for parameter in parameters_of(function):
                figures.untyped_parameters.add(_says_nothing(parameter.annotation))
                package.add(_says_nothing(parameter.annotation))
        figures.deferred_imports += len(_imports_in_functions(tree))
    return figures


def parameters_of(function: Function) -> list[ast.arg]:
    """The parameters of a function, `self` and `cls` left out."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [p for p in every if p is not None and p.arg not in ("self", "cls", "mcs")]


def _functions_in(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _says_nothing(annotation: ast.expr | None) -> bool:
    return annotation is None or ast.unparse(annotation) in ("Any", "typing.Any")


def _public_in(node: ast.Module | ast.ClassDef) -> Iterator[ast.ClassDef | Function]:
    for child in node.body:
        if isinstance(
            child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        ) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from _public_in(child)


def _imports_in_functions(tree: ast.AST) -> set[ast.AST]:
    return {
        node
        for function in _functions_in(tree)
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }


def _quantile(values: Iterable[int], part: float) -> int:
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def table(root: Path) -> str:
    """The figures of a package, a line each."""
    f = measure(root)
    folder, files = f.files.most_common(1)[0]
    packages = sorted(f.by_package.items(), key=lambda item: -item[1].count)[:5]
    median = statistics.median_low
    lines, functions = f.module_lines, f.function_lines
    rows = {
        "modules": f"{len(lines)}, {sum(lines)} lines",
        "module lines, median / p90 / max": f"{median(lines)}/{_quantile(lines, 0.9)}/{max(lines)}",
        "function lines, median / p90": f"{median(functions)}/{_quantile(functions, 0.9)}",
        "untyped parameters": f"{f.untyped_parameters.percent:.1f} % of {f.untyped_parameters.total}",
        "    most in": ", ".join(f"{name} {share.percent:.0f} %" for name, share in packages),
        "untyped returns": f"{f.untyped_returns.percent:.1f} % of {f.untyped_returns.total}",
        "imports inside functions": str(f.deferred_imports),
        "largest folder": f"{files} files ({folder})",
        "public docstrings": f"{f.public_docstrings.percent:.0f} %",
    }
    return "\n".join([str(root), *(f"  {name:<34}{value}" for name, value in rows.items())])


if __name__ == "__main__":
    for folder in [Path(argument) for argument in sys.argv[1:]] or [ROOT]:
        print(table(folder))  # noqa: T201
