"""What assistants are told of runs: small enough to be read, and with a word where something was left out."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import orjson

from tapeflow.board.api.runs.schema import RunPage, RunScalar
from tapeflow.board.client import Client
from tapeflow.board.column_messages import numbers
from tapeflow.board.schema import MediaItem

MOST_RUNS = 100
MOST_TAGS = 500
MOST_SCALARS = 12  # of each run in a list
MOST_COMPARED = 5
MOST_SERIES = 10
MOST_POINTS = 500
MOST_LINES = 500
MOST_CHARACTERS = 20_000
MOST_PICTURE_BYTES = 3 << 20
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_PATIENCE_S = 15.0
_Answer = dict[str, Any]


class Unanswerable(ValueError):
    """A question that has no answer; the text says why, and what to ask instead."""


class Answers:
    """The answers of a board.

    Args:
        client: the board.
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    def runs(self, contains: str = "", scalars: Sequence[str] = (), first: int = 0) -> _Answer:
        """Runs with their state, hyperparameters, and last, least and largest values."""
        note = self._reading()
        head, rows, columns = self.client.table()
        alerts = self._alerts()
        if unknown := [name for name in scalars if name not in head["scalars"]]:
            raise Unanswerable(f"no run has a scalar {unknown[0]!r}; list_tags has all.")
        chosen = [i for i, row in enumerate(rows) if contains.lower() in row["name"].lower()]
        shown = chosen[max(first, 0) : max(first, 0) + MOST_RUNS]
        found = []
        for i in shown:
            row = rows[i]
            values: _Answer = {}
            for name in scalars or head["scalars"]:
                number = 3 + 6 * head["scalars"].index(name)
                cells = columns[number : number + 6, i]
                if not np.isnan(cells[1]) and (scalars or len(values) < MOST_SCALARS):
                    values[name] = _extremes(*cells.tolist())
            found.append(
                {
                    "run": row["name"],
                    "state": row["standing"],
                    "started": _date(columns[0, i]),
                    "duration_s": _number(columns[1, i]),
                    "points": int(columns[2, i]),
                    "host": row["host"],
                    "hyperparameters": {
                        h["name"]: h["values"][i] for h in head["hparams"] if h["values"][i] is not None
                    },
                    "scalars": values,
                    "alerts": sum(len(alerts.get(part, ())) for part in row["runs"]),
                }
            )
        return {"runs": found, "matching": len(chosen), "note": _joined([note, head["left_out"]])}

    def tags(self, kind: str = "scalars") -> _Answer:
        """What was logged of a kind."""
        note = self._reading()
        panels = self.client.get("api/v1/tags")["panels"]
        if kind not in panels:
            raise Unanswerable(f"there is no kind {kind!r}; there are {', '.join(panels)}.")
        names = {run["id"]: name for name, run in self.client.runs().items()}
        tags = [
            {
                "tag": one["tag"],
                "runs": len(one["counts"]),
                "example": names.get(next(iter(one["counts"]), ""), ""),
            }
            for one in panels[kind]
        ]
        kinds = {panel: len(found) for panel, found in panels.items() if found}
        return {"tags": tags[:MOST_TAGS], "total": len(tags), "kinds": kinds, "note": note}

    def series(self, tag: str, runs: Sequence[str], points: int = 100) -> _Answer:
        """The points of a scalar, thinned out."""
        if not 1 <= len(runs) <= MOST_SERIES:
            raise Unanswerable(f"series expected 1 to {MOST_SERIES} runs; got {len(runs)}.")
        most = min(max(points, 2), MOST_POINTS)
        chosen = [self._scalar(run, tag) for run in runs]
        found = self.client.points([(one["run"], one["tag"]) for one in chosen], most // 2)
        series = []
        for run, one, columns in zip(runs, chosen, found, strict=True):
            steps, _, values = columns if columns is not None else (np.zeros(0),) * 3
            if len(steps) > most:
                kept = np.unique(np.linspace(0, len(steps) - 1, most).round().astype(int))
                steps, values = steps[kept], values[kept]
            series.append(
                {
                    "run": run,
                    "tag": one["name"],
                    "total_points": one["count"],
                    "steps": steps.astype(np.int64).tolist(),
                    "values": numbers(values),
                }
            )
        return {"series": series}

    def config(self, run: str) -> _Answer:
        """What a run was: hyperparameters, command, environment, code."""
        page = self._page(run)
        return {
            "run": page["row"]["name"],
            "state": page["row"]["standing"],
            "started": _date(page["start_time"]),
            "duration_s": page["duration_s"],
            "hyperparameters": page["hparams"],
            "notes": [note["text"] for note in page["notes"]],
            **_sections(page, {"crash", "command", "environment", "git", "packages"}),
            "diff": _cut(next((s["text"] for s in page["sections"] if s["name"] == "diff"), "")),
        }

    def compare(self, runs: Sequence[str]) -> _Answer:
        """What differs between runs, and their scalars side by side."""
        if not 2 <= len(runs) <= MOST_COMPARED:
            raise Unanswerable(f"compare_runs expected 2 to {MOST_COMPARED} runs; got {len(runs)}.")
        pages = [self._page(run) for run in runs]
        names = [page["row"]["name"] for page in pages]
        facts = [_facts(page) for page in pages]
        scalars = [{one["name"]: one for one in page["scalars"]} for page in pages]
        shared = [name for name in scalars[0] if all(name in one for one in scalars)]
        return {
            "runs": names,
            "state": [page["row"]["standing"] for page in pages],
            "hyperparameters_that_differ": _differing([page["hparams"] for page in pages]),
            "facts_that_differ": _differing(facts),
            "scalars": {
                name: [_of_scalar(one[name]) for one in scalars] for name in shared[: 5 * MOST_SCALARS]
            },
            "scalars_not_in_all": sorted({name for one in scalars for name in one} - set(shared))[:MOST_TAGS],
        }

    def alerts(self) -> _Answer:
        """What is wrong with runs."""
        note = self._reading()
        runs = self.client.get("api/v1/alerts/items")["runs"]
        found = [
            {
                "run": run["name"],
                "status": run["status"],
                "alerts": [
                    {
                        "level": alert["level"],
                        "text": alert["note"]["text"],
                        "tag": alert["tag"],
                        "step": alert["step"],
                        "detail": _cut(alert["detail"], 2000),
                    }
                    for alert in run["alerts"][:10]
                ],
            }
            for run in runs[:MOST_RUNS]
        ]
        return {"runs": found, "total": len(runs), "note": note}

    def console(self, run: str, lines: int = 100) -> _Answer:
        """The last lines that a run printed."""
        page = self._page(run)
        text = next((s["text"] for s in page["sections"] if s["name"] == "console"), "")
        found = text.splitlines()
        kept = found[-min(max(lines, 1), MOST_LINES) :]
        return {
            "run": page["row"]["name"],
            "lines": _cut_front("\n".join(kept)).splitlines(),
            "lines_before": len(found) - len(kept),
            "note": "" if found else "it captured no console output",
        }

    def text(self, run: str, tag: str, step: int | None = None) -> _Answer:
        """A text that was logged."""
        item, steps = self._item("text", run, tag, step)
        blob = orjson.loads(self.client.blob(item["samples"][0]["url"])) if item["samples"] else {}
        text = "\n\n".join(blob.get("texts", []))
        return {"run": run, "tag": tag, "step": item["step"], "text": _cut(text), "steps": steps}

    def image(
        self, run: str, tag: str, step: int | None = None, sample: int = 0
    ) -> tuple[_Answer, str, bytes]:
        """A picture that was logged, with its kind."""
        item, steps = self._item("images", run, tag, step)
        if not 0 <= sample < len(item["samples"]):
            raise Unanswerable(
                f"step {item['step']} of {tag!r} has {len(item['samples'])} pictures; got {sample}."
            )
        chosen = item["samples"][sample]
        data = self.client.blob(chosen["url"])
        if chosen["mime"] not in PICTURES or len(data) > MOST_PICTURE_BYTES:
            raise Unanswerable(
                f"a picture of {len(data)} bytes and kind {chosen['mime']} is not sent: PNG, JPEG, GIF and WebP of "
                f"at most {MOST_PICTURE_BYTES >> 20} MB are."
            )
        about = {
            "run": run,
            "tag": tag,
            "step": item["step"],
            "steps": steps,
            "samples": len(item["samples"]),
        }
        return about, chosen["mime"], data

    # What runs are called

    def _reading(self) -> str:
        """Wait a little until everything has been read; a word if it takes longer, or something is wrong."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            progress = self.client.get("api/v1/info")["progress"]
            if progress["is_done"] or time.monotonic() > end:
                return progress["message"]
            time.sleep(0.1)

    def _page(self, run: str) -> RunPage:
        note = self._reading()
        known = self.client.runs()
        ids = [one["id"] for name, one in known.items() if name == run or name.rpartition("/")[0] == run]
        if not ids:
            names = ", ".join(map(repr, list(known)[:10]))
            raise Unanswerable(
                f"there is no run {run!r}; list_runs has all. Some are {names}. {note}".rstrip()
            )
        return self.client.page(ids[0])

    def _scalar(self, run: str, tag: str) -> RunScalar:
        scalars = self._page(run)["scalars"]
        for one in scalars:
            if tag in (one["name"], one["tag"]):
                return one
        names = ", ".join(repr(one["name"]) for one in scalars[:30])
        raise Unanswerable(f"{run!r} has no scalar {tag!r}; it has {names or 'none'}.")

    def _item(self, panel: str, run: str, tag: str, step: int | None) -> tuple[MediaItem, list[int]]:
        """The item of a step, or the last one, and some of the steps that there are."""
        self._reading()
        known = self.client.runs()
        names = [name for name in known if name == run or name.rpartition("/")[0] == run]
        entries = {e["tag"]: e for e in self.client.get("api/v1/tags", panel=panel)["panels"][panel]}
        having = [name for name in names if tag in entries and known[name]["id"] in entries[tag]["counts"]]
        if not having:
            raise Unanswerable(f"{run!r} has no {tag!r} among {panel}; list_tags(kind={panel!r}) has all.")
        items = self.client.items(panel, having[0], tag)
        chosen = items[-1:] if step is None else [item for item in items if item["step"] == step]
        steps = [item["step"] for item in items]
        if not chosen:
            raise Unanswerable(f"{tag!r} has no step {step}; it has {_some(steps)}.")
        return chosen[-1], _some(steps)

    def _alerts(self) -> dict[str, Sequence[Any]]:
        return {one["run"]: one["alerts"] for one in self.client.get("api/v1/alerts/items")["runs"]}


def _some(steps: list[int], most: int = 100) -> list[int]:
    """Steps, evenly chosen if there are many."""
    if len(steps) <= most:
        return steps
    return [steps[i] for i in np.linspace(0, len(steps) - 1, most).round().astype(int).tolist()]


def _extremes(
    last: float, last_step: float, least: float, least_step: float, most: float, most_step: float
) -> _Answer:
    return {
        "last": _number(last),
        "last_step": int(last_step),
        "min": _number(least),
        "min_step": int(least_step),
        "max": _number(most),
        "max_step": int(most_step),
    }


def _of_scalar(one: RunScalar) -> _Answer:
    return {
        "last": one["last"],
        "last_step": one["last_step"],
        "min": one["least"],
        "min_step": one["least_step"],
        "max": one["largest"],
        "max_step": one["largest_step"],
    }


def _sections(page: RunPage, wanted: Iterable[str]) -> _Answer:
    found: _Answer = {}
    for section in page["sections"]:
        if section["name"] in wanted:
            text = {"text": _cut(section["text"])} if section["text"] else {}
            found[section["name"]] = {**dict(list(section["facts"].items())[:MOST_TAGS]), **text}
    return found


def _facts(page: RunPage) -> dict[str, str]:
    found = {}
    for name, section in _sections(page, {"command", "environment", "git", "packages"}).items():
        found |= {f"{name}.{fact}": value for fact, value in section.items()}
    return found


def _differing(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    different = [name for name in names if len({repr(row.get(name)) for row in rows}) > 1]
    return {name: [row.get(name) for row in rows] for name in different[:MOST_TAGS]}


def _number(value: float) -> float | str:
    """A number for JSON, which has no NaN."""
    value = float(value)
    return value if math.isfinite(value) else str(value)


def _date(seconds: float | None) -> str | None:
    if seconds is None or not math.isfinite(seconds):
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _cut(text: str, most: int = MOST_CHARACTERS) -> str:
    return text if len(text) <= most else f"{text[:most]}\n[{len(text) - most} more characters]"


def _cut_front(text: str) -> str:
    return text[-MOST_CHARACTERS:]


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(part for part in parts if part)
