"""The parts of a running board, in one place for those who need several of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from tapeflow.board.cache import cache_folder
from tapeflow.board.health.watch import Health
from tapeflow.board.health.webhook import Webhook
from tapeflow.board.index import Index
from tapeflow.board.ingest import Ingest
from tapeflow.board.live import Hub
from tapeflow.board.logdirs import Logdir
from tapeflow.board.overview import overview_of
from tapeflow.board.panels import find_panels
from tapeflow.board.remote.mirrors import INTERVAL_S, Mirrors
from tapeflow.board.schema import Info
from tapeflow.board.settings import SettingsFile, settings_path
from tapeflow.board.store import Store


@dataclass(frozen=True)
class BoardOptions:
    """What the user asked for; see `tapeflow board --help`.

    Attributes:
        host: the address to listen on.
        hosts: further names it is reached by.
        token: who sends it may look; "" if everybody who reaches the port may.
        cache: the folder of the index; None for none.
        settings: the file of the settings; "" for the usual place.
        remote_interval_s: the pause between two looks at storage elsewhere.
        webhook: where alerts are posted to; "" for nowhere.
        is_framed: whether pages of other origins may show the board inside them, as notebooks do.
        version: TapeFlow's, to be told to those who ask.
    """

    host: str = "127.0.0.1"
    port: int = 6006
    hosts: tuple[str, ...] = ()
    token: str = ""
    path_prefix: str = ""
    reload_interval_s: float = 0.2
    remote_interval_s: float = INTERVAL_S
    read_only: bool = False
    cache: str | None = field(default_factory=cache_folder)
    settings: str = ""
    webhook: str = ""
    is_framed: bool = False
    version: str = ""


class Board:
    """A board over some log folders."""

    def __init__(self, logdirs: list[Logdir], options: BoardOptions | None = None) -> None:
        self.options = options or BoardOptions()
        self.mirrors = Mirrors(logdirs, self.options.cache, self.options.remote_interval_s)
        self.logdirs = logdirs = self.mirrors.logdirs
        self.panels = find_panels()
        self.store = Store(logdirs, self.panels)
        self.store.notices = self.mirrors.notes
        self.index = Index(self.options.cache, self.options.version)
        prepared = {name: make for panel in self.panels for name, make in panel.prepares.items()}
        answers = {"overview": overview_of, **prepared}
        self.ingest = Ingest(self.store, self.index, self.options.reload_interval_s, answers)
        self.settings = SettingsFile(self.options.settings or settings_path(logdirs), self.options.read_only)
        self.hub = Hub(self.store, self.settings)
        self.ingest.at_looks.append(self._look_at_settings)
        self.health = Health(self.store)
        self.at_end: list[Callable[[], None]] = []  # what panels have begun and must end

    def start(self) -> None:
        """Begin to read."""
        self.mirrors.start(self.store.notices_changed)
        self.ingest.start()
        if self.options.webhook:
            webhook = Webhook(self.options.webhook)
            self.health.listeners.append(webhook)
            self.at_end.append(webhook.close)
        self.health.start()

    def stop(self) -> None:
        """End reading, and keep what has been read."""
        self.health.stop()
        self.mirrors.stop()
        for end in self.at_end:
            end()
        self.ingest.stop()
        self.index.prune()

    def _look_at_settings(self) -> None:
        if self.settings.refresh():
            self.hub.wake()

    def info(self) -> Info:
        """What the page asks for first."""
        sizes = self.store.sizes()
        return {
            "api": 1,
            "version": self.options.version,
            "title": ", ".join(d.name or os.path.basename(d.place) or d.place for d in self.logdirs),
            "logdirs": [
                {"name": d.name, "path": d.place, "exists": os.path.exists(d.path)} for d in self.logdirs
            ],
            "panels": [
                {
                    "name": panel.name,
                    "title": panel.title,
                    "tags": sizes[panel.name][0],
                    "runs": sizes[panel.name][1],
                }
                for panel in self.panels
            ],
            "read_only": self.options.read_only,
            "reload_interval_s": self.options.reload_interval_s,
            "progress": self.store.progress(),
        }
