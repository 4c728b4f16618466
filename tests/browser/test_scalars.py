"""Scalars: cards, lines, cursor, zoom, groups, downloads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tensorboardX import SummaryWriter

Open = Callable[..., Page]
Lines = Callable[[Page, str, int], None]


def card(page: Page, title: str) -> Locator:
    return page.get_by_role("article", name=title, exact=True)


def chart(page: Page, title: str) -> Locator:
    return card(page, title).get_by_role("img", name=re.compile("line chart"))


def plot(page: Page, title: str) -> dict[str, float]:
    """Where the inner part of a chart is."""
    box = chart(page, title).locator(".u-over").bounding_box()
    assert box is not None
    return {"left": box["x"], "top": box["y"], "width": box["width"], "height": box["height"]}


def saved(page: Page, title: str, form: str) -> bytes:
    """What the download menu of a card saves."""
    card(page, title).get_by_role("button", name="Save this chart").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile(f"^{form}")).click()
    return Path(download.value.path()).read_bytes()


def test_cards_by_prefix_with_all_runs_of_all_writers(
    board: str, new_page: Open, expect_lines: Lines
) -> None:
    page = new_page(board)
    expect(page.get_by_role("heading", level=2)).to_have_text(["Other tags1", "Loss1", "optimizer1"])
    expect_lines(page, "epoch_loss", 4)
    expect_lines(page, "optimizer/norm", 2)
    # Train and validation of one run, in one card.
    expect_lines(page, "Loss", 2)


def test_tags_are_searched_by_regular_expression(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    search = page.get_by_label("Search tags")
    search.fill("^opt.*norm$")
    expect(page.get_by_role("article")).to_have_count(1)
    expect_lines(page, "optimizer/norm", 2)
    search.fill("nothing(")
    expect(page.get_by_text("The search “nothing(” fits none of the 4 tags.")).to_be_visible()
    search.press("Escape")
    expect(page.get_by_role("article")).to_have_count(3)


def test_tooltip_has_every_run_the_nearest_first(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(f"{board}#scalars?smooth=0")
    expect_lines(page, "epoch_loss", 4)
    box = plot(page, "epoch_loss")
    # The lines are at 1 and 0.1 in the end: near the bottom, those of the smaller rate are nearest.
    page.mouse.move(box["left"] + box["width"] * 0.4, box["top"] + box["height"] * 0.97)
    rows = page.locator(".chart-tooltip tbody tr")
    expect(rows).to_have_count(4)
    names = [row.locator(".name").inner_text() for row in rows.all()]
    assert {name.split("/")[0] for name in names[:2]} == {"lr=0.01"}
    assert {name.split("/")[0] for name in names[2:]} == {"lr=0.1"}
    # The cursor is linked: the other charts show it, too.
    cursors = page.locator(".u-cursor-x")
    expect(cursors).to_have_count(3)
    page.mouse.move(5, 5)
    expect(page.locator(".chart-tooltip")).to_be_hidden()


def test_the_keyboard_moves_the_cursor_and_zooms(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    expect_lines(page, "epoch_loss", 4)
    chart(page, "epoch_loss").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".chart-tooltip tbody tr")).to_have_count(4)
    page.keyboard.press("+")
    expect(page.get_by_role("button", name="Reset zoom")).to_be_visible()
    page.keyboard.press("0")
    expect(page.get_by_role("button", name="Reset zoom")).to_have_count(0)


def test_the_view_is_in_the_address(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    page.get_by_label("Smoothing").fill("0.9")
    page.get_by_text("Relative", exact=True).click()
    page.get_by_role("button", name="log y").click()
    page.get_by_role("button", name="Clip").click()
    page.wait_for_url(re.compile("clip=1"))
    again = new_page(page.url)
    expect(again.get_by_label("Smoothing")).to_have_value("0.9")
    expect(again.get_by_label("Relative")).to_be_checked()
    expect(again.get_by_role("button", name="log y")).to_have_attribute("aria-pressed", "true")
    expect(again.get_by_role("button", name="Clip")).to_have_attribute("aria-pressed", "true")
    expect(again.get_by_role("button", name="log x")).to_have_attribute("aria-pressed", "false")


def test_dragging_zooms_and_a_double_click_goes_back(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    expect_lines(page, "epoch_loss", 4)
    box = plot(page, "epoch_loss")
    page.mouse.move(box["left"] + box["width"] * 0.25, box["top"] + 50)
    page.mouse.down()
    page.mouse.move(box["left"] + box["width"] * 0.5, box["top"] + 50, steps=4)
    with page.expect_request(re.compile("scalars/series")) as asked:
        page.mouse.up()
    body = asked.value.post_data_json
    assert body["axis"] == "step"
    assert body["min"] == pytest.approx(39 * 0.25, abs=1)
    assert body["max"] == pytest.approx(39 * 0.5, abs=1)
    page.wait_for_url(re.compile("zoom="))
    page.mouse.dblclick(box["left"] + box["width"] * 0.5, box["top"] + 50)
    expect(page.get_by_role("button", name="Reset zoom")).to_have_count(0)


def test_a_drawing_for_a_paper_shows_every_line_and_marks_what_is_not_finite(
    board: str, new_page: Open, expect_lines: Lines
) -> None:
    page = new_page(f"{board}#scalars?smooth=0")
    expect_lines(page, "Loss", 2)
    drawing = ElementTree.fromstring(saved(page, "Loss", "SVG"))
    space = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in drawing.iter(f"{space}text")]
    assert "Loss" in texts
    assert "Step" in texts
    assert "torch · Loss/train" in texts
    assert texts.count("×") == 1
    assert texts.count("▲") == 1
    dashed = [p for p in drawing.iter(f"{space}path") if p.get("stroke-dasharray")]
    assert len(dashed) == 2  # validation: its line and its place in the legend


def test_downloads(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    expect_lines(page, "epoch_loss", 4)
    assert saved(page, "epoch_loss", "PNG").startswith(b"\x89PNG")
    lines = saved(page, "epoch_loss", "CSV").decode().splitlines()
    assert len(lines) == 1 + 2 * 40 + 2 * 20
    assert json.loads(saved(page, "epoch_loss", "JSON"))


def test_groups_are_drawn_as_mean_and_spread(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(f"{board}#scalars?group=hparam:optimizer")
    expect_lines(page, "epoch_loss", 2)
    box = plot(page, "epoch_loss")
    page.mouse.move(box["left"] + box["width"] * 0.2, box["top"] + 60)
    rows = page.locator(".chart-tooltip tbody tr")
    row = rows.filter(has=page.get_by_text("optimizer = adam (2)", exact=True))
    expect(row).to_contain_text("±")
    expect(rows.filter(has=page.get_by_text("optimizer = adam · validation (2)"))).to_contain_text("±")
    page.mouse.move(5, 5)
    page.get_by_role("button", name="More options").click()
    page.get_by_label("Mean and spread of groups").uncheck()
    expect_lines(page, "epoch_loss", 4)


def test_grouping_redraws_the_charts_at_once(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(f"{board}#scalars")
    expect_lines(page, "epoch_loss", 4)
    page.get_by_role("button", name="Sort, group, columns").click()
    sheet = page.get_by_role("dialog", name="Sort, group, columns")
    sheet.get_by_label("Group by").select_option("hparam:optimizer")
    # Two runs of one optimizer: a mean for training and one for validation.
    expect_lines(page, "epoch_loss", 2)
    sheet.get_by_label("Group by").select_option("")
    expect_lines(page, "epoch_loss", 4)


def test_a_chart_with_nothing_in_the_zoom_is_shown_whole_and_says_so(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines
) -> None:
    with SummaryWriter(str(tmp_path / "a")) as writer:
        for step in range(100):
            writer.add_scalar("early", step, step)
            writer.add_scalar("late", step, 10_000 + step)
        for step in (0, 1000):
            writer.add_scalar("across", step, step)
    page = new_page(f"{serve(tmp_path)}#scalars?zoom=20..60")
    for title in ("early", "late", "across"):
        expect_lines(page, title, 1)
    hint = page.get_by_text("Shown whole: nothing was logged in the part that other charts are zoomed to.")
    expect(hint).to_have_count(1)
    expect(card(page, "late").get_by_text("Shown whole")).to_be_visible()
    page.get_by_role("button", name="Reset zoom").click()
    expect(hint).to_have_count(0)


def test_several_tags_in_one_chart(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    page.get_by_role("button", name="Draw several tags").click()
    page.get_by_role("checkbox", name="epoch_loss").check()
    page.get_by_role("checkbox", name="optimizer/norm").check()
    page.get_by_role("button", name="Make the chart").click()
    expect_lines(page, "epoch_loss · optimizer/norm", 6)
    card(page, "epoch_loss · optimizer/norm").get_by_role("button", name="Give each").click()
    expect(card(page, "epoch_loss · optimizer/norm")).to_have_count(0)


def test_pinned_cards_come_first_and_stay(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    card(page, "optimizer/norm").get_by_role("button", name="Pin to the top").click()
    expect(page.get_by_role("heading", level=2).first).to_have_text("Pinned1")
    page.reload()
    expect(page.get_by_role("heading", level=2).first).to_have_text("Pinned1")
    card(page, "optimizer/norm").get_by_role("button", name="Unpin").click()
    expect(page.get_by_role("heading", level=2).first).to_have_text("Other tags1")


def test_full_screen_is_in_the_address_and_escape_leaves_it(
    board: str, new_page: Open, expect_lines: Lines
) -> None:
    page = new_page(board)
    card(page, "epoch_loss").get_by_role("button", name="Full screen").click()
    dialog = page.get_by_role("dialog", name="epoch_loss")
    expect(dialog.get_by_role("img", name=re.compile("line chart of 4 lines"))).to_be_visible()
    page.wait_for_url(re.compile("card=epoch_loss"))
    # The best line first, of a loss that with the least value; a click on a title sorts by it.
    rows = dialog.get_by_role("region", name="Lines and their values").get_by_role("rowheader")
    expect(rows.first).to_contain_text("lr=0.01/train")
    dialog.get_by_role("button", name="max").click()
    expect(rows.first).to_contain_text("lr=0.01/train")
    dialog.get_by_role("button", name="max").click()
    expect(rows.first).to_contain_text("lr=0.1/")
    dialog.get_by_role("button", name="log y").click()
    page.wait_for_url(re.compile("logy=1"))
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_train_and_validation_can_be_taken_apart(board: str, new_page: Open, expect_lines: Lines) -> None:
    page = new_page(board)
    expect_lines(page, "Loss", 2)
    page.get_by_role("button", name="More options").click()
    page.get_by_label("Overlay train and validation").uncheck()
    expect_lines(page, "Loss/train", 1)
    expect_lines(page, "Loss/test", 1)


def masked_crc(rows: np.ndarray) -> np.ndarray:
    """The masked CRC-32C of every row of bytes, as rows of four bytes; a column at a time, for speed."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0x82F63B78), table >> 1)
    crc = np.full(len(rows), 0xFFFFFFFF, np.uint32)
    for column in rows.T:
        crc = table[(crc ^ column) & 0xFF] ^ (crc >> 8)
    crc = ~crc
    masked = ((crc >> 15) | (crc << 17)) + np.uint32(0xA282EAD8)
    return masked.view(np.uint8).reshape(len(rows), 4)


def records(rows: np.ndarray) -> np.ndarray:
    """Rows of bytes as records of an event file."""
    length = np.frombuffer(rows.shape[1].to_bytes(8, "little"), np.uint8)[None]
    head = np.concatenate([length, masked_crc(length)], axis=1)
    return np.concatenate([np.repeat(head, len(rows), axis=0), rows, masked_crc(rows)], axis=1)


def write_long_series(folder: Path, count: int, spike: int) -> None:
    """An event file of `count` scalars of one tag, made in bulk: all records have the same length."""
    # Event: 1 wall_time (fixed64), 2 step (varint of 5 bytes), 5 summary { 1 value { 1 tag, 2 simple_value } }.
    value = b"\x0a\x06signal\x15" + b"\0" * 4
    content = b"\x0a" + bytes([len(value)]) + value
    row = b"\x09" + b"\0" * 8 + b"\x10" + b"\0" * 5 + b"\x2a" + bytes([len(content)]) + content
    rows = np.tile(np.frombuffer(row, np.uint8), (count, 1))
    steps = np.arange(count)
    rows[:, 1:9] = (1.7e9 + steps / 100).view(np.uint8).reshape(count, 8)
    for i in range(5):
        rows[:, 10 + i] = (steps >> (7 * i)) & 127 | (128 if i < 4 else 0)
    values = np.sin(steps / 5000).astype(np.float32)
    values[spike] = 7.5
    rows[:, -4:] = values.view(np.uint8).reshape(count, 4)
    version = np.frombuffer(b"\x09" + b"\0" * 8 + b"\x1a\x0dbrain.Event:2", np.uint8)[None]
    folder.mkdir(parents=True)
    file = folder / "events.out.tfevents.1700000000.test"
    file.write_bytes(records(version).tobytes() + records(rows).tobytes())


@pytest.mark.parametrize("count", [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_zoom_reaches_one_spike_among_many_points(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines, count: int
) -> None:
    spike = int(0.654321 * count)
    write_long_series(tmp_path / "runs" / "long", count, spike)
    page = new_page(f"{serve(tmp_path / 'runs')}#scalars?smooth=0&size=large")
    expect_lines(page, "signal", 1)
    low, high = 0.0, count - 1.0
    for _ in range(8):
        box = plot(page, "signal")
        window = page.evaluate("decodeURIComponent(location.hash).match(/zoom=([^&]*)/)?.[1]")
        if window:
            low, high = map(float, window.split(".."))
        if high - low < 50:
            break
        at = box["left"] + (spike - low) / (high - low) * box["width"]
        page.mouse.move(max(box["left"] + 1, at - 20), box["top"] + 40)
        page.mouse.down()
        page.mouse.move(min(box["left"] + box["width"] - 1, at + 20), box["top"] + 40, steps=3)
        with page.expect_response(re.compile("scalars/series")):
            page.mouse.up()
        page.wait_for_timeout(250)
    assert high - low < 50
    box = plot(page, "signal")
    page.mouse.move(box["left"] + (spike - low) / (high - low) * box["width"], box["top"] + 10)
    cells = page.locator(".chart-tooltip tbody td")
    expect(cells.nth(2)).to_have_text("7.500")
    expect(cells.nth(3)).to_have_text(str(spike))
