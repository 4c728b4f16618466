"""`RemoteMonitor`: send each epoch's logs to a server."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
import warnings
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any

import numpy as np

from tapeflow.keras.callbacks.callback import Callback

TIMEOUT_S = 10.0


class RemoteMonitor(Callback):
    """Posts the logs of every epoch to `root + path`. If that fails, it warns once and training continues.

    Args:
        root: the server's address.
        path: where on the server.
        field: the name of the form field that holds the logs as JSON, unless `send_as_json`.
        headers: HTTP headers to add.
        send_as_json: whether the body is the JSON itself instead of a form.
    """

    def __init__(
        self,
        root: str = "http://localhost:9000",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: Mapping[str, str] | None = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root = root
        self.path = path
        self.field = field
        self.headers = headers
        self.send_as_json = send_as_json
        self.has_warned = False

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        text = json.dumps({"epoch": epoch, **(logs or {})}, default=_as_json)
        if self.send_as_json:
            body, kind = text, "application/json"
        else:
            body, kind = urllib.parse.urlencode({self.field: text}), "application/x-www-form-urlencoded"
        headers = {"Content-Type": kind, **(self.headers or {})}
        try:
            request = urllib.request.Request(self.root + self.path, body.encode(), headers, method="POST")
            urllib.request.urlopen(request, timeout=TIMEOUT_S).close()
        except (OSError, HTTPException, ValueError) as error:
            if not self.has_warned:
                self.has_warned = True
                warnings.warn(
                    f"Could not reach RemoteMonitor root server at {self.root}: {error}. Training goes on.",
                    stacklevel=2,
                )


def _as_json(value: object) -> Any:
    """What JSON has no form for: numpy values as numbers and lists, the rest as text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
