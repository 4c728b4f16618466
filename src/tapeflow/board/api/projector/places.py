"""Where embeddings are: the projector's configurations in the log folders, looked for again at every question."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
from dataclasses import dataclass, field, replace

from tapeflow.board.board import Board
from tapeflow.board.logdirs import run_id, shown
from tapeflow.board.runs import signature
from tapeflow.summary.kinds.embeddings import Embedding, read_embeddings
from tapeflow.summary.kinds.projector_files import CONFIG, asset_path, read_config

MOST_CONFIG_BYTES = 16 << 20
MOST_FOLDERS = 20_000
_WALK_S = 5.0
_WALK_SHARE = 20  # times as long as a walk took is waited before the next


@dataclass
class Place:
    """A configuration and what it names.

    Attributes:
        run: the id of the run of this folder, whether or not it has event files.
        name: the name of that run.
        folder: where the configuration lies; paths in it are relative to this.
        embeddings: what it names, each name and step once.
        problem: why it cannot be read, or "".
        checkpoint: the checkpoint it names, or "".
    """

    run: str
    name: str
    folder: str
    embeddings: list[Embedding] = field(default_factory=list)
    problem: str = ""
    checkpoint: str = ""

    def version(self, info: Embedding) -> str:
        """What changes whenever one of the files of a step does."""
        key = hashlib.blake2s(repr((self.folder, self.checkpoint, info)).encode(), digest_size=8)
        vectors = [info.vectors]
        if not info.vectors:
            vectors = ["checkpoint", *(self.checkpoint + end for end in ("", ".index", ".safetensors"))]
        for path in (*vectors, info.metadata, info.sprite, info.bookmarks):
            if path:
                try:
                    key.update(repr(signature(os.stat(asset_path(self.folder, path)))).encode())
                except (OSError, ValueError):
                    key.update(b"-")
        return key.hexdigest()


class Places:
    """The configurations of a board's log folders.

    Looked into are the folders of runs, those above them (Keras puts its configuration above `train`), and, every
    few seconds, all other folders.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self._lock = threading.Lock()
        self._known: dict[str, tuple[tuple[int, ...], Place]] = {}
        self._walked: dict[str, str] = {}
        self._walk_at = 0.0

    def all(self) -> list[Place]:
        """Every configuration there is, by the names of their runs."""
        with self._lock:
            folders = self._folders()
            found = {}
            for name, folder in folders.items():
                place = self._read(name, folder)
                if place is not None:
                    found[name] = place
            self._known = {
                place.folder: self._known[place.folder]
                for place in found.values()
                if place.folder in self._known
            }
        return _distinct([found[name] for name in sorted(found)])

    def named(self, name: str) -> Place | None:
        """The configuration of a run, by the run's name."""
        return next((place for place in self.all() if place.name == name), None)

    def _folders(self) -> dict[str, str]:
        """Folders to look into, by name."""
        if time.monotonic() >= self._walk_at:
            begin = time.monotonic()
            self._walked = self._walk()
            self._walk_at = time.monotonic() + max(_WALK_S, _WALK_SHARE * (time.monotonic() - begin))
        found = dict(self._walked)
        roots = [os.path.realpath(logdir.path) for logdir in self.board.logdirs]
        for number, (root, logdir) in enumerate(zip(roots, self.board.logdirs, strict=True)):
            if os.path.isdir(root):
                found[logdir.name or "."] = root
            for run in self.board.store.ordered_runs():
                if run.found.logdir != number or run.found.refusal or not os.path.isdir(run.found.folder):
                    continue
                folder, name = run.found.folder, run.name
                while folder.startswith(root + os.sep) and name not in found:
                    found[name] = folder
                    folder, name = os.path.dirname(folder), name.rpartition("/")[0]
        return found

    def _walk(self) -> dict[str, str]:
        found = {}
        left = MOST_FOLDERS
        for logdir in self.board.logdirs:
            root = os.path.realpath(logdir.path)
            for folder, _, files in os.walk(root):
                left -= 1
                if left < 0:
                    return found
                if CONFIG in files:
                    inner = os.path.relpath(folder, root).replace(os.sep, "/")
                    parts = [part for part in (logdir.name, inner) if part and part != "."]
                    found[shown("/".join(parts)) or "."] = folder
        return found

    def _read(self, name: str, folder: str) -> Place | None:
        path = os.path.join(folder, CONFIG)
        try:
            status = os.stat(asset_path(folder, CONFIG))
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(f"{CONFIG} is not a regular file")
        except OSError:
            return None
        except ValueError as error:
            return Place(run_id(name), name, folder, problem=f"{name}: {error}")
        known = self._known.get(folder)
        if known is not None and known[0] == signature(status) and known[1].name == name:
            return known[1]
        place = Place(run_id(name), name, folder)
        try:
            if status.st_size > MOST_CONFIG_BYTES:
                raise ValueError(
                    f"the projector expected a configuration of at most {MOST_CONFIG_BYTES} bytes in {path!r}; "
                    f"got {status.st_size}"
                )
            place.embeddings = _once(read_embeddings(folder))
            place.checkpoint = read_config(folder).model_checkpoint_path
        except (OSError, ValueError) as error:
            place.problem = f"{name}: {error}"
        self._known[folder] = signature(status), place
        return place


def _distinct(places: list[Place]) -> list[Place]:
    """The places without what another names by step: Keras has the newest of these in the log folder, too."""
    steps = {_vectors(place, info) for place in places for info in place.embeddings if info.step is not None}
    kept = []
    for place in places:
        own = [e for e in place.embeddings if e.step is not None or _vectors(place, e) not in steps]
        if len(own) == len(place.embeddings):
            kept.append(place)
        elif own or place.problem:
            kept.append(replace(place, embeddings=own))
    return kept


def _vectors(place: Place, info: Embedding) -> str:
    """The file of vectors that a configuration names; "" if they are in a checkpoint."""
    return info.vectors and os.path.normpath(os.path.join(place.folder, info.vectors))


def _once(found: list[Embedding]) -> list[Embedding]:
    """Each name and step once, the first; one without a name is called as its file is, as TensorBoard does."""
    kept: dict[tuple[str, int | None], Embedding] = {}
    for info in found:
        name = info.name or os.path.basename(info.vectors)
        kept.setdefault((name, info.step), info._replace(name=name))
    return list(kept.values())
