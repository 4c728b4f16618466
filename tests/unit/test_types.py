"""Types that say something: how many parameters and results of functions are `Any`, and how that is counted."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import tapeflow

ROOT = Path(tapeflow.__file__).parent
# Shares in percent, rounded up. Lower them when they have fallen; a change that raises one needs a type.
PARAMETERS = 14.0
RETURNS = 14.6


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    path = ROOT.parents[1] / ".ci" / "figures.py"
    spec = importlib.util.spec_from_file_location("figures", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_few_parameters_and_results_are_any(figures: ModuleType) -> None:
    found = figures.measure(ROOT)
    assert found.untyped_parameters.total > 20_000
    assert found.untyped_parameters.percent <= PARAMETERS
    assert found.untyped_returns.percent <= RETURNS


def test_figures_of_a_package(figures: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "__init__.py").write_text('"""A package."""\n')
    (tmp_path / "inner" / "__init__.py").write_text("")
    (tmp_path / "inner" / "module.py").write_text(
        '"""A module."""\n'
        "from typing import Any\n"
        "class Public:\n"
        "    def method(self, a: int, b: Any, *rest, c: Any = None) -> Any:\n"
        "        import os\n"
        "        return os\n"
        "def _private(a: list[Any]) -> None:\n"
        '    """It is not counted among public docstrings."""\n'
    )
    found = figures.measure(tmp_path)
    assert (found.untyped_parameters.count, found.untyped_parameters.total) == (3, 5)
    assert (found.untyped_returns.count, found.untyped_returns.total) == (1, 2)
    assert (found.by_package["inner"].count, found.by_package["__init__"].total) == (3, 0)
    assert (found.public_docstrings.count, found.public_docstrings.total) == (2, 5)
    assert found.deferred_imports == 1
    assert sorted(found.function_lines) == [2, 3]
    assert found.module_lines == [1, 0, 8]
    assert "untyped parameters                60.0 % of 5" in figures.table(tmp_path)
