"""Passing alerts on to an address that the user named on the command line, and to no other."""

from __future__ import annotations

import http.client
import logging
import queue
import ssl
import threading
import urllib.parse

import orjson

from tapeflow.board.runs import Run
from tapeflow.board.schema import Alert

TIMEOUT_S = 5.0
_MOST_WAITING = 100
_LEVELS = ("warning", "error")
_log = logging.getLogger("tapeflow.board")


def checked(url: str) -> str:
    """An address alerts may be posted to.

    Raises:
        ValueError: it is none.
    """
    parts = urllib.parse.urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or port == -1
        or any(c <= " " for c in url)
    ):
        raise ValueError(f"--webhook expected an address like https://host/path; got {url!r}.")
    return url


class Webhook:
    """Posts alerts as JSON, one after the other; redirections are not followed.

    The body has a `text`, which Slack, Mattermost and Discord's Slack route show, and the alert's fields.
    """

    def __init__(self, url: str) -> None:
        self._url = urllib.parse.urlsplit(checked(url))
        self._waiting: queue.Queue[bytes | None] = queue.Queue(_MOST_WAITING)
        self._is_failing = False
        self._thread = threading.Thread(target=self._post_all, name="board-webhook", daemon=True)
        self._thread.start()

    def __call__(self, run: Run, alert: Alert) -> None:
        """Have an alert posted, unless it is for information only; what is too much is dropped."""
        if alert["level"] not in _LEVELS:
            return
        text = f"{run.name}: {alert['note']['text']}"
        body = {"text": text, "run": run.name, **alert, "message": alert["note"]["text"]}
        del body["note"]
        try:
            self._waiting.put_nowait(orjson.dumps(body))
        except queue.Full:
            self._fail("too many alerts are waiting")

    def close(self) -> None:
        """Post what waits, for a few seconds at most."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(TIMEOUT_S)

    def _post_all(self) -> None:
        while (body := self._waiting.get()) is not None:
            try:
                self._post(body)
                self._is_failing = False
            except (OSError, http.client.HTTPException) as error:
                self._fail(str(error))

    def _post(self, body: bytes) -> None:
        url, host = self._url, self._url.hostname or ""
        if url.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, url.port, timeout=TIMEOUT_S, context=context)
        else:
            connection = http.client.HTTPConnection(host, url.port, timeout=TIMEOUT_S)
        target = urllib.parse.urlunsplit(("", "", url.path or "/", url.query, ""))
        headers = {"Content-Type": "application/json", "User-Agent": "tapeflow-board"}
        try:
            connection.request("POST", target, body, headers)
            answer = connection.getresponse()
            answer.read(1 << 16)
            if answer.status >= 300:
                raise http.client.HTTPException(f"it answered {answer.status}")
        finally:
            connection.close()

    def _fail(self, reason: str) -> None:
        if not self._is_failing:
            _log.warning("alerts could not be posted to %s: %s", self._url.hostname, reason)
        self._is_failing = True
