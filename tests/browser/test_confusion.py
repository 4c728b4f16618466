"""Confusion matrices: order, hover, pin, steps, comparison, downloads, a thousand classes."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Position, expect

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir
from tapeflow.summary.event_files import encoding
from tapeflow.summary.kinds.confusions import confusion_counts

Open = Callable[..., Page]
NAMES = ["ant", "bee", "cat", "<script>alert(1)</script>", "elk"]
OUTLIER = 2  # taken for an elk, most of the time


def labels(skill: float) -> tuple[np.ndarray, np.ndarray]:
    """20 examples of each class; of the outlier 4 are right, of the others a part."""
    true = np.repeat(np.arange(5), 20)
    predicted = np.where(np.tile(np.arange(20), 5) < 20 * skill, true, (true + 1) % 5)
    predicted[true == OUTLIER] = [OUTLIER] * 4 + [4] * 16
    return true, predicted


def log(folder: Path, skill: float, steps: range, tag: str = "confusion") -> None:
    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        for step in steps:
            summary.confusion_matrix(tag, *labels(skill), NAMES, step=step)
    writer.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("matrices")
    log(root / "good", 0.95, range(4))
    log(root / "poor", 0.5, range(4))
    rng = np.random.default_rng(0)
    writer = summary.create_file_writer(str(root / "many"))
    with writer.as_default():
        true = rng.integers(0, 1000, 5000)
        counts = confusion_counts(true, np.where(rng.random(5000) < 0.7, true, 0))
        # As it is logged, without the picture, which takes its time.
        summary.write("thousand", counts, step=1, metadata=encoding.metadata("confusion_matrix"))
        summary.image("picture", np.zeros((1, 4, 4, 3), np.uint8), step=1)
    writer.close()
    return root


@pytest.fixture(scope="module")
def board(serve: Callable[..., str], folder: Path) -> str:
    return serve(folder)


def card(page: Page, run: str, tag: str = "confusion") -> Locator:
    return page.get_by_role("article", name=f"{tag}, {run}", exact=True)


def chart(place: Locator, of: str = "") -> Locator:
    return place.get_by_role("img", name=re.compile(f"^{re.escape(of)}.*confusion matrix"))


def cell(matrix: Locator, row: int, column: int, classes: int) -> Position:
    """Where a cell lies, whatever room the names take."""
    side = matrix.evaluate(
        """element => {
            const [base] = element.querySelectorAll("canvas");
            const pixels = base.getContext("2d").getImageData(0, 0, base.width, base.height);
            // The first and the last cell of the diagonal are blue; names and lines are grey.
            let [left, right, top, bottom] = [1e9, 0, 1e9, 0];
            for (let y = 0; y < base.height; y++) for (let x = 0; x < base.width; x++) {
                const [r, g, b, alpha] = pixels.data.subarray(4 * (y * base.width + x));
                if (alpha < 255 || Math.max(r, g, b) - Math.min(r, g, b) < 40) continue;
                left = Math.min(left, x); right = Math.max(right, x);
                top = Math.min(top, y); bottom = Math.max(bottom, y);
            }
            return {left, top, width: right + 1 - left, height: bottom + 1 - top};
        }"""
    )
    return {
        "x": side["left"] + (column + 0.5) * side["width"] / classes,
        "y": side["top"] + (row + 0.5) * side["height"] / classes,
    }


def test_a_planted_outlier_is_the_top_row(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#confusion?mtags=confusion")
    expect(chart(card(page, "good"))).to_have_accessible_name(re.compile("First row: ant"))
    page.get_by_label("Sort", exact=True).select_option(label="by error rate")
    matrix = chart(card(page, "good"))
    expect(matrix).to_have_accessible_name(re.compile("First row: cat"))
    expect(chart(card(page, "poor"))).to_have_accessible_name(re.compile("First row: cat"))
    matrix.hover(position=cell(matrix, 0, 0, 5))
    facts = page.locator(".chart-tooltip")
    expect(facts.locator("td")).to_have_text(["cat", "cat", "4", "20.0 %", "80.0 %"])
    card(page, "good").get_by_role("button", name="Large, with every class").click()
    dialog = page.get_by_role("dialog", name="confusion")
    expect(dialog.get_by_role("rowheader")).to_have_text([NAMES[i] for i in (2, 0, 1, 3, 4)])
    cells = dialog.get_by_role("row").nth(1).get_by_role("cell")
    expect(cells).to_have_text(["80.0 %", "20.0 %", "32.0 %", "20", "elk (16)"])
    page.wait_for_url(re.compile("cmsort=error.*cmopen="))


def test_cells_as_parts_of_rows_and_columns(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#confusion?mtags=confusion")
    matrix = chart(card(page, "poor"))
    matrix.wait_for()
    seen = {matrix.screenshot()}
    for name in ("% of true", "% of predicted"):
        page.get_by_text(name, exact=True).click()
        page.mouse.move(0, 0)
        page.wait_for_timeout(100)
        seen.add(matrix.screenshot())
    assert len(seen) == 3
    page.wait_for_url(re.compile("cmcells=column"))


def test_a_pinned_cell_is_told_of_every_run_and_is_in_the_address(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#confusion?mtags=confusion")
    matrix = chart(card(page, "good"))
    matrix.wait_for()
    matrix.click(position=cell(matrix, OUTLIER, 4, 5))
    expect(card(page, "good")).to_contain_text("cat as elk: 16, 80.0 % of cat")
    expect(card(page, "poor")).to_contain_text("cat as elk: 16, 80.0 % of cat")
    page.wait_for_url(re.compile("cmpair=2.4.confusion"))
    again = new_page(page.url)
    expect(card(again, "poor")).to_contain_text("cat as elk: 16")


def test_keys_move_pin_and_zoom(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#confusion?mtags=confusion")
    matrix = chart(card(page, "poor"))
    matrix.focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator(".chart-tooltip td")).to_have_text(["bee", "bee", "10", "50.0 %", "50.0 %"])
    page.keyboard.press("Enter")
    expect(card(page, "poor")).to_contain_text("bee as bee: 10")
    page.keyboard.press("+")
    expect(matrix).to_have_class(re.compile("is-zoomed"))
    page.keyboard.press("0")
    expect(matrix).not_to_have_class(re.compile("is-zoomed"))


def test_it_plays_every_step_and_new_ones_appear(tmp_path: Path, serve: Open, new_page: Open) -> None:
    log(tmp_path / "run", 0.9, range(0, 40, 10))
    page = new_page(f"{serve(tmp_path)}#confusion")
    slider = card(page, "run").get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "30")
    slider.evaluate(
        """element => {
            window.seen = [];
            new MutationObserver(() => seen.push(element.getAttribute("aria-valuetext")))
                .observe(element, {attributeFilter: ["aria-valuetext"]});
        }"""
    )
    card(page, "run").get_by_role("button", name=re.compile("^Play")).click()
    expect(card(page, "run").get_by_role("button", name=re.compile("^Pause"))).to_be_visible()
    expect(card(page, "run").get_by_role("button", name=re.compile("^Play"))).to_be_visible()
    assert page.evaluate("seen") == ["0", "10", "20", "30"]
    log(tmp_path / "run", 0.2, range(40, 41))
    expect(slider).to_have_attribute("aria-valuetext", "40", timeout=5000)
    expect(card(page, "run")).to_contain_text("20.0 % of 100 right")


@pytest.mark.slow
def test_two_runs_beside_each_other_in_one_order(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#confusion?mtags=confusion&cmsort=error")
    card(page, "good").get_by_role("button", name="Large, with every class").click()
    dialog = page.get_by_role("dialog", name="confusion")
    dialog.get_by_label("Compare with").select_option(label="poor")
    expect(chart(dialog, "confusion, poor")).to_have_accessible_name(re.compile("44.0 % of 100 right"))
    expect(dialog.get_by_role("img")).to_have_count(2)
    dialog.get_by_role("slider").fill("1")
    expect(dialog).to_contain_text("Step 1: 44.0 % of 100 right")
    page.wait_for_url(re.compile("cmversus="))
    dialog.get_by_role("button", name="bee").click()
    expect(dialog.get_by_text(re.compile("^bee as cat"))).to_have_count(2)


@pytest.mark.slow
def test_downloads(board: str, new_page: Open, tmp_path: Path) -> None:
    page = new_page(f"{board}#confusion?mtags=confusion&cmsort=error")
    for number, (name, ending) in enumerate(
        [("CSV, every count", "csv"), ("CSV, measures of classes", "csv"), ("PNG", "png")]
    ):
        card(page, "good").get_by_role("button", name="Save this matrix").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        path = tmp_path / f"{number}.{ending}"
        download.value.save_as(path)
    counts, measures = (list(csv.reader((tmp_path / f"{n}.csv").open())) for n in (0, 1))
    assert counts[0] == ["true \\ predicted", *[NAMES[i] for i in (2, 0, 1, 3, 4)]]
    assert counts[1] == ["cat", "4", "0", "0", "0", "16"]
    assert measures[0][:4] == ["class", "precision", "recall", "f1-score"]
    assert (measures[1][0], float(measures[1][2])) == ("cat", 0.2)
    assert (tmp_path / "2.png").read_bytes().startswith(b"\x89PNG")


def test_a_thousand_classes_are_zoomed_and_found(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#confusion?mtags=thousand")
    card(page, "many", "thousand").get_by_role("button", name="Large, with every class").click()
    dialog = page.get_by_role("dialog", name="thousand")
    matrix = chart(dialog)
    expect(matrix).to_have_accessible_name(re.compile("1000 classes"))
    for _ in range(5):
        dialog.get_by_role("button", name="Zoom in").click()
    page.wait_for_url(re.compile(r"cmpart=484\.38_484\.38_31\.25"))
    dialog.get_by_label("Find a class").fill("^617$")
    expect(dialog.get_by_role("rowheader")).to_have_text(["617"])
    dialog.get_by_role("button", name="617").click()
    page.wait_for_url(re.compile(r"cmpart=601\.38_601\.38_31\.25"))
    page.wait_for_url(re.compile(r"cmpair=617\.0\.thousand"))
    before = page.url
    matrix.hover()
    page.mouse.down()
    page.mouse.move(300, 300)
    page.mouse.up()
    page.wait_for_url(lambda url: url != before)


def test_its_picture_is_not_among_the_images(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images")
    expect(page.get_by_role("article")).to_have_count(1)
    expect(page.get_by_role("article", name="picture, many")).to_be_visible()


@pytest.mark.slow
def test_a_saved_page_has_them(folder: Path, new_page: Open, tmp_path: Path) -> None:
    made = export(
        [Logdir(str(folder / "good"))], 100, 2, BoardOptions(settings=str(tmp_path / "settings.json"))
    )
    path = tmp_path / "saved.html"
    path.write_bytes(made.page)
    page = new_page(f"{path.as_uri()}#confusion")
    expect(chart(page.locator("body"))).to_have_accessible_name(re.compile("80.0 % of 100 right"))
    expect(page.get_by_role("slider")).to_have_attribute("max", "1")


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault(
    board: str, new_page: Open, faults: Callable[[Page], list[str]], theme: str
) -> None:
    page = new_page(f"{board}#confusion", color_scheme=theme)
    chart(card(page, "good")).wait_for()
    assert faults(page) == []
    card(page, "good").get_by_role("button", name="Large, with every class").click()
    page.get_by_role("dialog").get_by_role("table").wait_for()
    assert faults(page) == []


@pytest.mark.slow
def test_it_says_how_to_log_one(tmp_path: Path, serve: Open, new_page: Open) -> None:
    page = new_page(f"{serve(tmp_path)}#confusion")
    expect(page.get_by_text("tf.summary.confusion_matrix(")).to_be_visible()


def test_hostile_class_names_and_curves_are_only_drawn(tmp_path: Path, serve: Open, new_page: Open) -> None:
    evil = '<img src=x onerror="document.title=`owned`">'
    names = [evil, "=1+1", "\u202eright to left", "\x1b[31m\x07", "x" * 300]
    writer = summary.create_file_writer(str(tmp_path / "runs" / "a"))
    with writer.as_default():
        summary.confusion_matrix(evil, np.arange(5), np.arange(5), names, step=0)
        for step, number in enumerate((np.nan, np.inf, -1e300, 5e-324)):
            curve = np.full((6, 20), number)
            summary.write(f"{evil} curve", curve, step=step, metadata=encoding.metadata("pr_curves"))
    writer.close()
    url = serve(tmp_path / "runs")
    page = new_page(f"{url}#confusion")
    matrix = card(page, "a", evil)
    expect(matrix).to_be_visible()
    expect(chart(matrix)).to_be_visible()
    page = new_page(f"{url}#pr_curves")
    expect(page.get_by_role("article").first).to_be_visible()
    for opened in page.context.browser.contexts if page.context.browser else []:
        for one in opened.pages:
            assert "owned" not in one.title()
            assert one.locator("img[src=x]").count() == 0
