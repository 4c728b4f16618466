"""Histograms and distributions, of our own writer, TensorFlow, PyTorch and tensorboardX.

`tests/data/histograms` holds what TensorFlow 2.21 and PyTorch 2.13 wrote with `tf.summary.histogram` and
`SummaryWriter.add_histogram`: 500 normal numbers at each of three, and two, steps.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tensorboardX import SummaryWriter

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir

Open = Callable[..., Page]
ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
EVIL = '<img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("histograms") / "logs"
    writer = summary.create_file_writer(root / "own")
    with writer.as_default():
        for step in range(0, 60, 5):
            # Ten buckets with ten elements each, from 0 to 9.9 and a step more.
            summary.histogram("dense/kernel", np.arange(100) / 10 + step, step=step, buckets=10)
        summary.histogram("dense/bias", np.zeros(0), step=0)
        summary.histogram(EVIL, np.full(4, np.nan), step=0)
    writer.close()
    with SummaryWriter(str(root / "x")) as other:
        for step in range(3):
            other.add_histogram("dense/kernel", np.random.default_rng(step).normal(size=300), step)
    for name in ("tensorflow", "torch"):
        shutil.copytree(ROOT / "tests" / "data" / "histograms" / name, root / name)
    return root


@pytest.fixture(scope="module")
def board(serve: Callable[..., str], logs: Path) -> str:
    return serve(logs)


def card(page: Page, tag: str, run: str) -> Locator:
    return page.get_by_role("article", name=f"{tag}, {run}", exact=True)


def chart(page: Page, tag: str, run: str, text: str) -> Locator:
    """The chart of a card, once it has what its name says."""
    found = card(page, tag, run).get_by_role("img")
    expect(found).to_have_accessible_name(re.compile(text))
    return found


def fact(page: Page, name: str) -> Locator:
    return page.locator(".chart-tooltip tr", has_text=name).locator("td")


def test_every_step_of_every_writer(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#histograms")
    for tag, run, count in (
        ("dense/kernel", "own", 12),
        ("dense/kernel", "x", 3),
        ("weights", "tensorflow", 3),
        ("weights", "torch", 2),
    ):
        shown = chart(page, tag, run, f"{count} histograms")
        painted = shown.locator("canvas").first.evaluate(
            "c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size"
        )
        assert painted > 20
    expect(card(page, "dense/bias", "own").get_by_role("status")).to_have_text(
        "No elements were counted at any step"
    )
    expect(card(page, EVIL, "own").get_by_role("heading")).to_have_text(EVIL)


def test_the_pointer_reads_a_bucket_and_a_click_pins_its_step(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#histograms?mtags=kernel")
    shown = chart(page, "dense/kernel", "own", "12 histograms")
    box = shown.bounding_box()
    assert box is not None
    # The newest is in front, at the right of the foot of the drawing.
    page.mouse.move(box["x"] + box["width"] - 70, box["y"] + box["height"] - 24)
    expect(fact(page, "Step")).to_have_text("55")
    expect(fact(page, "Bucket")).to_have_text(re.compile(r"^\[6\d\.\d+, 6\d\.\d+[)\]]$"))
    expect(fact(page, "Count")).to_have_text("10 of 100 (10.0 %)")
    page.mouse.down()
    page.mouse.up()
    expect(page.get_by_role("button", name="Step 55 pinned")).to_be_visible()
    page.wait_for_url(re.compile("hpin=55"))
    again = new_page(page.url)
    chart(again, "dense/kernel", "own", "12 histograms").focus()
    again.keyboard.press("ArrowUp")
    again.keyboard.press("ArrowUp")
    expect(fact(again, "Step").first).to_have_text("50")
    expect(fact(again, "Pinned step 55")).to_have_text("10 of 100 (10.0 %)")
    again.keyboard.press("Escape")
    expect(again.get_by_role("button", name="Step 55 pinned")).to_have_count(0)


def test_keys_go_through_steps_and_buckets(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#histograms?hmode=overlay&hx=relative&hlog=1&mtags=kernel")
    shown = chart(page, "dense/kernel", "own", "12 histograms")
    shown.focus()
    for key in ("ArrowUp", "Shift+ArrowUp", "ArrowUp", "ArrowUp", "Shift+ArrowLeft"):
        page.keyboard.press(key)
    expect(fact(page, "Step")).to_have_text("0")
    for _ in range(10):
        page.keyboard.press("Shift+ArrowLeft")
    expect(fact(page, "Bucket")).to_have_text("[0, 0.9900)")
    expect(page.get_by_role("status").filter(has_text="Bucket: [0, 0.9900)")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Step 0 pinned")).to_be_visible()
    shown.blur()
    expect(page.locator(".chart-tooltip")).to_be_hidden()


def test_dragging_zooms_into_steps(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#histograms?mtags=kernel")
    box = chart(page, "dense/kernel", "own", "12 histograms").bounding_box()
    assert box is not None
    bottom = box["y"] + box["height"] - 22
    page.mouse.move(box["x"] + 60, bottom - 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, bottom, steps=3)
    page.mouse.up()
    page.wait_for_url(re.compile(r"hzoom=\d+\.\d+\.\.55"))
    page.keyboard.press("Tab")
    # All cards share the part: of this run none of the steps is in it.
    expect(card(page, "dense/kernel", "x").get_by_role("status")).to_have_text(
        "No step lies in the zoomed part"
    )
    page.get_by_role("button", name="Reset zoom").click()
    expect(card(page, "dense/kernel", "x").get_by_role("status")).to_have_count(0)


def test_new_steps_appear_by_themselves(tmp_path: Path, serve: Callable[..., str], new_page: Open) -> None:
    writer = summary.create_file_writer(tmp_path / "run")
    with writer.as_default():
        summary.histogram("h", np.arange(9), step=0)
        writer.flush()
        page = new_page(f"{serve(tmp_path)}#histograms")
        chart(page, "h", "run", "1 histograms")
        for step in (1, 2):
            summary.histogram("h", np.arange(9) * step, step=step)
            writer.flush()
            chart(page, "h", "run", f"{step + 1} histograms")
    writer.close()
    page.get_by_role("link", name="Distributions").click()
    chart(page, "h", "run", "percentiles over 3 steps")


def test_distributions_read_percentiles(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#distributions?mtags=kernel")
    shown = chart(page, "dense/kernel", "own", "percentiles over 12 steps")
    shown.focus()
    page.keyboard.press("Shift+ArrowRight")
    for _ in range(6):
        page.keyboard.press("Shift+ArrowRight")
    expect(fact(page, "Step")).to_have_text("55")
    expect(fact(page, "Maximum")).to_have_text("64.90")
    expect(fact(page, "Median")).to_have_text("59.95")
    expect(fact(page, "Minimum")).to_have_text("55.00")
    expect(fact(page, "84.1 %")).to_have_text("63.33")
    page.keyboard.press("+")
    page.wait_for_url(re.compile("hzoom="))
    page.keyboard.press("0")
    expect(page.get_by_role("button", name="Reset zoom")).to_have_count(0)


def saved(page: Page, where: Locator, kind: str) -> str:
    where.get_by_role("button", name="Save this chart or its numbers").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile(f"^{kind}")).click()
    return Path(download.value.path()).read_text()


def test_charts_and_numbers_can_be_saved(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#histograms?mtags=kernel")
    chart(page, "dense/kernel", "own", "12 histograms")
    where = card(page, "dense/kernel", "own")
    rows = list(csv.DictReader(saved(page, where, "CSV").splitlines()))
    assert len(rows) == 120
    assert {row["count"] for row in rows} == {"10"}
    assert len(json.loads(saved(page, where, "JSON"))) == 12
    assert saved(page, where, "SVG").count("<polyline") > 12
    page.get_by_role("link", name="Distributions").click()
    where = card(page, "dense/kernel", "own")
    chart(page, "dense/kernel", "own", "12 steps")
    percentiles = list(csv.DictReader(saved(page, where, "CSV").splitlines()))
    assert [float(row["p50"]) for row in percentiles] == pytest.approx([4.95 + s for s in range(0, 60, 5)])
    assert "30.9 – 69.2 %" in saved(page, where, "SVG")


@pytest.mark.slow
def test_full_screen_is_in_the_address(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#histograms?mtags=kernel")
    card(page, "dense/kernel", "own").get_by_role("button", name="Full screen").click()
    page.wait_for_url(re.compile("hcard="))
    dialog = new_page(page.url).get_by_role("dialog", name="dense/kernel")
    expect(dialog.get_by_role("img")).to_have_accessible_name(re.compile("12 histograms"))


def test_a_saved_page_holds_histograms(logs: Path, tmp_path: Path, new_page: Open) -> None:
    file = tmp_path / "report.html"
    options = BoardOptions(settings=str(tmp_path / "settings.json"))
    file.write_bytes(export([Logdir(str(logs))], points=100, steps=5, options=options).page)
    page = new_page(f"{file.as_uri()}#histograms?mtags=kernel")
    chart(page, "dense/kernel", "own", "5 histograms")
    page.get_by_role("link", name="Distributions").click()
    chart(page, "dense/kernel", "own", "percentiles over 5 steps")


def test_who_has_none_is_told_how_to_log_some(
    tmp_path: Path, serve: Callable[..., str], new_page: Open
) -> None:
    page = new_page(f"{serve(tmp_path)}#histograms", locale="zh-CN")
    expect(page.get_by_role("main").get_by_role("status")).to_contain_text("tf.summary.histogram(")
    expect(page.get_by_role("link", name="直方图")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault_and_nothing_runs_out_of_the_page(
    board: str, new_page: Open, theme: str
) -> None:
    page = new_page(f"{board}#histograms?hpin=5", 800, color_scheme=theme)
    for panel in ("Histograms", "Distributions"):
        page.get_by_role("link", name=panel).click()
        page.get_by_role("article").first.wait_for()
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE.read_text())
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == [], panel
        assert page.evaluate("document.documentElement.scrollWidth") == 800
        silent = "[...document.querySelectorAll('button, input, select')].filter(e => !e.closest('[data-tip]')).length"
        assert page.evaluate(silent) == 0
