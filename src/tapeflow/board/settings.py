"""The board's sidecar: labels, notes, colours, what is hidden or pinned. It never lies in a log folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import threading
from typing import Any, cast

import orjson

from tapeflow.board.logdirs import Logdir
from tapeflow.board.notes import REFUSALS
from tapeflow.board.schema import Note, Settings

MOST_BYTES = 1 << 20
MOST_LEVELS = 64
_RULES: dict[str, tuple[type, int]] = {
    "label": (str, 500),
    "note": (str, 20_000),
    "color": (str, 50),
    "hidden": (bool, 0),
    "pinned": (bool, 0),
}


def settings_path(logdirs: list[Logdir]) -> str:
    """The usual place: one file for each set of log folders, below XDG_DATA_HOME or ~/.local/share."""
    base = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    key = hashlib.blake2s(digest_size=8)
    for logdir in logdirs:
        key.update(os.fsencode(f"{logdir.name}\0{os.path.realpath(logdir.path)}\0"))
    return os.path.join(base, "tapeflow", "board", f"settings-{key.hexdigest()}.json")


class Refused(Exception):
    """Settings that may not be written, or are none; `status` is the answer's."""

    def __init__(self, status: int, words: str | Note) -> None:
        self.note = None if isinstance(words, str) else words
        super().__init__(words if self.note is None else self.note["text"])
        self.status = status


class SettingsFile:
    """Settings in a file, written at every change."""

    def __init__(self, path: str, read_only: bool) -> None:
        self.path = os.path.abspath(path)
        self.read_only = read_only
        self.version = 0
        self._lock = threading.Lock()
        self._settings = self._load({"runs": {}, "page": {}})

    def get(self) -> Settings:
        """The settings as they are."""
        return self._settings

    def merge(self, patch: Any) -> Settings:
        """Apply a JSON merge patch (RFC 7396) and keep the result.

        Raises:
            Refused: it may not be written, or would not be settings.
        """
        if self.read_only:
            raise Refused(403, REFUSALS("read_only"))
        if _is_deeper(patch, MOST_LEVELS):
            raise Refused(
                400, f"settings expected at most {MOST_LEVELS} levels of objects and lists; got more"
            )
        with self._lock:
            kept = self._load(self._settings)  # another board may have changed the file
            checked = _checked(_merged(kept, patch), kept)
            data = orjson.dumps(checked, option=orjson.OPT_INDENT_2)
            if len(data) > MOST_BYTES:
                raise Refused(400, f"settings expected at most {MOST_BYTES} bytes; got {len(data)}")
            try:
                self._write(data)
            except OSError as error:
                note = REFUSALS("unwritable", path=self.path, error=error.strerror or "")
                raise Refused(500, note) from None
            self._settings = checked
            self.version += 1
            return checked

    def _write(self, data: bytes) -> None:
        folder = os.path.dirname(self.path)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=folder)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(self.path, part)  # others may be meant to read it
            os.replace(part, self.path)
        except OSError:
            os.unlink(part)
            raise

    def _load(self, otherwise: Settings) -> Settings:
        """What is in the file, or something else if that cannot be read or is no settings."""
        try:
            with open(self.path, "rb") as file:
                found = orjson.loads(file.read(MOST_BYTES * 2))
            return _checked(found, found)
        except (OSError, ValueError, Refused):
            return otherwise


def _merged(old: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), value)
    return merged


def _is_deeper(found: Any, levels: int) -> bool:
    inner = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return bool(inner) and (not levels or any(_is_deeper(one, levels - 1) for one in inner))


def _checked(found: Any, kept: Any) -> Settings:
    """Settings, or a refusal that says what is wrong with them.

    Names that are not known are nevertheless left where they are `kept`: a later version has written them.
    """
    if not isinstance(found, dict):
        raise Refused(400, f"settings expected an object; got {type(found).__name__}")
    strange = found.keys() - {"runs", "page"} - kept.keys()
    if strange:
        raise Refused(400, f"settings expected 'runs' and 'page'; got {sorted(strange)[0]!r}")
    runs, page = found.get("runs", {}), found.get("page", {})
    if not isinstance(runs, dict) or not isinstance(page, dict):
        raise Refused(400, "settings expected objects as 'runs' and 'page'")
    for run, settings in runs.items():
        if not isinstance(settings, dict):
            raise Refused(400, f"settings expected an object for run {run!r}; got {settings!r}")
        known = kept.get("runs", {}).get(run, {})
        for name, value in settings.items():
            if name not in _RULES and name in known:
                continue
            kind, most = _RULES.get(name, (None, 0))
            if kind is None:
                raise Refused(400, f"settings expected one of {', '.join(_RULES)} for a run; got {name!r}")
            if not isinstance(value, kind) or (kind is str and len(value) > most):
                rule = f"at most {most} characters" if kind is str else "true or false"
                raise Refused(400, f"settings expected {rule} as {name!r}; got {value!r:.80}")
    return cast("Settings", {**found, "runs": {r: s for r, s in runs.items() if s}, "page": page})
