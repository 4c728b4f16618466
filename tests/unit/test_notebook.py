from __future__ import annotations

import html
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tapeflow import notebook


@pytest.fixture
def shell() -> Iterator[Any]:
    made = InteractiveShell.instance()
    yield made
    notebook.stop()
    InteractiveShell.clear_instance()


@pytest.fixture
def arguments(tmp_path: Path) -> str:
    (tmp_path / "my runs").mkdir()
    keep = f'--cache-dir "{tmp_path}/cache" --settings "{tmp_path}/s.json"'
    return f'--logdir "{tmp_path}/my runs" --port 0 {keep}'


def shown(shell: Any, magic: str, line: str) -> str:
    with capture_output() as captured:
        shell.run_line_magic(magic, line)
    (output,) = captured.outputs
    return output.data["text/html"]


def test_the_board_is_shown_below_the_cell(shell: Any, arguments: str) -> None:
    shell.run_line_magic("load_ext", "tapeflow.notebook")
    page = shown(shell, "tapeflow", f"board {arguments}")
    url = html.unescape(re.findall('<iframe src="([^"]*)"', page)[0])
    with urllib.request.urlopen(url + "api/v1/info", timeout=20) as answer:
        policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'self' http://localhost:*" in policy
    assert shown(shell, "tensorboard", arguments) == page  # the same board, not a second one


def test_with_a_token_the_frame_needs_no_cookie(shell: Any, arguments: str) -> None:
    shell.run_line_magic("load_ext", "tapeflow.notebook")
    page = shown(shell, "tapeflow", f"board {arguments} --token a/b+c")
    url = html.unescape(re.findall('<iframe src="([^"]*)"', page)[0])
    assert url.endswith("/~a%2Fb%2Bc/")
    for path in ("", "api/v1/info"):
        with urllib.request.urlopen(url + path, timeout=20) as answer:
            assert "frame-ancestors http: https:" in answer.headers["content-security-policy"]
    assert "?token=a%2Fb%2Bc" in page  # the page of its own
    for wrong in (url.replace("~a", "~b"), url.partition("~")[0]):
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{wrong}api/v1/info", timeout=20)


def test_a_name_that_is_taken_is_left_alone(shell: Any) -> None:
    def theirs(line: str) -> None: ...

    shell.register_magic_function(theirs, "line", "tensorboard")
    shell.run_line_magic("load_ext", "tapeflow.notebook")
    assert shell.magics_manager.magics["line"]["tensorboard"] is theirs


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("bord", "%tapeflow expected a command, as in: %tapeflow board --logdir runs; got 'bord'."),
        ("board", "%tapeflow board: expected a folder with runs in it; got none."),
        ("board --logdir 'x", "%tapeflow board: No closing quotation"),
        ("board x --port y", "argument --port: invalid int value: 'y'"),
    ],
    ids=["command", "nothing", "quote", "port"],
)
def test_mistakes_are_said(shell: Any, line: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_line_magic("load_ext", "tapeflow.notebook")
    shell.run_line_magic("tapeflow", line)
    assert text in capsys.readouterr().err
