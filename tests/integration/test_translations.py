"""The Chinese edition says what the English one says: the same headings, code, figures, names and links, in order."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
CHINESE = DOCS / "zh-CN"
START = "index.md"  # lists what is translated; has no English counterpart
PAGES = sorted(path.name for path in CHINESE.glob("*.md") if path.name != START)
BLOCK = re.compile(r"^(?:<!-- [^\n]+ -->\n)?```.*?^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def pair(page: str) -> tuple[str, str]:
    return (DOCS / page).read_text("utf-8"), (CHINESE / page).read_text("utf-8")


def prose(text: str) -> str:
    return BLOCK.sub("", text)


def spans(text: str) -> Counter[str]:
    return Counter(" ".join(span.split()) for span in SPAN.findall(prose(text)))


def figures(text: str) -> Counter[str]:
    """Numbers of the prose, without those in names, addresses and headings' marks."""
    bare = LINK.sub("]", SPAN.sub("", prose(text)))
    return Counter(figure.replace(",", "") for figure in re.findall(r"\d[\d,.]*\d|\d", bare))


def shape(text: str) -> list[str]:
    """The kind of every line that is not a paragraph: the level of a heading, a list item, a row of so many cells."""
    kinds = []
    for line in prose(text).splitlines():
        if heading := re.match(r"#+ ", line):
            kinds.append(heading[0])
        elif line.startswith("- "):
            kinds.append("- ")
        elif line.startswith("|"):
            kinds.append("|" * SPAN.sub("", line).count("|"))
    return kinds


def targets(text: str, folder: Path) -> list[str]:
    """The files that a page links to; a page and its translation count as one, and so do its own headings."""
    found = []
    for link in LINK.findall(SPAN.sub("", prose(text))):
        path = link.partition("#")[0]
        if "://" in link or not path:
            found.append(link if path else "#")
            continue
        target = (folder / path).resolve()
        assert target.exists() or "api" in target.parts, f"{link} leads nowhere"
        found.append(target.name)
    return sorted(found)


@pytest.mark.parametrize("page", PAGES)
def test_code_is_the_same(page: str) -> None:
    english, chinese = map(BLOCK.findall, pair(page))
    assert english == chinese


@pytest.mark.parametrize("page", PAGES)
def test_headings_lists_and_tables_are_the_same(page: str) -> None:
    english, chinese = map(shape, pair(page))
    assert english == chinese


@pytest.mark.parametrize("page", PAGES)
def test_figures_are_the_same(page: str) -> None:
    english, chinese = map(figures, pair(page))
    assert english == chinese


@pytest.mark.parametrize("page", PAGES)
def test_names_in_backticks_are_the_same(page: str) -> None:
    english, chinese = map(spans, pair(page))
    assert english == chinese


@pytest.mark.parametrize("page", [START, *PAGES])
def test_links_lead_to_the_same_pages(page: str) -> None:
    chinese = targets((CHINESE / page).read_text("utf-8"), CHINESE)
    if page != START:
        assert targets((DOCS / page).read_text("utf-8"), DOCS) == chinese


def test_a_page_links_to_the_translation_where_there_is_one() -> None:
    for page in PAGES:
        links = LINK.findall(prose((CHINESE / page).read_text("utf-8")))
        english = [link for link in links if link.startswith("../") and link[3:].partition("#")[0] in PAGES]
        assert english == [], page


def test_the_start_page_lists_every_translation() -> None:
    links = LINK.findall((CHINESE / START).read_text("utf-8"))
    assert set(PAGES) <= set(links)
    assert len(PAGES) >= 5


@pytest.mark.parametrize("page", [START, *PAGES])
def test_it_is_written_in_chinese(page: str) -> None:
    for paragraph in re.split(r"\n\s*\n", prose((CHINESE / page).read_text("utf-8"))):
        words = re.findall(r"[A-Za-z]{2,}", LINK.sub("]", SPAN.sub("", paragraph)))
        characters = re.findall(r"[一-鿿]", paragraph)
        assert len(words) <= max(3, len(characters)), paragraph


@pytest.mark.parametrize("page", [START, *PAGES])
def test_a_paragraph_is_one_line(page: str) -> None:
    """A line that is broken between two Chinese characters is shown with a space there."""
    text = prose((CHINESE / page).read_text("utf-8"))
    assert re.findall(r"[^\n|]\n *(?![-#|>!]|\d+\. )\S", text) == []
