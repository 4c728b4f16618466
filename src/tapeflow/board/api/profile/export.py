"""What a saved page needs to show profiles without a server."""

from __future__ import annotations

from starlette.exceptions import HTTPException

from tapeflow.board.api.profile.overview import overview_of
from tapeflow.board.api.profile.sessions import sessions_of
from tapeflow.board.api.profile.timeline import message
from tapeflow.board.board import Board
from tapeflow.board.media import encoded

MOST_PROFILES = 20
MOST_EVENTS = 20_000


def exports(board: Board) -> dict[str, object]:
    """The latest profiles: what they say, and their events, cut to a few."""
    sessions = sessions_of(board)
    all_of_them = [(name, run) for run in board.store.ordered_runs() for name in run.found.profiles]
    answers: dict[str, object] = {}
    for name, run in sorted(all_of_them, key=lambda one: one[0])[-MOST_PROFILES:]:
        try:
            hosts = sessions.of(run, name).profile.hosts
            for host in ["", *(hosts if len(hosts) > 1 else [])]:  # the page names none until the user does
                session = sessions.of(run, name, host)
                query = f"?run={run.id}&session={encoded(name)}&host={encoded(host)}"
                events = message(session.profile.trace, None, None, MOST_EVENTS)
                answers[f"api/v1/profile/overview{query}"] = overview_of(session)
                answers[f"api/v1/profile/timeline{query}"] = events
        except HTTPException:
            continue  # gone meanwhile
    return answers
