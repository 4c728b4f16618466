"""`board_profile_page.py`: a trace in headless Chromium, drawn, panned by dragging and by key, zoomed by wheel.

The board runs in a process of its own. The last line is JSON: seconds from the navigation until the timeline is there
(the server reads the profile meanwhile), the longest task of the page while it opened and while it moved, how many
frames came a second while it was dragged, and what the page used of the processor for one of them and in its longest
task, with what that task did: on a machine that is busy with other things, these alone tell the page's own part.
"""

import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.scripts.board_profile_data import EVENTS, FOLDER
from benchmarks.scripts.serving import FLAGS, server

LONG_MS = 100
_WATCH = """
window.tasks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.tasks.push(Math.round(entry.duration));
}).observe({ type: "longtask", buffered: true });
window.frames_at = [];
const count = (at) => { window.frames_at.push(at); requestAnimationFrame(count); };
requestAnimationFrame(count);
"""


def main() -> dict[str, Any]:
    """Open the page once, and move."""
    keep = Path(tempfile.mkdtemp())
    command = ["-m", "tapeflow.cli", "board", "--no-cache", "--settings", str(keep / "s.json"), "--port", "0"]
    with server(*command, "--logdir", str(FOLDER), stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().split(" at ")[1].strip()
        while not _ask(f"{url}api/v1/info")["progress"]["is_done"]:
            time.sleep(0.05)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script(_WATCH)
            found = _measure(page, url, browser.new_browser_cdp_session())
            browser.close()
    shutil.rmtree(keep)
    return found


def _measure(page: Page, url: str, tracing: CDPSession) -> dict[str, Any]:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    begin = time.perf_counter()
    page.goto(f"{url}#profile?profview=trace")
    place = page.get_by_role("application")
    place.wait_for(timeout=60_000)
    seconds = time.perf_counter() - begin
    name = place.get_attribute("aria-label") or ""
    page.wait_for_timeout(500)
    opening = _longest(page)
    box = place.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 150
    page.mouse.move(x, y)
    page.mouse.wheel(0, -600)  # in, so that there is somewhere to go
    page.wait_for_timeout(300)
    events: list[dict[str, Any]] = []
    tracing.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    tracing.send(
        "Tracing.start", {"categories": "toplevel,devtools.timeline,v8", "transferMode": "ReportEvents"}
    )
    page.evaluate("window.frames_at.length = 0")
    used = _used(session)
    for _ in range(4):
        page.mouse.move(x - 300, y)
        page.mouse.down()
        for step in range(60):
            page.mouse.move(x - 300 + 10 * step, y)
        page.mouse.up()
    gaps = page.evaluate("window.frames_at.slice(1).map((at, i) => at - window.frames_at[i])")
    used = _used(session) - used
    dragging = _longest(page)
    place.focus()
    for key in "ddddddddddaaaaaaaaaawwwwwwssssssssss":
        page.keyboard.press(key)
    for turn in range(40):
        page.mouse.wheel(0, -120 if turn < 20 else 120)
    page.wait_for_timeout(300)
    zooming = _longest(page)
    ended: list[Any] = []
    tracing.on("Tracing.tracingComplete", lambda what: ended.append(what))
    tracing.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    return {
        "seconds": seconds,
        "events": EVENTS if "100\u202f000 events" in name else 0,
        "opening_task_ms": opening,
        "dragging_task_ms": dragging,
        "zooming_task_ms": zooming,
        **_longest_task(events),
        "frame_cpu_ms": round(1000 * used / max(len(gaps), 1), 1),
        "frames_a_second": round(1000 * len(gaps) / max(sum(gaps), 1)),
        "moves_without_long_tasks": max(dragging, zooming) < LONG_MS,
    }


def _used(session: CDPSession) -> float:
    """The seconds the page's main thread has been busy."""
    found = session.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in found if metric["name"] == "TaskDuration")


def _longest_task(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What the longest task on the main thread of a page used of the processor, and most of it for what."""
    names = [e for e in events if e["name"] == "thread_name" and e["args"].get("name") == "CrRendererMain"]
    mains = {(e["pid"], e["tid"]) for e in names}
    timed = [e for e in events if (e["pid"], e["tid"]) in mains and "tdur" in e]
    task = max((e for e in timed if "RunTask" in e["name"]), key=lambda e: e["tdur"], default=None)
    if task is None:
        return {"longest_task_cpu_ms": 0.0, "longest_task_did": []}
    begin, end, thread = task["ts"], task["ts"] + task["dur"], (task["pid"], task["tid"])
    inside = [e for e in timed if begin <= e["ts"] < end and (e["pid"], e["tid"]) == thread and e is not task]
    most = sorted(inside, key=lambda e: -e["tdur"])[:6]
    did = [f"{e['name']} {e['tdur'] / 1000:.1f}" for e in most]
    return {"longest_task_cpu_ms": round(task["tdur"] / 1000, 1), "longest_task_did": did}


def _longest(page: Page) -> int:
    return page.evaluate("Math.max(0, ...window.tasks.splice(0))")


def _ask(url: str) -> Any:
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


if __name__ == "__main__":
    print(json.dumps(main()))
