"""Meshes, of our own writer, TensorFlow and PyTorch (`tests/data/histograms`, a tetrahedron at step 2)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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
CORNERS = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]], np.float32)
FACES = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]], np.int32)
RED = np.tile(np.array([255, 0, 0], np.uint8), (4, 1))

PAINTED = """async canvas => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
    copy.drawImage(await createImageBitmap(canvas), 0, 0);
    const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
    const sum = [0, 0, 0];
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] < 128) continue;
        count++;
        for (let k = 0; k < 3; k++) sum[k] += data[i + k];
    }
    return [count, ...sum.map((one) => Math.round(one / count))];
}"""


@pytest.fixture
def open_page(new_page: Open, console: Any) -> Iterator[Open]:
    """As `new_page`; where WebGL is drawn by the processor, Chromium complains that it is slow."""
    yield new_page
    console.errors[:] = [text for text in console.errors if "GPU stall due to ReadPixels" not in text]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("mesh") / "logs"
    writer = summary.create_file_writer(root / "own")
    with writer.as_default():
        for step in range(3):
            # The last step is twice as large as the others.
            size = np.float32(2 if step == 2 else 1)
            summary.mesh("shapes/body", CORNERS * size, FACES, RED, step=step)
        summary.mesh("cloud", np.stack([CORNERS, CORNERS * 3]), step=0)
        summary.mesh("bad", CORNERS, FACES + 2, step=0)
    writer.close()
    for name in ("tensorflow", "torch"):
        shutil.copytree(ROOT / "tests" / "data" / "histograms" / name, root / name)
    return root


@pytest.fixture(scope="module")
def board(serve: Callable[..., str], logs: Path) -> str:
    return serve(logs)


def canvas(page: Page, name: str, what: str) -> Locator:
    """The canvas of a card, once it shows so much."""
    found = page.get_by_role("article", name=name, exact=True).get_by_role("img")
    expect(found).to_have_accessible_name(re.compile(what))
    return found


def painted(where: Locator) -> list[int]:
    """How many pixels are painted, and their mean red, green and blue; waits for the first."""
    for _ in range(50):
        found = where.evaluate(PAINTED)
        if found[0]:
            return found
        where.page.wait_for_timeout(50)
    raise AssertionError("nothing was drawn")


def test_meshes_of_every_writer(board: str, open_page: Open) -> None:
    page = open_page(f"{board}#mesh")
    count, red, green, blue = painted(canvas(page, "shapes/body, own", "4 points, 4 triangles"))
    assert count > 2000
    assert red > 100
    assert green == blue == 0
    assert painted(canvas(page, "cloud, own", "4 points"))[0] < 500
    canvas(page, "bad, own", "4 triangles of points that are not there are left out")
    page.get_by_label("Sample").select_option("1")
    page.wait_for_url(re.compile("msample=1"))
    page.get_by_label("Search tags").fill("tetra")
    for writer in ("tensorflow", "torch"):
        count, red, green, blue = painted(canvas(page, f"tetrahedron, {writer}", "4 points, 4 triangles"))
        assert count > 2000
        assert min(red, green, blue) > 5


def test_tensorboardx_numbers_the_parts_of_a_mesh(
    tmp_path: Path, serve: Callable[..., str], open_page: Open
) -> None:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_mesh("numbered", CORNERS[None], RED[None], FACES[None], global_step=0)
    page = open_page(f"{serve(tmp_path)}#mesh")
    count, red, green, blue = painted(canvas(page, "numbered, run", "4 points, 4 triangles"))
    assert count > 2000
    assert red > 100
    assert green == blue == 0


def test_hand_and_keys_turn_zoom_and_move(board: str, open_page: Open) -> None:
    page = open_page(f"{board}#mesh?mtags=body|tetra")
    shown = canvas(page, "shapes/body, own", "triangles")
    before = painted(shown)
    box = shown.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 150, box["y"] + 150)
    page.mouse.down()
    page.mouse.move(box["x"] + 250, box["y"] + 130, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile("mcam="))
    turned = painted(shown)
    assert turned != before
    # The address shows the same, and all cards are seen from there.
    again = canvas(open_page(page.url), "shapes/body, own", "triangles")
    assert painted(again) == turned
    page.get_by_role("button", name="Reset all views").click()
    page.wait_for_url(re.compile(r"^((?!mcam).)*$"))
    assert painted(shown) == before
    shown.focus()
    page.keyboard.press("-")
    page.keyboard.press("-")
    page.wait_for_url(re.compile("mcam="))
    assert painted(shown)[0] < 0.6 * before[0]
    page.mouse.move(box["x"] + 150, box["y"] + 150)
    page.mouse.wheel(0, -1000)
    page.wait_for_timeout(100)
    assert painted(shown)[0] > before[0]
    page.keyboard.press("0")
    for key in ("Shift+ArrowUp", "ArrowLeft", "ArrowRight", "Shift+ArrowDown"):
        page.keyboard.press(key)
    page.wait_for_timeout(100)
    assert painted(shown)[0] == pytest.approx(before[0], rel=0.01)


def test_steps_wires_points_and_light(board: str, open_page: Open) -> None:
    page = open_page(f"{board}#mesh?mtags=body")
    shown = canvas(page, "shapes/body, own", "triangles")
    large = painted(shown)[0]
    slider = page.get_by_role("slider", name="Step of shapes/body, own")
    expect(slider).to_have_attribute("max", "2")
    slider.fill("0")
    page.wait_for_timeout(300)
    # All steps are seen at one scale.
    small = painted(shown)
    assert small[0] == pytest.approx(large / 4, rel=0.2)
    page.get_by_role("button", name="Light").click()
    page.wait_for_timeout(100)
    assert painted(shown)[1:] == [255, 0, 0]
    page.get_by_text("Wireframe").click()
    page.wait_for_timeout(100)
    wires = painted(shown)[0]
    assert wires < small[0]
    page.get_by_text("Points", exact=True).click()
    page.wait_for_timeout(100)
    assert painted(shown)[0] < wires


def test_without_webgl_it_says_so(board: str, open_page: Open) -> None:
    page = open_page(f"{board}#mesh?mtags=body")
    page.add_init_script("OffscreenCanvas.prototype.getContext = () => null")
    page.reload()
    expect(page.get_by_text("This browser cannot draw meshes: it has no WebGL 2")).to_be_visible()
    page.get_by_role("button", name="Save this mesh or the view of it").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the mesh as PLY").click()
    head, _, rest = Path(download.value.path()).read_bytes().partition(b"end_header\n")
    assert b"element vertex 4\n" in head
    assert len(rest) == 4 * 15 + 4 * 13


@pytest.mark.slow
def test_a_saved_page_holds_meshes(logs: Path, tmp_path: Path, open_page: Open) -> None:
    file = tmp_path / "report.html"
    options = BoardOptions(settings=str(tmp_path / "settings.json"))
    file.write_bytes(export([Logdir(str(logs))], points=100, steps=5, options=options).page)
    page = open_page(f"{file.as_uri()}#mesh?mtags=body")
    assert painted(canvas(page, "shapes/body, own", "4 points, 4 triangles"))[0] > 2000


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault_and_nothing_runs_out_of_the_page(
    board: str, open_page: Open, theme: str
) -> None:
    page = open_page(f"{board}#mesh", 800, color_scheme=theme)
    canvas(page, "shapes/body, own", "triangles")
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") == 800
