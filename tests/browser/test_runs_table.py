"""The table of runs: which run is best, and what can be done with several."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tensorboardX import SummaryWriter

from tapeflow import summary

Open = Callable[..., Page]
Serve = Callable[..., str]
Lines = Callable[[Page, str, int], None]
START = 1_731_600_000.0
RUNS = {
    "a": (0.1, "adam", 0.50),
    "b": (0.1, "sgd", 0.30),
    "c": (0.01, "adam", 0.20),
    "d": (0.01, "sgd", 0.40),
    "e": (0.001, "adam", 0.10),
    "f": (0.001, "sgd", 0.90),
}


def write(root: Path, names: str = "abcdef") -> Path:
    """Runs as Keras writes them: hparams in the folder, curves in `train` and `validation` below it."""
    for name in names:
        lr, optimizer, loss = RUNS[name]
        for part, factor in (("train", 1.0), ("validation", 2.0)):
            with SummaryWriter(str(root / name / part)) as writer:
                for step, value in enumerate((3 * loss, loss, 1.5 * loss)):
                    writer.add_scalar("epoch_loss", factor * value, step, START + 10 * step)
                    writer.add_scalar("epoch_accuracy", 1 - factor * value / 4, step, START + 10 * step)
        own = summary.create_file_writer(str(root / name))
        with own.as_default():
            summary.hparams({"lr": lr, "optimizer": optimizer})
        own.close()
    for path in root.rglob("*tfevents*"):
        os.utime(path, (START, START))  # nobody writes them any more
    return root


@pytest.fixture(scope="module")
def sweep(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    return serve(write(tmp_path_factory.mktemp("sweep") / "sweep"))


def table(page: Page) -> Locator:
    return page.get_by_role("table", name="Runs")


def names(page: Page) -> Locator:
    return table(page).locator(".rt-open")


def column(page: Page, title: str) -> list[str]:
    """The texts of a column, from top to bottom."""
    head = table(page).get_by_role("columnheader").filter(has_text=re.compile(f"^{re.escape(title)}"))
    index = head.first.get_attribute("aria-colindex")
    return table(page).locator(f'.st-rows [aria-colindex="{index}"]').all_inner_texts()


def test_a_log_with_many_runs_opens_with_its_table(sweep: str, new_page: Open) -> None:
    page = new_page(sweep)
    expect(page.get_by_role("navigation", name="Panels").locator("[aria-current]")).to_have_text("Runs")
    expect(names(page)).to_have_text(list("abcdef"))
    assert column(page, "lr") == ["0.1", "0.1", "0.01", "0.01", "0.001", "0.001"]
    assert column(page, "epoch_loss")[0] == "0.7500"
    assert column(page, "validation/epoch_loss")[:2] == ["1.500", "0.9000"]
    assert set(column(page, "State")) == {"ended"}


def test_a_log_with_a_few_runs_opens_with_its_charts(tmp_path: Path, serve: Serve, new_page: Open) -> None:
    page = new_page(serve(write(tmp_path, "ab")))
    expect(page.get_by_role("navigation", name="Panels").locator("[aria-current]")).to_have_text("Scalars")
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(names(page)).to_have_text(["a", "b"])


def test_sorting_and_which_value_counts(sweep: str, new_page: Open) -> None:
    page = new_page(sweep)
    page.get_by_role("button", name="epoch_loss last", exact=True).click()
    expect(names(page)).to_have_text(list("ecbdaf"))
    page.get_by_role("button", name="epoch_loss last", exact=True).click()
    expect(names(page)).to_have_text(list("fadbce"))
    page.get_by_label("Values", exact=True).select_option("best")
    assert column(page, "epoch_loss")[-1] == "0.1000"
    # More of an accuracy is better: its best is the largest, and sorting begins with it.
    page.get_by_role("button", name="epoch_accuracy best", exact=True).click()
    expect(names(page)).to_have_text(list("ecbdaf"))
    assert column(page, "epoch_accuracy")[0] == "0.9750"
    expect(table(page).locator(".is-best").filter(has_text="0.9750")).to_have_count(1)
    page.wait_for_url(re.compile("rsort=-v.*accuracy"))
    page.reload()
    expect(names(page)).to_have_text(list("ecbdaf"))


def test_an_expression_filters_every_panel(sweep: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(sweep)
    field = page.get_by_label("Filter by values")
    field.fill("val_loss.min < 0.7 and lr >= 1e-2")
    expect(names(page)).to_have_text(["b", "c"])
    expect(page.get_by_text("2 of 6 runs", exact=True)).to_be_visible()
    page.get_by_role("link", name="Scalars", exact=True).click()
    expect_lines(page, "epoch_loss", 4)
    page.reload()
    expect_lines(page, "epoch_loss", 4)
    page.get_by_role("button", name=re.compile("^Clear: Runs: val_loss")).click()
    expect_lines(page, "epoch_loss", 12)


def test_an_expression_says_where_it_is_wrong(sweep: str, new_page: Open) -> None:
    page = new_page(sweep)
    field = page.get_by_label("Filter by values")
    for text, says in {
        "lr > 0.01 and optimizer == adam": "Character 28: there is no column “adam”; a text needs quotes",
        "lr >": "Character 5: something is missing at the end",
        "lr > 0.01 ; x": "Character 11: “;” means nothing here",
    }.items():
        field.fill(text)
        expect(page.get_by_role("alert")).to_contain_text(says)
        expect(names(page)).to_have_count(6)
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill('optimizer == "adam"')
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(names(page)).to_have_text(list("ace"))


def test_check_boxes_choose_runs_everywhere(sweep: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(sweep)
    table(page).get_by_label("Select all of these runs, or none").click()
    for name in "ac":
        table(page).get_by_label(f"Show or hide {name} in the charts", exact=True).check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.get_by_role("link", name="Scalars", exact=True).click()
    expect_lines(page, "epoch_loss", 4)


def test_groups_show_mean_and_spread(sweep: str, new_page: Open) -> None:
    page = new_page(sweep)
    page.get_by_role("toolbar", name="Options of the table").get_by_label("Group by").select_option(
        "hparam:lr"
    )
    groups = table(page).locator(".st-row.is-group")
    expect(groups).to_have_count(3)
    assert groups.nth(0).locator(".st-name").inner_text().split("\n") == ["lr = 0.001", "2"]
    # 0.15 and 1.35: their mean is 0.75, and the deviation of the sample 0.849.
    expect(groups.nth(0)).to_contain_text("0.7500 ±0.85")
    page.get_by_role("button", name="Show or hide the runs of lr = 0.001").click()
    expect(names(page)).to_have_text(list("cdab"))


def test_columns_are_chosen_and_moved(sweep: str, new_page: Open) -> None:
    page = new_page(sweep)
    page.get_by_role("button", name="Columns", exact=True).click()
    menu = page.get_by_role("dialog", name="Choose the columns")
    menu.get_by_label("Search columns").fill("epoch_loss")
    menu.get_by_label("epoch_loss (best at step)", exact=True).check()
    page.keyboard.press("Escape")
    head = table(page).get_by_role("columnheader")
    expect(head.filter(has_text="best at step")).to_have_count(1)
    before = head.all_inner_texts()
    assert before[2].startswith("lr")
    head.nth(2).hover()
    head.nth(2).get_by_role("button", name="Column lr").click()
    page.get_by_role("button", name="Move to the right").click()
    expect(head.nth(3)).to_contain_text("lr")
    page.get_by_role("button", name="Hide this column").click()
    expect(head.filter(has_text="lr")).to_have_count(0)


def test_stars_tags_and_pins(tmp_path: Path, serve: Serve, new_page: Open) -> None:
    page = new_page(serve(write(tmp_path)))
    page.get_by_role("button", name="Star d").click()
    row = table(page).get_by_role("row").filter(has=page.get_by_label("Open the page of e"))
    row.hover()
    row.get_by_role("button", name="More for e").click()
    menu = page.get_by_role("dialog", name="More for e")
    menu.get_by_label("Tags").fill("paper, best")
    menu.get_by_role("button", name="Keep on top of the table").click()
    expect(names(page)).to_have_text(list("eabcdf"))
    expect(table(page).get_by_text("paper, best")).to_be_visible()
    field = page.get_by_label("Filter by values")
    field.fill('starred or "paper" in tags')
    expect(names(page)).to_have_text(["e", "d"])


def test_runs_are_deleted_and_taken_back(tmp_path: Path, serve: Serve, new_page: Open) -> None:
    root = write(tmp_path / "logs")
    page = new_page(serve(root))
    table(page).get_by_label("Select all of these runs, or none").click()
    for name in "be":
        table(page).get_by_label(f"Show or hide {name} in the charts", exact=True).check()
    page.get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog", name="Delete 2 runs?")
    expect(dialog.get_by_role("listitem")).to_have_text(["b", "e"])
    dialog.get_by_role("button", name="Cancel").click()
    expect(names(page)).to_have_count(6)
    page.get_by_role("button", name="Delete…").click()
    dialog.get_by_role("button", name="Move to the trash").click()
    expect(names(page)).to_have_text(list("acdf"))
    assert not (root / "b").exists()
    page.get_by_role("button", name="Undo").click()
    expect(names(page)).to_have_text(list("abcdef"))
    page.get_by_role("button", name="Delete…").click()
    dialog.get_by_role("button", name="Move to the trash").click()
    expect(names(page)).to_have_text(list("acdf"))
    page.get_by_role("button", name="Trash", exact=True).click()
    trash = page.get_by_role("dialog", name="Trash")
    row = trash.get_by_role("listitem").filter(has=page.get_by_text("b", exact=True))
    row.get_by_role("button", name="Restore").click()
    expect(trash.get_by_role("listitem")).to_have_count(1)
    trash.get_by_role("button", name="Delete for good").click()
    trash.get_by_role("button", name="Click again to delete for good").click()
    expect(trash.get_by_text("The trash is empty.")).to_be_visible()
    trash.get_by_role("button", name="Close").click()
    expect(names(page)).to_have_text(list("abcdf"))
    assert sorted(path.name for path in root.iterdir()) == list("abcdf")


def test_a_board_that_is_read_only_offers_no_deleting(tmp_path: Path, serve: Serve, new_page: Open) -> None:
    page = new_page(serve(write(tmp_path), read_only=True))
    expect(names(page)).to_have_count(6)
    expect(page.get_by_role("button", name="Archive", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Delete…")).to_have_count(0)
    expect(page.get_by_role("button", name="Trash", exact=True)).to_have_count(0)


@pytest.mark.parametrize(
    ("way", "ending"),
    [
        ("CSV", "csv"),
        pytest.param("LaTeX", "tex", marks=pytest.mark.slow),
        pytest.param("Markdown", "md", marks=pytest.mark.slow),
    ],
)
def test_the_table_is_saved(way: str, ending: str, sweep: str, new_page: Open) -> None:
    page = new_page(sweep)
    page.get_by_label("Filter by values").fill("lr == 0.1")
    expect(names(page)).to_have_text(["a", "b"])
    page.get_by_role("button", name="Save the table").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Save as {way}").click()
    assert download.value.suggested_filename == f"runs.{ending}"
    text = Path(download.value.path()).read_text()
    lines = text.splitlines()
    assert "epoch" in lines[1 if ending == "tex" else 0]
    if ending == "csv":
        assert lines[1].startswith("a,ended,0.1,adam,")
        assert ",0.75," in lines[1]
    elif ending == "md":
        assert lines[2].startswith("| a | ended | 0.1 | adam |")
    else:
        assert lines[2].startswith("a & ended & $0.1$ & adam &")


def test_what_is_logged_meanwhile_appears(tmp_path: Path, serve: Serve, new_page: Open) -> None:
    page = new_page(serve(write(tmp_path)))
    expect(names(page)).to_have_count(6)
    with SummaryWriter(str(tmp_path / "g")) as writer:
        writer.add_scalar("epoch_loss", 0.05, 0)
    expect(names(page)).to_have_text(list("abcdefg"))
    row = table(page).get_by_role("row").filter(has=page.get_by_label("Open the page of g"))
    expect(row).to_contain_text("0.05000")
    expect(row).to_contain_text("running")


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_table_has_no_serious_faults(
    theme: str, sweep: str, new_page: Open, faults: Callable[[Page], list[str]]
) -> None:
    page = new_page(f"{sweep}#runs?group=hparam:lr&rshade=1", color_scheme=theme)
    expect(names(page)).to_have_count(6)
    assert faults(page) == []


def test_the_table_in_chinese(sweep: str, new_page: Open) -> None:
    page = new_page(sweep, locale="zh-CN")
    expect(page.get_by_role("table", name="运行")).to_be_visible()
    expect(page.get_by_text("6 / 6 个运行")).to_be_visible()
    page.get_by_label("按数值筛选").fill("lr >")
    expect(page.get_by_role("alert")).to_contain_text("第 5 个字符：表达式不完整")
