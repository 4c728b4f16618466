"""What is written shows up: new points, new runs, new steps; and what is wrong is said."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, expect

from tapeflow import summary

Open = Callable[..., Page]
Lines = Callable[[Page, str, int], None]
Writers = Callable[[Path], Any]


def test_new_points_runs_and_pictures(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines, open_scalars: Writers
) -> None:
    root = tmp_path / "runs"
    writer = open_scalars(root / "a")
    for step in range(5):
        writer.add("loss", 1.0, step)
    writer.flush()
    page = new_page(f"{serve(root)}#scalars?smooth=0")
    expect_lines(page, "loss", 1)
    expect(page.locator(".live-mark").first).to_be_visible()
    box = page.locator(".u-over").bounding_box()
    assert box is not None
    for value in (2.0, 3.0):
        step = int(value * 10)
        writer.add("loss", value, step)
        writer.flush()
        written = time.monotonic()
        # The newest point is at the right end, where the cursor shows it once it is there.
        cell = page.locator(".chart-tooltip tbody td").nth(3)
        while not (cell.is_visible() and cell.inner_text() == str(step)):
            page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 30)
            page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 30)
            page.wait_for_timeout(20)
            assert time.monotonic() - written < 15
    other = open_scalars(root / "b")
    other.add("loss", 2.0, 0)
    other.add("extra/new", 2.0, 0)
    other.flush()
    expect_lines(page, "loss", 2)
    expect_lines(page, "extra/new", 1)
    own = summary.create_file_writer(str(root / "b"))
    with own.as_default():
        summary.image("picture", np.zeros((1, 4, 4, 3), np.uint8), step=0)
        own.flush()
        page.get_by_role("link", name="Images").click()
        card = page.get_by_role("article", name="picture, b")
        expect(card.locator("img")).to_have_attribute("alt", re.compile("step 0$"))
        summary.image("picture", np.zeros((1, 4, 4, 3), np.uint8), step=7)
        own.flush()
    expect(card.locator("img")).to_have_attribute("alt", re.compile("step 7$"))
    own.close()


def test_a_chart_does_not_move_when_others_come(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines, open_scalars: Writers
) -> None:
    root = tmp_path / "runs"
    writer = open_scalars(root / "a")
    for i in range(40):
        writer.add(f"m{i:02d}/x", 1.0, 0)
    writer.flush()
    page = new_page(serve(root))
    expect_lines(page, "m00/x", 1)
    page.locator(".cards").evaluate("e => { e.scrollTop = 4000 }")
    watched = page.get_by_role("article").first
    watched.wait_for()
    title = watched.get_attribute("aria-label")
    assert title is not None
    before = page.get_by_role("article", name=title).bounding_box()
    writer.add("a_first/x", 1.0, 0)
    writer.flush()
    page.wait_for_timeout(1500)
    assert page.get_by_role("article", name=title).bounding_box() == before
    page.locator(".cards").evaluate("e => { e.scrollTop = 0 }")
    expect_lines(page, "a_first/x", 1)


def test_a_folder_that_is_not_there_yet(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines, open_scalars: Writers
) -> None:
    page = new_page(serve(tmp_path / "later"))
    expect(page.get_by_text("No scalars yet")).to_be_visible()
    expect(page.get_by_text("No runs yet")).to_be_visible()
    writer = open_scalars(tmp_path / "later" / "one")
    writer.add("loss", 1.0, 0)
    writer.flush()
    expect_lines(page, "loss", 1)


def test_damage_is_said_and_the_rest_is_shown(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines, open_scalars: Writers
) -> None:
    root = tmp_path / "runs"
    for name in ("good", "bad"):
        writer = open_scalars(root / name)
        for step in range(100):
            writer.add("loss", float(step), step)
        writer.flush()
    file = next((root / "bad").iterdir())
    data = bytearray(file.read_bytes())
    data[1000:1200] = b"\xff" * 200
    file.write_bytes(bytes(data))
    page = new_page(serve(root))
    expect_lines(page, "loss", 2)
    mark = page.get_by_role("img", name=re.compile("bad bytes at offset"))
    expect(mark).to_be_visible()
    expect(page.locator(".status")).to_contain_text(re.compile("bad has .* bad bytes at offset"))
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("img", name=re.compile("个损坏字节：不是记录"))).to_be_visible()
    expect(page.locator(".status")).to_contain_text(re.compile("bad 在偏移 .* 处起有 .* 个损坏字节"))
