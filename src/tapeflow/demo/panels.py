"""Whether a board shows what the demo has logged: its page is asked for, and what the page would ask for each panel."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode, urljoin

_TIMEOUT_S = 60.0


class Finding(NamedTuple):
    """What is wrong with a panel, or with the page; with "", what it shows."""

    title: str
    content: str
    trouble: str = ""

    def __str__(self) -> str:
        return f"{self.title}: {self.trouble or self.content}"


class _Unanswered(Exception):
    """A request without an answer; its text says which."""


def findings(url: str) -> Iterator[Finding]:
    """Ask a board that is being served for everything it has a panel for."""
    try:
        _wait_until_read(url)
        yield _page(url)
        panels = _json(url, "api/v1/info")["panels"]
        tags = _json(url, "api/v1/tags")["panels"]
        runs = _json(url, "api/v1/runs")["runs"]
    except _Unanswered as error:
        yield Finding("The page", "", str(error))
        return
    for panel in panels:
        try:
            yield _panel(url, panel["name"], panel["title"], tags[panel["name"]], runs)
        except _Unanswered as error:
            yield Finding(panel["title"], "", str(error))


def _wait_until_read(url: str) -> None:
    end = time.monotonic() + _TIMEOUT_S
    while not _json(url, "api/v1/info")["progress"]["is_done"]:
        if time.monotonic() > end:
            raise _Unanswered(f"the runs were not read within {_TIMEOUT_S:g} seconds")
        time.sleep(0.05)


def _page(url: str) -> Finding:
    """The page, with the scripts and styles it names."""
    page = _ask(url, "").decode()
    parts = re.findall(r'(?:src|href)="(\./[^"]+)"', page)
    if not parts:
        return Finding("The page", "", "names no script; is it built?")
    for part in parts:
        _ask(url, part)
    return Finding("The page", f"{len(parts)} files")


def _panel(
    url: str, name: str, title: str, tags: list[dict[str, Any]], runs: list[dict[str, Any]]
) -> Finding:
    """What the page asks for when a panel is opened, for its first tag."""
    count = 0
    for route, asked in _questions(url, name, tags, runs):
        answer = _ask(url, f"api/v1/{name}/{route}?{urlencode(asked)}")
        if len(answer) <= len("{}"):
            return Finding(title, "", f"api/v1/{name}/{route} answers nothing")
        count += 1 + _ask_for_samples(url, answer)
    if not count:
        return Finding(title, "", "shows nothing of what the demo has logged")
    what = f"{len(tags)} tags in {len({run for tag in tags for run in tag['counts']})} runs, " if tags else ""
    return Finding(title, f"{what}{count} answers")


def _questions(
    url: str, panel: str, tags: list[dict[str, Any]], runs: list[dict[str, Any]]
) -> list[tuple[str, dict[str, Any]]]:
    """The routes of a panel, each with what it is told; none if there is nothing to ask for."""
    # Runs show what all others do; points and profiles are files beside the events: none of them has tags.
    if panel == "runs":
        return [("table", {}), *[("page", {"run": run["id"]}) for run in runs[:1]]]
    if panel == "projector":
        sets = _json(url, "api/v1/projector/sets")["sets"]
        points = [{"run": found["run"], "name": found["name"]} for found in sets]
        return [(route, points[0]) for route in ("facts", "column", "pca")] if points else []
    if panel == "profile":
        places = [{"run": run["id"], "session": name} for run in runs for name in run.get("profiles", ())]
        return [(route, places[0]) for route in ("overview", "timeline")] if places else []
    if panel == "alerts":
        return [("items", {})] if any(run["alerts"] for run in runs) else []
    if not tags:
        return []
    first: dict[str, Any] = {"run": next(iter(tags[0]["counts"])), "tag": tags[0]["tag"]}
    match panel:
        case "scalars":
            return [("download", first)]
        case "histograms":
            return [("items", first), ("steps", first)]
        case "graphs":
            return [("items", first), ("node", first | {"index": 0, "node": 0})]
        case "hparams":
            metrics = _json(url, "api/v1/hparams/sessions")["metrics"]
            wanted = [{"tag": metric["tag"], "group": metric["group"]} for metric in metrics[:1]]
            return [("sessions", {}), *[("importance", metric) for metric in wanted]]
        case "custom_scalars":
            return [("layout", {})]
        case _:
            return [("items", first)]


def _ask_for_samples(url: str, answer: bytes) -> int:
    """Ask for the pictures, sounds or texts of the last step that an answer lists; gives how many there are."""
    try:
        found = json.loads(answer)
        urls = [sample["url"] for sample in found["items"][-1]["samples"]]
    except (ValueError, KeyError, TypeError, IndexError):
        return 0  # an answer of another kind
    for one in urls:
        _ask(url, one)
    return len(urls)


def _json(url: str, path: str) -> Any:
    return json.loads(_ask(url, path))


def _ask(url: str, path: str) -> bytes:
    try:
        with urllib.request.urlopen(urljoin(url, path), timeout=_TIMEOUT_S) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        text = error.read(300).decode(errors="replace")
        raise _Unanswered(f"{path or '/'} answers {error.code} {text}") from None
    except OSError as error:
        raise _Unanswered(f"{path or '/'} does not answer: {error}") from None
