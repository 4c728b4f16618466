"""`board_hparams_open.py tapeflow|tensorboard`: ask for a thousand sessions, and draw and brush them.

The last line is JSON: the median seconds of an answer of `session_groups`; for the board also how long its own table
and the importances take, when the parallel coordinates are drawn after the page is opened, and the longest tasks
while an axis is brushed and the table is scrolled.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
import urllib.error
import urllib.request
from typing import Any

from benchmarks.scripts.board_hparams_data import FOLDER, SESSIONS
from benchmarks.scripts.board_open import free_port
from benchmarks.scripts.serving import FLAGS, server

_LIMIT_S = 240.0
_ROUNDS = 5
_STATUSES = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]
_REQUEST = {"allowedStatuses": _STATUSES, "startIndex": 0, "sliceSize": SESSIONS}
# Long tasks are told to observers; this keeps their lengths in order.
_WATCH = """() => {
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.longTasks.push(entry.duration);
  }).observe({ entryTypes: ["longtask"] });
}"""


def main(contender: str) -> dict[str, Any]:
    """Serve the sessions once, and ask."""
    port = free_port()
    if contender == "tensorboard":
        command = ["tensorboard.main", "--load_fast", "false"]
    else:
        command = [
            "tapeflow.cli",
            "board",
            "--no-cache",
            "--settings",
            os.path.join(tempfile.mkdtemp(), "s.json"),
        ]
    address = f"http://127.0.0.1:{port}"
    with server("-m", *command, "--logdir", str(FOLDER), "--port", str(port)):
        _wait(address)
        found: dict[str, Any] = {"seconds": _median(lambda: _groups(address))}
        if contender == "tapeflow":
            found["table_ms"] = round(1e3 * _median(lambda: _get(f"{address}/api/v1/hparams/sessions")), 1)
            query = "tag=accuracy&group=validation"
            importance = f"{address}/api/v1/hparams/importance?{query}"
            found["importance_ms"] = round(1e3 * _median(lambda: _get(importance)), 1)
            if shutil.which("chromium"):
                found |= _page(address)
    return found


def _median(act: Any) -> float:
    times = []
    for _ in range(_ROUNDS):
        begin = time.perf_counter()
        act()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def _wait(address: str) -> None:
    end = time.perf_counter() + _LIMIT_S
    while True:
        try:
            groups = json.loads(_groups(address))["sessionGroups"]
            # The last thing written of the last session: its validation run.
            if len(groups) == SESSIONS and all(len(group["metricValues"]) == 10 for group in groups):
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        if time.perf_counter() > end:
            raise TimeoutError("the sessions are not there")
        time.sleep(0.2)


def _groups(address: str) -> bytes:
    body = json.dumps(_REQUEST).encode()
    headers = {"Content-Type": "application/json"}
    url = f"{address}/data/plugin/hparams/session_groups"
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as answer:
        return answer.read()


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


def _page(address: str) -> dict[str, Any]:
    """What a browser does with it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            begin = time.perf_counter()
            page.goto(f"{address}/#hparams?hview=parallel")
            page.get_by_role("img", name=f"{SESSIONS} pass").wait_for(timeout=60_000)
            page.locator(".hp-layer[data-is-drawn]").nth(2).wait_for(timeout=60_000)
            drawn = time.perf_counter() - begin
            page.wait_for_timeout(2000)
            page.evaluate(_WATCH)
            brushing = _tasks(page, _brush)
            page.goto(f"{address}/#hparams?hview=table")
            page.wait_for_timeout(1000)
            scrolling = _tasks(page, _scroll)
        finally:
            browser.close()
    return {
        "drawn_ms": round(1e3 * drawn),
        "is_drawn_in_2_s": drawn < 2,
        "brushing_long_tasks_ms": brushing,
        "brushing_has_no_task_over_100_ms": max(brushing, default=0) <= 100,
        "scrolling_long_tasks_ms": scrolling,
    }


def _tasks(page: Any, act: Any) -> list[int]:
    """The lengths of the long tasks while something is done."""
    page.evaluate("window.longTasks.length = 0")
    act(page)
    page.wait_for_timeout(1000)
    return [round(length) for length in page.evaluate("window.longTasks")]


def _brush(page: Any) -> None:
    """A range on the axis of the learning rate, drawn in forty moves, and then moved."""
    plot = page.get_by_role("img", name=f"{SESSIONS} sessions").bounding_box()
    title = page.locator(".hp-axis").get_by_role("button", name="learning_rate", exact=True).bounding_box()
    x = title["x"] + title["width"] / 2
    top, bottom = plot["y"] + 46, plot["y"] + plot["height"] - 36
    for begin, end in ((0.9, 0.3), (0.6, 0.5)):
        page.mouse.move(x, top + begin * (bottom - top))
        page.mouse.down()
        page.mouse.move(x, top + end * (bottom - top), steps=40)
        page.mouse.up()


def _scroll(page: Any) -> None:
    page.mouse.move(900, 500)
    for _ in range(40):
        page.mouse.wheel(0, 500)
        page.wait_for_timeout(16)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
