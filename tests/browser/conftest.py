"""The board in a browser: one Chromium for all tests, a server for each log folder, and an eye on the console."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboardX import SummaryWriter

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running

REPOSITORY = Path(__file__).resolve().parents[2]
AXE = REPOSITORY / "web" / "node_modules" / "axe-core" / "axe.min.js"
PAGE = REPOSITORY / "src" / "tapeflow" / "board" / "static" / "index.html"
# A container has neither a sandbox nor a GPU, and the tests need nothing of the network.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START_TIME = 1_731_600_000.0


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("The browser tests need Debian's chromium: apt-get install chromium.")
    if not PAGE.exists():
        subprocess.run(["make", str(PAGE.relative_to(REPOSITORY))], cwd=REPOSITORY, check=True)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "It took too long."
        time.sleep(0.05)


def _is_read(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}api/v1/info") as answer:
            return json.load(answer)["progress"]["is_done"]
    except urllib.error.URLError:
        return False


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Starts a board for a log folder and gives its address; every one is stopped at the end of the module."""
    started: list[Running] = []

    def start(*logdirs: Path, waits: bool = True, **options: object) -> str:
        place = tmp_path_factory.mktemp("board")
        chosen = BoardOptions(
            port=0, cache=None, settings=str(place / "settings.json"), reload_interval_s=0.05
        )
        for name, value in options.items():
            object.__setattr__(chosen, name, value)
        running = Running([Logdir(str(path)) for path in logdirs], chosen)
        running.run_in_thread()
        started.append(running)
        if waits:
            wait_until(lambda: _is_read(running.url))
        return running.url

    yield start
    for running in started:
        running.stop()


class Console:
    """What went wrong on the pages of a test."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def watch(self, page: Page) -> None:
        page.on("console", lambda m: self.errors.append(m.text) if self._counts(m.type, m.text) else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    @staticmethod
    def _counts(kind: str, text: str) -> bool:
        # Without a GPU, every frame of WebGL is read back to be put on the page: Chromium remarks on it.
        return kind in ("error", "warning") and "GPU stall due to ReadPixels" not in text


@pytest.fixture
def console() -> Console:
    return Console()


@pytest.fixture
def new_page(browser: Browser, console: Console) -> Iterator[Callable[..., Page]]:
    """Opens pages, each with a storage of its own; an error on any console fails the test."""
    contexts: list[BrowserContext] = []

    def open_page(url: str, width: int = 1440, **options: object) -> Page:
        # Without motion there are no frames to draw that no test looks at.
        usual = {"locale": "en-US", "viewport": {"width": width, "height": 900}, "reduced_motion": "reduce"}
        settings = usual | options
        context = browser.new_context(**settings)  # pyright: ignore[reportArgumentType]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        console.watch(page)
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert console.errors == []


@pytest.fixture
def pinch() -> Callable[[Page, float, float], None]:
    """Moves two fingers apart around a place, as a touch screen tells of them."""

    def move_apart(page: Page, x: float, y: float) -> None:
        devtools = page.context.new_cdp_session(page)
        for kind, gap in (("touchStart", 20), ("touchMove", 40), ("touchMove", 60), ("touchEnd", 0)):
            ends = [{"x": x - gap, "y": y, "id": 0}, {"x": x + gap, "y": y, "id": 1}] if gap else []
            devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": ends})
        devtools.detach()

    return move_apart


@pytest.fixture
def faults() -> Callable[[Page], list[str]]:
    """What axe finds that is serious. It is evaluated by the debugger, so that the page's policy stays as it is."""

    def find(page: Page) -> list[str]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE.read_text())
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            f"{one['id']}: {one['help']}: {one['nodes'][0]['html']}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    return find


@pytest.fixture
def expect_lines() -> Callable[[Page, str, int], None]:
    """Waits until the chart of a card has so many lines."""

    def wait(page: Page, title: str, count: int) -> None:
        card = page.get_by_role("article", name=title, exact=True)
        name = re.compile(f"line chart of {count} lines")
        chart = card.get_by_role("img", name=re.compile("line chart"))
        expect(chart).to_have_accessible_name(name, timeout=20_000)

    return wait


class Scalars(EventFileWriter):
    """Scalars as TensorBoard's own writer, which is PyTorch's too, writes them."""

    def add(self, tag: str, value: float, step: int, wall_time: float | None = None) -> None:
        content = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
        self.add_event(Event(wall_time=wall_time or time.time(), step=step, summary=content))


@pytest.fixture
def open_scalars() -> Iterator[Callable[[Path], Scalars]]:
    """Opens writers whose `flush` has written when it returns; they are closed after the test."""
    opened: list[Scalars] = []

    def open_writer(folder: Path) -> Scalars:
        opened.append(Scalars(str(folder)))
        return opened[-1]

    yield open_writer
    for writer in opened:
        writer.close()


def write_scalars(folder: Path, tag: str, values: list[float]) -> None:
    writer = Scalars(str(folder))
    for step, value in enumerate(values):
        writer.add(tag, value, step, START_TIME + step)
    writer.close()


def picture(step: int) -> np.ndarray:
    """Every step has another grey, so that a picture tells its step."""
    return np.full((8, 8, 3), min(255, 20 * step), np.uint8)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of three writers, with everything that part one of the board shows."""
    root = tmp_path_factory.mktemp("logs") / "experiment"
    for rate in (0.1, 0.01):
        for part, count in (("train", 40), ("validation", 20)):
            with SummaryWriter(str(root / f"lr={rate}" / part)) as writer:
                for step in range(count):
                    writer.add_scalar("epoch_loss", rate * 10 + 1 / (step + 1), step, START_TIME + step)
        own = summary.create_file_writer(str(root / f"lr={rate}" / "train"))
        with own.as_default():
            summary.hparams({"lr": rate, "optimizer": "adam"})
            for step in range(10):
                summary.scalar("optimizer/norm", 1.0 / (step + 1), step=step)
                summary.image("samples/grey", picture(step)[None], step=step)
            for step in (0, 5):
                sound = np.sin(np.linspace(0, 400, 4000, dtype=np.float32))
                summary.audio("speech/tone", sound[None, :, None], 8000, step=step)
                summary.text("notes", f"# Step {step}\n\n**bold** <script>alert(1)</script>", step=step)
                summary.table("scores", {"name": ["b", "a", "c"], "score": [step + 2, 10, 1]}, step=step)
                clip = np.stack([picture(step + frame) for frame in range(4)])
                summary.video("motion/walk", clip[None], step=step, fps=4)
        own.close()
    write_scalars(root / "torch", "Loss/train", [1.0, 0.5, float("nan"), float("inf"), 0.25])
    write_scalars(root / "torch", "Loss/test", [1.5, 0.75, 0.5, 0.5, 0.4])
    return root


@pytest.fixture(scope="module")
def board(serve: Callable[..., str], logs: Path) -> str:
    return serve(logs)
