"""The table of sessions as a file, as TensorBoard writes it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

from tapeflow.board.answers import inert
from tapeflow.board.api.hparams.listing import Group
from tapeflow.board.api.hparams.requests import Refused

_Row = list[Any]


def download(
    experiment: dict[str, Any], groups: Sequence[Group], kind: str | None, shown: Sequence[Any]
) -> tuple[bytes | dict[str, Any], str]:
    """The rows of groups in the columns of an experiment that are shown, and the type of that file.

    Args:
        experiment: the answer of the route `experiment`.
        groups: the groups.
        kind: "json", "csv" or "latex".
        shown: for each column, hparams first, whether it is in the file.
    """
    hparams, metrics = experiment["hparamInfos"], experiment["metricInfos"]
    titles = [info["displayName"] or info["name"] for info in hparams]
    titles += [info["displayName"] or info["name"]["tag"] for info in metrics]
    header, rows = _kept(titles, shown), []
    for group in groups:
        measured = {one.name: one.value for one in group.measured}
        row: _Row = [group.hparams.get(info["name"], "") for info in hparams]
        row += [measured.get((info["name"]["tag"], info["name"]["group"])) for info in metrics]
        rows.append(_kept(row, shown))
    if kind == "json":
        return {"header": header, "rows": rows}, "application/json"
    if kind == "csv":
        out = io.StringIO()
        texts = ([inert(cell) if isinstance(cell, str) else cell for cell in row] for row in [header, *rows])
        csv.writer(out).writerows(texts)
        return out.getvalue().encode(), "text/csv"
    if kind == "latex":
        return _latex(header, rows).encode(), "application/x-latex"
    raise Refused(f"download_data expected format=json, csv or latex; got format={kind!r:.80}")


def _kept(row: _Row, shown: Sequence[Any]) -> _Row:
    return [value for value, is_shown in zip(row, shown, strict=False) if is_shown]


def _latex(header: _Row, rows: list[_Row]) -> str:
    lines = [" & ".join(map(_cell, row)) + " \\\\\n" for row in rows]
    head = " & ".join(map(_cell, header)) + " \\\\ \\hline\n"
    begin = f"\\begin{{table}}[tbp]\n\\begin{{tabular}}{{{'l' * len(header)}}}\n"
    return begin + head + "".join(lines) + "\\hline\n\\end{tabular}\n\\end{table}\n"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"${value:d}$"
    if isinstance(value, str):
        return value.replace("_", "\\_").replace("%", "\\%")
    if not math.isfinite(value):
        return "$\\mathrm{NaN}$" if value != value else f"${'-' if value < 0 else '+'}\\infty$"
    coefficient, _, exponent = f"{value:.3g}".partition("e")
    return f"${coefficient}\\cdot 10^{{{int(exponent)}}}$" if exponent else f"${coefficient}$"
