"""What the documents mention exists: commands and their flags, files, names of the API, variables, figures."""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import tapeflow as tf
from tapeflow.cli.main import _COMMANDS as COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    str(path.relative_to(ROOT))
    for folder in (".", "docs", "benchmarks", "web")
    for path in (ROOT / folder).glob("*.md")
)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
MAKEFILE = (ROOT / "Makefile").read_text()
# Files of the reader's, files that are made, and one that there shall not be.
ELSEWHERE = {
    *("train.py", "script.py", "serve.py", "results/<benchmark>.json"),
    *("src/tapeflow/board/static", "static/export.html", "utils.py"),
}
NOT_OURS = {
    *(".git", ".cache", ".venv", ".venv-peers", "node_modules"),
    *("build", "dist", "static", "__pycache__"),
}
# What a page says is not there; that is checked, too.
ABSENT = {"tf.quantization", "tf.lite", "tf.tpu", "tf.queue", "tf.config.set_logical_device_configuration"}


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def spans_of(page: str) -> Iterator[str]:
    """What stands between backticks, outside of blocks."""
    for found in re.findall(r"(?<!`)`([^`]+)`(?!`)", FENCED.sub("", text_of(page))):
        yield " ".join(found.split())


# ---- commands ----


def parser_of(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(allow_abbrev=False, exit_on_error=False)
    importlib.import_module(COMMANDS[command]).add_arguments(parser)
    return parser


def flags_of(command: str) -> set[str]:
    return {flag for action in parser_of(command)._actions for flag in action.option_strings}


def flags_in(source: str) -> set[str]:
    return set(re.findall(r'"(--?[a-z][\w-]*)"', source))


def given(words: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}


def check_tapeflow(words: list[str], is_whole: bool) -> None:
    name = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
    if name in ("COMMAND", "--version"):
        return
    rest = words[len(name.split()) :]
    if name in ("run", "launch"):  # what follows the script is the script's
        rest = rest[: next((i for i, word in enumerate(rest) if word.endswith(".py")), len(rest)) + 1]
    assert given(rest) <= flags_of(name)
    if is_whole:
        parser_of(name).parse_args(rest)


def check_make(words: list[str], is_whole: bool) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE))
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    named = [word for word in words if "=" not in word]
    assert set(named) <= targets
    assert {setting for setting in settings if f"$({setting})" not in MAKEFILE} == set()
    passed = shlex.split(settings.get("ARGS", ""))
    for target in named if passed else ():
        if target == "bench":
            assert given(passed) <= flags_in(text_of("benchmarks/__main__.py"))
            assert (ROOT / "benchmarks" / f"{passed[0]}.py").exists() or passed[0].startswith("--")
        elif target == "test":
            assert (ROOT / passed[0]).exists()
        else:
            check_tapeflow([target, *passed], is_whole)


def check_python(words: list[str], is_whole: bool) -> None:
    if words[0] == "-m":
        assert importlib.util.find_spec(words[1]) or (ROOT / words[1]).is_dir()
    elif words[0] not in ELSEWHERE:
        source = text_of(words[0])
        assert words[0] == "web/npm.py" or given(words[1:]) <= flags_in(source)


def check_pip(words: list[str], is_whole: bool) -> None:
    extras = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
    assert words[0] == "install"
    for word in words[1:]:
        if jax := re.fullmatch(r"jax\[(\w+)\]", word):
            assert jax[1] in (importlib.metadata.metadata("jax").get_all("Provides-Extra") or ())
            continue
        found = re.fullmatch(r"(?:\.|tapeflow)(?:\[([\w,]+)\])?", word)
        assert found is not None, word
        assert set((found[1] or "dev").split(",")) <= set(extras)


def check_uvicorn(words: list[str], is_whole: bool) -> None:
    options = {option for parameter in uvicorn.main.params for option in parameter.opts}
    assert given(words) <= options


def leave_unchecked(words: list[str], is_whole: bool) -> None:
    """Programs that are not installed here, or not TapeFlow's business."""


CHECKS: dict[str, Callable[[list[str], bool], None]] = {
    "docker": leave_unchecked,
    "source": leave_unchecked,
    "uvicorn": check_uvicorn,
    "tapeflow": check_tapeflow,
    "make": check_make,
    "python": check_python,
    "pip": check_pip,
}


def check(line: str, is_whole: bool) -> None:
    words = shlex.split(line.partition(" > ")[0], comments=True)
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if words and words[0] != "export":
        CHECKS[words[0]](words[1:], is_whole)


@pytest.mark.parametrize("page", PAGES)
def test_commands_can_be_given(page: str) -> None:
    for block in SHELL.findall(text_of(page)):
        for line in block.splitlines():
            check(line, is_whole=True)
    every = set().union(*(flags_of(name) for name in COMMANDS), ("--smoke", "--help"))
    every |= flags_in(text_of("benchmarks/__main__.py"))
    for span in spans_of(page):
        first, _, rest = span.partition(" ")
        if first in CHECKS and rest:
            check(span, is_whole=False)
        if span.startswith("--"):
            assert given([first]) <= every, span


def test_commands_of_examples_can_be_given() -> None:
    for path in sorted((ROOT / "examples").glob("*.py")):
        about = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        commands = re.findall(r"^    (\S.*)$", about, re.MULTILINE)
        assert f"python examples/{path.name}" in about
        for command in commands:
            if command != "pip install torch":
                check(command, is_whole=True)


# ---- files ----


@pytest.fixture(scope="module")
def files() -> list[str]:
    """Everything in the repository, as paths that begin with a slash; folders end with one."""
    found: list[str] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in NOT_OURS]
        above = f"/{Path(folder).relative_to(ROOT)}/".replace("/./", "/")
        found += [above, *(above + name for name in names)]
    return found


def is_a_file(span: str) -> bool:
    """Whether something in backticks means a file or folder of the repository."""
    top = ("src/", "tests/", "docs/", "examples/", "benchmarks/", "web/", ".ci/")
    endings = (".py", ".pyi", ".ts", ".tsx", ".md", ".toml", ".yml", ".proto", ".html", ".txt", ".json")
    is_a_path = re.fullmatch(r"[\w.*<>/-]+", span) is not None and span not in endings
    return is_a_path and (span.startswith(top) or span.endswith(endings)) and span not in ELSEWHERE


@pytest.mark.parametrize("page", PAGES)
def test_files_exist(page: str, files: list[str]) -> None:
    missing = []
    for span in filter(is_a_file, spans_of(page)):
        pattern = re.escape(re.sub(r"<\w+>", "*", span)).replace(r"\*", "[^/]*")
        if not any(re.search(rf"/{pattern}/?$", path) for path in files):
            missing.append(span)
    assert missing == []


# ---- names ----


def resolved(name: str) -> Any:
    """What a dotted name stands for; a module need not be an attribute yet."""
    found: Any = tf
    path = "tapeflow"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(path)
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if page != "docs/compatibility.md"])
def test_names_exist(page: str) -> None:
    names = {
        found[0]
        for span in spans_of(page)
        if (found := re.match(r"(?:tf|tapeflow)(?:\.[a-zA-Z_]\w*)+", span))
    }
    missing = set()
    for name in names:
        try:
            resolved(name)
        except (AttributeError, ImportError):
            missing.add(name)
    assert missing - ABSENT == set()
    assert names & ABSENT <= missing


def test_the_engine_s_parts_are_where_its_page_says() -> None:
    rows = re.findall(r"^\|[^|]+\|([^|]+)\|[^|]+\|$", text_of("docs/architecture.md"), re.MULTILINE)
    named = [span for row in rows for span in re.findall(r"`([\w.]+)`", row)]
    assert len(named) > 15
    for name in named:
        module, _, part = name.partition(".")
        [path] = (ROOT / "src" / "tapeflow" / "engine").rglob(f"{module}.py")
        source = path.read_text("utf-8")
        assert re.search(rf"\b(def|class) {part}\b|^{part}\b", source, re.MULTILINE) or not part, name


@pytest.mark.parametrize("page", PAGES)
def test_variables_of_the_environment_are_read(page: str) -> None:
    for name in set(re.findall(r"\bTAPEFLOW_[A-Z_]+", text_of(page))):
        sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
        assert any(name in path.read_text("utf-8") for path in sources), name


# ---- figures ----

# A page, the words around a figure, and where the figure comes from.
FIGURES = [
    ("docs/architecture.md", r"up to a (GiB)", "tapeflow.engine.devices.heap:_KEPT_BYTES"),
    ("docs/keras.md", r"alone, at most (\d+)", "tapeflow.keras.training.fusion:_LARGEST"),
    ("docs/saving.md", r"more than ([\d,]+ MB) show", "tapeflow.keras.saving.progress:_LARGE_BYTES"),
    ("docs/summary.md", r"up to (\d+ MB) of records", "tapeflow.summary.event_files.record_file:_MOST_KEPT"),
    ("docs/summary.md", r"grown (\w+)fold", "tapeflow.summary.totals:_GROWTH"),
    ("docs/board.md", r"`--port (\d+)`", "tapeflow.board.board:BoardOptions.port"),
    (
        "docs/board.md",
        r"timeline of more than ([\d,]+) events",
        "tapeflow.board.api.profile.timeline:MOST_SENT",
    ),
    ("docs/board.md", r"file, ([\d,]+) events are kept", "tapeflow.summary.profile.trace:MOST_EVENTS"),
    ("docs/board.md", r"file of more than (\d+ MB) is refused", "tapeflow.summary.profile.trace:_MOST_BYTES"),
    ("docs/board.md", r"latest (\d+) profiles", "tapeflow.board.api.profile.export:MOST_PROFILES"),
    ("docs/board.md", r"with ([\d,]+) events\s+each", "tapeflow.board.api.profile.export:MOST_EVENTS"),
    ("docs/board.md", r"of\s+more than ([\d,]+) nodes", "tapeflow.board.api.graphs.graph_def:MOST_NODES"),
    ("docs/board.md", r"at most ([\d,]+) hparams", "tapeflow.board.api.hparams.columns:MOST_HPARAMS"),
    ("docs/board.md", r", ([\d,]+) metrics", "tapeflow.board.api.hparams.columns:MOST_METRICS"),
    ("docs/board.md", r"and ([\d,]+) sessions", "tapeflow.board.api.hparams.columns:MOST_GROUPS"),
    ("docs/board.md", r"needs (\d+) sessions", "tapeflow.board.api.hparams.importance:LEAST_SESSIONS"),
    ("docs/board.md", r"Of more than ([\d,]+) points", "tapeflow.board.api.projector.layouts:MOST_LAID_OUT"),
    ("docs/board.md", r"cut to (\d+) principal", "tapeflow.board.api.projector.layouts:MOST_WIDE"),
    (
        "docs/board.md",
        r"beyond ([\d,]+) dimensions",
        "tapeflow.board.api.projector.projections:_WIDEST_EXACT",
    ),
    ("docs/board.md", r"more than ([\d,]+) points or", "tapeflow.board.api.projector.assets:MOST_POINTS"),
    ("docs/board.md", r"more than ([\d,]+) tags a run", "tapeflow.board.runs:MOST_TAGS"),
    ("docs/board.md", r"tags of more than ([\d,]+) characters", "tapeflow.board.runs:_MOST_TAG_LENGTH"),
    (
        "docs/board.md",
        r"an event of more than ([\d,]+) values",
        "tapeflow.summary.event_files.reader:MOST_FIELDS",
    ),
    ("docs/board.md", r"whole head of a request \| (\d+) seconds", "tapeflow.board.connections:HEADERS_S"),
    ("docs/board.md", r"body of a request \| (\d+) seconds", "tapeflow.board.connections:BODY_S"),
    ("docs/board.md", r"closed after (\d+) seconds in which", "tapeflow.board.connections:STALL_S"),
    ("docs/board.md", r"at a time \| ([\d,]+), or half", "tapeflow.board.connections:MOST_CONNECTIONS"),
    ("docs/board-api.md", r"waits at most (\d+) seconds for one", "tapeflow.board.settings:LOCK_S"),
    ("docs/board-api.md", r"more than ([\d,]+) live clients", "tapeflow.board.live:MOST_CLIENTS"),
    ("docs/board-api.md", r"more than ([\d,]+) points of a series", "tapeflow.board.live:MOST_POINTS"),
    (
        "docs/board-api.md",
        r"At most ([\d,]+) series a request",
        "tapeflow.board.api.scalars.routes:MOST_SERIES",
    ),
    ("docs/board-api.md", r"and ([\d,]+) points in all", "tapeflow.board.api.scalars.routes:MOST_POINTS"),
    ("docs/board-api.md", r"than `(\d+) \* pixels`", "tapeflow.board.sampling:POINTS_A_PIXEL"),
    ("docs/board-api.md", r"ends after ([\d,]+)\s+steps or 200", "tapeflow.board.media:MOST_ITEMS"),
    ("docs/board-api.md", r"At most ([\d,]+) classes", "tapeflow.board.api.confusion.blob:MOST_CLASSES"),
    (
        "docs/board-api.md",
        r"At most ([\d,]+) thresholds",
        "tapeflow.board.api.pr_curves.blob:MOST_THRESHOLDS",
    ),
    ("docs/board-api.md", r"at most ([\d,]+) rows", "tapeflow.board.api.tables.blob:MOST_ROWS"),
    (
        "docs/board-api.md",
        r"of more than ([\d,]+) a step",
        "tapeflow.board.api.histograms.buckets:MOST_BUCKETS",
    ),
    ("docs/board-api.md", r"At most ([\d,]+) charts", "tapeflow.board.api.custom_scalars.layout:MOST_CHARTS"),
    ("docs/board-api.md", r"and (\d+) levels", "tapeflow.board.settings:MOST_LEVELS"),
]
WORDS = {"four": 4, "GiB": 1 << 30}


def number(text: str) -> int:
    digits, _, unit = text.replace(",", "").partition(" ")
    return WORDS.get(digits) or int(digits) << (20 if unit == "MB" else 0)


@pytest.mark.parametrize(("page", "words", "place"), FIGURES, ids=[f"{p}-{w}" for p, _, w in FIGURES])
def test_figures_are_those_of_the_code(page: str, words: str, place: str) -> None:
    module, _, name = place.partition(":")
    value: Any = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    (said,) = re.findall(words, " ".join(text_of(page).split()))
    assert number(said) == value


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_so_many_names_are_missing(page: str) -> None:
    listed = " ".join(text_of("docs/compatibility.md").split())
    found = re.search(r"has (\d+) public names.*?and (\d+) more in part.*?; (\d+) it does not", listed)
    assert found is not None
    total, partly, missing = found.groups()
    words = r"the ([\d,]+) public names.*?, (\d+) are missing and (\d+) do" if page == "README.md" else None
    said = re.search(
        words or r"的 ([\d,]+) 个公开接口中，缺 (\d+) 个，另有 (\d+) 个", text_of(page), re.DOTALL
    )
    assert said is not None
    assert [number(figure) for figure in said.groups()] == [int(total), int(missing), int(partly)]


@pytest.mark.parametrize("page", ["docs/tutorial.md", "docs/cli.md"])
def test_so_many_digits_are_there(page: str) -> None:
    (train, _), (test, _) = tf.keras.datasets.digits.load_data()
    (said,) = re.findall(r"the ([\d,]+) handwritten digits", text_of(page))
    assert number(said) == len(train) + len(test)
