"""Takes the pictures of the board in `docs/images`, of a demo's runs, with the system's Chromium.

    python docs/screenshots.py                       trains the demo first
    python docs/screenshots.py --logdir logs/demo-X  of a demo that has been trained

A panel that this board does not have is left out. Pictures are cut down to 256 colours, which the eye does not notice.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tapeflow.board.board import Options
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running

IMAGES = Path(__file__).parent / "images"
MOST_BYTES = 200_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
# By panel: the address of what is worth a look, after the panel's name.
VIEWS = {
    "scalars": "?tags=(batch|epoch)_(loss|accuracy)",
    "images": "?mtags=guesses&msize=large",
    "confusion": "",
    "histograms": "",
    "graphs": "",
    "hparams": "?hview=parallel",
    "projector": "?psize=12&ppics=1",
    "pr_curves": "",
    "mesh": "",
    "profile": "",
}


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--logdir", type=Path, help="the folder of one demo; without it, one is trained")
    parser.add_argument("--panel", action="append", choices=VIEWS, help="only this one; may be repeated")
    parser.add_argument("--dark", action="store_true", help="in the dark theme, as NAME-dark.png")
    options = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("The pictures are taken with Debian's chromium: apt-get install chromium.")
    with tempfile.TemporaryDirectory() as temporary:
        logdir = options.logdir or train(Path(temporary))
        settings = str(Path(temporary) / "settings.json")
        running = Running([Logdir(str(logdir.resolve()))], Options(port=0, cache=None, settings=settings))
        thread = running.run_in_thread()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
                page = browser.new_page(
                    viewport={"width": 1280, "height": 680},
                    color_scheme="dark" if options.dark else "light",
                    reduced_motion="reduce",
                )
                take(page, running, set(options.panel or VIEWS), "-dark" if options.dark else "")
                browser.close()
        finally:
            running.stop()
            thread.join(10)


def train(folder: Path) -> Path:
    """The folder of a new demo."""
    command = [sys.executable, "-m", "tapeflow.cli", "demo", "--no-board", "--logdir", str(folder)]
    subprocess.run(command, check=True)
    return next(folder.glob("demo-*"))


def take(page: Page, running: Running, wanted: set[str], ending: str) -> None:
    """Open each panel there is, wait until it has come to rest, and keep what it looks like."""
    page.goto(running.url)
    info: dict[str, Any] = page.request.get(f"{running.url}api/v1/info").json()
    while not info["progress"]["is_done"]:
        time.sleep(0.1)
        info = page.request.get(f"{running.url}api/v1/info").json()
    IMAGES.mkdir(exist_ok=True)
    for panel in info["panels"]:
        name = panel["name"]
        if name in wanted:
            page.goto("about:blank")  # so that the next address is read anew
            page.goto(f"{running.url}#{name}{VIEWS[name]}")
            settle(page)
            keep(page.screenshot(), IMAGES / f"{name}{ending}.png")


def settle(page: Page, quiet_s: float = 1.0, most_s: float = 30.0) -> None:
    """Wait until the page has looked the same for a while."""
    end, last, since = time.monotonic() + most_s, b"", time.monotonic()
    while time.monotonic() - since < quiet_s and time.monotonic() < end:
        page.wait_for_timeout(200)
        now = page.screenshot()
        if now != last:
            last, since = now, time.monotonic()


def keep(png: bytes, path: Path) -> None:
    """Write a picture, small enough for a repository."""
    picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)
    size = path.stat().st_size
    sys.stdout.write(f"{path}: {size / 1000:.0f} kB\n")
    if size > MOST_BYTES:
        sys.exit(f"{path} expected at most {MOST_BYTES} bytes; got {size}. Show less, or make it smaller.")


if __name__ == "__main__":
    main()
