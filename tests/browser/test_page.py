"""The page as a whole: accessibility, themes, languages, keys, many runs, hostile names, saved pages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tensorboardX import SummaryWriter

from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir

Open = Callable[..., Page]
Lines = Callable[[Page, str, int], None]
Faults = Callable[[Page], list[str]]

PANELS = ["scalars", "images", "audio", "video", "text", "tables"]


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault_in_any_panel(
    board: str, new_page: Open, faults: Faults, theme: str
) -> None:
    page = new_page(board, color_scheme=theme)
    for panel in PANELS:
        page.get_by_role("link", name=panel.capitalize(), exact=True).click()
        page.get_by_role("article").first.wait_for()
        assert faults(page) == [], panel


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_fault_in_menus_and_dialogs(
    board: str, new_page: Open, faults: Faults, theme: str
) -> None:
    page = new_page(board, color_scheme=theme)
    page.get_by_role("link", name="Scalars").click()
    page.get_by_role("button", name="More for torch").click()
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Full screen").first.click()
    page.get_by_role("dialog").wait_for()
    assert faults(page) == []


@pytest.mark.parametrize("width", [900, pytest.param(1440, marks=pytest.mark.slow)])
def test_nothing_runs_out_of_the_page(board: str, new_page: Open, width: int) -> None:
    page = new_page(board, width)
    for panel in PANELS:
        page.get_by_role("link", name=panel.capitalize(), exact=True).click()
        page.get_by_role("article").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for card in page.get_by_role("article").all():
            box = card.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= width


def test_theme_and_language_are_remembered(board: str, new_page: Open) -> None:
    page = new_page(board, color_scheme="dark")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Light theme").click()
    expect(root).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("link", name="标量")).to_be_visible()
    page.reload()
    expect(root).to_have_attribute("data-theme", "light")
    expect(root).to_have_attribute("lang", "zh")
    expect(page.get_by_placeholder("筛选运行")).to_be_visible()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("link", name="Scalars")).to_be_visible()


def test_a_chinese_browser_gets_a_chinese_page(board: str, new_page: Open) -> None:
    page = new_page(board, locale="zh-CN")
    expect(page.get_by_role("link", name="标量")).to_be_visible()


def test_keys(board: str, new_page: Open) -> None:
    page = new_page(board)
    page.get_by_role("article").first.wait_for()
    page.keyboard.press("/")
    expect(page.get_by_label("Search tags")).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_label("Search tags").blur()
    page.keyboard.press("f")
    expect(page.get_by_label("Filter runs")).to_be_focused()
    page.get_by_label("Filter runs").blur()
    page.keyboard.press("2")
    expect(page.get_by_role("link", name="HParams")).to_have_attribute("aria-current", "page")
    page.keyboard.press("[")
    expect(page.get_by_label("Filter runs")).to_have_count(0)
    page.keyboard.press("[")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.go_back()
    expect(page.get_by_role("link", name="Scalars")).to_have_attribute("aria-current", "page")


def test_every_control_says_what_it_does(board: str, new_page: Open) -> None:
    page = new_page(board)
    page.get_by_role("article").first.wait_for()
    silent = page.evaluate(
        """[...document.querySelectorAll("button, input, select, a")]
            .filter((control) => !control.closest("[data-tip]")).map((control) => control.outerHTML)"""
    )
    assert silent == []
    button = page.get_by_role("button", name="log y")
    button.hover()
    expect(page.get_by_role("tooltip")).to_have_text("Logarithmic vertical axis")


@pytest.mark.slow
def test_a_thousand_runs(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines
) -> None:
    with SummaryWriter(str(tmp_path / "one"), max_queue=1000) as writer:
        for tag in range(5):
            for step in range(20):
                writer.add_scalar(f"metric/{tag}", float(step), step)
    file = next((tmp_path / "one").iterdir())
    for i in range(1000):
        folder = tmp_path / "runs" / f"sweep {i // 100}" / f"run-{i:04d}"
        folder.mkdir(parents=True)
        shutil.copy(file, folder)
    # Opened while they are being read: nothing that is read meanwhile is missed.
    page = new_page(serve(tmp_path / "runs", waits=False))
    expect(page.locator(".runs-count")).to_have_text("1000 of 1000", timeout=30_000)
    expect(page.locator(".status")).to_have_text("Live", timeout=30_000)
    expect_lines(page, "metric/0", 1000)
    expect_lines(page, "metric/4", 1000)
    # Only what is in view exists.
    assert page.get_by_role("listitem").count() < 100
    page.locator(".runs-list").evaluate("e => { e.scrollTop = e.scrollHeight }")
    expect(page.get_by_label("Show or hide run-0999 in the charts")).to_be_visible()
    page.get_by_label("Filter runs").fill("run-00[0-4]")
    expect_lines(page, "metric/0", 50)


def test_five_hundred_charts_of_which_those_in_view_exist(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines
) -> None:
    with SummaryWriter(str(tmp_path / "run"), max_queue=2000) as writer:
        for tag in range(500):
            for step in range(3):
                writer.add_scalar(f"layer{tag // 20:02d}/metric{tag:03d}", float(tag + step), step)
    page = new_page(serve(tmp_path))
    cards = page.get_by_role("article")
    expect_lines(page, "layer00/metric000", 1)
    seen: set[str] = set()
    scroller = page.locator(".cards")
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        scroller.evaluate("(e, share) => { e.scrollTop = share * (e.scrollHeight - e.clientHeight) }", share)
        expect(cards.filter(has_text=f"layer{int(24 * share):02d}/").first).to_be_attached()
        names = cards.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
        assert 6 <= len(names) <= 40
        # Charts are drawn in turn; those that have left the view are gone with their canvases.
        assert page.locator("canvas").count() <= 2 * len(names)
        seen.update(names)
    expect_lines(page, "layer24/metric499", 1)
    assert {"layer00/metric000", "layer24/metric499"} < seen


def test_hostile_names_are_only_text(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines
) -> None:
    evil = '<img src=x onerror="document.title=`owned`"><script>document.title="owned"<'
    with SummaryWriter(str(tmp_path / "runs" / evil.replace("/", "|"))) as writer:
        writer.add_scalar("placeholder", 1.0, 0)
        writer.add_text("note", f"{evil}/script>\n\n[x](javascript:document.title='owned')", 0)
    page = new_page(serve(tmp_path / "runs"))
    expect_lines(page, "placeholder", 1)
    expect(page.get_by_label(f"Show or hide {evil} in the charts")).to_be_visible()
    box = page.locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    expect(page.locator(".chart-tooltip .name")).to_have_text(evil)
    page.get_by_role("link", name="Text").click()
    expect(page.get_by_role("article").locator("p").get_by_text("<script>")).to_be_visible()
    assert page.title() == "runs · TapeFlow"
    assert page.locator("img[src=x]").count() == 0


def test_a_panel_that_does_not_exist_is_named(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#astrology")
    expect(page.get_by_text("There is no panel “astrology” here")).to_be_visible()
    page.get_by_role("link", name="Scalars").click()
    expect(page.get_by_role("article").first).to_be_visible()


def test_a_malformed_address_shows_the_page(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#%E0")
    expect(page.get_by_text("There is no panel “%E0” here")).to_be_visible()
    # What a query holds twice encoded is malformed once decoded.
    page = new_page(f"{board}#images?at=%25E0=3&mclosed=%25E0")
    expect(page.get_by_role("article").first.get_by_role("slider")).to_have_value("9")


def test_a_panel_that_fails_says_so_and_the_rest_lives(
    board: str, new_page: Open, console: Any, expect_lines: Lines
) -> None:
    page = new_page(board)
    broken = {"run": "", "tag": "", "total": 1, "cursor": "", "items": [{"step": 0, "samples": None}]}
    page.route("**/api/v1/images/items*", lambda route: route.fulfill(json=broken))
    page.get_by_role("link", name="Images").click()
    expect(page.get_by_text("“Images” cannot be shown")).to_be_visible()
    expect(page.get_by_text("Cannot read properties of null")).to_be_visible()
    page.get_by_role("link", name="Scalars").click()
    expect_lines(page, "epoch_loss", 4)
    page.get_by_role("link", name="Images").click()
    expect(page.get_by_text("“Images” cannot be shown")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("article").first.locator("img")).to_be_visible()
    assert all("Cannot read properties of null" in error for error in console.errors)
    console.errors.clear()


def test_it_works_below_a_prefix_and_on_first_load_is_small(
    logs: Path, serve: Callable[..., str], new_page: Open, expect_lines: Lines
) -> None:
    url = serve(logs, path_prefix="/some/where")
    assert url.endswith("/some/where/")
    page = new_page(url)
    expect_lines(page, "epoch_loss", 4)
    sizes = page.evaluate(
        "performance.getEntriesByType('resource').map((one) => [one.name, one.decodedBodySize])"
    )
    files = [size for name, size in sizes if re.search(r"/assets/.*\.(js|css)$", name)]
    assert 0 < sum(files) < 700_000


def test_on_a_narrow_page_the_runs_are_a_drawer(board: str, new_page: Open) -> None:
    page = new_page(board, width=390)
    page.get_by_role("article").first.wait_for()
    expect(page.get_by_label("Filter runs")).to_have_count(0)
    expect(page.get_by_role("link", name="Scalars")).to_be_visible()
    card = page.get_by_role("article").first.bounding_box()
    assert card is not None
    assert card["width"] > 300
    page.get_by_role("button", name="Show or hide the runs").click()
    expect(page.get_by_label("Filter runs")).to_be_visible()
    page.locator(".page-shade").click(position={"x": 380, "y": 400})
    expect(page.get_by_label("Filter runs")).to_have_count(0)


def test_the_first_tab_stop_skips_to_the_panel(board: str, new_page: Open) -> None:
    page = new_page(board)
    page.get_by_role("article").first.wait_for()
    page.keyboard.press("Tab")
    skip = page.get_by_role("button", name="Skip to the panel")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_digits_reach_every_panel(board: str, new_page: Open) -> None:
    page = new_page(board)
    page.get_by_role("article").first.wait_for()
    tabs = page.get_by_role("navigation", name="Panels").get_by_role("link")
    for place, key in ((1, "1"), (4, "4"), (8, "8")):
        page.keyboard.press(key)
        expect(tabs.nth(place - 1)).to_have_attribute("aria-current", "page")
    # There are no ten panels here: nothing happens.
    page.keyboard.press("0")
    page.keyboard.press("Shift+Digit1")
    expect(tabs.nth(7)).to_have_attribute("aria-current", "page")


def test_where_tabs_do_not_fit_a_menu_has_all_panels(board: str, new_page: Open) -> None:
    page = new_page(board)
    expect(page.get_by_role("link", name="Tables")).to_be_visible()
    menu = page.get_by_role("button", name="More ▾")
    expect(menu).to_have_count(0)
    page.set_viewport_size({"width": 640, "height": 800})
    menu.click()
    page.get_by_role("dialog").get_by_role("button", name="Tables").click()
    expect(page.get_by_role("link", name="Tables")).to_have_attribute("aria-current", "page")


def test_a_saved_page_needs_no_server(
    logs: Path, tmp_path: Path, new_page: Open, expect_lines: Lines
) -> None:
    file = tmp_path / "report.html"
    options = BoardOptions(settings=str(tmp_path / "settings.json"))
    file.write_bytes(export([Logdir(str(logs))], points=2000, steps=100, options=options).page)
    page = new_page(f"{file.as_uri()}#scalars?zoom=2..8")
    expect(page.locator(".status")).to_have_text("Saved page")
    expect_lines(page, "epoch_loss", 4)
    page.get_by_role("link", name="Images").click()
    card = page.get_by_role("article", name="samples/grey, lr=0.1/train")
    card.get_by_role("slider").fill("3")
    expect(card.locator("img")).to_have_attribute("alt", re.compile("step 3$"))
    assert card.locator("img").evaluate("async e => { await e.decode(); return e.naturalWidth }") == 8
    page.get_by_role("link", name="Text").click()
    expect(page.get_by_role("heading", name="Step 5").first).to_be_visible()
