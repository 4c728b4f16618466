"""`board_projector.py pca|tsne|umap|orbit`: 60,000 x 64 points, asked of a board over HTTP, or turned in a browser.

The last line is JSON. `pca`, `tsne` and `umap` are timed from the request to the last layout, reading the vectors
included; nothing is kept from round to round. `orbit` is timed in headless Chromium with software rendering: every
frame turns the points a little. While they turn, the page draws as many as it can at that pace; at rest, all.
"""

import http.client
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir, run_id
from tapeflow.board.serving import Running

POINTS, DIMENSIONS, CLUSTERS = 60_000, 64, 12
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run"]
SECONDS = 5
_ORBIT = """async (seconds) => {
    const stage = document.querySelector(".stage");
    const send = (kind, x) => stage.dispatchEvent(new PointerEvent(kind, {
        pointerId: 1, clientX: x, clientY: 400, button: 0, bubbles: true}));
    stage.setPointerCapture = () => {};
    send("pointerdown", 500);
    const begin = performance.now();
    let frames = 0;
    while (performance.now() - begin < 1000 * seconds) {
        send("pointermove", 500 + 4 * (frames % 2 ? frames : -frames));
        await new Promise(requestAnimationFrame);
        frames++;
    }
    const moving = Number(stage.dataset.drawn);
    send("pointerup", 500);
    const rate = frames / (performance.now() - begin) * 1000;
    await new Promise((done) => setTimeout(done, 3000));
    return [rate, moving, Number(stage.dataset.drawn)];
}"""


def main(what: str) -> dict[str, Any]:
    """One round."""
    folder = Path(tempfile.mkdtemp())
    try:
        _write(folder / "logs" / "run")
        options = BoardOptions(port=0, cache=None, settings=str(folder / "settings.json"))
        running = Running([Logdir(str(folder / "logs"))], options)
        thread = running.run_in_thread()
        try:
            while not running.server.started:
                time.sleep(0.01)
            return _orbit(running) if what == "orbit" else _projection(running, what)
        finally:
            running.stop()
            thread.join(20)
    finally:
        shutil.rmtree(folder)


def _write(folder: Path) -> None:
    random = np.random.default_rng(0)
    cluster = random.integers(0, CLUSTERS, POINTS)
    points = (
        random.normal(size=(POINTS, DIMENSIONS)) + 3 * random.normal(size=(CLUSTERS, DIMENSIONS))[cluster]
    )
    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        summary.embedding(
            "points", points.astype(np.float32), labels=[f"cluster {c}" for c in cluster], step=0
        )
    writer.close()


def _ask(running: Running, method: str, path: str, body: Any = None) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", running.options.port, timeout=600)
    connection.request(method, f"/api/v1/projector/{path}", None if body is None else json.dumps(body))
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError(data.decode())
    return data


def _projection(running: Running, what: str) -> dict[str, Any]:
    place = {"run": run_id("run"), "name": "points"}
    begin = time.perf_counter()
    if what == "pca":
        _ask(running, "GET", f"pca?run={place['run']}&name=points")
        seconds = time.perf_counter() - begin
        return {"seconds": seconds, "is_within_a_second": seconds < 1}
    job = json.loads(_ask(running, "POST", "jobs", {**place, "method": what}))
    first, slowest = None, 0.0
    while job["state"] in ("waiting", "running"):
        time.sleep(0.2)
        asked = time.perf_counter()
        job = json.loads(_ask(running, "GET", f"jobs/{job['id']}"))
        slowest = max(slowest, time.perf_counter() - asked)
        if job["layout"] and first is None:
            first = time.perf_counter() - begin
    if job["state"] != "done":
        raise RuntimeError(job["message"])
    return {
        "seconds": time.perf_counter() - begin,
        "first_layout_s": round(first or 0, 2),
        "layouts": job["layout"],
        "has_progress": job["layout"] > 5,
        "slowest_answer_ms": round(1e3 * slowest, 1),
    }


def _orbit(running: Running) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{running.url}#projector")
        page.wait_for_selector(f'.stage[data-points="{POINTS}"]', timeout=60_000)
        page.evaluate(_ORBIT, 1)
        rate, moving, resting = page.evaluate(_ORBIT, SECONDS)
        browser.close()
    return {
        "seconds": 1 / rate,
        "frames_a_second": round(rate, 1),
        "is_smooth": rate >= 30,
        "points_while_turning": moving,
        "points_at_rest": resting,
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
