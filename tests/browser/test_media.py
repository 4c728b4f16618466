"""Images, audio, video, text and tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tapeflow import summary
from tapeflow.board import media

Open = Callable[..., Page]

GREY = """async image => {
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data[0];
}"""


# Whether a card is higher than one number of pixels and lower than another.
FITS = """([name, least, most]) => {
    const card = document.querySelector(`[aria-label="${name}"]`);
    return card && least < card.offsetHeight && card.offsetHeight < most;
}"""


def media_card(page: Page, tag: str, run: str) -> Locator:
    return page.get_by_role("article", name=f"{tag}, {run}", exact=True)


def test_a_slider_goes_through_every_step(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images")
    card = media_card(page, "samples/grey", "lr=0.1/train")
    slider = card.get_by_role("slider")
    expect(slider).to_have_attribute("max", "9")
    expect(slider).to_have_attribute("aria-valuetext", "9")
    for step in (9, 3, 0):
        slider.fill(str(step))
        expect(card.locator("img")).to_have_attribute("alt", re.compile(f"step {step}$"))
        expect(card.locator("img")).to_have_attribute("src", re.compile(f"index={step}&"))
        assert card.locator("img").evaluate(GREY) == 20 * step
    other = media_card(page, "samples/grey", "lr=0.01/train")
    expect(other.locator("img")).to_have_attribute("alt", re.compile("step 9$"))


def test_one_slider_moves_all(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images")
    page.get_by_role("button", name="One slider for all").click()
    media_card(page, "samples/grey", "lr=0.1/train").get_by_role("slider").fill("4")
    other = media_card(page, "samples/grey", "lr=0.01/train")
    expect(other.locator("img")).to_have_attribute("alt", re.compile("step 4$"))
    page.wait_for_url(re.compile("step=4"))


def test_brightness_and_contrast(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images")
    page.get_by_role("button", name="Brightness and contrast").click()
    page.get_by_label("Brightness", exact=True).fill("2")
    page.get_by_label("Contrast", exact=True).fill("1.5")
    image = media_card(page, "samples/grey", "lr=0.1/train").locator("img")
    expect(image).to_have_css("filter", "brightness(2) contrast(1.5)")
    page.get_by_role("button", name="As logged").click()
    expect(image).to_have_css("filter", "brightness(1) contrast(1)")


def test_two_steps_side_by_side_and_their_difference(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images")
    media_card(page, "samples/grey", "lr=0.1/train").get_by_role("button", name="Large, with zoom").click()
    dialog = page.get_by_role("dialog", name="samples/grey")
    dialog.get_by_text("Side by side").click()
    expect(dialog.locator("img")).to_have_count(2)
    dialog.get_by_text("Difference", exact=True).click()
    dialog.get_by_label("Run").nth(1).select_option(label="lr=0.1/train")
    sliders = dialog.get_by_role("slider", name=re.compile("^Step of"))
    sliders.nth(0).fill("2")
    sliders.nth(1).fill("5")
    expect(dialog.get_by_text("Mean difference 60.00 of 255, largest 60")).to_be_visible()
    dialog.get_by_role("button", name="Zoom in").click()
    expect(dialog.get_by_role("button", name="150 %")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_sounds_can_be_played(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#audio")
    card = media_card(page, "speech/tone", "lr=0.1/train")
    player = card.locator("audio")
    expect(player).to_be_visible()
    page.wait_for_timeout(200)
    assert (
        player.evaluate(
            "e => e.duration || new Promise(done => e.addEventListener('loadedmetadata', () => done(e.duration)))"
        )
        == 0.5
    )
    card.get_by_role("slider").fill("0")
    expect(player).to_have_attribute("src", re.compile("index=0&"))


def test_videos(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#video")
    clip = media_card(page, "motion/walk", "lr=0.1/train").locator("img")
    expect(clip).to_have_attribute("alt", re.compile("step 5$"))
    assert clip.evaluate("async e => { await e.decode(); return e.naturalWidth }") == 8


def test_text_is_markdown_without_html(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#text")
    card = media_card(page, "notes", "lr=0.1/train")
    expect(card.get_by_role("heading", name="Step 5")).to_be_visible()
    expect(card.locator("strong")).to_have_text("bold")
    expect(card.get_by_text("<script>alert(1)</script>")).to_be_visible()
    card.get_by_role("slider").fill("0")
    expect(card.get_by_role("heading", name="Step 0")).to_be_visible()
    page.get_by_role("button", name="Markdown").click()
    expect(card.get_by_text("# Step 0")).to_be_visible()


def test_text_that_no_lexer_can_read_is_shown_as_it_is(
    tmp_path: Path, serve: Callable[..., str], new_page: Open
) -> None:
    writer = summary.create_file_writer(str(tmp_path / "run"))
    with writer.as_default():
        summary.text("deep", ">" * 5000, step=0)
        summary.text("usual", "**bold**", step=0)
    writer.close()
    page = new_page(f"{serve(tmp_path)}#text")
    expect(media_card(page, "deep", "run").locator("pre")).to_have_text(">" * 5000)
    expect(media_card(page, "usual", "run").locator("strong")).to_have_text("bold")


def test_the_text_of_a_table_is_in_the_tables_only(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#text")
    expect(media_card(page, "notes", "lr=0.1/train")).to_be_visible()
    expect(page.get_by_role("heading", level=2)).to_have_text(["notes2"])


def test_steps_come_in_several_answers(board: str, new_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "MOST_ITEMS", 4)
    page = new_page(f"{board}#images")
    slider = media_card(page, "samples/grey", "lr=0.1/train").get_by_role("slider")
    expect(slider).to_have_attribute("max", "9")
    expect(slider).to_have_attribute("aria-valuetext", "9")


def test_tables_sort_and_are_saved(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#tables")
    card = media_card(page, "scores", "lr=0.1/train")
    first = card.locator("tbody td:first-child")
    expect(first).to_have_text(["b", "a", "c"])
    card.get_by_role("button", name="score").click()
    expect(first).to_have_text(["c", "b", "a"])
    card.get_by_role("button", name="score").click()
    expect(first).to_have_text(["a", "b", "c"])
    with page.expect_download() as download:
        card.get_by_role("button", name="Download as CSV").click()
    assert Path(download.value.path()).read_bytes() == b"name,score\r\nb,7\r\na,10\r\nc,1\r\n"


def test_a_search_that_fits_nothing_says_so(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images?mtags=zebra")
    expect(page.get_by_text("The search “zebra” fits none of the 1 tags.")).to_be_visible()
    page.get_by_label("Search tags").fill("")
    page.get_by_label("Show no run").uncheck()
    expect(page.get_by_text("No run in view has any")).to_be_visible()


def test_steps_and_an_open_picture_are_in_the_address(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images")
    card = media_card(page, "samples/grey", "lr=0.1/train")
    card.get_by_role("slider").fill("6")
    page.wait_for_url(re.compile("at="))
    again = new_page(page.url)
    expect(media_card(again, "samples/grey", "lr=0.1/train").get_by_role("slider")).to_have_value("6")
    expect(media_card(again, "samples/grey", "lr=0.01/train").get_by_role("slider")).to_have_value("9")
    card.get_by_role("button", name="Large, with zoom").click()
    page.wait_for_url(re.compile("picture="))
    shared = new_page(page.url).get_by_role("dialog", name="samples/grey")
    expect(shared.locator("img")).to_have_attribute("alt", re.compile("lr=0.1/train, step 6$"))


def test_the_keyboard_zooms_and_moves_a_picture(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images")
    media_card(page, "samples/grey", "lr=0.1/train").get_by_role("button", name="Large, with zoom").click()
    dialog = page.get_by_role("dialog", name="samples/grey")
    dialog.get_by_role("group", name="Arrow keys").focus()
    page.keyboard.press("+")
    page.keyboard.press("ArrowLeft")
    expect(dialog.get_by_role("button", name="150 %")).to_be_visible()
    expect(dialog.locator("img")).to_have_css("transform", "matrix(1.5, 0, 0, 1.5, 40, 0)")


def test_cards_are_as_high_as_what_is_in_them(
    tmp_path: Path, serve: Callable[..., str], new_page: Open
) -> None:
    writer = summary.create_file_writer(str(tmp_path / "run"))
    with writer.as_default():
        sounds = np.zeros((3, 800, 1), np.float32)
        summary.audio("three", sounds, 8000, step=0, max_outputs=3)
        summary.image("bias", np.zeros((1, 1, 64, 1), np.float32), step=0)
        summary.image("kernel", np.zeros((1, 64, 64, 1), np.float32), step=0)
        summary.image("column", np.zeros((1, 64, 1, 1), np.float32), step=0)
        summary.text("short", "one line", step=0)
    writer.close()
    board = serve(tmp_path)
    page = new_page(f"{board}#audio")
    players = page.locator("audio")
    expect(players).to_have_count(3)
    page.wait_for_function(FITS, arg=["three, run", 0, 420])
    assert page.locator(".media-body").evaluate("body => body.scrollHeight - body.clientHeight") <= 0
    page.goto(f"{board}#images")
    expect(media_card(page, "kernel", "run").get_by_role("img")).to_be_visible()
    # All three share a row, which is as high as the highest of them and no higher than its picture. Four would fit.
    page.wait_for_function(FITS, arg=["kernel, run", 340, 430])
    column = media_card(page, "column", "run").get_by_role("img").bounding_box()
    assert column
    assert column["height"] <= 100
    page.goto(f"{board}#text")
    expect(page.get_by_text("one line")).to_be_visible()
    page.wait_for_function(FITS, arg=["short, run", 40, 150])


def test_few_pictures_are_wide_and_weights_come_last(
    tmp_path: Path, serve: Callable[..., str], new_page: Open
) -> None:
    writer = summary.create_file_writer(str(tmp_path / "run"))
    with writer.as_default():
        for tag, shape in (("dense/bias_0/image", (1, 32, 1, 1)), ("dense/kernel_0/image", (1, 32, 32, 1))):
            summary.image(tag, np.zeros(shape, np.float32), step=0)
        summary.image("samples", np.zeros((3, 32, 32, 1), np.float32), step=0)
    writer.close()
    page = new_page(f"{serve(tmp_path)}#images")
    cards = page.get_by_role("article")
    expect(cards).to_have_count(3)
    names = [card.get_attribute("aria-label") for card in cards.all()]
    assert names == ["samples, run", "dense/kernel_0/image, run", "dense/bias_0/image, run"]
    # All three samples stand beside each other, in a card twice as wide as those of a full row.
    pictures = media_card(page, "samples", "run").get_by_role("img")
    expect(pictures).to_have_count(3)
    boxes = [picture.bounding_box() for picture in pictures.all()]
    assert len({box["y"] for box in boxes if box}) == 1
    assert all(box and box["width"] > 150 for box in boxes)


def test_the_buttons_of_a_picture_have_room_on_a_narrow_page(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#images", 390)
    page.get_by_role("button", name="Open").first.click()
    dialog = page.get_by_role("dialog")
    modes = dialog.locator("fieldset").bounding_box()
    out = dialog.get_by_role("button", name="Zoom out").bounding_box()
    assert modes
    assert out
    is_beside = modes["x"] + modes["width"] <= out["x"]
    is_above = modes["y"] + modes["height"] <= out["y"]
    assert is_beside or is_above
    assert modes["x"] + modes["width"] <= 390
