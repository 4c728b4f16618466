"""Reports: pages in Markdown with live views of the board in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir, run_id

Open = Callable[..., Page]
Serve = Callable[..., str]

TEXT = """# What we saw

The **small** rate wins.

![Both losses](#scalars?card=loss)

#images?mtags=sample&step=1

[The best](#runs?rfilter=lr%20%3C%200.05)

![scores](#tables?mtags=scores)

Inline [links](#scalars?card=loss) stay links. <script>window.hacked = 1</script>

![secret](https://elsewhere.invalid/pixel.png)

[click](javascript:window.hacked=2)

![gone](#scalars?card=nothing)
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("reports") / "reports"
    for name, lr in {"one": 0.1, "two": 0.01}.items():
        writer = summary.create_file_writer(str(root / name))
        with writer.as_default():
            summary.hparams({"lr": lr})
            for step in range(3):
                summary.scalar("loss", lr * (3 - step), step=step)
                summary.image("sample", np.full((1, 8, 8, 3), 40 * step, np.uint8), step=step)
            summary.table("scores", {"name": ["a", "b"], "score": [1, 2]}, step=2)
            summary.text("logged", "![x](#scalars?card=loss)", step=2)
        writer.close()
    return root


def settings_file(folder: Path, text: str, title: str = "Rates") -> Path:
    path = folder / "settings.json"
    report = {"title": title, "text": text, "changed": 1_731_600_000}
    path.write_text(json.dumps({"runs": {}, "page": {"reports": {"r1": report}}}))
    return path


def test_a_report_is_written_kept_and_read(logs: Path, serve: Serve, new_page: Open) -> None:
    board = serve(logs)
    page = new_page(f"{board}#reports")
    expect(page.get_by_text("No reports yet")).to_be_visible()
    page.get_by_role("button", name="New report").click()
    page.get_by_label("Title of the report").fill("Learning rates")
    text = page.get_by_label("Text of the report")
    # An address of this board is kept without its host.
    text.fill(f"Before\n\n{board}#scalars?card=loss")
    expect(text).to_have_value("Before\n\n#scalars?card=loss")
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_role("article", name="loss")).to_be_visible()
    with page.expect_response(lambda answer: "mtags" in (answer.request.post_data or "")):
        page.get_by_role("button", name="Insert").click()
        page.get_by_label("Search", exact=True).fill("sample")
        page.get_by_role("button", name="sample", exact=True).click()
    expect(preview.get_by_role("img", name="sample, one")).to_be_visible()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("heading", name="Learning rates")).to_be_visible()
    page.reload()
    report = page.get_by_role("article", name="Learning rates")
    expect(report.get_by_role("img", name=re.compile("line chart of 2 lines"))).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No reports yet")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Learning rates")).to_be_visible()


def test_views_are_live_and_nothing_runs_or_is_fetched(
    logs: Path, serve: Serve, new_page: Open, tmp_path: Path, faults: Callable[[Page], list[str]]
) -> None:
    board = serve(logs, settings=str(settings_file(tmp_path, TEXT)))
    page = new_page(f"{board}#reports?report=r1")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    report = page.get_by_role("article", name="Rates")
    expect(report.get_by_role("img", name=re.compile("line chart of 2 lines"))).to_be_visible()
    expect(report.get_by_text("Both losses")).to_be_visible()
    picture = report.get_by_role("img", name="sample, two")
    expect(picture).to_be_visible()
    expect(report.get_by_role("region", name="sample, two")).to_contain_text("Step 1")
    table = report.get_by_role("region", name="Table of runs")
    expect(table.get_by_role("row")).to_have_count(2)
    expect(table.get_by_role("rowheader", name="two")).to_be_visible()
    expect(report.get_by_role("region", name="scores, one").get_by_role("cell", name="a")).to_be_visible()
    expect(report.get_by_role("link", name="links")).to_have_attribute("href", "#scalars?card=loss")
    expect(report.get_by_text("<script>")).to_be_visible()
    expect(report.get_by_text("There is nothing to show here")).to_be_visible()
    expect(report.locator("script, iframe, a[href^=javascript]")).to_have_count(0)
    assert page.evaluate("window.hacked") is None
    assert [url for url in asked if not url.startswith((board, "data:"))] == []
    assert faults(page) == []
    # New points are drawn as in the panel of scalars.
    writer = summary.create_file_writer(str(logs / "three"))
    with writer.as_default():
        summary.scalar("loss", 1.0, step=0)
    writer.close()
    expect(report.get_by_role("img", name=re.compile("line chart of 3 lines"))).to_be_visible()
    table.get_by_role("link", name="two").click()
    expect(page.get_by_role("heading", name="two", exact=True)).to_be_visible()


def test_a_view_has_the_runs_of_its_address(logs: Path, serve: Serve, new_page: Open, tmp_path: Path) -> None:
    text = f"#scalars?card=loss&base=none&except={run_id('one')}\n\n#scalars?card=loss&runs=%5Etwo"
    board = serve(logs, settings=str(settings_file(tmp_path, text)))
    page = new_page(f"{board}#reports?report=r1&base=none")
    expect(page.get_by_role("img", name=re.compile("line chart of 1 lines"))).to_have_count(2)


def test_a_read_only_board_shows_reports_and_writes_none(
    logs: Path, serve: Serve, new_page: Open, tmp_path: Path
) -> None:
    board = serve(logs, settings=str(settings_file(tmp_path, "only *read*")), read_only=True)
    page = new_page(f"{board}#reports")
    page.get_by_role("link", name="Rates").click()
    expect(page.locator(".report em")).to_have_text("read")
    for name in ("Edit", "Delete", "New report"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    answer = page.request.patch(f"{board}api/v1/settings", data={"page": {"reports": {"r1": None}}})
    assert answer.status == 403
    expect(page).to_have_url(re.compile("report=r1"))
    page.reload()
    expect(page.locator(".report em")).to_have_text("read")


def test_notes_of_a_run_have_views_and_logged_texts_have_none(
    logs: Path, serve: Serve, new_page: Open, tmp_path: Path
) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"runs": {run_id("one"): {"note": "#scalars?card=loss"}}, "page": {}}))
    page = new_page(f"{serve(logs, settings=str(settings))}#runs?run={run_id('one')}")
    notes = page.get_by_role("region", name="Notes")
    expect(notes.get_by_role("article", name="loss")).to_be_visible()
    texts = page.get_by_role("region", name="Texts")
    expect(texts.locator(".markdown-image")).to_have_text("x")


def test_a_saved_page_has_reports(logs: Path, new_page: Open, tmp_path: Path) -> None:
    settings = settings_file(tmp_path, TEXT)
    made = export([Logdir(str(logs))], 1000, 10, BoardOptions(cache=None, settings=str(settings)))
    path = tmp_path / "saved.html"
    path.write_bytes(made.page)
    page = new_page(f"{path.as_uri()}#reports?report=r1")
    report = page.get_by_role("article", name="Rates")
    expect(report.get_by_role("img", name=re.compile("line chart"))).to_be_visible()
    expect(report.get_by_role("img", name="sample, two")).to_be_visible()
    expect(
        report.get_by_role("region", name="Table of runs").get_by_role("rowheader", name="two")
    ).to_be_visible()
    expect(report.get_by_role("region", name="scores, one").get_by_role("cell", name="a")).to_be_visible()
    expect(page.get_by_role("button", name="Edit", exact=True)).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_runs_out_of_the_page(
    width: int, logs: Path, serve: Serve, new_page: Open, tmp_path: Path, faults: Callable[[Page], list[str]]
) -> None:
    board = serve(logs, settings=str(settings_file(tmp_path, TEXT)))
    page = new_page(f"{board}#reports?report=r1", width=width, color_scheme="dark")
    expect(page.get_by_role("article", name="Rates").get_by_role("img", name="sample, two")).to_be_visible()
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(page.get_by_label("Text of the report")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults(page) == []
