"""What contributors are given agrees with what the project does: editors, hooks, templates, CI, subjects of commits."""

from __future__ import annotations

import configparser
import importlib.util
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def loaded(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def test_editors_and_formatters_agree() -> None:
    editor = configparser.ConfigParser()
    editor.read_string("[top]\n" + (ROOT / ".editorconfig").read_text("utf-8"))
    python, web = editor["*.{py,pyi}"], editor["*.{ts,tsx,css}"]
    biome = json.loads((ROOT / "web" / "biome.json").read_text("utf-8"))["formatter"]
    assert int(python["max_line_length"]) == PROJECT["tool"]["ruff"]["line-length"]
    assert int(web["max_line_length"]) == biome["lineWidth"]
    assert int(web["indent_size"]) == biome["indentWidth"]
    assert web.get("indent_style", editor["*"]["indent_style"]) == biome["indentStyle"]


def test_hooks_are_what_make_check_runs() -> None:
    hooks = [hook for repo in loaded(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    checks = (ROOT / "Makefile").read_text("utf-8").partition("\ncheck:")[2].partition("\n\n")[0]
    assert len(hooks) == 4
    for hook in hooks:
        if hook["id"] == "commit-subject":
            assert (ROOT / hook["entry"].split()[-1]).exists()
            assert hook["stages"] == ["commit-msg"]
        else:
            assert hook["id"].replace("ruff-", "ruff ") in checks


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_are_forms(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    if path.stem == "config":
        assert set(form) <= {"blank_issues_enabled", "contact_links"}
        return
    assert form["name"]
    assert form["description"]
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert {part["type"] for part in asked} <= {"textarea", "input", "dropdown", "checkboxes"}
    assert all(part["attributes"]["label"] for part in asked)
    assert len({part["id"] for part in asked}) == len(asked)
    assert any(part["validations"]["required"] for part in asked if "validations" in part)


def test_ci_tests_the_versions_that_the_package_names() -> None:
    named = {
        found[1]
        for line in PROJECT["project"]["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
    }
    matrix = loaded(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert set(matrix["python"]) == named
    assert all(extra["is_experimental"] for extra in matrix["include"])
    assert min(named) == PROJECT["project"]["requires-python"].removeprefix(">=")


def test_ci_runs_targets_that_there_are() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    runs = re.findall(r"run: make ([a-z-]+)", (ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    assert {"check", "test", "docs"} <= set(runs) <= targets


@pytest.fixture(scope="module")
def subjects() -> ModuleType:
    spec = importlib.util.spec_from_file_location("commit_subject", ROOT / ".ci" / "commit_subject.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "message",
    [
        "Read TensorFlow checkpoints in Checkpoint.restore\n\nA training begun there goes on here.\n",
        "Fix the gradient of tf.where",
        "Speed up shuffle\n# Please enter the commit message\n",
        "Pass names on to the exported graph",
        "Merge branch 'docs' into main.",
        'Revert "the last change"',
    ],
)
def test_good_commit_messages_pass(subjects: ModuleType, message: str) -> None:
    assert subjects.problems(message) == []


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("", "the subject is empty"),
        ("# only comments\n", "the subject is empty"),
        ("Add " + "x" * 90, "94 characters; use at most 80"),
        ("add a loss", "begin with a capital letter"),
        ("Add a loss.", "ends with a full stop"),
        ("A loss for outliers", "begin with an imperative"),
        ("Added a loss", "begin with an imperative"),
        ("Adds a loss", "begin with an imperative"),
        ("Adding a loss", "begin with an imperative"),
        ("Add a loss\nfor outliers", "leave a blank line"),
    ],
)
def test_bad_commit_messages_are_explained(subjects: ModuleType, message: str, problem: str) -> None:
    assert any(problem in found for found in subjects.problems(message)), subjects.problems(message)


def test_the_hook_fails_for_a_bad_message(
    subjects: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = tmp_path / "COMMIT_EDITMSG"
    message.write_text("Changed things\n", "utf-8")
    assert subjects.main(str(message)) == 1
    assert "Commit message: the subject begins with 'Changed'" in capsys.readouterr().err
    message.write_text("Change things\n", "utf-8")
    assert subjects.main(str(message)) == 0
