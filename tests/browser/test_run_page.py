"""The page of a run, and runs side by side."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.types_pb2 import DT_FLOAT
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from tapeflow import summary
from tapeflow.board.logdirs import run_id

Open = Callable[..., Page]
Serve = Callable[..., str]
START = 1_731_600_000.0


@pytest.fixture(scope="module")
def logs(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("pages") / "pages"
    for name, lr in {"one": 0.1, "two": 0.01, "three": 0.1}.items():
        writer = summary.create_file_writer(str(root / name))
        with writer.as_default():
            summary.hparams({"lr": lr, "optimizer": "adam"})
            for step, value in enumerate((3.0, lr, 2.0)):
                summary.scalar("loss", value, step=step)
                summary.image("sample", np.full((1, 8, 8, 3), 40 * step, np.uint8), step=step)
            summary.text("about", f"# Run {name}\n\nwith **bold** words", step=2)
            summary.audio("tone", np.zeros((1, 800, 1), np.float32), 8000, step=2)
        writer.close()
    for path in root.rglob("*tfevents*"):
        os.utime(path, (START, START))
    return serve(root)


def test_a_name_in_the_table_opens_the_page_of_the_run(logs: str, new_page: Open) -> None:
    page = new_page(f"{logs}#runs")
    page.get_by_label("Open the page of one").click()
    expect(page.get_by_role("heading", name="one", exact=True)).to_be_visible()
    values = page.get_by_role("region", name="Values", exact=True).first
    row = values.get_by_role("row").filter(has=page.get_by_role("rowheader", name="loss"))
    # Last, best, its step, least, largest, steps.
    expect(row.get_by_role("cell")).to_have_text(["2.000", "0.1000", "1", "0.1000", "3.000", "3"])
    hparams = page.get_by_role("region", name="Hyperparameters")
    expect(hparams).to_contain_text("lr0.1")
    picture = page.get_by_role("img", name="sample")
    expect(picture).to_be_visible()
    picture.evaluate("image => image.decode()")
    expect(page.get_by_text("sample · step 2")).to_be_visible()
    expect(page.get_by_label("tone", exact=True)).to_be_visible()
    texts = page.get_by_role("region", name="Texts")
    expect(texts.get_by_role("heading", name="Run one")).to_be_visible()
    expect(texts.locator("strong")).to_have_text("bold")
    page.get_by_role("button", name="All runs").click()
    expect(page.get_by_role("table", name="Runs")).to_be_visible()


def test_the_list_of_runs_opens_it_too(
    logs: str, new_page: Open, expect_lines: Callable[[Page, str, int], None]
) -> None:
    page = new_page(f"{logs}#scalars")
    row = page.get_by_role("list", name="Runs").get_by_role("listitem").filter(has_text="two")
    row.hover()
    row.get_by_role("button", name="More for two").click()
    page.get_by_role("button", name="Open its page").click()
    expect(page.get_by_role("heading", name="two", exact=True)).to_be_visible()
    page.get_by_role("button", name="Scalars", exact=True).click()
    expect_lines(page, "loss", 1)


def test_notes_are_markdown_and_stay(logs: str, new_page: Open) -> None:
    url = f"{logs}#runs?run={run_id('three')}"
    page = new_page(url)
    notes = page.get_by_role("region", name="Notes")
    notes.get_by_role("button", name="Edit").click()
    notes.get_by_role("textbox", name="Notes in Markdown").fill("## Why\n\nthe *seed* <b>x</b>")
    with page.expect_response(lambda answer: "Why" in (answer.request.post_data or "")):
        notes.get_by_role("button", name="Done").click()
    expect(notes.get_by_role("heading", name="Why")).to_be_visible()
    expect(notes.locator("em")).to_have_text("seed")
    expect(notes.locator("b")).to_have_count(0)
    notes.get_by_label("Tags").fill("paper, final")
    with page.expect_response(lambda answer: "final" in (answer.request.post_data or "")):
        page.keyboard.press("Enter")
    page.reload()
    expect(notes.get_by_role("heading", name="Why")).to_be_visible()
    expect(notes.get_by_label("Tags")).to_have_value("paper, final")


def test_runs_side_by_side(logs: str, new_page: Open) -> None:
    page = new_page(f"{logs}#runs")
    page.get_by_role("table", name="Runs").get_by_label("Show or hide three in the charts").uncheck()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="2 runs compared")).to_be_visible()
    best = page.locator("td .is-best")
    expect(best).to_have_count(1)
    expect(best).to_contain_text("best 0.01000 · step 1")
    hparams = page.get_by_role("region", name="Hyperparameters").first
    expect(hparams.get_by_role("rowheader")).to_have_text(["lr"])
    page.get_by_role("button", name="Differences only").click()
    expect(hparams.get_by_role("rowheader")).to_have_text(["lr", "optimizer"])
    expect(page).to_have_url(re.compile("compare="))  # it follows after a tenth of a second
    page.reload()
    expect(page.get_by_role("heading", name="2 runs compared")).to_be_visible()


def test_a_run_that_is_gone_is_said(logs: str, new_page: Open, console: object) -> None:
    page = new_page(f"{logs}#runs?run=0123456789ab")
    expect(page.get_by_text("There is no such run any more")).to_be_visible()
    # The browser itself remarks on every answer of 404.
    console.errors = [text for text in console.errors if "404" not in text]  # type: ignore[attr-defined]


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_page_has_no_serious_faults(
    theme: str, logs: str, new_page: Open, faults: Callable[[Page], list[str]]
) -> None:
    page = new_page(f"{logs}#runs?run={run_id('one')}", color_scheme=theme)
    expect(page.get_by_role("heading", name="Run one")).to_be_visible()
    assert faults(page) == []
    ids = ",".join(map(run_id, ("one", "two")))
    page = new_page(f"{logs}#runs?compare={ids}", color_scheme=theme)
    expect(page.get_by_role("heading", name="2 runs compared")).to_be_visible()
    assert faults(page) == []


def measure(folder: Path, metrics: dict[str, list[float]]) -> None:
    """Metrics of a machine, one every five seconds, as captures write them."""
    writer = EventFileWriter(str(folder))
    plugin = SummaryMetadata.PluginData(plugin_name="tapeflow_system")
    for tag, values in metrics.items():
        for i, value in enumerate(values):
            metadata = SummaryMetadata(plugin_data=plugin, data_class=1) if i == 0 else None
            number = TensorProto(dtype=DT_FLOAT, float_val=[value], tensor_shape=TensorShapeProto())
            one = Summary.Value(tag=tag, tensor=number, metadata=metadata)
            writer.add_event(Event(wall_time=START + 5 * i, step=5 * i, summary=Summary(value=[one])))
    writer.close()


def test_charts_of_the_machine(
    serve: Serve, new_page: Open, tmp_path: Path, faults: Callable[[Page], list[str]]
) -> None:
    count = 13
    metrics = {
        "system/cpu": [20.0] * count,
        "system/process_cpu": [150.0] * 6 + [50.0] * 7,
        "system/gpu0": [90.0] * count,
        "system/gpu1": [10.0] * count,
        "system/process_memory": [1e9 + 1e8 * i for i in range(count)],
        "system/received": [2e6] * count,
        "system/sent": [1e3] * count,
    }
    measure(tmp_path / "run", metrics)
    page = new_page(f"{serve(tmp_path)}#runs?run={run_id('run')}")
    machine = page.get_by_role("region", name="Machine")
    figures = machine.get_by_role("figure")
    expect(figures.locator("figcaption b")).to_have_text(["CPU", "Memory of the process", "GPU", "Network"])
    expect(figures.nth(0)).to_contain_text("CPU of the process50 %up to 150 %")
    expect(figures.nth(3)).to_contain_text("Received from the network2 MB/s")
    # The pointer reads the same moment in all charts.
    plot = figures.nth(0).get_by_role("slider")
    box = plot.bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 20)
    expect(figures.nth(0)).to_contain_text("CPU of the process150 %")
    expect(figures.nth(1)).to_contain_text("1.3 GB")
    page.mouse.move(0, 0)
    expect(figures.nth(0)).to_contain_text("CPU of the process50 %")
    plot.focus()
    page.keyboard.press("ArrowLeft")
    expect(plot).to_have_attribute("aria-valuetext", "59s: 20 %, 50 %")
    assert faults(page) == []
