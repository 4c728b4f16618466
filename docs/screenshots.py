"""Takes the pictures of the board in `docs/images`, of the runs of a demo or of examples, with the system's Chromium.

    python docs/screenshots.py                       trains the demo first
    python docs/screenshots.py --logdir logs/demo-X  of a demo that has been trained
    python docs/screenshots.py --examples            runs the examples that the gallery shows

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

from tapeflow.board.board import BoardOptions
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
# By picture: the example that logs what it shows, and where that is on the board.
EXAMPLES = {
    "gan": ("gan.py", "images?msize=large"),
    "augmentation": ("log_images.py", "images?msize=large"),
    "rates": ("log_learning_rates.py", "scalars?tags=epoch_(loss|accuracy)"),
}


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--logdir", type=Path, help="the folder of one demo; without it, one is trained")
    parser.add_argument("--panel", action="append", choices=VIEWS, help="only this one; may be repeated")
    parser.add_argument("--examples", action="store_true", help="of the examples in the gallery instead")
    parser.add_argument("--dark", action="store_true", help="in the dark theme, as NAME-dark.png")
    options = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("The pictures are taken with Debian's chromium: apt-get install chromium.")
    ending = "-dark" if options.dark else ""
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(
            viewport={"width": 1280, "height": 680},
            color_scheme="dark" if options.dark else "light",
            reduced_motion="reduce",
        )
        if options.examples:
            for name, (example, view) in EXAMPLES.items():
                logdir = run_example(example, Path(temporary) / name)
                take(page, logdir, {f"{name}{ending}": view})
        else:
            panels = {f"{name}{ending}": f"{name}{VIEWS[name]}" for name in options.panel or VIEWS}
            take(page, options.logdir or train(Path(temporary)), panels)
        browser.close()


def run_example(example: str, logdir: Path) -> Path:
    """The folder in which an example has logged its runs."""
    program = Path(__file__).parents[1] / "examples" / example
    subprocess.run([sys.executable, str(program), "--logdir", str(logdir)], check=True)
    return logdir


def train(folder: Path) -> Path:
    """The folder of a new demo."""
    command = [sys.executable, "-m", "tapeflow.cli", "demo", "--no-board", "--logdir", str(folder)]
    subprocess.run(command, check=True)
    return next(folder.glob("demo-*"))


def take(page: Page, logdir: Path, views: dict[str, str]) -> None:
    """Start a board, and keep what each of the views looks like, by the name of its picture."""
    with tempfile.TemporaryDirectory() as temporary:
        settings = str(Path(temporary) / "settings.json")
        running = Running(
            [Logdir(str(logdir.resolve()))], BoardOptions(port=0, cache=None, settings=settings)
        )
        thread = running.run_in_thread()
        try:
            take_views(page, running, views)
        finally:
            running.stop()
            thread.join(10)


def take_views(page: Page, running: Running, views: dict[str, str]) -> None:
    """Open each view whose panel there is, wait until it has come to rest, and keep what it looks like."""
    page.goto(running.url)
    info: dict[str, Any] = page.request.get(f"{running.url}api/v1/info").json()
    while not info["progress"]["is_done"]:
        time.sleep(0.1)
        info = page.request.get(f"{running.url}api/v1/info").json()
    IMAGES.mkdir(exist_ok=True)
    panels = {panel["name"] for panel in info["panels"]}
    for name, view in views.items():
        if view.partition("?")[0] in panels:
            page.goto("about:blank")  # so that the next address is read anew
            page.goto(f"{running.url}#{view}")
            settle(page)
            keep(page.screenshot(), IMAGES / f"{name}.png")


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
