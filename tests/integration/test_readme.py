"""What the READMEs and the page about the command line name exists, and the two READMEs say the same."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tapeflow.cli import main

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh-CN.md")
PAGES = (*READMES, "CONTRIBUTING.md", "CHANGELOG.md", "docs/cli.md")


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def help_of(command: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert main([*command.split(), "--help"]) == 0
    return said.getvalue()


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", text_of(name))
    missing = [
        link for link in links if "://" not in link and not (ROOT / name).parent.joinpath(link).exists()
    ]
    assert links
    assert missing == []


@pytest.mark.parametrize("command", ["demo", "doctor", "inspect", "run"])
def test_options_are_those_of_the_help(command: str) -> None:
    section = re.split(r"^## The ", text_of("docs/cli.md"), flags=re.MULTILINE)
    (text,) = [part for part in section if part.startswith(command)]
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    assert named == set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", help_of(command))) - {"--help"}


def test_the_readmes_say_the_same() -> None:
    ours, theirs = (re.findall(r"```(\w+)\n(.*?)```", text_of(name), re.DOTALL) for name in READMES)

    def without_comments(blocks: list[tuple[str, str]]) -> list[str]:
        return [re.sub(r" +# .*", "", code) for _, code in blocks]

    assert without_comments(ours) == without_comments(theirs)
    for pattern in (r"\]\(((?:docs|examples|benchmarks)[^)]*)\)", r"`(tf\.[\w.]+)`", r"^(#+) ", r"^- \*\*"):
        texts = [
            text_of(name).replace("](docs/zh-CN/", "](docs/") for name in READMES
        ]  # a page and its translation
        found = [sorted(re.findall(pattern, text, re.MULTILINE)) for text in texts]
        assert found[0] == found[1], pattern


def test_pictures_are_small() -> None:
    pictures = sorted((ROOT / "docs" / "images").iterdir())
    assert pictures
    assert [picture.name for picture in pictures if picture.stat().st_size > 200_000] == []


PEERS = {
    "the fastest of Keras 3, Keras 2 and PyTorch": "Keras 3, JAX and tf_keras (Keras 2) and PyTorch by hand"
}
"""How the tables call what a bar compares with."""


@pytest.mark.parametrize("name", READMES)
def test_figures_are_those_of_the_benchmarks(name: str) -> None:
    sections = dict(
        re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text_of("benchmarks/RESULTS.md"), re.MULTILINE | re.DOTALL)
    )
    rows = re.findall(r"^\| (.+) \| (.+) \| ([\d.]+) \| \[(\w+)\]", text_of(name), re.MULTILINE)
    assert len(rows) > 5
    for work, peer, told, section in rows:
        bars = re.findall(r"^\| (.+) <= [\d.]+x (.+) \| \D*([\d.]+)x, ", sections[section], re.MULTILINE)
        measured = [
            figure
            for contender, reference, figure in bars
            if reference == PEERS.get(peer, peer) and ("tf.function" in contender) == ("tf.function" in work)
        ]
        assert told in measured, f"{work}, {peer}: {told}; measured: {measured}"


def test_drawings_can_be_read_by_day_and_by_night_and_aloud() -> None:
    drawings = sorted((ROOT / "docs" / "images").glob("*.svg"))
    assert len(drawings) >= 3
    for drawing in drawings:
        text = drawing.read_text("utf-8")
        parts = {part.tag.rpartition("}")[2]: part.text for part in ElementTree.fromstring(text)}
        assert parts["title"]
        assert parts["desc"]
        assert "prefers-color-scheme: dark" in text
