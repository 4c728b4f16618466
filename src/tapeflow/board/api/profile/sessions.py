"""The profiles of runs: their files, and what was read of the last few."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tapeflow.board.answers import Refusal, argument
from tapeflow.board.board import Board
from tapeflow.board.runs import Run
from tapeflow.summary.profile.profiles import Profile, hosts_of

MOST_KEPT = 4


class ProfileSession(NamedTuple):
    """One host's part of a profile; `version` differs when its files have changed."""

    run: Run
    name: str
    host: str
    version: str
    profile: Profile

    @property
    def xplane(self) -> str:
        """Where its events are."""
        return os.path.join(self.profile.path, f"{self.host}.xplane.pb")


class Sessions:
    """Finds profiles, and keeps those asked for last: reading one takes a while, and a page asks for parts of it."""

    def __init__(self, board: Board) -> None:
        self.store = board.store
        self._kept: OrderedDict[tuple[str, ...], Profile] = OrderedDict()
        self._lock = threading.Lock()
        self._reading: dict[tuple[str, ...], threading.Lock] = {}

    def asked_for(self, request: Request) -> ProfileSession:
        """The one that `run` (an id), `session` and, if there are several, `host` in the query name."""
        run_id, name = argument(request, "run"), argument(request, "session")
        run = self.store.runs.get(run_id)
        if run is None or name not in run.found.profiles:
            raise Refusal(404, "no_profile", run=run_id, session=name)
        return self.of(run, name, request.query_params.get("host", ""))

    def of(self, run: Run, name: str, host: str = "") -> ProfileSession:
        """A profile of a run, of its first host unless another is named."""
        files = run.found.profiles.get(name, {})
        hosts = hosts_of(os.path.basename(path) for path in files)
        if not hosts or (host and host not in hosts):
            raise HTTPException(
                404, f"profile {name!r} expected a host of {', '.join(hosts)}; got host={host!r}"
            )
        folder, host = os.path.dirname(next(iter(files))), host or hosts[0]
        version = run.profiles().get(name, "")
        try:
            return ProfileSession(run, name, host, version, self._kept_or_read(folder, host, version))
        except OSError as error:
            raise Refusal(404, "profile_unreadable", session=name, error=error.strerror or "") from None

    def _kept_or_read(self, folder: str, host: str, version: str) -> Profile:
        key = (folder, host, version)
        with self._lock:
            reading = self._reading.setdefault(key, threading.Lock())
        with reading:  # two who ask for the same have it read once
            found = self._kept.get(key)
            if found is None:
                found = Profile(Path(folder), host, follows_links=False)
                found.damages  # noqa: B018 - reads the files
            with self._lock:
                for stale in [k for k in self._kept if k[:2] == key[:2] and k != key]:
                    del self._kept[stale]
                self._kept[key] = found
                self._kept.move_to_end(key)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
                self._reading.pop(key, None)
        return found


_by_board: WeakKeyDictionary[Board, Sessions] = WeakKeyDictionary()


def sessions_of(board: Board) -> Sessions:
    """The profiles of a board, the same for all who ask."""
    return _by_board.setdefault(board, Sessions(board))
