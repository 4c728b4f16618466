"""The board's sidecar: labels, notes, colours, tags, what is archived or pinned. It never lies in a log folder.

Several boards may share the file. Each changes it under a lock, starting from what is in it, and puts the result in its
place at once, so that no change is lost and the file is whole at any time.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any, cast

import orjson

from tapeflow.board.file_lock import locked
from tapeflow.board.logdirs import Logdir
from tapeflow.board.notes import REFUSALS
from tapeflow.board.schema import Note, Settings

MOST_BYTES = 1 << 20
MOST_LEVELS = 64
LOCK_S = 5.0  # how long a change waits for another one
_RULES: dict[str, tuple[type, int]] = {
    "label": (str, 500),
    "note": (str, 20_000),
    "color": (str, 50),
    "tags": (list, 50),
    "hidden": (bool, 0),
    "pinned": (bool, 0),
    "starred": (bool, 0),
    "on_top": (bool, 0),
}
_MOST_TAG = 100  # characters


def settings_path(logdirs: list[Logdir]) -> str:
    """The usual place: one file for each set of log folders, below XDG_DATA_HOME or ~/.local/share."""
    base = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    key = hashlib.blake2s(digest_size=8)
    for logdir in logdirs:
        place = logdir.address or os.path.realpath(logdir.path)
        key.update(os.fsencode(f"{logdir.name}\0{place}\0"))
    return os.path.join(base, "tapeflow", "board", f"settings-{key.hexdigest()}.json")


class Refused(Exception):
    """Settings that may not be written, or are none; `status` is the answer's."""

    def __init__(self, status: int, words: str | Note) -> None:
        self.note = None if isinstance(words, str) else words
        super().__init__(words if self.note is None else self.note["text"])
        self.status = status


class SettingsFile:
    """Settings in a file, written at every change.

    Attributes:
        version: another number whenever the settings are others.
    """

    def __init__(self, path: str, read_only: bool) -> None:
        self.path = os.path.abspath(path)
        self.read_only = read_only
        self.version = 0
        self._lock = threading.Lock()
        self._settings: Settings = {"runs": {}, "page": {}}
        self._signature: tuple[int, ...] = ()
        self.refresh()

    def get(self) -> Settings:
        """The settings as they are in the file."""
        self.refresh()
        return self._settings

    def refresh(self) -> bool:
        """Take up what another board has written; whether there was anything.

        What is in a file that cannot be read, or holds no settings, is as if it were not there.
        """
        if self._signature == self._looked_at() or not self._lock.acquire(blocking=False):
            return False
        try:
            return self._take(self._read())
        except (OSError, ValueError, Refused):
            return False
        finally:
            self._lock.release()

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
        try:
            with self._alone():
                kept = self._kept()
                checked = _checked(_merged(kept, patch), kept)
                data = orjson.dumps(checked, option=orjson.OPT_INDENT_2)
                if len(data) > MOST_BYTES:
                    raise Refused(400, f"settings expected at most {MOST_BYTES} bytes; got {len(data)}")
                self._write(data)
                self._signature = self._looked_at()
                self._take(checked)
                return checked
        except OSError as error:
            note = REFUSALS("unwritable", path=self.path, error=error.strerror or "")
            raise Refused(503 if isinstance(error, TimeoutError) else 500, note) from None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Be the only one, of all threads and boards, to change the file."""
        until = time.monotonic() + LOCK_S
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        if not self._lock.acquire(timeout=LOCK_S):
            raise TimeoutError(errno.ETIMEDOUT, "another change is being written")
        try:
            with locked(f"{self.path}.lock", until):
                yield
        finally:
            self._lock.release()

    def _write(self, data: bytes) -> None:
        folder, name = os.path.split(self.path)
        descriptor, part = tempfile.mkstemp(".part", f"{name}.", folder)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)  # or a crash of the machine may leave an empty file
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(self.path, part)  # others may be meant to read it
            os.replace(part, self.path)
        except OSError:
            os.unlink(part)
            raise

    def _kept(self) -> Settings:
        """What a change starts from: what is in the file, or the last that was, if it has been removed.

        A file that holds something else is not overwritten: somebody is editing it, or it is not ours.
        """
        try:
            return self._read()
        except FileNotFoundError:
            return self._settings
        except (ValueError, Refused):
            raise OSError(errno.EINVAL, "it holds something else; move it away") from None

    def _read(self) -> Settings:
        with open(self.path, "rb") as file:
            data = file.read(MOST_BYTES * 2)
            self._signature = _signature(os.fstat(file.fileno()))
        found = orjson.loads(data or b"{}")
        if _is_deeper(found, MOST_LEVELS):
            raise ValueError("too many levels")
        return _checked(found, found)

    def _take(self, settings: Settings) -> bool:
        is_new = settings != self._settings
        self._settings = settings
        self.version += is_new
        return is_new

    def _looked_at(self) -> tuple[int, ...]:
        """What differs if the file is another one, or has been changed."""
        try:
            found = os.stat(self.path)
        except OSError:
            return ()
        return _signature(found)


_RULE = {
    str: "at most {} characters",
    list: f"at most {{}} texts of at most {_MOST_TAG} characters",
    bool: "true or false",
}


def _is_right(value: Any, kind: type, most: int) -> bool:
    if not isinstance(value, kind):
        return False
    if isinstance(value, list):
        return len(value) <= most and all(isinstance(one, str) and len(one) <= _MOST_TAG for one in value)
    return not isinstance(value, str) or len(value) <= most


def _signature(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


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
            if not _is_right(value, kind, most):
                raise Refused(
                    400, f"settings expected {_RULE[kind].format(most)} as {name!r}; got {value!r:.80}"
                )
    return cast("Settings", {**found, "runs": {r: s for r, s in runs.items() if s}, "page": page})
