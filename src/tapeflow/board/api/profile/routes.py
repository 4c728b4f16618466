"""The routes of profiles."""

from __future__ import annotations

import math
from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import json_answer, whole_number
from tapeflow.board.api.profile.overview import overview_of
from tapeflow.board.api.profile.schema import ProfileEvent
from tapeflow.board.api.profile.sessions import sessions_of
from tapeflow.board.api.profile.timeline import MIME, MOST_SENT, message
from tapeflow.board.board import Board
from tapeflow.summary.profile.trace import read_event


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/profile."""
    sessions = sessions_of(board)

    def overview(request: Request) -> Response:
        return json_answer(overview_of(sessions.asked_for(request)), request)

    def timeline(request: Request) -> Response:
        trace = sessions.asked_for(request).profile.trace
        begin, end = _time(request, "begin"), _time(request, "end")
        if begin is not None and end is not None and end <= begin:
            raise HTTPException(
                400, f"profile/timeline expected begin before end; got begin={begin}, end={end}"
            )
        most = min(max(whole_number(request, "most", MOST_SENT), 1), MOST_SENT)
        answer = Response(message(trace, begin, end, most), media_type=MIME)
        answer.headers["Cache-Control"] = "no-cache"
        return answer

    def event(request: Request) -> Response:
        session, index = sessions.asked_for(request), whole_number(request, "index")
        trace = session.profile.trace
        if index >= len(trace):
            raise HTTPException(404, f"the profile has {len(trace)} events; got index={index}")
        number = next(i for i in range(len(trace.tracks)) if index < trace.tracks[i].lanes[-1])
        track, label = trace.tracks[number], trace.labels[trace.label_ids[index]]
        try:
            args = read_event(session.xplane, int(trace.places[index]), track, follows_links=False)
        except (ValueError, OSError) as error:
            raise HTTPException(404, f"the event cannot be read: {error}") from None
        found: ProfileEvent = {
            "name": label.name,
            "kind": label.kind,
            "process": track.process,
            "track": track.name,
            "start": int(trace.starts[index]) / 1000,
            "duration": int(trace.durations[index]) / 1000,
            "args": args,
        }
        return json_answer(found)

    return [Route("/overview", overview), Route("/timeline", timeline), Route("/event", event)]


def _time(request: Request, name: str) -> float | None:
    """Nanoseconds in the query, if they are there."""
    text = request.query_params.get(name)
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) < 1e15:
        raise HTTPException(400, f"profile/timeline expected nanoseconds as {name}; got {name}={text!r:.80}")
    return value
