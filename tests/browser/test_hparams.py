"""The HParams panel: table, brushes, importance, and the filter that narrows every other panel.

`tests/data/hparams` was written by real TensorFlow and PyTorch; tests/parity/test_board_hparams.py says how.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tensorboardX import SummaryWriter

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir

Open = Callable[..., Page]
Lines = Callable[[Page, str, int], None]

REPOSITORY = Path(__file__).resolve().parents[2]
AXE = REPOSITORY / "web" / "node_modules" / "axe-core" / "axe.min.js"
REAL = REPOSITORY / "tests" / "data" / "hparams"
COUNT = 24


def log_session(folder: Path, number: int, **more: Any) -> None:
    writer = summary.create_file_writer(str(folder))
    rate = 10 ** (-4 + 3 * number / (COUNT - 1))
    with writer.as_default():
        summary.hparams(
            {"lr": rate, "optimizer": "adam" if number % 2 else "sgd", "units": 8 * (number % 4), **more},
            start_time_secs=1.7e9,
        )
        for step in range(3):
            summary.scalar("accuracy", number / COUNT + step / 1000, step=step)
        summary.image("picture", np.full((1, 4, 4, 3), number, np.uint8), step=0)
    writer.close()
    writer = summary.create_file_writer(str(folder / "validation"))
    with writer.as_default():
        summary.scalar("loss", 1 - number / COUNT, step=0)
    writer.close()


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 sessions, each with a validation run below, and a run that is none."""
    root = tmp_path_factory.mktemp("logs") / "search"
    for number in range(COUNT):
        log_session(root / f"trial-{number:02d}", number)
    with SummaryWriter(str(root / "no session")) as writer:
        writer.add_scalar("accuracy", 0.5, 0)
    return root


@pytest.fixture(scope="module")
def board(serve: Callable[..., str], search: Path) -> str:
    return serve(search)


def rows(page: Page) -> Locator:
    return page.get_by_role("table").get_by_role("row").filter(has=page.get_by_role("cell"))


def names(page: Page) -> list[str]:
    return [row.get_by_role("cell").first.inner_text() for row in rows(page).all()]


def drag(page: Page, begin: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def brush_axis(page: Page, title: str, low: float, high: float) -> None:
    """Drags along an axis from one share of its length to another."""
    plot = page.get_by_role("img", name=re.compile("Parallel coordinates")).bounding_box()
    name = page.locator(".hp-axis").get_by_role("button", name=title, exact=True).bounding_box()
    assert plot is not None
    assert name is not None
    x = name["x"] + name["width"] / 2
    top, bottom = plot["y"] + 46, plot["y"] + plot["height"] - 36
    drag(page, (x, bottom - low * (bottom - top)), (x, bottom - high * (bottom - top)))


def chip(page: Page) -> Locator:
    return page.locator(".runs-chip-text")


def test_the_table_sorts_filters_and_chooses_columns(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#hparams")
    expect(page.get_by_text("24 of 24 sessions")).to_be_visible()
    heads = page.get_by_role("columnheader").all_inner_texts()
    assert heads[:6] == ["Session", "lr", "optimizer", "units", "accuracy", "validation/loss"]
    assert names(page)[:2] == ["trial-00", "trial-01"]
    first = rows(page).first.get_by_role("cell").all_inner_texts()
    assert first[1:6] == ["1e-4", "sgd", "0", "0.002000", "1.000"]
    page.get_by_role("button", name="accuracy", exact=True).click()
    page.get_by_role("button", name="accuracy", exact=True).click()
    expect(page.get_by_role("columnheader", name="accuracy").first).to_have_attribute(
        "aria-sort", "descending"
    )
    assert names(page)[:2] == ["trial-23", "trial-22"]
    page.get_by_role("button", name="Filter optimizer").click()
    page.get_by_role("checkbox", name="adam").check()
    page.keyboard.press("Escape")
    expect(page.get_by_text("12 of 24 sessions")).to_be_visible()
    page.get_by_role("button", name="Filter lr").click()
    page.get_by_label("From").fill("0.01")
    page.get_by_label("From").press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_text("4 of 24 sessions")).to_be_visible()
    assert names(page) == ["trial-23", "trial-21", "trial-19", "trial-17"]
    page.get_by_role("button", name="Columns", exact=True).click()
    page.get_by_role("checkbox", name="units").uncheck()
    page.keyboard.press("Escape")
    expect(page.get_by_role("columnheader", name="units")).to_have_count(0)
    # A copied address shows the same view.
    page.wait_for_url("**hcols=**")
    page.reload()
    expect(page.get_by_text("4 of 24 sessions")).to_be_visible()
    assert names(page) == ["trial-23", "trial-21", "trial-19", "trial-17"]
    assert "units" not in page.get_by_role("columnheader").all_inner_texts()
    page.get_by_role("button", name="Filter Session").click()
    page.get_by_label("Matches").fill("trial-.*[13]$")
    page.keyboard.press("Escape")
    expect(page.get_by_text("2 of 24 sessions")).to_be_visible()
    page.get_by_role("button", name="Clear filter").click()
    expect(page.get_by_text("24 of 24 sessions")).to_be_visible()
    page.get_by_label("Value").select_option("min")
    expect(page.get_by_role("cell", name="0.9583")).to_be_visible()


def test_a_brushed_subset_filters_the_runs_everywhere(
    board: str, new_page: Open, expect_lines: Lines
) -> None:
    page = new_page(f"{board}#hparams?hview=parallel")
    expect(page.get_by_role("img", name="24 sessions over 5 axes; 24 pass")).to_be_visible()
    expect(chip(page)).to_have_count(0)
    brush_axis(page, "lr", 0.48, 1.02)
    expect(page.get_by_role("img", name="24 sessions over 5 axes; 12 pass")).to_be_visible()
    brush_axis(page, "optimizer", -0.02, 0.3)  # adam
    expect(page.get_by_text("6 of 24 sessions")).to_be_visible()
    # Each has its validation run; the run that is no session is none of them.
    expect(chip(page)).to_have_text("12 of 49 runs: HParams filter")
    expect(page.locator(".runs-count")).to_have_text("12 of 49")
    page.get_by_role("link", name="Scalars").click()
    expect_lines(page, "accuracy", 6)
    expect_lines(page, "loss", 6)
    page.get_by_role("link", name="Images").click()
    expect(page.get_by_role("article")).to_have_count(6)
    # In the address, and in force before the panel itself has been opened.
    page.reload()
    expect(page.get_by_role("article")).to_have_count(6)
    expect(chip(page)).to_have_text("12 of 49 runs: HParams filter")
    page.get_by_role("button", name="Clear: HParams filter").click()
    expect(page.locator(".runs-count")).to_have_text("49 of 49")
    expect(page.get_by_role("article", name="picture, trial-00", exact=True)).to_be_visible()
    expect(chip(page)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("hp="))  # the address follows a moment later


def test_axes_have_scales_and_can_be_moved_and_cleared(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#hparams?hview=parallel")
    title = page.locator(".hp-axis").get_by_role("button", name="lr", exact=True)
    title.click()
    expect(page.get_by_role("radio", name="Log")).to_be_checked()
    page.get_by_text("Quantile").click()
    page.keyboard.press("Escape")
    brush_axis(page, "lr", 0.9, 1.02)
    expect(page.get_by_text("3 of 24 sessions")).to_be_visible()
    plot = page.get_by_role("img", name=re.compile("Parallel")).bounding_box()
    box = title.bounding_box()
    assert plot is not None
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, plot["y"] + plot["height"] - 60)
    expect(page.get_by_text("24 of 24 sessions")).to_be_visible()
    titles = page.locator(".hp-axis")
    expect(titles).to_have_text(["lr", "optimizer", "units", "accuracy", "validation/loss"])
    gap = page.locator(".hp-axis").nth(1).bounding_box()
    assert gap is not None
    drag(page, (box["x"] + 8, box["y"] + 8), (gap["x"] + 30, box["y"] + 8))
    expect(titles).to_have_text(["optimizer", "lr", "units", "accuracy", "validation/loss"])
    assert page.get_by_role("columnheader").all_inner_texts()[1:3] == ["optimizer", "lr"]
    page.locator(".hp-axis").get_by_role("button", name="lr", exact=True).click()
    page.get_by_role("button", name="Move left").click()
    expect(titles).to_have_text(["lr", "optimizer", "units", "accuracy", "validation/loss"])


def test_hovering_a_line_shows_its_session(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#hparams?hview=parallel&hcolor=run")
    brush_axis(page, "lr", 0.98, 1.02)
    expect(page.get_by_text("1 of 24 sessions")).to_be_visible()
    plot = page.get_by_role("img", name=re.compile("Parallel")).bounding_box()
    last = page.locator(".hp-axis").nth(3).bounding_box()
    assert plot is not None
    assert last is not None
    # The line of the best session ends at the top of the accuracy.
    page.mouse.move(last["x"] + last["width"] / 2 - 16, plot["y"] + 50)
    page.mouse.move(last["x"] + last["width"] / 2 - 17, plot["y"] + 52)
    expect(page.locator(".hp-tooltip-title")).to_have_text("trial-23")
    expect(page.locator(".hp-tooltip")).to_contain_text("0.1")
    expect(rows(page).first).to_have_class(re.compile("is-hovered"))


def test_the_scatter_matrix_is_brushed(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#hparams?hview=scatter")
    matrix = page.get_by_role("img", name="24 sessions, 2 metrics over 3 hparams; 24 pass")
    expect(matrix).to_be_visible()
    box = matrix.bounding_box()
    assert box is not None
    # The first cell: accuracy over lr, which rise together.
    wide, high = (box["width"] - 94) / 3 - 10, (box["height"] - 46) / 2 - 10
    left, top = box["x"] + 84, box["y"] + 28
    drag(page, (left + wide / 2, top + high / 2), (left + wide + 3, top - 3))
    expect(page.get_by_text("12 of 24 sessions")).to_be_visible()
    expect(chip(page)).to_have_text("24 of 49 runs: HParams filter")
    page.mouse.click(left + wide / 4, top + high / 2)
    expect(page.get_by_text("24 of 24 sessions")).to_be_visible()


def test_importance_in_words(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#hparams?hview=importance")
    first = page.locator(".hp-bars tbody tr").first
    expect(first.get_by_role("cell").first).to_have_text("lr")
    expect(first.get_by_role("cell").last).to_have_text("+1.0")
    expect(page.get_by_text("From 24 sessions, it predicts")).to_be_visible()
    expect(page.get_by_text("learns to predict the rank of a session by “accuracy”")).to_be_visible()
    page.get_by_label("Metric").select_option("validation/loss")
    expect(first.get_by_role("cell").last).to_have_text("−1.0")


def test_rows_are_hidden_from_the_charts(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(f"{board}#hparams?hsort=-m::accuracy")
    page.get_by_label("Show or hide trial-23 in the charts").last.uncheck()
    expect(page.locator(".runs-count")).to_have_text("47 of 49")
    page.get_by_role("link", name="Scalars").click()
    expect_lines(page, "loss", 23)


def test_downloads(board: str, new_page: Open, tmp_path: Path) -> None:
    page = new_page(f"{board}#hparams?hsort=-m::accuracy&hview=parallel")
    expect(page.get_by_text("24 of 24 sessions")).to_be_visible()
    saved = {}
    for kind in ("CSV", "JSON", "LaTeX", "The plot as SVG"):
        page.get_by_role("button", name="Save the table").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name=kind, exact=True).click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        saved[kind] = path.read_text()
    table = list(csv.reader(saved["CSV"].splitlines()))
    assert table[0][:3] == ["session", "lr", "optimizer"]
    assert (len(table), table[1][0], float(table[1][1])) == (25, "trial-23", 0.1)
    assert json.loads(saved["JSON"])[0]["values"]["optimizer"] == "adam"
    assert saved["LaTeX"].splitlines()[2].startswith("trial-23 & $0.1$ & adam & $24$ &")
    assert saved["The plot as SVG"].count("<path d=") == 24 + 5


def test_new_sessions_and_values_appear(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, open_scalars: Callable[[Path], Any]
) -> None:
    log_session(tmp_path / "runs" / "one", 3)
    page = new_page(f"{serve(tmp_path / 'runs')}#hparams")
    expect(page.get_by_text("1 of 1 sessions")).to_be_visible()
    log_session(tmp_path / "runs" / "two", 5)
    expect(page.get_by_text("2 of 2 sessions")).to_be_visible(timeout=5000)
    writer = open_scalars(tmp_path / "runs" / "two")
    writer.add("accuracy", 77.5, 9)
    writer.flush()
    expect(page.get_by_role("cell", name="77.50")).to_be_visible(timeout=5000)


def test_files_of_real_tensorflow_and_pytorch(
    tmp_path: Path, serve: Callable[..., str], new_page: Open
) -> None:
    shutil.copytree(REAL, tmp_path / "real")
    with SummaryWriter(str(tmp_path / "real" / "x")) as writer:
        writer.add_hparams({"lr": 0.75, "optimizer": "lion"}, {"hparam/accuracy": 0.125}, name="trial")
    page = new_page(f"{serve(tmp_path / 'real')}#hparams?hsort=h:lr&hcols=m:validation:hparam%252Faccuracy")
    expect(page.get_by_text("5 of 5 sessions")).to_be_visible()
    assert names(page) == [
        "torch-0.01/trial",
        "torch-0.1/trial",
        "tensorflow/0.25",
        "tensorflow/0.5",
        "x/trial",
    ]
    texts = [row.get_by_role("cell").all_inner_texts() for row in rows(page).all()]
    heads = page.get_by_role("columnheader").all_inner_texts()
    assert [text[heads.index("optimizer")] for text in texts] == ["adam", "adam", "sgd", "sgd", "lion"]
    assert [text[heads.index("Status")] for text in texts] == ["done"] * 5
    accuracy, validation = heads.index("Accuracy"), heads.index("validation/hparam/accuracy")
    assert [text[accuracy] for text in texts] == ["0.9900", "0.9000", "–", "–", "0.1250"]
    assert [text[validation] for text in texts] == ["–", "–", "0.7500", "0.5000", "–"]


def test_hostile_content_is_only_text(tmp_path: Path, serve: Callable[..., str], new_page: Open) -> None:
    evil = '<img src=x onerror="document.title=`owned`">'
    for number in range(3):
        more: dict[str, Any] = {f"h{i}": i for i in range(10_000)} if number == 0 else {}
        mixed = [1, "one", True][number]
        log_session(tmp_path / "runs" / f"{evil} {number}", number, mixed=mixed, **{evil: evil}, **more)
    writer = summary.create_file_writer(str(tmp_path / "runs" / f"{evil} 2"))
    with writer.as_default():
        summary.scalar("accuracy", float("nan"), step=9)
    writer.close()
    page = new_page(f"{serve(tmp_path / 'runs')}#hparams")
    expect(page.get_by_text("3 of 3 sessions")).to_be_visible()
    expect(page.get_by_text("hparams beyond the first 1000")).to_be_visible()
    expect(page.get_by_role("cell", name=evil).first).to_be_visible()
    for view in ("Parallel", "Scatter", "Importance"):
        page.get_by_text(view, exact=True).click()
        page.wait_for_timeout(200)
    expect(page.get_by_text("it takes at least 10 sessions")).to_be_visible()
    page.get_by_text("Table", exact=True).click()
    page.get_by_role("button", name="Filter mixed").click()
    page.get_by_role("checkbox", name="true").check()
    page.keyboard.press("Escape")
    expect(page.get_by_text("1 of 3 sessions")).to_be_visible()
    assert page.title() == "runs · TapeFlow"
    assert page.locator("img[src=x]").count() == 0


def test_nothing_logged_says_how(tmp_path: Path, serve: Callable[..., str], new_page: Open) -> None:
    with SummaryWriter(str(tmp_path / "runs" / "a")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    page = new_page(f"{serve(tmp_path / 'runs')}#hparams")
    expect(page.get_by_text("tf.summary.hparams({")).to_be_visible()


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 900), ("light", 390), pytest.param("dark", 900, marks=pytest.mark.slow)]
)
def test_axe_finds_no_serious_fault(board: str, new_page: Open, theme: str, width: int) -> None:
    page = new_page(f"{board}#hparams", width, color_scheme=theme)
    page.evaluate(AXE.read_text())
    for view in ("Table", "Parallel", "Scatter", "Importance"):
        page.get_by_text(view, exact=True).click()
        page.wait_for_timeout(300)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        bad = [
            (one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")
        ]
        assert bad == [], view
        assert page.evaluate("document.documentElement.scrollWidth") == width
        silent = page.evaluate(
            """[...document.querySelectorAll("button, input, select, a")]
                .filter((control) => !control.closest("[data-tip]")).map((control) => control.outerHTML)"""
        )
        assert silent == []
    metric = page.get_by_label("Metric").bounding_box()
    assert metric is not None
    assert metric["x"] + metric["width"] <= width


def test_a_saved_page_has_it_all(search: Path, tmp_path: Path, new_page: Open) -> None:
    options = BoardOptions(cache=None, settings=str(tmp_path / "settings.json"))
    (tmp_path / "saved.html").write_bytes(export([Logdir(str(search))], 100, 2, options).page)
    page = new_page(f"{(tmp_path / 'saved.html').as_uri()}#hparams?hview=parallel", locale="zh-CN")
    expect(page.get_by_role("link", name="超参数")).to_have_attribute("aria-current", "page")
    expect(page.get_by_text("24 个会话中的 24 个")).to_be_visible()
    page.get_by_text("重要性", exact=True).click()
    expect(page.get_by_text("基于 24 个会话")).to_be_visible()
