"""List what runs contain: tags, the number of values, the range of steps, and damaged files.

tapeflow inspect runs
tapeflow inspect runs/train --csv train.csv
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.board.index import Index
from tapeflow.board.ingest import Ingest
from tapeflow.board.logdirs import Logdir
from tapeflow.board.panels import find_panels
from tapeflow.board.remote.mirrors import Mirrors
from tapeflow.board.runs import Run
from tapeflow.board.series import Series
from tapeflow.board.store import Store
from tapeflow.cli import logdirs
from tapeflow.cli.failure import Failure
from tapeflow.summary.remote import is_remote


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("path", metavar="PATH", help="a run, a folder that contains runs, or an event file")
    add("--json", action="store_true", help="print JSON instead of text")
    add("--csv", metavar="OUT", help="write every scalar to a CSV file: run, tag, step, wall_time, value")
    add("--parquet", metavar="OUT", help="write every scalar to a Parquet file; needs pyarrow")


def run(chosen: argparse.Namespace) -> int:
    """Inspect; the exit code is 0 even if there is damage: that is what it is for."""
    path = os.path.abspath(os.path.expanduser(chosen.path))
    is_here = not is_remote(chosen.path)
    if is_here and not os.path.exists(path):
        raise Failure(f"expected a run or an event file; got {chosen.path!r}, which does not exist.")
    runs = _runs([Logdir(path) if is_here else logdirs.parse(chosen.path)])
    if is_here and os.path.isfile(path) and os.path.getsize(path) and runs[0].bytes_read <= runs[0].bad_bytes:
        raise Failure(f"expected an event file; got {chosen.path!r}, in which there is no whole record.")
    if chosen.csv:
        _write_csv(runs, chosen.csv)
    if chosen.parquet:
        _write_parquet(runs, chosen.parquet)
    for out in filter(None, (chosen.csv, chosen.parquet)):
        sys.stderr.write(f"{sum(len(series) for _, series in _scalars(runs)):,} scalars written to {out}.\n")
    if chosen.json or not (chosen.csv or chosen.parquet):
        _show(runs, chosen.json)
    return 0


def show(folders: list[Logdir], is_json: bool) -> int:
    """Print what the runs of log folders hold."""
    _show(_runs(folders), is_json)
    return 0


def _show(runs: list[Run], is_json: bool) -> None:
    if is_json:
        content = [_content(run) for run in runs]
        sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n\n".join("\n".join(_lines(run)) for run in runs) + "\n")


def _runs(folders: list[Logdir]) -> list[Run]:
    mirrors = Mirrors(folders, None)
    try:
        mirrors.sync_once()
        store = Store(mirrors.logdirs, find_panels())
        Ingest(store, Index(None)).read_once()
    except OSError as error:
        raise logdirs.unreadable(folders, error) from None
    finally:
        mirrors.stop()
    runs = store.ordered_runs()
    if not runs:
        raise Failure(f"there are no event files in {', '.join(logdir.place for logdir in folders)}.")
    return runs


def _content(run: Run) -> dict[str, Any]:
    answer: dict[str, Any] = {**run.answer()}
    kept = (
        "name",
        "state",
        "start_time",
        "last_time",
        "bytes_total",
        "bad_bytes",
        "message",
        "hparams",
        "damages",
    )
    return {
        **{name: answer[name] for name in kept},
        "files": [os.path.basename(path) for path in run.found.files],
        "tags": [_tag(series) for series in run.series()],
    }


def _tag(series: Series) -> dict[str, Any]:
    steps = series.columns["steps"]
    found: dict[str, Any] = {
        "tag": series.tag,
        "plugin": series.plugin or ("scalars" if series.is_scalar else ""),
        "count": len(series),
        "first_step": int(steps.min()) if len(steps) else None,
        "last_step": int(steps.max()) if len(steps) else None,
    }
    if series.is_scalar:
        values = series.columns["values"]
        finite = values[np.isfinite(values)]
        found |= {
            "last": float(values[-1]) if np.isfinite(values[-1]) else str(values[-1]),
            "min": float(finite.min()) if len(finite) else None,
            "max": float(finite.max()) if len(finite) else None,
            "not_finite": len(values) - len(finite),
        }
    return found


def _lines(run: Run) -> Iterator[str]:
    content = _content(run)
    count = sum(tag["count"] for tag in content["tags"])
    tags, files = len(content["tags"]), len(content["files"])
    yield (
        f"{_plain(run.name)}: {count:,} {'value' if count == 1 else 'values'} under {tags} "
        f"{'tag' if tags == 1 else 'tags'}, {files} {'file' if files == 1 else 'files'}, "
        f"{content['bytes_total'] / 1e6:,.1f} MB"
    )
    if content["message"]:
        yield f"  {_plain(content['message'])}"
    if content["hparams"]:
        yield "  hparams: " + ", ".join(
            f"{_plain(k)}={_plain(str(v))}" for k, v in content["hparams"].items()
        )
    rows = [("tag", "plugin", "values", "steps", "last", "smallest .. largest")]
    for tag in content["tags"]:
        span = "" if tag["first_step"] is None else f"{tag['first_step']} .. {tag['last_step']}"
        last = reach = ""
        if "last" in tag:
            last = tag["last"] if isinstance(tag["last"], str) else f"{tag['last']:.6g}"
            reach = "" if tag["min"] is None else f"{tag['min']:.6g} .. {tag['max']:.6g}"
            reach += f" ({tag['not_finite']} not finite)" if tag["not_finite"] else ""
        rows.append((_plain(tag["tag"]), tag["plugin"], f"{tag['count']:,}", span, last, reach))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    for row in rows if len(rows) > 1 else []:
        cells = [
            cell.rjust(w) if i == 2 else cell.ljust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def _plain(text: str) -> str:
    """Text that moves no cursor and rings no bell in a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _write_csv(runs: list[Run], path: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(["run", "tag", "step", "wall_time", "value"])
            for run, series in _scalars(runs):
                columns = [series.columns[name].tolist() for name in ("steps", "wall_times", "values")]
                out.writerows((run.name, series.tag, *row) for row in zip(*columns, strict=True))
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror}.") from None


def _write_parquet(runs: list[Run], path: str) -> None:
    try:
        from pyarrow import parquet, table  # optional
    except ImportError:
        raise Failure("--parquet needs pyarrow: `pip install pyarrow`, or write CSV with --csv.") from None
    found = list(_scalars(runs))
    lengths = [len(series) for _, series in found]
    columns: dict[str, Any] = {
        "run": np.repeat(np.array([run.name for run, _ in found], dtype=object), lengths),
        "tag": np.repeat(np.array([series.tag for _, series in found], dtype=object), lengths),
    }
    for name, column in (("step", "steps"), ("wall_time", "wall_times"), ("value", "values")):
        columns[name] = np.concatenate([series.columns[column] for _, series in found] or [np.zeros(0)])
    try:
        parquet.write_table(table(columns), path)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror or error}.") from None


def _scalars(runs: list[Run]) -> Iterator[tuple[Run, Series]]:
    return ((run, series) for run in runs for series in run.scalars.values())
