"""Reading runs into the store, newest first and several at once, and watching them grow.

One thread looks at the folders and files again and again; what has changed is read by a few others. Looking is
cheap (a `stat` a file), works on every file system, network ones included, and takes at most a tenth of the time.

At first the checksums of lengths alone are looked at, so that everything is on the page soon. Those of the data
follow when all has been read; a run in which one is wrong is read again with both.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from tapeflow.board.decoding import decoded
from tapeflow.board.index import Answers, Index
from tapeflow.board.logdirs import FileStatus, FoundRun, Leaves, find_runs, shown
from tapeflow.board.notes import RUNS
from tapeflow.board.outline import outlines_of
from tapeflow.board.panels import panel_of
from tapeflow.board.runs import Run, signature
from tapeflow.board.schema import Note
from tapeflow.board.snapshot import Opened
from tapeflow.board.store import Store
from tapeflow.summary.event_files.reader import EventFileReader

_THREADS = min(4, (os.cpu_count() or 1) + 1)
_WALK_S = 1.0  # how often folders are looked through, at most
_REST = 9  # times as long as a look took is waited before the next
_SAVE_S = 10.0
FEWEST_RUNS = 200  # for which a snapshot is kept: the index of each is opened soon enough
MOST_LOADED = 200_000  # series in memory; points of more stay in the index
_UNLOAD_RUNS = 500  # that have come into memory, after which it is looked whether there are too many
_FULL_WALK_S = 30.0  # after which folders are looked through though their times tell of nothing new
_SNAPSHOT_S = 60.0  # between two snapshots, or so many times as long as one took
_SNAPSHOT_REST = 50
RETRY_S = 5.0  # after which a run that could not be read is tried again, unless it changes before
_ATTEMPTS = 5  # at a run that is replaced while it is read
_log = logging.getLogger("tapeflow.board")


class Ingest:
    """Keeps a store up to date.

    Args:
        store: where it all goes.
        index: what an earlier start has read already.
        answers: what makes the answers that are kept with it, by name.
        interval_s: how often files are looked at.

    Attributes:
        at_looks: called each time the files are looked at.
    """

    def __init__(
        self, store: Store, index: Index, interval_s: float = 0.2, answers: Answers | None = None
    ) -> None:
        self.store = store
        self.index = index
        self.answers = answers or {}
        self.interval_s = interval_s
        self.at_looks: list[Callable[[], None]] = []
        self._stopping = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="board-watch", daemon=True)
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="board-read")
        self._busy: set[str] = set()
        self._is_verifying = False
        store.let_go = self._let_go
        self._loaded = 0
        self._is_unloading = False
        self._leaves: Leaves = {}
        self._known: Opened | None = None
        self._kept_state, self._snapshot_at = (0, 0, 0), 0.0

    def start(self) -> None:
        """Begin to look and read, with what is known from the last start."""
        self._known = self.index.open_snapshot(self.store, self._loader)
        if self._known is not None:
            self.store.prepare(self._known.answers, self._known.sizes, self._known.run_total)
        self._watcher.start()

    def read_once(self) -> None:
        """Read everything there is, checksums and all, and return when it is done."""
        found = find_runs(self.store.logdirs)
        self._compare(found, is_checked=True)
        for one in found.values():
            for _ in range(_ATTEMPTS):
                run = self.store.runs[one.id]
                if run.state != "waiting":
                    break
                self._read_run(run)

    def stop(self) -> None:
        """End, and keep what has been read for the next start."""
        self._stopping.set()
        self.store.opened.set()
        if self._watcher.ident is not None:
            self._watcher.join()
        self._pool.shutdown(cancel_futures=True)
        for run in self.store.ordered_runs():
            self.index.save(run)
        self._save_snapshot()

    # Looking

    def _put_known(self) -> None:
        """Begin with the runs of the snapshot. What tells of all of them has been given out meanwhile."""
        known, self._known = self._known, None
        if known is None:
            return
        try:
            found = known.make()
        except ValueError as error:
            _log.debug("a snapshot is not used: %s", error)
            with self.store.lock:
                self.store.runs_version += 1  # its answers do not hold, either
            self.store.put([])
            return
        self.store.put(found.runs)
        self._leaves = found.leaves
        self._kept_state = self._state()

    def _watch(self) -> None:
        self._put_known()
        walk_at = 0.0
        save_at, full_walk_at = time.monotonic() + _SAVE_S, time.monotonic() + _FULL_WALK_S
        found: dict[str, FoundRun] = {}
        while not self._stopping.is_set():
            begin = time.monotonic()
            if begin >= walk_at:
                if begin >= full_walk_at:
                    self._leaves = {}
                    full_walk_at = begin + _FULL_WALK_S
                try:
                    found = find_runs(self.store.logdirs, self._leaves)
                except OSError as error:  # one look fails, the next may not
                    _log.warning("the log folders cannot be looked through: %s", error)
                self._compare(found)
                walk_at = time.monotonic() + max(_WALK_S, _REST * (time.monotonic() - begin))
            else:
                _look_again(found)
            for one in sorted(found.values(), key=_written_at, reverse=True):
                self._take_up(one)
            for call in self.at_looks:
                call()
            if not self._busy:
                self._do_later_work(begin >= save_at)
                save_at = begin + _SAVE_S if begin >= save_at else save_at
            self._stopping.wait(max(self.interval_s, _REST * (time.monotonic() - begin)))

    def _compare(self, found: dict[str, FoundRun], is_checked: bool = False) -> None:
        """Take in the runs that are new, and let go of those that are not there any more."""
        store = self.store
        with store.lock:
            for run_id in store.runs.keys() - found.keys():
                store.changed(store.runs.pop(run_id), begun_anew=True)
            for run_id in found.keys() - store.runs.keys():
                store.runs[run_id] = Run(found[run_id], is_checked=is_checked)
                store.changed(store.runs[run_id])
            if not store.is_looked_through:
                store.is_looked_through = True
                store.notices_changed()  # there may be nothing else that has changed

    def _take_up(self, found: FoundRun) -> None:
        """Have a run read if there is something to read."""
        run = self.store.runs.get(found.id)
        if run is None or found.id in self._busy:
            return
        run.found = found
        if found.refusal:
            if run.failure != found.refusal:
                self._begin_anew(run)  # what was read of it is no longer in the log folder
        elif run.state == "waiting" or run.seen != {p: signature(s) for p, s in found.files.items()}:
            self._submit(run)
        elif run.state == "broken" and time.monotonic() >= run.retry_at:
            run.seen = {}
            self._submit(run)
        elif run.is_live != run.was_live or run.has_new_profiles():
            with self.store.lock:
                self.store.changed(run)

    def _do_later_work(self, is_time_to_save: bool) -> None:
        """What can wait until everything has been read."""
        if is_time_to_save:
            for run in self.store.ordered_runs():
                if run.bytes_read > run.bytes_saved * 1.1:
                    self.index.save(run)
            if time.monotonic() >= self._snapshot_at and self.store.is_read:
                self._save_snapshot()
        todo = [run for run in self.store.ordered_runs() if run.unchecked]
        if todo and not self._is_verifying:
            self._is_verifying = True
            self._pool.submit(self._verify, todo).add_done_callback(self._verified)

    def _save_snapshot(self) -> None:
        """Keep what is known of all runs, if there are many, and it is not what was kept last."""
        state = self._state()
        if len(self.store.runs) < FEWEST_RUNS or state == self._kept_state:
            return
        begin = time.monotonic()
        self.index.save_snapshot(self.store, self._leaves, self.answers)
        self._kept_state = state
        took_s = time.monotonic() - begin
        self._snapshot_at = time.monotonic() + max(_SNAPSHOT_S, _SNAPSHOT_REST * took_s)

    def _state(self) -> tuple[int, int, int]:
        """What differs if a snapshot would: the runs, how many are judged, and how many have yet to be checked."""
        with self.store.lock:
            runs = list(self.store.runs.values())
            is_judged = [run.judged == run.points for run in runs]
            return self.store.runs_version, sum(is_judged), sum(bool(run.unchecked) for run in runs)

    # Points that are in memory, and those that are only in the index

    def _loader(self, run: Run) -> Callable[[], None]:
        return partial(self._load, run)

    def _load(self, run: Run) -> None:
        """Fetch the points of a run from its index; if they are not there any more, it is read anew."""
        with self.store.lock:
            if run.is_loaded:
                return
            kept = self.index.load(run)
            run.loaded()
            if kept is None or not kept.is_of(run):
                self._begin_anew(run)
                return
            for series in kept.series:
                series.panel = panel_of(self.store.panels, series)
            kept.fill(run)
        if self._is_time_to_unload():
            self._pool.submit(self._unload_excess).add_done_callback(self._unloaded)

    def _is_time_to_unload(self) -> bool:
        """Note that a run has come into memory; whether it should be looked if there are too many."""
        self._loaded += 1
        return self._loaded % _UNLOAD_RUNS == 0 and not self._is_unloading and not self._stopping.is_set()

    def _unloaded(self, done: Future[None]) -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            _log.error("letting go of points failed", exc_info=error)

    def _unload_excess(self) -> None:
        """Let go of the points that nobody has asked for for the longest time, where there are very many."""
        runs = [run for run in list(self.store.runs.values()) if run.is_loaded]
        excess = sum(run.series_total for run in runs) - MOST_LOADED
        if self.index.folder is None or excess <= 0:
            return
        self._is_unloading = True
        try:
            with self.store.lock:
                outlines_of(runs)
            for run in sorted(runs, key=lambda run: run.used_at):
                excess -= self._let_go(run)
                if excess <= -MOST_LOADED // 5 or self._stopping.is_set():
                    return
        finally:
            self._is_unloading = False

    def _let_go(self, run: Run) -> int:
        """Let go of the points of a run if they are all in the index then; how many series that were."""
        is_needed = run.state != "ready" or run.is_live or run.is_checked or run.id in self._busy
        if is_needed or not run.is_loaded or self.index.folder is None:
            return 0
        self.index.save(run)
        with self.store.lock:
            if run.bytes_saved != run.bytes_read or run.judged != run.judged_saved or not run.is_loaded:
                return 0
            count = run.series_total
            self.store.unload(run, self._loader(run))
        return count

    # Reading

    def _submit(self, run: Run) -> None:
        self._busy.add(run.id)
        self._pool.submit(self._read_run, run).add_done_callback(lambda done: self._finish(run, done))

    def _finish(self, run: Run, done: Future[None]) -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            # A fault of ours: it must be seen, and must not end the reading of the other runs.
            _log.error("reading run %r failed", run.name, exc_info=error)
            self._fail(run, RUNS("failed", error=f"{type(error).__name__}: {error}"))
        self._busy.discard(run.id)
        if self._is_time_to_unload():
            self._unload_excess()  # here and now: what waits to be read waits for it

    def _read_run(self, run: Run) -> None:
        store, files = self.store, dict(run.found.files)
        run.load()
        if store.runs.get(run.id) is not run:
            return  # its index is gone: it has begun anew
        if run.state == "waiting":
            kept = self.index.load(run)
            with store.lock:
                run.state = "loading"
                if kept is not None:
                    kept.fill(run)
                store.changed(run, run.series())
        if run.readers.keys() - files.keys():
            self._begin_anew(run)  # a file has gone
            return
        for path, status in files.items():
            if run.seen.get(path) == signature(status):
                continue
            run.seen[path] = signature(status)
            try:
                if not self._read_file(run, path):
                    return
            except OSError as error:
                self._fail(
                    run,
                    RUNS("file_unreadable", file=shown(os.path.basename(path)), error=error.strerror or ""),
                )
                return
        with store.lock:
            if run.state == "loading":
                for series in run.series():
                    series.columns.trim()
            run.state, run.failure = "ready", None
            store.changed(run)

    def _read_file(self, run: Run, path: str) -> bool:
        """Read what is new in a file; False if it is another one than before, so that the run begins anew."""
        reader = run.readers.get(path)
        if reader is None:
            reader = run.readers[path] = EventFileReader(path, run.is_checked, follows_links=False)
        for batch in reader.batches():
            if self._stopping.is_set():
                return False
            if batch.is_restart:
                self._begin_anew(run)
                return False
            values = decoded(path, batch)  # before the lock is taken: there may be very many
            with self.store.lock:
                grown = run.take(path, batch, values)
                if run.state == "ready":
                    run.changed_at = time.time()
                self.store.changed(run, grown)
        if not reader.is_checked:
            run.unchecked[path] = reader.offset
            reader.is_checked = True
        return True

    def _begin_anew(self, run: Run, is_checked: bool = False) -> None:
        """Forget what was read of a run; the next look reads it again."""
        fresh = Run(run.found, run.generation + 1, is_checked)
        with self.store.lock:
            if self.store.runs.get(run.id) is run:
                self.store.runs[run.id] = fresh
                self.store.changed(fresh, begun_anew=True)

    def _fail(self, run: Run, reason: Note) -> None:
        with self.store.lock:
            run.state, run.failure = "broken", reason
            run.retry_at = time.monotonic() + RETRY_S
            self.store.changed(run)

    # Checksums

    def _verify(self, runs: list[Run]) -> None:
        """Look at the checksums of data that have not been looked at."""
        for run in runs:
            try:
                is_right = self._is_right(run)
            except OSError:
                run.unchecked = {}  # it can be read no more: reading says so
                continue
            if not is_right:
                self._begin_anew(run, is_checked=True)
            if self._stopping.is_set():
                return

    def _is_right(self, run: Run) -> bool:
        """Whether all checksums of a run are; half of the time is left to others."""
        for path, until in list(run.unchecked.items()):
            known = {(d.offset, d.offset + d.nbytes) for d in run.damages if d.path == path}
            begin = time.monotonic()
            for lost in EventFileReader(path, follows_links=False).lost_stretches(until):
                if self._stopping.wait(time.monotonic() - begin):
                    return True  # the index keeps that it is not known
                if any(stretch not in known for stretch in lost):
                    return False
                begin = time.monotonic()
            run.unchecked.pop(path, None)
        return True

    def _verified(self, done: Future[None]) -> None:
        self._is_verifying = False
        if not done.cancelled() and (error := done.exception()) is not None:
            _log.error("verifying checksums failed", exc_info=error)


def _look_again(found: dict[str, FoundRun]) -> None:
    for one in found.values():
        for path in one.files:
            try:
                one.files[path] = FileStatus.of(os.stat(path, follow_symlinks=False))
            except OSError:
                continue  # for the next walk to find out


def _written_at(found: FoundRun) -> float:
    return max((status.st_mtime for status in found.files.values()), default=0.0)
