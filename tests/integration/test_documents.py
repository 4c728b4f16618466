"""The code in the documents runs as it is written, block after block, and says what it is said to say."""

from __future__ import annotations

import doctest
import json
import linecache
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tapeflow as tf

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    str(path.relative_to(ROOT))
    for folder in (".", "docs", "benchmarks", "web")
    for path in (ROOT / folder).glob("*.md")
)
TRANSLATED = "README.zh-CN.md"  # has the code of README.md, which another test compares
# What kinds of block there are. One without a language is a drawing, or something printed.
LANGUAGES = {"python", "pycon", "sh", "json", "ipython", ""}
FENCE = re.compile(
    r"^(?:<!-- not run: (?P<why>.+) -->\n)?```(?P<language>.*)\n(?P<code>(?:.*\n)*?)^```$", re.MULTILINE
)
# Blocks that no test can run, by page. A page says why in a comment before each: `<!-- not run: needs a database -->`.
NOT_RUN = {
    "docs/board.md": ["needs a notebook"],
    "docs/distribute.md": [
        "needs a program of its own",
        "needs a Ray cluster",
        "needs a Ray cluster",
        "needs a program of its own",
    ],
    "docs/notebooks.md": ["needs a notebook"],
    "docs/tune.md": ["needs a database", "needs a Ray cluster"],
}
OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block: what is in it, the number of the line before its first, and why it is not run."""

    language: str
    code: str
    line: int
    why_not: str | None


def blocks_of(page: str) -> Iterator[Block]:
    text = (ROOT / page).read_text("utf-8")
    for found in FENCE.finditer(text):
        yield Block(found["language"], found["code"], text.count("\n", 0, found.start("code")), found["why"])


def pages_with(*languages: str) -> list[str]:
    return [page for page in PAGES if any(block.language in languages for block in blocks_of(page))]


@pytest.fixture
def _as_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In an empty folder, without a screen; what a page has set does not outlive it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    yield
    tf.keras.mixed_precision.set_global_policy(None)
    tf.keras.backend.clear_session()


@pytest.mark.usefixtures("_as_a_reader")
@pytest.mark.filterwarnings(
    "ignore:CategoricalAccuracy got y_true"
)  # docs/three-ways.md shows when it is given
@pytest.mark.parametrize("page", [page for page in pages_with("python", "pycon") if page != TRANSLATED])
def test_the_code_of_a_page_runs(page: str) -> None:
    around: dict[str, Any] = {"__name__": "document"}
    source = ""
    for block in blocks_of(page):
        if block.language == "python" and not block.why_not:
            source += "\n" * (block.line - source.count("\n")) + block.code
            # `tf.function` reads the source of functions, which on a page stands between prose.
            linecache.cache[str(ROOT / page)] = (len(source), None, source.splitlines(keepends=True), page)
            exec(compile("\n" * block.line + block.code, str(ROOT / page), "exec"), around)
        elif block.language == "pycon":
            test = doctest.DocTestParser().get_doctest(block.code, around, page, page, block.line)
            report: list[str] = []
            failed = doctest.DocTestRunner(optionflags=OUTPUT).run(test, out=report.append, clear_globs=False)
            assert not failed.failed, "".join(report)
            around = test.globs


@pytest.mark.parametrize("page", pages_with("json"))
def test_json_is_json(page: str) -> None:
    for block in blocks_of(page):
        if block.language == "json":
            json.loads(re.sub(r"^(GET|POST|PATCH) .*\n", "", block.code))


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_of_a_kind_that_is_checked(page: str) -> None:
    assert {block.language for block in blocks_of(page)} <= LANGUAGES
    prose = FENCE.sub("", (ROOT / page).read_text("utf-8"))
    assert "```" not in prose
    assert re.findall(r"^\n {4,}.*", prose, re.MULTILINE) == [], (
        "code is fenced, so that its language is known"
    )


def test_few_blocks_are_not_run() -> None:
    found = {page: [block.why_not for block in blocks_of(page) if block.why_not] for page in PAGES}
    assert {page: reasons for page, reasons in found.items() if reasons} == NOT_RUN
