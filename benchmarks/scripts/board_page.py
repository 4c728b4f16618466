"""`board_page.py tapeflow|tensorboard SET [INDEX]`: from process start until headless Chromium lists the runs.

Without an index, the page is used while runs are still read. The last line is JSON: seconds until the first runs are
listed; for the board also how much is sent by then, and the longest task of the page: while it loads until every run
is read, while the runs are filtered, while the table is sorted and scrolled, and while the smoothing slider is
dragged. A task is what keeps the page from answering. With an index, the seconds are those until all runs are there.

`board_page.py index SET INDEX` makes the index and takes as long as that takes.
"""

import json
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from benchmarks.scripts.board_data import SHAPES, folder_of
from benchmarks.scripts.board_open import free_port
from benchmarks.scripts.serving import FLAGS, server

_LIMIT_S = 240.0
_MOST_TASK_MS = 100
_INDEX_LIMIT_S = 3600.0
_USABLE_S = 2.0
_OPEN_S = 3.0
_RELOAD_S = 3.0
_WATCH = """
window.tasks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.tasks.push(Math.round(entry.duration));
}).observe({ type: "longtask", buffered: true });
"""


def main(contender: str, name: str, index: str) -> dict[str, Any]:
    """Open a set once."""
    port, keep = free_port(), tempfile.mkdtemp()
    address = f"http://127.0.0.1:{port}/"
    settings = ["--settings", os.path.join(keep, "settings.json")]
    cache = ["--cache-dir", index] if index else ["--no-cache"]
    board = ["tapeflow.cli", "board", *settings, *cache]
    command = ["tensorboard.main", "--load_fast", "true"] if contender == "tensorboard" else board
    command = ["-m", *command, "--logdir", str(folder_of(name)), "--port", str(port)]
    try:
        if contender == "index":
            with server(*command):
                _wait_for(lambda: any(Path(index).glob("*.tfs")), _INDEX_LIMIT_S)  # the summary of all runs
            return {}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script(_WATCH)
            begin = time.perf_counter()
            with server(*command) as process:
                _wait_for(lambda: _ask(address) is not None)
                found = _open(page, contender, address, begin)
                if index:
                    _wait_until_read(page, name, address)
                    found |= {"listed_s": round(found["seconds"], 2), "seconds": time.perf_counter() - begin}
                    found["is_open_in_3_s"] = found["seconds"] < _OPEN_S
                elif contender == "tapeflow":
                    found |= _use(page, name, address)
                if contender == "tapeflow":
                    found["server_cpu_s"] = _cpu_s(process.pid)
            browser.close()
    finally:
        shutil.rmtree(keep)
    return found


def _open(page: Page, contender: str, address: str, begin: float) -> dict[str, Any]:
    """Until the first runs are listed. TensorBoard's page looks for runs once, so it is loaded until there are some."""
    page.goto(address + ("#runs" if contender == "tapeflow" else "#timeseries"))
    run = page.get_by_text(re.compile(r"^\s*run_\d+\s*$")).first
    if contender == "tensorboard":
        end = time.perf_counter() + _LIMIT_S
        while not _comes(run) and time.perf_counter() < end:
            page.reload()
    run.wait_for(timeout=_LIMIT_S * 1e3)
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, "is_usable_in_2_s": seconds < _USABLE_S}


def _comes(run: Locator) -> bool:
    try:
        run.wait_for(timeout=_RELOAD_S * 1e3)
    except PlaywrightTimeoutError:
        return False
    return True


def _wait_until_read(page: Page, name: str, address: str) -> None:
    runs = SHAPES[name][0]
    _wait_for(lambda: json.loads(_ask(f"{address}api/v1/info") or "{}")["progress"]["is_done"])
    page.get_by_text(re.compile(f"^(?:{runs}|{runs:,}) of")).first.wait_for(timeout=_LIMIT_S * 1e3)


def _use(page: Page, name: str, address: str) -> dict[str, Any]:
    """The longest task of each thing that people do."""
    _wait_until_read(page, name, address)
    page.wait_for_timeout(2000)
    sent = page.evaluate(
        "performance.getEntriesByType('resource').reduce((sum, entry) => sum + entry.transferSize, 0)"
    )
    found: dict[str, Any] = {"sent_kb": round(sent / 1e3), "loading_task_ms": _longest(page)}
    found["filtering_task_ms"] = _during(page, _filter)
    found["sorting_task_ms"] = _during(page, _sort)
    found["scrolling_task_ms"] = _during(page, _scroll)
    page.get_by_role("link", name="Scalars").click()
    page.get_by_role("img", name="line chart").first.wait_for(timeout=_LIMIT_S * 1e3)
    page.wait_for_timeout(8000)
    found["drawing_task_ms"] = _longest(page)
    found["smoothing_task_ms"] = _during(page, _smooth)
    tasks = [value for key, value in found.items() if key.endswith("_task_ms")]
    return {**found, "has_no_task_over_100_ms": max(tasks) <= _MOST_TASK_MS}


def _during(page: Page, act: Callable[[Page], None]) -> int:
    page.evaluate("window.tasks.length = 0")
    act(page)
    page.wait_for_timeout(1500)
    return _longest(page)


def _longest(page: Page) -> int:
    """The longest task since the last time."""
    return page.evaluate("Math.max(0, ...window.tasks.splice(0))")


def _filter(page: Page) -> None:
    for field, text in (("Filter runs", "run_1.*7"), ("Filter by values", "`m/tag_0` < 1.05")):
        box = page.get_by_label(field)
        box.press_sequentially(text, delay=60)
        page.wait_for_timeout(1000)
        box.fill("")
        page.wait_for_timeout(1000)


def _sort(page: Page) -> None:
    for _ in range(2):
        page.get_by_role("columnheader").get_by_role("button", name="m/tag_0").first.click()
        page.wait_for_timeout(1000)


def _scroll(page: Page) -> None:
    page.mouse.move(900, 500)
    for _ in range(40):
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(16)


def _smooth(page: Page) -> None:
    slider = page.get_by_label("Smoothing").bounding_box()
    assert slider is not None
    y = slider["y"] + slider["height"] / 2
    page.mouse.move(slider["x"] + 10, y)
    page.mouse.down()
    page.mouse.move(slider["x"] + slider["width"] - 10, y, steps=30)
    page.mouse.up()


def _wait_for(holds: Callable[[], bool], limit_s: float = _LIMIT_S) -> None:
    end = time.perf_counter() + limit_s
    while not holds():
        if time.perf_counter() > end:
            raise TimeoutError("the board is not ready")
        time.sleep(0.02)


def _ask(url: str) -> bytes | None:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.read()
    except (urllib.error.URLError, ConnectionError):
        return None


def _cpu_s(pid: int) -> float:
    """Processor time of a process so far, as Linux counts it."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")))
