"""The git commit that a run was started from, and how its code differs from it."""

from __future__ import annotations

import os
import subprocess

from tapeflow.summary.captured.messages import Git
from tapeflow.summary.captured.secrets import hidden_in

MOST_DIFF = 256 << 10
"""Characters of a diff."""
MOST_UNTRACKED = 100
_TIMEOUT_S = 10.0
# What a repository's configuration may have git start is not started.
_QUIET = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotepath=false", "--no-pager")


def git_of(folder: str, with_diff: bool = True) -> Git | None:
    """The state of the repository a folder lies in; None if it lies in none, or git is not there."""
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return None
    found: Git = {"commit": commit.strip()}
    branch = _git(folder, "rev-parse", "--abbrev-ref", "HEAD")
    if branch is not None and branch.strip() != "HEAD":
        found["branch"] = branch.strip()
    remote = _git(folder, "config", "--get", "remote.origin.url")
    if remote is not None:
        found["remote"] = hidden_in(remote.strip())
    status = _git(folder, "status", "--porcelain", "--untracked-files=normal")
    if status is not None:
        lines = status.splitlines()
        found["is_dirty"] = any(not line.startswith("??") for line in lines)
        found["untracked"] = [line[3:] for line in lines if line.startswith("??")][:MOST_UNTRACKED]
    if with_diff and found.get("is_dirty"):
        diff = _git(folder, "diff", "HEAD", "--no-ext-diff", "--no-textconv", "--no-color")
        if diff is not None:
            found["diff"] = hidden_in(diff[:MOST_DIFF])
            found["is_cut"] = len(diff) > MOST_DIFF
    return found


def _git(folder: str, *arguments: str) -> str | None:
    """What a git command prints; None if it cannot be run, fails or takes too long."""
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            [*_QUIET, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
