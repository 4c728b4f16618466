"""`tapeflow.board.Client`: what a running board has, for a notebook or a script."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from tapeflow.board import column_messages
from tapeflow.board.schema import Alert, MediaItem, Run
from tapeflow.summary.logs import pandas_for

if TYPE_CHECKING:
    from tapeflow.board.api.runs.schema import RunPage, RunRow, RunsTable

TIMEOUT_S = 60.0


class Client:
    """A board that is being served.

    Args:
        url: the address that `tapeflow board` printed, with the token if there is one in it.
        token: the token, if it is not in the address.

    >>> board = Client("http://127.0.0.1:6006/")
    >>> board.to_pandas().sort_values("hparams.lr")
    >>> board.series("loss", runs=["a/train", "b/train"])
    """

    def __init__(self, url: str, token: str = "") -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(
                f"tapeflow.board.Client expected an address like http://127.0.0.1:6006/; got url={url!r}. Pass the one "
                "that `tapeflow board` printed."
            )
        given = urllib.parse.parse_qs(parts.query).get("token", [""])[0]
        self.token = token or given
        self.url = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + "/", "", ""))

    def __repr__(self) -> str:
        return f"<Client {self.url!r}>"

    def runs(self) -> dict[str, Run]:
        """The runs by name, as the HTTP API gives them."""
        return {run["name"]: run for run in self.get("api/v1/runs")["runs"]}

    def tags(self, panel: str = "scalars") -> list[str]:
        """The tags of a panel."""
        return [entry["tag"] for entry in self.get("api/v1/tags", panel=panel)["panels"][panel]]

    def alerts(self) -> dict[str, list[Alert]]:
        """What is wrong with runs, by their names."""
        return {run["name"]: run["alerts"] for run in self.get("api/v1/alerts/items")["runs"]}

    def to_pandas(self) -> Any:
        """A DataFrame with a row a run: state, start, duration, points, alerts and hyperparameters (`hparams.NAME`)."""
        rows = [
            {
                "run": run["name"],
                "state": run["status"],
                "started": run["start_time"],
                "duration_s": (run["last_time"] or 0.0) - (run["start_time"] or 0.0),
                "points": run["points"],
                "alerts": len(run["alerts"]),
                **{f"hparams.{name}": value for name, value in run["hparams"].items()},
            }
            for run in self.runs().values()
        ]
        return pandas_for("tapeflow.board.Client.to_pandas").DataFrame(rows).set_index("run")

    def series(self, tag: str, runs: Iterable[str] | None = None, pixels: int = 0) -> Any:
        """A scalar as a DataFrame with a row a point: run, step, wall_time, value.

        Args:
            tag: the tag.
            runs: the names of runs; all unless given.
            pixels: 0 for every point, or the width of a plot, for which about two points a pixel are enough.
        """
        pandas = pandas_for("tapeflow.board.Client.series")
        known = self.runs()
        chosen = list(known) if runs is None else list(runs)
        if missing := [name for name in chosen if name not in known]:
            raise KeyError(
                f"{missing[0]!r} is no run of {self.url}; it has {', '.join(map(repr, list(known)[:10]))}."
            )
        series = self.points([(known[name]["id"], tag) for name in chosen], pixels)
        found = [(name, points) for name, points in zip(chosen, series, strict=True) if points is not None]
        if not found:
            raise KeyError(f"no run of {self.url} has a scalar {tag!r}.")
        steps, times, values = (np.concatenate([points[i] for _, points in found]) for i in range(3))
        names = np.repeat(
            np.array([name for name, _ in found], object), [len(points[0]) for _, points in found]
        )
        columns = {"run": names, "step": steps.astype(np.int64), "wall_time": times, "value": values}
        return pandas.DataFrame(columns)

    def points(
        self, series: Sequence[tuple[str, str]], pixels: int = 0
    ) -> list[column_messages.Points | None]:
        """Steps, wall times and values of some series, each named by the id of a run and a tag; None if there is none.

        Args:
            series: ids and tags.
            pixels: as for `series`.
        """
        wanted = [{"run": run, "tag": tag} for run, tag in series]
        message = self._ask("api/v1/scalars/series", {"series": wanted, "pixels": pixels})
        return [None if head["missing"] else points for head, points in column_messages.decode(message)]

    def table(self) -> tuple[RunsTable, list[RunRow], np.ndarray]:
        """The table of all runs: its head, its rows, and their numbers, a row for each column."""
        from tapeflow.board.api.runs.table import rows_of  # start-up

        return rows_of(self._ask("api/v1/runs/table"))

    def page(self, run: str) -> RunPage:
        """All that is known of a run, by its id or that of one of its parts."""
        return self.get("api/v1/runs/page", run=run)

    def items(self, panel: str, run: str, tag: str) -> list[MediaItem]:
        """The steps of pictures, sounds, texts, ... of a tag; `blob` gives what the URLs in them name."""
        found = self.runs().get(run)
        if found is None:
            raise KeyError(f"{run!r} is no run of {self.url}.")
        return self.get(f"api/v1/{urllib.parse.quote(panel, safe='')}/items", run=found["id"], tag=tag)[
            "items"
        ]

    def blob(self, url: str) -> bytes:
        """A picture, a sound or a text, by its URL in `items`."""
        return self._ask(url)

    def get(self, path: str, **query: str) -> Any:
        """Any JSON answer of the HTTP API."""
        return orjson.loads(self._ask(path + (f"?{urllib.parse.urlencode(query)}" if query else "")))

    def _ask(self, path: str, body: object = None) -> bytes:
        url = urllib.parse.urljoin(self.url, path)
        if not url.startswith(self.url):
            raise ValueError(f"tapeflow.board.Client expected a path below {self.url}; got {path!r}.")
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else orjson.dumps(body)
        request = urllib.request.Request(url, data, headers)  # the scheme has been checked
        try:
            with _opener.open(request, timeout=TIMEOUT_S) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise ConnectionError(f"{url} answered {error.code}: {_reason(error.read())}") from None
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionError(
                f"tapeflow.board.Client expected a board at {self.url}; got: {error}. Start one with `tapeflow board`."
            ) from None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows none: another address would be given the token."""

    def redirect_request(
        self, req: object, fp: object, code: int, msg: str, headers: object, newurl: str
    ) -> None:
        """Refuse."""


_opener = urllib.request.build_opener(_NoRedirects)


def _reason(body: bytes) -> str:
    try:
        return str(orjson.loads(body)["error"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return body[:200].decode("utf-8", "replace")
