"""The list of runs: what is in the charts, and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect
from tensorboardX import SummaryWriter

Open = Callable[..., Page]
Lines = Callable[[Page, str, int], None]


def names(page: Page) -> Locator:
    return page.get_by_role("list", name="Runs").get_by_role("listitem").locator(".run-name")


def options(page: Page) -> Locator:
    page.get_by_role("button", name="Sort, group, columns").click()
    return page.get_by_role("dialog", name="Sort, group, columns")


def menu(page: Page, run: str, index: int = 0) -> Locator:
    page.get_by_role("button", name=f"More for {run}", exact=True).nth(index).click()
    return page.get_by_role("dialog", name=f"More for {run}", exact=True)


def test_a_tree_that_folds(board: str, new_page: Open) -> None:
    page = new_page(board)
    expect(names(page)).to_have_text(
        ["lr=0.01", "train", "validation", "lr=0.1", "train", "validation", "torch"]
    )
    page.get_by_role("button", name="Fold or unfold lr=0.01").click()
    expect(names(page)).to_have_text(["lr=0.01", "lr=0.1", "train", "validation", "torch"])
    page.wait_for_url(re.compile("folded="))


def test_a_run_that_is_a_folder_of_runs_is_one_row(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines
) -> None:
    common = "resnet-on-cifar-with-all-augmentation"
    for name in ("search", f"search/{common}-lr=0.1-seed=1", f"search/{common}-lr=0.01-seed=1"):
        with SummaryWriter(str(tmp_path / name)) as writer:
            for step in range(2):
                writer.add_scalar("loss", 1 / (step + 1), step)
    page = new_page(serve(tmp_path))
    expect(names(page)).to_have_text(["search", f"{common}-lr=0.01-seed=1", f"{common}-lr=0.1-seed=1"])
    # Of a name that is too long the end, which sets it apart, is all there.
    tail = names(page).last.locator(".name-tail")
    expect(tail).to_have_text("lr=0.1-seed=1")
    assert tail.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert names(page).last.locator(".name-head").evaluate("e => e.scrollWidth > e.clientWidth")
    expect_lines(page, "loss", 3)
    sheet = menu(page, "search")
    sheet.get_by_label("In the charts itself").uncheck()
    expect_lines(page, "loss", 2)
    sheet.get_by_role("button", name="Show only this", exact=True).click()
    expect_lines(page, "loss", 1)
    menu(page, "search").get_by_role("button", name="Show only these 3").click()
    expect_lines(page, "loss", 3)


def test_check_boxes_take_runs_out_of_the_charts(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    expect_lines(page, "epoch_loss", 4)
    page.get_by_label("Show or hide lr=0.01 in the charts").uncheck()
    expect_lines(page, "epoch_loss", 2)
    page.get_by_label("Show all runs").click()
    expect_lines(page, "epoch_loss", 4)
    menu(page, "train").get_by_role("button", name="Show only this").click()
    expect_lines(page, "epoch_loss", 1)
    page.wait_for_url(re.compile("except="))
    page.reload()
    expect_lines(page, "epoch_loss", 1)


def test_a_regular_expression_filters_list_and_charts(
    board: str, new_page: Open, expect_lines: Lines
) -> None:
    page = new_page(board)
    page.get_by_label("Filter runs").fill("0.1/(train|val)")
    expect(names(page)).to_have_text(["lr=0.1", "train", "validation"])
    expect_lines(page, "epoch_loss", 2)


def test_hparams_as_columns_order_and_groups(board: str, new_page: Open) -> None:
    page = new_page(board)
    sheet = options(page)
    sheet.get_by_label("lr", exact=True).check()
    page.keyboard.press("Escape")
    rows = page.get_by_role("list", name="Runs").get_by_role("listitem")
    # Validation has the hparams of its training.
    expect(rows.locator(".run-value")).to_have_text(["0.01", "0.01", "0.01", "0.1", "0.1", "0.1", ""])
    options(page).get_by_label("Group by").select_option("hparam:lr")
    expect(names(page).first).to_have_text("lr = 0.01")
    options_sheet = page.get_by_role("dialog", name="Sort, group, columns")
    options_sheet.get_by_label("Group by").select_option("name:")
    options_sheet.get_by_label("Pattern").fill("/(.*)$")
    expect(names(page).filter(has_text=re.compile("^(train|validation|–)$"))).to_have_text(
        ["train", "validation", "–"]
    )


def test_rename_note_and_hide_are_kept(board: str, new_page: Open) -> None:
    page = new_page(board)
    sheet = menu(page, "torch")
    sheet.get_by_label("Name").fill("the peer")
    sheet.get_by_label("Note").fill("seed 3")
    with page.expect_response(lambda answer: "seed 3" in (answer.request.post_data or "")):
        page.keyboard.press("Escape")
    expect(names(page).last).to_have_text("the peer")
    page.reload()
    expect(names(page).last).to_have_text("the peer")
    sheet = menu(page, "the peer")
    expect(sheet.get_by_label("Note")).to_have_value("seed 3")
    sheet.get_by_role("button", name="Archive").click()
    expect(names(page).filter(has_text="the peer")).to_have_count(0)
    options(page).get_by_label("Show archived runs (1)").check()
    page.keyboard.press("Escape")
    sheet = menu(page, "the peer")
    sheet.get_by_role("button", name="Take out of the archive").click()
    sheet = menu(page, "the peer")
    sheet.get_by_label("Name").fill("")
    sheet.get_by_label("Note").fill("")
    page.keyboard.press("Escape")
    expect(names(page).last).to_have_text("torch")


def test_a_baseline_stays_and_differences_are_to_it(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    menu(page, "train").get_by_role("button", name="Pin as baseline").click()
    page.get_by_label("Filter runs").fill("lr=0.1/train")
    expect_lines(page, "epoch_loss", 2)
    box = page.get_by_role("article", name="epoch_loss").locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 5)
    head = page.locator(".chart-tooltip th")
    expect(head.last).to_have_text("Δ base")
    expect(page.locator(".chart-tooltip tbody tr").first.locator("td").last).to_have_text("+0.900")
    page.mouse.move(5, 5)
    page.get_by_label("Filter runs").fill("")
    menu(page, "train").get_by_role("button", name="Unpin the baseline").click()


def test_colours_are_the_same_everywhere_and_after_a_reload(board: str, new_page: Open) -> None:
    page = new_page(board)

    def colors() -> dict[str, str]:
        boxes = page.get_by_label(re.compile("^Show or hide .* in the charts$"))
        expect(boxes).to_have_count(7)
        return {
            f"{i} {box.get_attribute('aria-label')}": box.evaluate("e => getComputedStyle(e).borderColor")
            for i, box in enumerate(boxes.all())
        }

    before = colors()
    # Two runs and their validation, and one more: three colours.
    assert len(set(before.values())) == 3
    page.reload()
    assert colors() == before
    page.goto(f"{board}#images")
    assert colors() == before
    fresh = new_page(board)
    page = fresh
    assert colors() == before


def test_without_a_right_to_write_changes_stay_in_the_browser(
    logs: object, serve: Callable[..., str], new_page: Open
) -> None:
    page = new_page(serve(logs, read_only=True))
    menu(page, "torch").get_by_label("Name").fill("mine")
    page.keyboard.press("Escape")
    expect(names(page).last).to_have_text("mine")
    page.reload()
    expect(names(page).last).to_have_text("mine")


def test_with_no_run_in_view_the_page_says_so(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    expect_lines(page, "epoch_loss", 4)
    page.get_by_label("Show no run").click()
    expect(page.get_by_text("No run is in view")).to_be_visible()
    page.get_by_label("Show or hide torch in the charts").check()
    # Only what the runs in view have logged.
    expect(page.get_by_role("article")).to_have_count(1)
    expect_lines(page, "Loss", 2)
