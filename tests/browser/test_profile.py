"""The profile panel in a browser: the verdict, the steps, ops, and a trace to walk through."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tapeflow.board.board import BoardOptions
from tapeflow.board.export import export
from tapeflow.board.logdirs import Logdir
from tapeflow.summary.profile.records import PHASES
from tapeflow.summary.protos import message

Open = Callable[..., Page]
DATA = Path(__file__).resolve().parents[1] / "data" / "profile"
AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
EVIL = "<img src=x onerror=alert(1)>"


def folder_of(run: Path, session: str) -> Path:
    folder = run / "plugins" / "profile" / session
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def record(run: Path, session: str, input_ms: float, count: int = 60) -> None:
    """What TapeFlow records of training that waits so long for each batch and computes for 10 ms."""
    rows: list[dict[str, Any]] = [{"kind": "profile", "version": 1, "host": "vm", "device": "cpu"}]
    for i in range(count):
        phases = dict.fromkeys([f"{phase}_ns" for phase in PHASES], 0)
        phases |= {"input_ns": int(input_ms * 1e6), "device_ns": 10_000_000, "host_ns": 200_000}
        rows.append({"kind": "step", "name": "train", "step": i, "count": 1, "at_ns": i * 10**8, **phases})
        memory = {"rss_bytes": 500_000_000 + i * 10**6, "live_bytes": 60_000_000}
        rows.append({"kind": "memory", "at_ns": i * 10**8, **memory})
    stages = [
        {"method": "from_tensor_slices"},
        {
            "method": "map",
            "function": EVIL,
            "workers": 1,
            "is_recorded": False,
            "busy_ns": 10**9,
            "calls": 900,
        },
        {"method": "batch", "size": 32},
    ]
    rows.append({"kind": "pipeline", "reads": count, "read_ns": 10**9, "steps": stages})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder_of(run, session) / "vm.steps.jsonl").write_text(text)


def trace(run: Path, session: str) -> None:
    """Two threads; on the first a step of a second with ten ops in it, each 50 ms."""
    space = message("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    for number, name in enumerate(("whole step", "dense/MatMul:MatMul", EVIL), 1):
        plane.event_metadata[number].name = name
    plane.stat_metadata[1].name = "batch"
    main, worker = plane.lines.add(name="main"), plane.lines.add(name=EVIL)
    main.events.add(metadata_id=1, offset_ps=0, duration_ps=10**12)
    for i in range(10):
        event = main.events.add(metadata_id=2, offset_ps=i * 10**11, duration_ps=5 * 10**10)
        event.stats.add(metadata_id=1, int64_value=i)
    worker.events.add(metadata_id=3, offset_ps=0, duration_ps=10**12)
    (folder_of(run, session) / "vm.xplane.pb").write_bytes(space.SerializeToString())


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("profiles")
    record(root / "before", "2026_01_01", 30)
    trace(root / "before", "2026_01_01")
    record(root / "after", "2026_01_02", 0.1)
    trace(root / "after", "2026_01_02")
    shutil.copy(DATA / "tensorflow.xplane.pb", folder_of(root / "tensorflow", "2025_01_01") / "vm.xplane.pb")
    shutil.copy(DATA / "jax.xplane.pb", folder_of(root / "jax", "2025_01_02") / "vm.xplane.pb")
    return root


@pytest.fixture(scope="module")
def board(serve: Callable[..., str], logs: Path) -> str:
    return f"{serve(logs)}#profile"


LABELS = {
    "before": "before · 2026_01_01",
    "after": "after · 2026_01_02",
    "tensorflow": "tensorflow · 2025_01_01",
    "jax": "jax · 2025_01_02",
}


def choose(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Profile").select_option(label=LABELS[name])


def show(page: Page, view: str) -> None:
    page.get_by_role("group", name="View").get_by_text(view, exact=True).click()


def test_an_input_bound_run_says_so_and_the_mended_one_does_not(board: str, new_page: Open) -> None:
    page = new_page(board)
    verdict = page.get_by_role("heading", level=2)
    expect(verdict).to_have_text("Compute-bound")  # the latest
    choose(page, "before")
    expect(verdict).to_have_text("Input-bound")
    expect(page.get_by_text("75% of step time waits for input")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="num_parallel_calls")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("60 steps, stacked by phase"))).to_be_visible()
    expect(page.get_by_role("definition").filter(has_text="40.2 ms").first).to_be_visible()
    page.wait_for_url(re.compile("prof="))
    page.reload()
    expect(verdict).to_have_text("Input-bound")  # it is in the address
    choose(page, "tensorflow")
    expect(verdict).to_have_text("Input-bound")
    expect(page.get_by_text("Steps and phases were judged from the trace")).to_be_visible()
    choose(page, "jax")
    expect(verdict).to_have_text("Compute-bound")


def test_two_profiles_side_by_side(board: str, new_page: Open) -> None:
    page = new_page(board)
    page.get_by_role("combobox", name="Compare").select_option(label=LABELS["before"])
    expect(page.get_by_role("heading", level=2)).to_have_text(["Compute-bound", "Input-bound"])
    row = page.get_by_role("row", name=re.compile("Mean step"))
    # The second is slower than the first; swapped, the second is the faster one.
    expect(row.locator(".is-more")).to_contain_text(re.compile(r"\+2\d\d"))
    show(page, "Ops")
    expect(page.get_by_role("columnheader", name="Self time, other profile")).to_be_visible()
    page.get_by_role("button", name="Swap the two profiles").click()
    expect(page.get_by_role("region", name="Ops")).to_be_visible()
    show(page, "Overview")
    expect(page.get_by_role("heading", level=2)).to_have_text(["Input-bound", "Compute-bound"])
    expect(row.locator(".is-less")).to_contain_text("−74%")


def test_steps_are_read_one_by_one_and_zoomed(board: str, new_page: Open) -> None:
    page = new_page(board)
    choose(page, "before")
    chart = page.get_by_role("img", name=re.compile("stacked by phase"))
    chart.hover()
    tooltip = page.locator(".profile-tooltip")
    expect(tooltip).to_contain_text("Waiting for input30.0 ms")
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(
        page.get_by_role("status").filter(has_text=re.compile("Step [0-9]+: Waiting for input 30.0 ms"))
    ).to_be_attached()
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 60, steps=3)
    page.mouse.up()
    expect(page.get_by_role("button", name="All steps")).to_be_visible()
    expect(page).to_have_url(re.compile("profsteps="))
    page.get_by_role("button", name="All steps").click()
    page.get_by_role("button", name=re.compile("Waiting for input")).click()
    expect(page).to_have_url(re.compile("profhide=input"))


def test_the_pipeline_names_its_slow_stage_as_text(board: str, new_page: Open) -> None:
    page = new_page(f"{board}?profview=input")
    choose(page, "before")
    slow = page.locator(".stages .is-slowest")
    expect(slow).to_contain_text(f"map({EVIL})")
    expect(slow).to_contain_text("900 calls, 1.11 ms each")
    choose(page, "tensorflow")
    expect(slow).to_contain_text("map()")
    choose(page, "jax")
    expect(page.get_by_text("No input pipeline was recorded")).to_be_visible()


def test_ops_are_sorted_searched_and_grouped(board: str, new_page: Open) -> None:
    page = new_page(f"{board}?profview=ops")
    choose(page, "before")
    rows = page.get_by_role("region", name="Ops").get_by_role("row")
    expect(rows).to_have_count(2)  # the head, and MatMul
    expect(rows.nth(1)).to_contain_text("MatMul")
    page.get_by_text("All", exact=True).click()
    page.get_by_role("button", name="Group by type").click()
    expect(rows).to_have_count(4)
    page.get_by_role("button", name="Count").click()
    expect(rows.nth(1)).to_contain_text("dense/MatMul:MatMul")
    page.get_by_label("Search ops").fill("whole")
    expect(rows).to_have_count(2)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0] == "name,kind,type,module,computes,count,total_s,self_s"
    assert len(lines) == 4
    page.get_by_label("Search ops").fill("Mat")
    page.get_by_role("button", name="dense/MatMul:MatMul").click()
    expect(page.get_by_label("Find events")).to_have_value("dense/MatMul:MatMul")
    expect(page.get_by_text("10 found")).to_be_visible()


def test_memory_or_that_there_is_none(board: str, new_page: Open) -> None:
    page = new_page(f"{board}?profview=memory")
    choose(page, "before")
    expect(page.get_by_text("Process: at most 559 MB").first).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Memory over 5.90 s"))).to_be_visible()
    choose(page, "jax")
    expect(page.get_by_text("This profile holds no memory figures.")).to_be_visible()


def test_the_trace_by_mouse_and_touch(
    board: str, new_page: Open, pinch: Callable[[Page, float, float], None]
) -> None:
    page = new_page(f"{board}?profview=trace")
    choose(page, "before")
    place = page.get_by_role("application", name=re.compile("12 events in 2 tracks"))
    box = place.bounding_box()
    assert box is not None
    left, width = box["x"] + 176, box["width"] - 176
    # The second lane of the first track, below the ruler and the heading of the process.
    op = box["y"] + 24 + 24 + 18 + 9
    page.mouse.move(left + width * 0.325, op)
    expect(page.locator(".profile-tooltip")).to_contain_text("dense/MatMul:MatMul")
    page.mouse.click(left + width * 0.325, op)
    sheet = page.get_by_role("region", name="Selected event")
    expect(sheet).to_contain_text("dense/MatMul:MatMul")
    expect(sheet).to_contain_text("300.000 ms")
    expect(sheet).to_contain_text("batch3")
    expect(sheet).to_contain_text("/host:CPU · main")
    page.mouse.move(left + width * 0.5, op)
    page.mouse.wheel(0, -300)
    expect(page).to_have_url(re.compile("profwin="))
    page.get_by_role("button", name="All", exact=True).click()
    expect(page).not_to_have_url(re.compile("profwin="))
    pinch(page, left + width * 0.5, op)
    expect(page).to_have_url(re.compile("profwin="))
    page.get_by_role("button", name="All", exact=True).click()
    expect(page).not_to_have_url(re.compile("profwin="))
    page.keyboard.down("Shift")
    page.mouse.move(left + width * 0.1, op)
    page.mouse.down()
    page.mouse.move(left + width * 0.3, op, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    summed = page.get_by_role("region", name="Selected range").first
    expect(summed.get_by_role("row", name=re.compile("MatMul"))).to_contain_text("100 ms")
    expect(summed.get_by_role("row", name=re.compile("whole step"))).to_contain_text("200 ms")
    summed.get_by_role("button", name="Close").click()
    page.mouse.click(left + width * 0.5, box["y"] + 24 + 24 + 2 * 18 + 6 + 9)
    expect(sheet).to_contain_text(EVIL)


def test_the_trace_by_keyboard_and_search(board: str, new_page: Open) -> None:
    page = new_page(f"{board}?profview=trace")
    choose(page, "before")
    page.get_by_role("application").focus()
    page.keyboard.press("w")
    expect(page).to_have_url(re.compile("profwin="))
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    sheet = page.get_by_role("region", name="Selected event")
    expect(sheet).to_contain_text("whole step")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    page.keyboard.press("/")
    page.get_by_label("Find events").fill("MatMul")
    expect(page.get_by_text("10 found")).to_be_visible()
    page.keyboard.press("Enter")
    expect(sheet).to_contain_text("batch0")
    page.keyboard.press("Enter")
    expect(sheet).to_contain_text("batch1")
    page.get_by_role("application").focus()
    page.keyboard.press("n")
    expect(sheet).to_contain_text("batch2")
    expect(page.get_by_role("status").filter(has_text="dense/MatMul:MatMul, 50.0 ms")).to_be_attached()
    page.keyboard.press("m")
    expect(page).to_have_url(re.compile("profwin=195000000%7E255000000"))


def test_a_profile_written_while_the_page_is_open_appears(
    serve: Callable[..., str], new_page: Open, tmp_path: Path
) -> None:
    page = new_page(f"{serve(tmp_path)}#profile")
    expect(page.get_by_text("No profiles yet")).to_be_visible()
    expect(page.get_by_text("tf.profiler.experimental.Profile(")).to_be_visible()
    record(tmp_path / "run", "2026_01_01", 30, count=5)
    expect(page.get_by_role("heading", level=2)).to_have_text("Input-bound")
    expect(page.get_by_role("img", name=re.compile("^5 steps"))).to_be_visible()
    record(tmp_path / "run", "2026_01_01", 30, count=8)
    expect(page.get_by_role("img", name=re.compile("^8 steps"))).to_be_visible()
    record(tmp_path / "run", "2026_01_02", 0)
    expect(page.get_by_role("heading", level=2)).to_have_text("Compute-bound")


def test_a_saved_page_shows_profiles(new_page: Open, logs: Path, tmp_path: Path) -> None:
    options = BoardOptions(settings=str(tmp_path / "settings.json"))
    (tmp_path / "saved.html").write_bytes(export([Logdir(str(logs))], 100, 5, options).page)
    page = new_page(f"{(tmp_path / 'saved.html').as_uri()}#profile")
    choose(page, "before")
    expect(page.get_by_role("heading", level=2)).to_have_text("Input-bound")
    show(page, "Trace")
    expect(page.get_by_role("application", name=re.compile("12 events"))).to_be_visible()
    page.get_by_role("application").focus()
    note = page.get_by_text("The saved page does not hold what else")
    for _ in range(20):  # the trace has its name before it takes keys
        page.keyboard.press("Enter")
        if note.is_visible():
            break
        page.wait_for_timeout(100)
    expect(note).to_be_visible()


def test_a_chinese_page(board: str, new_page: Open) -> None:
    page = new_page(board, locale="zh-CN")
    expect(page.get_by_role("link", name="性能剖析")).to_be_visible()
    expect(page.get_by_role("heading", level=2)).to_have_text("计算瓶颈")
    page.get_by_label("剖析", exact=True).select_option(label=LABELS["before"])
    remedies = page.get_by_role("listitem").filter(has_text="num_parallel_calls")
    expect(remedies).to_contain_text("用多个线程调用")


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault(board: str, new_page: Open, theme: str) -> None:
    page = new_page(board, 800, color_scheme=theme)
    page.get_by_role("combobox", name="Compare").select_option(label=LABELS["before"])
    page.evaluate(AXE.read_text())
    for view in ("Overview", "Input", "Ops", "Memory", "Trace"):
        show(page, view)
        page.locator(".profile-body > *").first.wait_for()
        if view == "Trace":
            page.get_by_role("application").focus()
            page.keyboard.press("Enter")
            page.get_by_role("region", name="Selected event").get_by_text("/host:CPU").wait_for()
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        grave = [
            f"{v['id']}: {v['nodes'][0]['html']}" for v in found if v["impact"] in ("serious", "critical")
        ]
        assert grave == [], view
        assert page.evaluate("document.documentElement.scrollWidth") == 800
