"""The routes of XProf, TensorBoard's profile plugin, that give what a trace holds.

Of its tools there is `trace_viewer`: Chrome's trace events, which ui.perfetto.dev reads, too. What else XProf computes
is on the board's own page, and in its own form in `api/v1/profile`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import argument, json_answer
from tapeflow.board.api.profile.overview import type_of
from tapeflow.board.api.profile.sessions import ProfileSession, sessions_of
from tapeflow.board.board import Board
from tapeflow.board.logdirs import run_id
from tapeflow.summary.profile.trace import Trace

TOOLS = ("trace_viewer",)
_BATCH = 20_000
_HEAD = b'{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":['


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""
    sessions = sessions_of(board)

    def runs(request: Request) -> Response:
        del request
        found = [_named(r.name, name) for r in board.store.ordered_runs() for name in r.found.profiles]
        return json_answer(sorted(found, reverse=True))

    def asked_for(request: Request) -> ProfileSession:
        whole = argument(request, "run")
        name, _, session = whole.rstrip("/").rpartition("/")
        run = board.store.runs.get(run_id(name or "."))
        if run is None or session not in run.found.profiles:
            raise HTTPException(404, f"there is no profile run={whole!r}; data/plugin/profile/runs has all")
        return sessions.of(run, session, request.query_params.get("host", ""))

    def tools(request: Request) -> Response:
        asked_for(request)
        return json_answer(TOOLS)

    def hosts(request: Request) -> Response:
        return json_answer([{"hostname": host} for host in asked_for(request).profile.hosts])

    def data(request: Request) -> Response:
        tool = request.query_params.get("tool", request.query_params.get("tag", ""))
        if tool.rstrip("@") not in TOOLS:
            raise HTTPException(
                404, f"data/plugin/profile/data expected tool={TOOLS[0]}; got tool={tool!r:.80}"
            )
        trace = asked_for(request).profile.trace
        return StreamingResponse(trace_events(trace), media_type="application/json")

    return [
        Route("/profile/runs", runs),
        Route("/profile/run_tools", tools),
        Route("/profile/hosts", hosts),
        Route("/profile/data", data),
    ]


def _named(run: str, session: str) -> str:
    return session if run == "." else f"{run}/{session}"


def trace_events(trace: Trace) -> Iterator[bytes]:
    """All events in Chrome's form. Threads are numbered from 1 on; times are microseconds."""
    processes = {name: i for i, name in enumerate(dict.fromkeys(t.process for t in trace.tracks), 1)}
    about: list[dict[str, Any]] = []
    for name, pid in processes.items():
        about.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}})
    for tid, track in enumerate(trace.tracks, 1):
        place = {"ph": "M", "pid": processes[track.process], "tid": tid}
        about.append({**place, "name": "thread_name", "args": {"name": track.name}})
        about.append({**place, "name": "thread_sort_index", "args": {"sort_index": tid}})
    yield _HEAD + orjson.dumps(about)[1:-1]
    steps = {(m.track, m.start_ps, m.duration_ps): str(m.number) for m in trace.marks}
    # What XProf displays: of an op of TensorFlow's its type, with the name beside it.
    names = [type_of(label) if label.kind == "framework" else label.name for label in trace.labels]
    for number, track in enumerate(trace.tracks):
        for begin in range(track.lanes[0], track.lanes[-1], _BATCH):
            rows = slice(begin, min(begin + _BATCH, track.lanes[-1]))
            columns = (trace.starts[rows], trace.durations[rows], trace.label_ids[rows])
            found = []
            for start, duration, label in zip(*map(np.ndarray.tolist, columns), strict=True):
                place = {"ph": "X", "pid": processes[track.process], "tid": number + 1}
                event = {
                    **place,
                    "ts": (trace.origin + start) / 1e6,
                    "dur": duration / 1e6,
                    "name": names[label],
                }
                if trace.labels[label].kind == "framework":
                    event["args"] = {"long_name": trace.labels[label].name}
                elif (step := steps.get((number, start, duration))) is not None:
                    event["args"] = {"step_num": step}
                found.append(event)
            yield b"," + orjson.dumps(found)[1:-1]
    yield b"]}"
