"""Imports that import-linter does not see: those through `tf`, and cycles that imports inside functions close."""

from __future__ import annotations

import ast
import functools
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tapeflow

ROOT = Path(tapeflow.__file__).parent
PROJECT = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text())
LARGEST_CYCLE = 5


class Import(NamedTuple):
    """An import of one of our modules, or of another package, by a module of ours."""

    target: str
    lines: range
    is_deferred: bool


def module_of(path: Path) -> str:
    parts = [ROOT.name, *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in ROOT.rglob("*.py")}


@functools.cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def absolute(module: str, path: Path, node: ast.ImportFrom) -> str:
    """The module that names are imported from."""
    if not node.level:
        return node.module or ""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    parts = package.split(".")[: package.count(".") + 2 - node.level]
    return ".".join([*parts, node.module] if node.module else parts)


def nearest(name: str) -> str:
    """The module that a dotted name is, or is in."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def lines_of(node: Any) -> range:
    return range(node.lineno, node.end_lineno + 1)


def statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """The statements right inside one: expressions, which cannot import, are passed over."""
    for block in ("body", "orelse", "handlers", "finalbody", "cases"):
        yield from getattr(node, block, ())


def imports_in(module: str, node: ast.AST, is_deferred: bool = False) -> Iterator[Import]:
    """What a module imports when it runs; what is for type checkers alone does not count."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        inside: Iterable[ast.AST] = node.orelse
    else:
        inside = statements_in(node)
    names = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        origin = absolute(module, MODULES[module], node)
        names = [f"{origin}.{alias.name}" for alias in node.names]
    for name in names:
        yield Import(nearest(name) or name, lines_of(node), is_deferred)
    is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    for child in inside:
        yield from imports_in(module, child, is_deferred or is_function)


@functools.cache
def imports_of(module: str) -> list[Import]:
    return list(imports_in(module, tree_of(module)))


def cycles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules of which each leads to each other (Tarjan's strongly connected components)."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(module: str) -> None:
        numbers[module] = lowest[module] = len(numbers)
        stack.append(module)
        for target in graph[module]:
            if target not in numbers:
                visit(target)
                lowest[module] = min(lowest[module], lowest[target])
            elif target in stack:
                lowest[module] = min(lowest[module], numbers[target])
        if lowest[module] == numbers[module]:
            at = stack.index(module)
            found.append(set(stack[at:]))
            del stack[at:]

    for module in graph:
        if module not in numbers:
            visit(module)
    return found


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert sorted(map(sorted, cycles(graph))) == [["a", "b", "c"], ["d", "e"], ["f"]]


def test_no_cycle_has_more_than_five_modules() -> None:
    graph = {
        module: {
            *(i.target for i in imports_of(module) if i.target in MODULES),
            *(origin for _, origin in taken_through_root(module)),
        }
        - {module}
        for module in MODULES
    }
    too_long = [sorted(c) for c in cycles(graph) if len(c) > LARGEST_CYCLE]
    assert not too_long, "Imports inside functions, and names taken through `tf`, count too."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import a", False),
        ("import a  # start-up", True),
        ("# optional\nimport a", True),
        ("import a  # cycle\nimport b", True),
        ("from a import (\n    b,  # start-up\n)", True),
        ("x = 1  # one\nimport a", False),
    ],
)
def test_reasons_are_found(text: str, says: bool) -> None:
    lines = [f"    {line}" for line in text.split("\n")]
    assert says_why(["def f():", *lines], lines_of(ast.parse(text).body[-1])) is says


def says_why(text: list[str], lines: range) -> bool:
    """Whether a comment stands at an import, above it, or at the import right above it; lines count from 1."""
    if any("#" in text[line] for line in lines):
        return True
    above = text[lines[0] - 1].strip()
    if above.startswith(("import ", "from ")):
        return says_why(text, range(lines[0] - 1, lines[0]))
    return above.startswith("#")


def test_imports_inside_functions_say_why() -> None:
    silent = []
    for module, path in MODULES.items():
        text = ["", *path.read_text(encoding="utf-8").split("\n")]
        deferred = [i for i in imports_of(module) if i.is_deferred]
        silent += [f"{path}:{i.lines[0]} {i.target}" for i in deferred if not says_why(text, i.lines)]
    assert not silent, "Move them to the top, or say why not: `# start-up`, `# optional` or `# cycle`."


# What is taken through `tf`


@functools.cache
def names_of(package: str) -> dict[str, str]:
    """Where the names of a package come from, by its stub or its imports."""
    stub = MODULES[package].with_suffix(".pyi")
    path = stub if stub.exists() else MODULES[package]
    found = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            origin = absolute(package, path, node)
            found.update({alias.asname or alias.name: f"{origin}.{alias.name}" for alias in node.names})
    return found


def origin_of(name: str) -> str:
    """The module that a dotted name such as `tapeflow.math.add` comes from."""
    module, _, last = name.rpartition(".")
    if name in MODULES or not module:
        return name
    module = origin_of(module)
    if f"{module}.{last}" in MODULES:
        return f"{module}.{last}"
    source = names_of(module).get(last)
    return module if source is None else origin_of(source)


def taken_name(node: ast.AST) -> str | None:
    """`tf.a.b`, if that is what an expression is."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return ".".join(["tf", *names]) if names and isinstance(node, ast.Name) and node.id == "tf" else None


def taken_through_root(module: str) -> Iterator[tuple[str, str]]:
    """The names that a module takes through `tf`, and where they come from."""
    if not any(i.target == ROOT.name for i in imports_of(module)):
        return
    for node in ast.walk(tree_of(module)):
        name = taken_name(node)
        if name is not None:
            yield name, origin_of(name.replace("tf", ROOT.name, 1))


def rank_of() -> dict[str, int]:
    """How high each package lies, by the contract of import-linter."""
    layers = next(c["layers"] for c in PROJECT["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    return {name.strip(): -i for i, layer in enumerate(layers) for name in layer.split(":")}


def test_names_are_followed_to_their_modules() -> None:
    assert origin_of("tapeflow.keras.layers.Dense") == "tapeflow.keras.layers.general.dense"
    assert origin_of("tapeflow.GradientTape") == "tapeflow.engine.differentiation.tape"
    assert origin_of("tapeflow.RaggedTensor.from_row_splits") == "tapeflow.ops.ragged.tensor"
    assert origin_of("tapeflow.data.Dataset") == "tapeflow.data.dataset"
    assert origin_of("tapeflow.math.add").startswith("tapeflow.ops.")


def test_what_is_taken_through_tf_lies_below() -> None:
    ranks, upwards, count = rank_of(), [], 0
    for module in MODULES:
        package = module.split(".")[1] if "." in module else ""
        for name, origin in taken_through_root(module):
            target = origin.split(".")[1] if "." in origin else ""
            count += 1
            if package in ranks and target in ranks and ranks[target] > ranks[package]:
                upwards.append(f"{module} takes {name} from {origin}")
    assert count > 1000
    assert not upwards
