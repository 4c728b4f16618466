"""Secrets are left out of command lines, environments and diffs; what only looks like one stays."""

from __future__ import annotations

import pytest

from tapeflow.summary.captured.facts import environment
from tapeflow.summary.captured.secrets import hidden_in, hidden_in_command


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["train.py", "--api-key", "abc", "--lr", "0.1"], ["train.py", "--api-key", "***", "--lr", "0.1"]),
        (["--token=abc def", "x"], ["--token=***", "x"]),
        (["+wandb.api_key=abc"], ["+wandb.api_key=***"]),
        (["--db", "postgres://me:word@host/db"], ["--db", "postgres://***@host/db"]),
        (["--hub", "hf_" + "a" * 34], ["--hub", "***"]),
        (["--password", "--verbose"], ["--password", "--verbose"]),
        (["--header", "Authorization: Bearer abc"], ["--header", "Authorization: ***"]),
    ],
)
def test_secrets_on_command_lines(words: list[str], shown: list[str]) -> None:
    assert hidden_in_command(words) == shown


@pytest.mark.parametrize(
    "words",
    [
        ["--tokenizer", "gpt2", "--author=me", "--max-tokens", "512", "--max_tokens=512", "--keyboard=de"],
        ["--data", "https://host/a:b", "--monkey", "x", "--keys-per-row=3"],
    ],
)
def test_what_is_no_secret_stays(words: list[str]) -> None:
    assert hidden_in_command(words) == words


def test_secrets_in_a_diff() -> None:
    diff = '+API_KEY = "abc"\n-    "password": "abc",\n+rate = 0.1\n if key == "a":\n+aws = "AKIAABCDEFGHIJKLMNOP"\n'
    assert (
        hidden_in(diff)
        == '+API_KEY = ***\n-    "password": ***\n+rate = 0.1\n if key == "a":\n+aws = "***"\n'
    )


def test_the_environment_holds_what_changes_training(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"XLA_FLAGS": "--a=1", "TF_API_TOKEN": "abc", "MY_HOME": "x"}.items():
        monkeypatch.setenv(name, value)
    found = environment()
    assert found["XLA_FLAGS"] == "--a=1"
    assert not {"TF_API_TOKEN", "MY_HOME"} & found.keys()
