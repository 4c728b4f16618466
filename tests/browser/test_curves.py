"""PR curves and custom scalars, as TapeFlow, tensorboardX and PyTorch write them."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorboardX
from playwright.sync_api import Locator, Page, expect

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir
from tapeflow.plugins.custom_scalar import layout_pb2 as pb
from tapeflow.plugins.custom_scalar import summary as custom_scalar

Open = Callable[..., Page]
Lines = Callable[[Page, str, int], None]
TORCH = Path(__file__).resolve().parents[1] / "data" / "pr_curves"
HOSTILE = "(a+)+$x"
LABELS = np.array([True] * 40 + [False] * 60)


def scores(skill: float) -> np.ndarray:
    """With a skill of 1 every true example is above every false one."""
    spread = np.linspace(0, 1, 50)
    rank = np.concatenate([spread[:40] * (1 - skill) + skill, spread[:30], spread[:30]])
    return np.clip(rank, 0, 1).astype(np.float32)


def log(folder: Path, skills: list[float], first: int = 0) -> None:
    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        for step, skill in enumerate(skills, first):
            summary.pr_curve("dog", LABELS, scores(skill), step=10 * step, num_thresholds=101)
    writer.close()


def log_layout(folder: Path) -> None:
    series = pb.MarginChartContent.Series(value="q/mean", lower="q/low", upper="q/high")
    charts = [
        pb.Chart(title="<b>all</b> losses", multiline=pb.MultilineChartContent(tag=["loss/.*"])),
        pb.Chart(title="hostile", multiline=pb.MultilineChartContent(tag=[HOSTILE, "loss/a"])),
    ]
    band = pb.Chart(title="quantiles", margin=pb.MarginChartContent(series=[series]))
    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        for step in range(30):
            for name in ("loss/a", "loss/b", "q/mean", "a" * 60):
                summary.scalar(name, 1 / (step + 1), step=step)
            summary.scalar("q/low", 0.5 / (step + 1), step=step)
            summary.scalar("q/high", 2 / (step + 1), step=step)
        folded = pb.Category(title="folded", chart=[pb.Chart(title="inside")], closed=True)
        layout = pb.Layout(category=[pb.Category(title="losses", chart=[*charts, band]), folded])
        custom_scalar.op(layout)
    writer.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("curves")
    log(root / "good", [0.5, 0.9, 1.0])
    log(root / "poor", [0.0, 0.1])
    log_layout(root / "good")
    with tensorboardX.SummaryWriter(str(root / "x")) as writer:
        writer.add_scalar("dow/a", 1.0, 1)
        writer.add_custom_scalars({"stocks": {"dow": ["Multiline", ["dow/a"]]}})
    shutil.copytree(TORCH, root / "torch")
    return root


@pytest.fixture(scope="module")
def board(serve: Callable[..., str], folder: Path) -> str:
    return serve(folder)


def card(page: Page, title: str) -> Locator:
    return page.get_by_role("article", name=title, exact=True)


def expect_curves(page: Page, title: str, count: int) -> Locator:
    chart = card(page, title).get_by_role("img", name=re.compile(f"precision over recall of {count} runs"))
    expect(chart).to_be_visible()
    return chart


def test_the_curves_of_all_runs_are_in_one_chart_and_the_cursor_tells_thresholds(
    board: str, new_page: Open
) -> None:
    page = new_page(f"{board}#pr_curves")
    expect_curves(page, "cat", 1)  # PyTorch's
    chart = expect_curves(page, "dog", 2)
    chart.focus()
    page.keyboard.press("ArrowRight")
    tooltip = page.locator(".chart-tooltip")
    titles = ["", "Run", "Threshold", "Precision", "Recall", "TP", "FP", "TN", "FN", "Step"]
    expect(tooltip.locator("th")).to_have_text(titles)
    row = tooltip.locator("tbody tr").filter(has_text="poor").locator("td")
    true, false, rest, missed = (int(row.nth(i).inner_text()) for i in (5, 6, 7, 8))
    assert (true + missed, false + rest) == (40, 60)
    assert float(row.nth(4).inner_text()) == pytest.approx(true / 40, abs=1e-3)


def test_a_slider_goes_through_every_step_of_all_runs(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#pr_curves")
    expect_curves(page, "dog", 2)
    slider = card(page, "dog").get_by_role("slider")
    expect(slider).to_have_attribute("max", "2")
    slider.fill("0")
    expect_curves(page, "dog", 2)
    card(page, "dog").get_by_role("button", name="Full screen").click()
    legend = page.get_by_role("list", name="Runs and their average precision")
    expect(legend.get_by_role("listitem")).to_have_count(2)
    before = legend.inner_text()
    page.get_by_role("dialog").get_by_role("slider").fill("2")
    expect(legend).not_to_have_text(before)
    expect(legend.get_by_role("listitem").first).to_contain_text("good")
    expect(legend.get_by_role("listitem").first).to_contain_text("AP 1.000")
    page.wait_for_url(re.compile("prcard=dog"))


def test_new_steps_appear(tmp_path: Path, serve: Open, new_page: Open) -> None:
    log(tmp_path / "run", [0.1, 0.2])
    page = new_page(f"{serve(tmp_path)}#pr_curves")
    slider = card(page, "dog").get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "10")
    log(tmp_path / "run", [0.9], 2)
    expect(slider).to_have_attribute("aria-valuetext", "20", timeout=5000)
    assert card(page, "dog").get_by_role("button", name=re.compile("^Play")).is_visible()


@pytest.mark.slow
def test_points_are_saved(board: str, new_page: Open, tmp_path: Path) -> None:
    page = new_page(f"{board}#pr_curves")
    expect_curves(page, "dog", 2)
    for name, ending in (("CSV, every threshold", "csv"), ("SVG", "svg")):
        card(page, "dog").get_by_role("button", name="Save this chart").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        download.value.save_as(tmp_path / f"curve.{ending}")
    rows = list(csv.DictReader((tmp_path / "curve.csv").open()))
    assert {row["run"] for row in rows} == {"good", "poor"}
    assert all(int(row["true_positives"]) + int(row["false_negatives"]) == 40 for row in rows)
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")


def test_a_layout_is_drawn_as_scalars_are(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(f"{board}#custom_scalars")
    expect_lines(page, "<b>all</b> losses", 5)  # two of good, and three that PyTorch logged
    expect_lines(page, "quantiles", 1)
    expect(page.get_by_role("heading", name="losses", level=2)).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("folded"))).to_have_attribute("aria-expanded", "false")
    chart = card(page, "quantiles").get_by_role("img")
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".chart-tooltip tbody")).to_contain_text(
        re.compile(r"0\.06\d+ \(0\.03\d+ … 0\.1\d+\)")
    )
    card(page, "quantiles").get_by_role("button", name="Full screen").click()
    expect(page.get_by_role("dialog").get_by_role("region", name="Lines and their values")).to_be_visible()
    page.wait_for_url(re.compile("cscard="))


def test_a_hostile_expression_is_given_up_and_the_others_are_drawn(
    board: str, new_page: Open, expect_lines: Lines
) -> None:
    page = new_page(f"{board}#custom_scalars")
    expect_lines(page, "hostile", 1)
    expect(page.get_by_text("Lines are missing: it took more than 1 s to try")).to_be_visible()


def test_layouts_of_pytorch_and_tensorboardx(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(f"{board}#custom_scalars?cstags=spread|edges|dow")
    expect_lines(page, "dow", 1)
    expect_lines(page, "spread", 1)
    expect_lines(page, "edges", 2)


@pytest.mark.slow
def test_tags_that_come_later_are_drawn(
    tmp_path: Path, serve: Open, new_page: Open, expect_lines: Lines
) -> None:
    log_layout(tmp_path / "run")
    page = new_page(f"{serve(tmp_path)}#custom_scalars?cstags=all")
    expect_lines(page, "<b>all</b> losses", 2)
    with tensorboardX.SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("loss/later", 1.0, 1)
    expect_lines(page, "<b>all</b> losses", 3)


@pytest.mark.slow
def test_a_saved_page_has_both(folder: Path, new_page: Open, tmp_path: Path, expect_lines: Lines) -> None:
    options = BoardOptions(settings=str(tmp_path / "settings.json"))
    made = export([Logdir(str(folder / "torch"))], 100, 2, options)
    path = tmp_path / "saved.html"
    path.write_bytes(made.page)
    page = new_page(f"{path.as_uri()}#pr_curves")
    expect_curves(page, "cat", 1)
    page.get_by_role("link", name="Custom scalars").click()
    expect_lines(page, "spread", 1)
    expect_lines(page, "edges", 2)


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault(
    board: str, new_page: Open, faults: Callable[[Page], list[str]], theme: str
) -> None:
    page = new_page(f"{board}#pr_curves", color_scheme=theme)
    expect_curves(page, "dog", 2)
    assert faults(page) == []
    page.get_by_role("link", name="Custom scalars").click()
    card(page, "quantiles").wait_for()
    assert faults(page) == []


@pytest.mark.slow
def test_they_say_how_to_log(tmp_path: Path, serve: Open, new_page: Open) -> None:
    page = new_page(f"{serve(tmp_path)}#pr_curves")
    expect(page.get_by_text("tf.summary.pr_curve(")).to_be_visible()
    page.goto(f"{page.url.split('#')[0]}#custom_scalars")
    expect(page.get_by_text("custom_scalar.summary.op(layout)")).to_be_visible()
