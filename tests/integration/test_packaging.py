"""What is shipped and how: the hook that builds the page, extras, lock files, the workflow. `make package` does it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose page has been built, all of it at one moment as in an sdist."""
    static = tmp_path / "src" / "tapeflow" / "board" / "static"
    files = [static / "index.html", static / "export.html", tmp_path / "web" / "src" / "main.tsx"]
    files.append(tmp_path / "web" / "package.json")
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.utime(file, (1000, 1000))
    return tmp_path


class Npm(SimpleNamespace):
    """Stands for `web/npm.py`."""

    class NoNode(Exception):
        pass

    WHEEL = "a node"


@pytest.fixture
def hook(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The hook of that checkout; `hook.calls` holds what npm was asked for, and `hook.npm` can be changed."""
    module = load(ROOT / "hatch_build.py")
    calls: list[tuple[str, ...]] = []
    npm = Npm(run=lambda *arguments: calls.append(arguments) or 0, installed_node=lambda: None)
    monkeypatch.setattr(module, "load_npm", lambda root: npm)
    made = module.PageHook(str(checkout), {}, None, None, str(checkout), "wheel", SimpleNamespace())
    monkeypatch.setattr(
        module.PageHook, "app", SimpleNamespace(display_info=lambda text: None), raising=False
    )
    made.calls, made.npm, made.is_built = calls, npm, lambda: module.is_built(checkout)
    return made


def test_a_page_that_is_built_needs_no_node(hook: Any) -> None:
    assert hook.dependencies() == []
    hook.initialize("standard", {})
    assert hook.calls == []


@pytest.mark.parametrize("change", ["newer source", "newer package.json", "no export page"])
def test_a_page_that_is_missing_or_old_is_built(hook: Any, checkout: Path, change: str) -> None:
    if change == "no export page":
        (checkout / "src" / "tapeflow" / "board" / "static" / "export.html").unlink()
    else:
        name = "src/main.tsx" if change == "newer source" else "package.json"
        os.utime(checkout / "web" / name, (2000, 2000))
    assert not hook.is_built()
    assert hook.dependencies() == ["a node"]
    hook.npm.installed_node = lambda: "/usr/bin/node"
    assert hook.dependencies() == []
    with pytest.raises(SystemExit, match="The board's page could not be built: npm has said why above."):
        hook.initialize("standard", {})  # this npm builds nothing
    assert hook.calls == [("ci", "--loglevel=error"), ("run", "build", "--silent")]


def test_tests_of_the_page_make_it_no_older(hook: Any, checkout: Path) -> None:
    (checkout / "web" / "src" / "main.test.ts").touch()
    assert hook.is_built()


def test_an_editable_install_builds_nothing(hook: Any, checkout: Path) -> None:
    os.utime(checkout / "web" / "src" / "main.tsx", (2000, 2000))
    hook.initialize("editable", {})
    assert hook.calls == []


def test_without_any_node_it_is_said_what_to_do(hook: Any, checkout: Path) -> None:
    def run(*_: str) -> int:
        raise Npm.NoNode("there is no Node")

    os.utime(checkout / "web" / "src" / "main.tsx", (2000, 2000))
    hook.npm.run = run
    with pytest.raises(SystemExit, match="there is no Node"):
        hook.initialize("standard", {})


@pytest.mark.parametrize("version", ["v18.1.0", "v22.11.9", "none", "v22.12.0", "v24.0.1"])
def test_which_node_will_do(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = load(ROOT / "web" / "npm.py")
    for name in ("node", "npm") if version != "none" else ():
        (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    if version in ("v22.12.0", "v24.0.1"):
        assert npm.npm()[0] == [str(tmp_path / "npm")]
    else:
        with pytest.raises(
            npm.NoNode, match="built with Node 22.12 or newer, and there is none here. Either `pip"
        ):
            npm.npm()


def test_lock_files_hold_no_registry_addresses() -> None:
    locked = json.loads((ROOT / "web" / "package-lock.json").read_text())
    assert [name for name, package in locked["packages"].items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in locked["packages"].items() if name)
    names = (
        "web/package-lock.json",
        "web/package.json",
        "web/.npmrc",
        "pyproject.toml",
        "benchmarks/peers.txt",
    )
    for name in names:
        text = (ROOT / name).read_text()
        assert not re.search(r"registry\.|https?://[^/\"]*(npm|pypi)|index-url", text), name


def test_extras() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert {"projector", "tune", "notebook", "mcp", "all", "dev"} <= set(extras)
    (everything,) = extras["all"]
    named = set(re.fullmatch(r"tapeflow\[([\w,]+)\]", everything)[1].split(","))  # pyright: ignore
    assert named == set(extras) - {"all", "dev", "docs"}


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "tapeflow" / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["project"]["classifiers"]


def test_the_newest_change_is_of_this_version() -> None:
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src" / "tapeflow" / "__init__.py").read_text())
    entries = re.findall(
        r"^## ([\d.]+)( \(unreleased\))?$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    assert version is not None
    assert version[1] in [number for number, _ in entries[: 2 if entries[0][1] else 1]]


def test_the_workflows_run_targets_there_are() -> None:
    texts = [path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml")]
    named = {target for text in texts for target in re.findall(r"- run: make ([\w-]+)", text)}
    assert named >= {"check", "test", "demo", "package", "docs", "coverage"}
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert named <= set(re.findall(r"^ +make ([\w-]+)", done.stdout, re.MULTILINE))
