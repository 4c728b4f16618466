"""The graphs panel, on files of TensorFlow, Keras, PyTorch and TapeFlow (see tests/data/graphs/make.py)."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tapeflow import summary
from tapeflow.board.api.graphs import graph_def
from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir, run_id
from tapeflow.summary.protos import message

Open = Callable[..., Page]

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "tests" / "data" / "graphs"
AXE = REPOSITORY / "web" / "node_modules" / "axe-core" / "axe.min.js"
BLOCKS, LAYERS = 16, 12
EVIL = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'<"


def write_graph(folder: Path, graph: Any) -> None:
    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        summary.graph(graph)
    writer.close()


def resnet() -> Any:
    """A graph of the size and shape of the one TensorFlow writes for a training step of ResNet-50."""
    graph = message("GraphDef")()

    def add(name: str, op: str, *inputs: str) -> str:
        node = graph.node.add(name=name, op=op, input=inputs)
        shape = node.attr["_output_shapes"].list.shape.add()
        for size in (-1, 56, 56, 64):
            shape.dim.add(size=size)
        return name

    last = add("x", "Placeholder")
    for block in range(BLOCKS):
        for layer in range(LAYERS):
            scope = f"resnet50/conv{block // 4 + 2}_block{block % 4 + 1}_{layer}_conv"
            handle = add(f"{scope}/ReadVariableOp/resource", "Placeholder")
            kernel = add(f"{scope}/ReadVariableOp", "ReadVariableOp", handle)
            last = add(f"{scope}/Conv2D", "Conv2D", last, kernel)
            for step in range(12):
                last = add(f"{scope}/op_{step}", "Mul", last, add(f"{scope}/const_{step}", "Const"))
    back = add("loss", "Mean", last)
    for number in range(400):
        back = add(f"gradient_tape/resnet50/grad_{number}/Mul", "Mul", back, f"sum_{number}")
        add(f"sum_{number}", "AddN", back)
    return graph


def hostile() -> Any:
    graph = message("GraphDef")()
    for name, inputs in (
        ("a", ["c", "a", "nobody"]),
        ("b", ["a"]),
        ("c", ["b"]),
        ("a", []),
        (EVIL, ["a"]),
        ("/".join(["s"] * 1000), ["a"]),
        ("y" * 5000, ["^a"]),
    ):
        graph.node.add(name=name, op=f"{EVIL}op", input=inputs)
    return graph


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    folder = tmp_path_factory.mktemp("graphs")
    shutil.copytree(DATA, folder, dirs_exist_ok=True)
    write_graph(folder / "resnet", resnet())
    write_graph(folder / "hostile", hostile())
    small = message("GraphDef")()
    small.node.add(name="one", op="Const")
    write_graph(folder / "twice", small)
    small.node.add(name="two", op="Neg", input=["one"])
    write_graph(folder / "twice", small)
    return serve(folder)


def address(board: str, run: str, rest: str = "") -> str:
    return f"{board}#graphs?grun={run_id(run)}{rest}"


def drawing(page: Page) -> Locator:
    return page.get_by_role("application")


def expect_nodes(page: Page, count: int) -> None:
    expect(drawing(page).locator("canvas")).to_have_attribute("data-nodes", str(count), timeout=20_000)


def pane(page: Page) -> Locator:
    return page.get_by_role("complementary").last


def fact(page: Page, name: str) -> Locator:
    return pane(page).locator("dl div").filter(has=page.get_by_text(name, exact=True)).locator("dd")


@pytest.mark.parametrize("run", ["keras2/train", "keras3/train"])
def test_a_model_of_keras(board: str, new_page: Open, run: str) -> None:
    page = new_page(address(board, run))
    expect(fact(page, "Parameters")).to_have_text(re.compile("1.393"))
    pane(page).get_by_role("button", name="dense_a").click()
    expect(fact(page, "Op type")).to_have_text("Dense")
    expect(fact(page, "Output")).to_have_text("?×32")
    expect(fact(page, "Parameters")).to_have_text("544")
    inputs = pane(page).get_by_role("region", name="Inputs")
    expect(inputs.get_by_role("button")).to_have_text(["inp?×16"])
    attributes = pane(page).get_by_role("region", name="Attributes")
    expect(attributes.locator("div").filter(has_text="activation").first).to_contain_text("relu")
    page.wait_for_url(re.compile("gnode=dense_a"))
    inputs.get_by_role("button").click()
    expect(pane(page).get_by_role("heading", level=2)).to_have_text("inp")


def test_scopes_open_and_close_in_place(board: str, new_page: Open) -> None:
    page = new_page(address(board, "torch", "&gopen=-"))
    expect_nodes(page, 3)
    # Of three nodes one below the other, Sequential is the one in the middle.
    box = drawing(page).bounding_box()
    assert box is not None
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 - 12)
    page.mouse.move(*place)
    expect(page.locator(".graph-tip")).to_contain_text("27 nodes")
    page.mouse.dblclick(*place)
    expect_nodes(page, 8)
    page.wait_for_url(re.compile("gopen=Sequential"))
    expect(pane(page).get_by_role("heading", level=2)).to_have_text("Sequential")
    pane(page).get_by_role("button", name="Close", exact=True).click()
    expect_nodes(page, 3)


def test_keys_go_from_node_to_node(
    board: str, new_page: Open, pinch: Callable[[Page, float, float], None]
) -> None:
    page = new_page(address(board, "torch", "&gopen=-"))
    expect_nodes(page, 3)
    drawing(page).focus()
    heading = pane(page).get_by_role("heading", level=2)
    page.keyboard.press("ArrowDown")
    expect(heading).to_have_text("input/input.1")
    page.keyboard.press("ArrowDown")
    expect(heading).to_have_text("Sequential")
    page.keyboard.press("Enter")
    expect_nodes(page, 8)
    expect(page.get_by_role("status").filter(has_text="Sequential opened")).to_have_count(1)
    page.keyboard.press("Enter")
    expect_nodes(page, 3)
    page.keyboard.press("Escape")
    expect(heading).to_have_text("Overview")
    canvas = drawing(page).locator("canvas")
    before = float(canvas.get_attribute("data-zoom") or 0)
    page.keyboard.press("+")
    expect(canvas).to_have_attribute("data-zoom", f"{before * 1.25:.3f}")
    page.keyboard.press("0")
    expect(canvas).to_have_attribute("data-zoom", f"{before:.3f}")
    box = canvas.bounding_box()
    assert box is not None
    pinch(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(canvas).to_have_attribute("data-zoom", f"{min(3.0, 3 * before):.3f}")
    expect(heading).to_have_text("Overview")  # two fingers are no click


def test_a_graph_of_the_size_of_resnet_opens_expands_and_is_searched(board: str, new_page: Open) -> None:
    page = new_page(address(board, "resnet"))
    expect_nodes(page, 5)  # x, resnet50, loss, gradient_tape, and 400 sums as one
    expect(fact(page, "Nodes")).to_have_text(re.compile("^5.986$"))
    pane(page).get_by_role("button", name=re.compile("^resnet50")).click()
    pane(page).get_by_role("button", name="Open", exact=True).click()
    expect_nodes(page, 6)  # the repeated layers as one
    pane(page).get_by_role("button", name=re.compile("^conv")).click()
    pane(page).get_by_role("button", name="Open", exact=True).click()
    expect_nodes(page, 6 + BLOCKS * LAYERS)
    page.get_by_label("Search nodes").fill("conv5_block4_11_conv/Conv2D")
    expect(page.get_by_text("1 nodes found")).to_be_visible()
    pane(page).get_by_role("button", name=re.compile("Conv2D")).first.click()
    expect(fact(page, "Op type")).to_have_text("Conv2D")
    page.wait_for_url(re.compile("gopen=.*conv5_block4_11_conv"))
    expect_nodes(page, 6 + BLOCKS * LAYERS + 15)
    page.get_by_label("Search nodes").fill("^AddN$")
    expect(page.get_by_text("401 nodes found")).to_be_visible()
    page.get_by_label("Search nodes").fill("zebra")
    expect(page.get_by_text("Nothing is called so")).to_be_visible()


def test_the_address_has_the_view(board: str, new_page: Open) -> None:
    scope = "resnet50/conv2_block1_0_conv"
    rest = f"&gnode={scope}/Conv2D&gopen=resnet50,{scope.replace('/', '%252F')}&gcolor=op&gfind=Conv2D"
    page = new_page(address(board, "resnet", rest))
    expect_nodes(page, 6 + BLOCKS * LAYERS + 15)
    expect(page.get_by_label("Colour", exact=True).first).to_have_value("op")
    expect(pane(page).get_by_role("heading", level=2)).to_have_text("Conv2D")
    expect(page.get_by_text(f"{BLOCKS * LAYERS} nodes found")).to_be_visible()
    page.reload()
    expect_nodes(page, 6 + BLOCKS * LAYERS + 15)
    # What is no longer there is no obstacle.
    page.goto(address(board, "resnet", "&gnode=gone/node&gopen=gone,other&gtag=gone&gstep=99"))
    page.reload()
    expect_nodes(page, 5)


def test_a_measured_run_is_coloured_by_time_and_memory(board: str, new_page: Open) -> None:
    page = new_page(address(board, "session", "&gtag=step_1&gcolor=time"))
    legend = page.get_by_role("list", name="Colour")
    expect(legend).to_contain_text("µs")
    expect(fact(page, "Compute time")).to_have_text(re.compile("µs$"))
    page.get_by_label("Colour", exact=True).first.select_option("memory")
    expect(legend).to_contain_text("B")
    page.get_by_label("Graph", exact=True).select_option("graph_def")
    expect(fact(page, "Nodes")).to_have_text("48")
    assert page.get_by_label("Colour", exact=True).first.locator("option").all_inner_texts() == [
        "Structure",
        "Op type",
        "Device",
    ]


def test_loops_and_functions_are_scopes(board: str, new_page: Open) -> None:
    page = new_page(address(board, "functions"))
    pane(page).get_by_role("button", name=re.compile("^while")).click()
    expect(pane(page).get_by_role("button", name=re.compile("^body"))).to_be_visible()


def test_every_graph_of_a_tag_can_be_had(board: str, new_page: Open) -> None:
    page = new_page(address(board, "twice"))
    expect_nodes(page, 2)
    page.get_by_label("Step", exact=True).select_option(index=0)
    expect_nodes(page, 1)


def test_a_graph_is_saved_as_drawing_and_picture(board: str, new_page: Open) -> None:
    page = new_page(address(board, "keras3/train"))
    expect_nodes(page, 9)
    saved = {}
    for name in ("Drawing (SVG)", "Picture (PNG)"):
        page.get_by_role("button", name="Download").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        saved[name] = Path(download.value.path()).read_bytes()
    texts = [one.text for one in ET.fromstring(saved["Drawing (SVG)"]).iter() if one.tag.endswith("text")]
    assert {"dense_a", "Dense · 544 params", "?×32"} <= set(texts)
    assert saved["Picture (PNG)"].startswith(b"\x89PNG")
    assert len(saved["Picture (PNG)"]) > 5000


def test_hostile_graphs_are_shown_safely(board: str, new_page: Open) -> None:
    page = new_page(address(board, "hostile"))
    expect_nodes(page, 7)
    expect(fact(page, "Edges without a source")).to_have_text("1")
    page.get_by_label("Search nodes").fill("script")
    pane(page).get_by_role("button").first.click()
    expect(pane(page).get_by_text(EVIL).first).to_be_visible()
    page.get_by_label("Search nodes").fill("^a$")
    pane(page).get_by_role("button").first.click()
    expect(pane(page).get_by_role("region", name="Inputs").get_by_role("button")).to_have_text(["c", "a"])
    page.get_by_label("Search nodes").fill("s/s/s")
    pane(page).get_by_role("button").first.click()
    expect(pane(page).locator(".graph-path")).to_have_text("/".join(["s"] * 1000))
    assert page.title().endswith("TapeFlow")
    assert page.locator("img[src=x]").count() == 0


def test_too_many_nodes_are_cut_in_words(
    tmp_path: Path, serve: Callable[..., str], new_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_def, "MOST_NODES", 2000)
    graph = message("GraphDef")()
    for number in range(5000):
        graph.node.add(name=f"n{number}", op=f"Op{number}")
    write_graph(tmp_path / "many", graph)
    page = new_page(f"{serve(tmp_path)}#graphs")
    expect(page.get_by_text("the graph has 5000 nodes; the first 2000 are shown")).to_be_visible()
    expect_nodes(page, 5)


def test_a_graph_appears_when_it_is_logged(tmp_path: Path, serve: Callable[..., str], new_page: Open) -> None:
    tmp_path.joinpath("logs").mkdir()
    page = new_page(f"{serve(tmp_path / 'logs')}#graphs")
    expect(page.get_by_text("No graphs yet")).to_be_visible()
    expect(page.get_by_text("tf.summary.trace_export")).to_be_visible()
    graph = message("GraphDef")()
    graph.node.add(name="first", op="Const")
    write_graph(tmp_path / "logs" / "run", graph)
    expect_nodes(page, 1)


def test_a_chosen_run_without_a_graph(board: str, new_page: Open) -> None:
    page = new_page(f"{board}#graphs?runs=metadata")
    expect(page.get_by_text("There is nothing in this graph")).to_be_visible()
    expect(page.get_by_text("no graph is logged beside it")).to_be_visible()
    page.get_by_label("Filter runs").fill("zebra")
    expect(page.get_by_text("No chosen run has a graph")).to_be_visible()


def test_it_speaks_chinese(board: str, new_page: Open) -> None:
    page = new_page(address(board, "keras3/train"), locale="zh-CN")
    expect(page.get_by_role("link", name="计算图")).to_be_visible()
    expect(pane(page).get_by_text("参数量", exact=True)).to_be_visible()


def test_a_saved_page_has_graphs_but_no_attributes(tmp_path: Path, new_page: Open) -> None:
    file = tmp_path / "report.html"
    options = BoardOptions(settings=str(tmp_path / "settings.json"))
    file.write_bytes(export([Logdir(str(DATA))], points=10, steps=10, options=options).page)
    page = new_page(f"{file.as_uri()}#graphs?grun={run_id('keras3/train')}&gnode=dense_a")
    expect(fact(page, "Parameters")).to_have_text("544")
    expect(page.get_by_text("A saved page does not carry attributes.")).to_be_visible()


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 1440), pytest.param("dark", 800, marks=pytest.mark.slow)]
)
def test_axe_finds_no_serious_fault(board: str, new_page: Open, theme: str, width: int) -> None:
    page = new_page(address(board, "session", "&gtag=step_1&gfind=%5EMatMul%24"), width, color_scheme=theme)
    expect(page.get_by_text("nodes found")).to_be_visible()
    pane(page).get_by_role("button").first.click()
    expect(pane(page).get_by_role("region", name="Attributes").locator("dt").first).to_be_visible()
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [one for one in found if one["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    silent = page.evaluate(
        """[...document.querySelectorAll("main button, main input, main select")]
            .filter((control) => !control.closest("[data-tip]")).map((control) => control.outerHTML)"""
    )
    assert silent == []


def test_on_a_narrow_page_the_pane_is_below_the_drawing(board: str, new_page: Open) -> None:
    page = new_page(address(board, "session"), 390)
    above, below = drawing(page).bounding_box(), pane(page).bounding_box()
    assert above is not None
    assert below is not None
    assert above["width"] == below["width"] == 390
    assert above["y"] + above["height"] <= below["y"] < 900
