"""`board_histograms_page.py`: from the navigation until every histogram card in view is drawn, in headless Chromium.

The board runs in a process of its own and has read everything before. The last line is JSON: seconds until drawn,
how many cards and steps, the page's own time on the processor, how long the server took for one series of 500 steps,
and the longest task of the page: first while it opened, then while the pointer went over a card.
"""

import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks.scripts.board_data import HISTOGRAMS, SHAPES, folder_of
from benchmarks.scripts.serving import FLAGS, server

_LIMIT_S = 60.0
_WATCH = """
window.tasks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.tasks.push(Math.round(entry.duration));
}).observe({ type: "longtask", buffered: true });
const isDrawn = (chart) => {
  const canvas = chart.querySelector("canvas");
  if (!canvas || !chart.getAttribute("aria-label").includes("STEPS histograms")) return false;
  const { width, height } = canvas;
  // Along the foot of the newest histogram.
  return canvas.getContext("2d").getImageData(0, height - 30, width, 1).data.some((byte) => byte > 0);
};
const look = () => {
  const charts = [...document.querySelectorAll(".histogram-chart")];
  if (charts.length > 0 && charts.every(isDrawn)) window.drawn = [performance.now(), charts.length];
  else setTimeout(look, 20);
};
addEventListener("DOMContentLoaded", look);
"""


def main() -> dict[str, Any]:
    """Open the page once."""
    steps = SHAPES[HISTOGRAMS][2]
    keep = Path(tempfile.mkdtemp()) / "settings.json"
    command = ["-m", "tapeflow.cli", "board", "--no-cache", "--settings", str(keep), "--port", "0"]
    with server(
        *command, "--logdir", str(folder_of(HISTOGRAMS)), stdout=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().split(" at ")[1].strip()
        while not _ask(f"{url}api/v1/info")["progress"]["is_done"]:
            time.sleep(0.05)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script(_WATCH.replace("STEPS", str(steps)))
            found = _measure(page, url)
            browser.close()
        found |= {"steps": steps, "answer_ms": _answer_ms(url)}
    shutil.rmtree(keep.parent)
    return found


def _measure(page: Page, url: str) -> dict[str, Any]:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(f"{url}#histograms")
    end = time.monotonic() + _LIMIT_S
    while not (drawn := page.evaluate("window.drawn ?? null")):
        if time.monotonic() > end:
            raise TimeoutError("the cards were not drawn")
        time.sleep(0.02)
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    opening = page.evaluate("Math.max(0, ...window.tasks.splice(0))")
    box = page.locator(".histogram-chart").first.bounding_box()
    assert box is not None
    for i in range(40):
        page.mouse.move(box["x"] + 40 + 6 * i, box["y"] + 40 + 4 * i)
    pointing = page.evaluate("Math.max(0, ...window.tasks.splice(0))")
    milliseconds, cards = drawn
    return {
        "seconds": milliseconds / 1e3,
        "cards": cards,
        "page_cpu_s": round(metrics["TaskDuration"], 2),
        "opening_task_ms": opening,
        "pointing_task_ms": pointing,
        "draws_in_2_s": milliseconds < 2000,
        "points_smoothly": pointing < 100,
    }


def _answer_ms(url: str) -> float:
    """The median time of a series with all its steps."""
    run = _ask(f"{url}api/v1/runs")["runs"][0]["id"]
    times = []
    for _ in range(10):
        begin = time.perf_counter()
        with urllib.request.urlopen(f"{url}api/v1/histograms/steps?run={run}&tag=m/tag_0") as answer:
            answer.read()
        times.append(time.perf_counter() - begin)
    return round(sorted(times)[len(times) // 2] * 1e3, 1)


def _ask(url: str) -> Any:
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


if __name__ == "__main__":
    print(json.dumps(main()))
