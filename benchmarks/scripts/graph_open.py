"""`graph_open.py tapeflow|tensorboard SET`: from the click on an address until the graph is drawn, in Chromium.

The server is up and has read the file. The last line is JSON: seconds, and for the board how long it takes to open
the largest scope, to search, and the longest time that a pan held the page up.
"""

import json
import os
import shutil
import sys
import tempfile
import time
import urllib.error
import urllib.request
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks.scripts.board_open import free_port
from benchmarks.scripts.graph_data import FOLDER
from benchmarks.scripts.serving import FLAGS, server

_READY = {"tapeflow": "canvas[data-nodes]", "tensorboard": "tf-graph-scene g.node"}
_LONGEST_S = 2.0


def main(contender: str, name: str) -> dict[str, Any]:
    """Open a graph once."""
    port = free_port()
    settings = os.path.join(tempfile.mkdtemp(), "settings.json")
    command = {
        "tapeflow": ["tapeflow.cli", "board", "--no-cache", "--settings", settings],
        "tensorboard": ["tensorboard.main"],
    }[contender]
    with server("-m", *command, "--logdir", str(FOLDER / name), "--port", str(port)):
        _wait(f"http://127.0.0.1:{port}/data/plugin/graphs/info")
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = chromium.new_page(viewport={"width": 1440, "height": 900})
            begin = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/#graphs")
            page.locator(_READY[contender]).first.wait_for(timeout=120_000)
            found: dict[str, Any] = {"seconds": time.perf_counter() - begin}
            found["opens_in_2_s"] = found["seconds"] < _LONGEST_S
            if contender == "tapeflow":
                found |= _more(page)
            chromium.close()
    return found


def _more(page: Page) -> dict[str, Any]:
    """Open the largest closed scope, search, pan."""
    scopes = page.locator("aside.graph-pane .graph-link").filter(has_text="resnet50_1")
    found: dict[str, Any] = {}
    if scopes.count():
        scopes.first.click()
        before = page.locator("canvas[data-nodes]").get_attribute("data-nodes")
        begin = time.perf_counter()
        page.get_by_role("button", name="Open", exact=True).click()
        page.locator(f"canvas[data-nodes]:not([data-nodes='{before}'])").wait_for()
        found["expand_s"] = round(time.perf_counter() - begin, 3)
    begin = time.perf_counter()
    page.get_by_label("Search nodes").fill("conv4_block3")
    page.get_by_text("nodes found").wait_for()
    found["search_s"] = round(time.perf_counter() - begin, 3)
    page.evaluate(
        "new PerformanceObserver((list) => { for (const one of list.getEntries())"
        " window.longest = Math.max(window.longest ?? 0, one.duration) }).observe({entryTypes: ['longtask']})"
    )
    page.mouse.move(700, 450)
    page.mouse.down()
    for step in range(60):
        page.mouse.move(700 + 4 * (step % 15), 450 - 6 * step)
    page.mouse.up()
    found["longest_pan_ms"] = page.evaluate("window.longest ?? 0")
    return found


def _wait(url: str) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                if json.load(answer):
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.05)
    raise TimeoutError(f"{url} told of no graph")


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2])))
