"""The projector: layouts, search, selection, steps, colours, and what is hostile or missing."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from tensorboardX import SummaryWriter

from tapeflow import summary
from tapeflow.board.api.projector import layouts
from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir, run_id

Open = Callable[..., Page]

COUNT = 300
EVIL = '<img src=x onerror="document.title=`owned`">'


def log(folder: Path, name: str, vectors: np.ndarray, step: int, **more: Any) -> None:
    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        summary.embedding(name, vectors, step=step, **more)
    writer.close()


@pytest.fixture(scope="module")
def digits() -> Any:
    return pytest.importorskip("sklearn.datasets").load_digits()


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, digits: Any) -> Path:
    """Digits at two steps, with pictures, as TapeFlow writes them; and what tensorboardX writes, hostile."""
    root = tmp_path_factory.mktemp("projector")
    vectors, labels = digits.data[:COUNT].astype(np.float32), digits.target[:COUNT]
    pictures = (digits.images[:COUNT, :, :, None] / 16).astype(np.float32)
    for step in (0, 1):
        log(
            root / "digits",
            "digits",
            vectors / (2 - step),
            step,
            labels=labels,
            images=pictures,
            metadata={"ink": vectors.mean(1).round(2)},
        )
    with SummaryWriter(str(root / "torch")) as writer:
        names = [EVIL if i == 0 else f"word {i}" for i in range(40)]
        writer.add_embedding(np.random.default_rng(0).normal(size=(40, 8)), metadata=names, tag="words")
    return root


@pytest.fixture(scope="module")
def board(serve: Callable[..., str], logs: Path) -> str:
    return serve(logs)


def stage(page: Page) -> Locator:
    return page.get_by_role("application")


def wait_for_points(page: Page, count: int = COUNT) -> None:
    expect(stage(page)).to_have_attribute("data-points", str(count))


def pixels_near(page: Page, color: str, within: int = 40) -> int:
    """How many pixels of the stage are about of a colour."""
    page.wait_for_timeout(150)
    picture = np.asarray(Image.open(io.BytesIO(stage(page).screenshot())).convert("RGB")).astype(int)
    wanted = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return int((np.abs(picture - wanted).sum(-1) < within).sum())


def test_tsne_shows_ten_clusters_and_a_search_lights_one_up(board: str, new_page: Open, digits: Any) -> None:
    pytest.importorskip("openTSNE")
    page = new_page(f"{board}#projector?pdim=2&piter=250")
    page.get_by_label("Embedding").select_option(label="digits · digits")
    wait_for_points(page)
    page.get_by_text("t-SNE", exact=True).click()
    expect(page.get_by_text(re.compile("Iteration [0-9]+ of 250|Starting|250 iterations"))).to_be_visible()
    expect(page.get_by_text("250 iterations")).to_be_visible(timeout=60_000)
    legend = page.get_by_role("region", name="Colour").get_by_role("listitem")
    expect(legend).to_have_count(10)
    # The first three of the palette, which are those of 0, 1 and 2, far enough from each other.
    zero, two = "#0072b2", "#008f68"
    assert pixels_near(page, zero) > 50
    assert pixels_near(page, two) > 50
    page.get_by_label("Search labels").fill("^2$")
    twos = int((digits.target[:COUNT] == 2).sum())
    expect(stage(page)).to_have_attribute("data-lit", str(twos))
    expect(page.get_by_text(f"{twos} points match")).to_be_visible()
    assert pixels_near(page, two) > 50
    assert pixels_near(page, zero) == 0
    page.get_by_role("button", name="Isolate").click()
    page.wait_for_url(re.compile("pq=%5E2%24.*ponly=1"))
    assert pixels_near(page, two) > 50
    page.get_by_role("button", name="Clear", exact=True).last.click()
    expect(stage(page)).to_have_attribute("data-lit", "0")
    assert pixels_near(page, zero) > 50


def test_click_box_neighbours_and_the_address(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#projector?pdim=2")
    page.get_by_label("Embedding").select_option(label="digits · digits")
    wait_for_points(page)
    page.get_by_label("Search labels").fill("^0$")
    chosen = page.get_by_role("region", name="Selection")
    chosen.get_by_role("button", name=re.compile("#0$")).click()
    expect(chosen.get_by_text("Point 0")).to_be_visible()
    expect(chosen.get_by_role("listitem")).to_have_count(20)
    # Neighbours in 64 dimensions are of the same digit.
    names = chosen.get_by_role("listitem").locator(".key-name").all_inner_texts()
    assert names.count("0") > 15
    chosen.get_by_text("Euclidean").click()
    page.wait_for_url(re.compile("psel=0"))
    page.wait_for_url(re.compile("pdist=euclidean"))
    page.reload()
    expect(chosen.get_by_text("Point 0")).to_be_visible()
    expect(stage(page)).to_have_attribute("data-lit", "21")
    stage(page).focus()
    page.keyboard.press("Escape")
    page.get_by_label("Search labels").fill("")
    expect(stage(page)).to_have_attribute("data-lit", "0")
    box = stage(page).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 60)
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] - 5)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(chosen.get_by_text(re.compile("(2[5-9][0-9]|300) points selected"))).to_be_visible()
    page.mouse.click(box["x"] + 3, box["y"] + box["height"] - 60)
    expect(stage(page)).to_have_attribute("data-lit", "0")


def test_pointing_turning_and_zooming(
    board: str, new_page: Open, pinch: Callable[[Page, float, float], None]
) -> None:
    page = new_page(f"{board}#projector")
    page.get_by_label("Embedding").select_option(label="digits · digits")
    wait_for_points(page)
    page.wait_for_timeout(300)
    box = stage(page).bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tip = page.locator(".stage-tip")
    for x in range(0, 200, 4):  # somewhere near the middle there is a point
        page.mouse.move(middle[0] - 100 + x, middle[1])
        if tip.is_visible():
            break
    expect(tip).to_have_text(re.compile("^[0-9]$"))
    page.mouse.click(middle[0] - 100 + x, middle[1])
    expect(page.get_by_role("region", name="Selection").get_by_text(re.compile("^Point "))).to_be_visible()
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 80, middle[1] + 10)
    page.mouse.up()
    page.wait_for_url(re.compile("pcam="))
    stage(page).focus()
    page.keyboard.press("+")
    page.wait_for_url(re.compile("pcam=[-0-9.]+%2C[-0-9.]+%2C1.25"))
    page.mouse.wheel(0, -200)
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "pcam" not in url)
    pinch(page, *middle)
    # Three times as near, and not turned.
    page.wait_for_url(re.compile("pcam=0.6%2C0.35%2C3%2C"))
    expect(page.get_by_role("region", name="Selection").get_by_text(re.compile("^Point "))).to_be_visible()


def test_colours_pictures_axes_and_components(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#projector?pdim=2")
    page.get_by_label("Embedding").select_option(label="digits · digits")
    wait_for_points(page)
    expect(page.get_by_text(re.compile("^[0-9.]+ % of the variance is in this view"))).to_be_visible()
    before = page.get_by_text("of the variance").inner_text()
    page.get_by_label("Component Y").select_option("4")
    expect(page.get_by_text("of the variance")).not_to_have_text(before)
    page.get_by_label("Colour by").select_option("ink")
    expect(page.locator(".scale")).to_be_visible()
    page.get_by_label("Colour by").select_option("label")
    page.get_by_role("button", name="Pictures").click()
    # Pictures of digits have a black ground.
    page.wait_for_timeout(300)
    assert pixels_near(page, "#000000") > 2000
    page.get_by_role("button", name="Pictures").click()
    page.get_by_text("Axes", exact=True).click()
    for name, text in {"Left": "0", "Right": "1", "Down": "4", "Up": "7"}.items():
        page.get_by_label(name, exact=True).fill(text)
        page.get_by_label(name, exact=True).press("Enter")
    page.wait_for_url(re.compile("paxes=0%2C1%2C4%2C7"))
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_label("Left", exact=True).fill("zebra")
    page.get_by_label("Left", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_have_text("No label is or contains “zebra”")


def test_a_new_step_appears_without_a_reload(
    tmp_path: Path, serve: Callable[..., str], new_page: Open
) -> None:
    points = np.random.default_rng(0).normal(size=(20, 5)).astype(np.float32)
    page = new_page(serve(tmp_path / "runs"))
    log(tmp_path / "runs" / "live", "weights", points, 0, labels=list(range(20)))
    page.get_by_role("link", name="Projector").click(timeout=15_000)
    wait_for_points(page, 20)
    log(tmp_path / "runs" / "live", "weights", points[:15], 5, labels=list(range(15)))
    slider = page.get_by_role("slider", name="Step")
    expect(slider).to_have_attribute("aria-valuetext", "5")
    wait_for_points(page, 15)
    slider.fill("0")
    wait_for_points(page, 20)
    page.wait_for_url(re.compile("pstep=0"))
    log(tmp_path / "runs" / "live", "weights", points[:10], 6, labels=list(range(10)))
    expect(slider).to_have_attribute("max", "2")
    wait_for_points(page, 20)


def test_hostile_labels_are_only_text(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#projector?plabels=1")
    page.get_by_label("Embedding").select_option(label="words · torch")
    wait_for_points(page, 40)
    page.get_by_label("Search labels").fill("img src")
    chosen = page.get_by_role("region", name="Selection")
    chosen.get_by_role("listitem").get_by_role("button").click()
    expect(chosen.locator("dd").first).to_have_text(EVIL)
    assert "owned" not in page.title()
    assert page.locator("img[src=x]").count() == 0


def test_what_is_missing_or_broken_is_said(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, monkeypatch: pytest.MonkeyPatch, console: Any
) -> None:
    monkeypatch.setitem(layouts.PACKAGES, "umap", "no_such_package")
    root = tmp_path / "runs"
    log(root / "fine", "words", np.eye(6), 0)
    (root / "bad").mkdir()
    (root / "bad" / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "stolen" tensor_path: "../../../../etc/passwd" }'
    )
    page = new_page(f"{serve(root)}#projector?pmethod=umap")
    page.get_by_label("Embedding").select_option(label="words · fine")
    expect(page.get_by_role("alert")).to_have_text(
        'UMAP needs a package that is not installed:pip install "tapeflow[projector]"'
    )
    page.get_by_label("Embedding").select_option(label="stolen · bad")
    expect(page.get_by_text("This embedding cannot be shown")).to_be_visible()
    expect(page.get_by_text(re.compile("which is outside of it"))).to_be_visible()
    page.get_by_label("Embedding").select_option(label="words · fine")
    page.get_by_text("PCA", exact=True).click()
    wait_for_points(page, 6)
    assert all("422" in error for error in console.errors)  # Chromium's own line about an answer that refuses
    console.errors.clear()


def test_without_embeddings_it_says_how_to_log_one(
    tmp_path: Path, serve: Callable[..., str], new_page: Open
) -> None:
    (tmp_path / "runs").mkdir()
    page = new_page(f"{serve(tmp_path / 'runs')}#projector")
    expect(page.get_by_text('tf.summary.embedding("digits"')).to_be_visible()
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_text("尚无嵌入")).to_be_visible()


def test_a_saved_page_carries_points_labels_and_pictures(
    logs: Path, tmp_path: Path, new_page: Open, digits: Any
) -> None:
    file = tmp_path / "report.html"
    options = BoardOptions(settings=str(tmp_path / "settings.json"))
    file.write_bytes(export([Logdir(str(logs))], points=10, steps=2, options=options).page)
    assert b"Content-Security-Policy" in file.read_bytes()[:300]
    chosen = f"{file.as_uri()}#projector?pset={run_id('digits')}:digits"
    page = new_page(f"{chosen}&pmethod=tsne&pq=^3$")
    wait_for_points(page)
    expect(page.get_by_text("t-SNE, UMAP and axes of your own need the vectors")).to_be_visible()
    expect(stage(page)).to_have_attribute("data-lit", str((digits.target[:COUNT] == 3).sum()))
    page.get_by_text("2D", exact=True).click()
    before = stage(page).screenshot()
    page.get_by_label("Component X").select_option("9")
    page.wait_for_timeout(150)
    assert stage(page).screenshot() != before
    page.get_by_label("Search labels").fill("")
    page.get_by_role("button", name="Pictures").click()
    page.wait_for_timeout(150)
    assert len(np.unique(np.asarray(Image.open(io.BytesIO(stage(page).screenshot())).convert("L")))) > 20
    region = new_page(f"{chosen}&psel=5").get_by_role("region", name="Selection")
    expect(region.get_by_text("Point 5")).to_be_visible()
    expect(region.get_by_text("ink")).to_be_visible()
    expect(region.get_by_text("does not carry the vectors")).to_be_visible()


def test_points_and_view_are_saved(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#projector?pq=^3$")
    page.get_by_label("Embedding").select_option(label="digits · digits")
    wait_for_points(page)
    for item, check in (
        (
            "Points as CSV",
            lambda data: data.startswith(b"index,x,y,z,label\r\n") and data.count(b"\n") == COUNT + 1,
        ),
        ("Selected points as JSON", lambda data: {one["label"] for one in json.loads(data)} == {"3"}),
        ("View as PNG", lambda data: Image.open(io.BytesIO(data)).size[0] > 300),
    ):
        page.get_by_role("button", name="Save the view as PNG").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=item, exact=True).click()
        assert check(Path(download.value.path()).read_bytes()), item


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_it_is_accessible_and_every_control_has_a_tip(
    board: str, new_page: Open, faults: Callable[[Page], list[str]], theme: str
) -> None:
    page = new_page(f"{board}#projector?psel=1&pmethod=axes", 900, color_scheme=theme)
    expect(page.get_by_role("region", name="Selection").get_by_text("Point 1")).to_be_visible()
    assert faults(page) == []
    silent = page.evaluate(
        """[...document.querySelectorAll("button, input, select, a")]
            .filter((control) => !control.closest("[data-tip]")).map((control) => control.outerHTML)"""
    )
    assert silent == []
    assert page.evaluate("document.documentElement.scrollWidth") == 900


def test_an_embedding_is_not_asked_for_the_columns_of_another(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#projector?pdim=2&pcolor=ink&plabel=ink")
    embedding = page.get_by_label("Embedding")
    for name, count in (("digits · digits", COUNT), ("words · torch", 40), ("digits · digits", COUNT)):
        embedding.select_option(label=name)
        wait_for_points(page, count)  # a refusal would be on the console
    page.get_by_text("Axes", exact=True).click()
    expect(page.get_by_label("Left")).to_be_visible()


def test_a_refusal_is_in_the_language_of_the_page(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, console: Any
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "x" tensor_path: "../../secret.tsv" }'
    )
    page = new_page(f"{serve(tmp_path)}#projector", locale="zh-CN")
    expect(page.get_by_text(re.compile("路径 ../../secret.tsv 指向其外部"))).to_be_visible()
    console.errors[:] = [text for text in console.errors if "422" not in text]
