"""The commit of a run and what differs from it, from a real repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tapeflow.summary.captured import source_code
from tapeflow.summary.captured.source_code import git_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


def git(folder: Path, *arguments: str) -> str:
    name = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(
        ["git", *name, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "größe"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", "https://me:word@host/project.git")
    (folder / "train.py").write_text("rate = 0.1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def test_a_clean_tree(repository: Path) -> None:
    assert git_of(str(repository)) == {
        "commit": git(repository, "rev-parse", "HEAD"),
        "branch": "main",
        "remote": "https://***@host/project.git",
        "is_dirty": False,
        "untracked": [],
    }


def test_what_differs_from_the_commit(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "train.py").write_text("rate = 0.2\ntoken = 'abc'\n")
    (repository / "new.py").write_text("")
    found = git_of(str(repository))
    assert found is not None
    assert found["is_dirty"]
    assert found["untracked"] == ["new.py"]
    assert "+rate = 0.2" in found["diff"]
    assert "abc" not in found["diff"]
    assert not found["is_cut"]
    monkeypatch.setattr(source_code, "MOST_DIFF", 20)
    found = git_of(str(repository))
    assert found is not None
    assert found["is_cut"]
    assert len(found["diff"]) == 20
    assert "diff" not in (git_of(str(repository), with_diff=False) or {})


def test_commands_of_a_repository_are_not_run(repository: Path) -> None:
    (repository / "train.py").write_text("rate = 0.2\n")
    touch = f"touch '{repository / 'ran'}'"
    (repository / ".gitattributes").write_text("*.py diff=mine\n")
    for key in ("diff.mine.command", "diff.mine.textconv", "diff.external", "core.fsmonitor", "core.pager"):
        git(repository, "config", key, touch)
    found = git_of(str(repository))
    assert found is not None
    assert "+rate = 0.2" in found["diff"]
    assert not (repository / "ran").exists()


def test_no_repository_and_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert git_of(str(tmp_path)) is None
    assert git_of(str(tmp_path / "missing")) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_of(str(Path(__file__).parent)) is None
