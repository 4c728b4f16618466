"""TensorBoard's routes of PR curves."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import json_answer
from tapeflow.board.api.pr_curves.blob import curve_of, whole
from tapeflow.board.board import Board
from tapeflow.board.column_messages import numbers
from tapeflow.board.logdirs import run_id
from tapeflow.board.runs import Gone, Run
from tapeflow.board.series import Series
from tapeflow.board.tensorboard import described, series_of
from tapeflow.summary.kinds.pr_curves import PLUGIN


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""

    def tags(request: Request) -> Response:
        del request
        found: dict[str, dict[str, dict[str, str]]] = {}
        for run, series in series_of(board, PLUGIN):
            found.setdefault(run.name, {})[series.tag] = described(series)
        return json_answer(found)

    def curves(request: Request) -> Response:
        names, tag = request.query_params.getlist("run"), request.query_params.get("tag")
        if not names:
            raise HTTPException(400, "No runs provided when fetching PR curve data")
        if not tag:
            raise HTTPException(400, "No tag provided when fetching PR curve data")
        found = {}
        for name in dict.fromkeys(names):
            run = board.store.runs.get(run_id(name))
            series = run.entries.get(tag) if run is not None else None
            if run is None or series is None or series.plugin != PLUGIN:
                raise HTTPException(400, f"No PR curves could be found for run {name!r} and tag {tag!r}")
            found[name] = _steps(run, series)
        return json_answer(found)

    return [Route("/pr_curves/tags", tags), Route("/pr_curves/pr_curves", curves)]


def _steps(run: Run, series: Series) -> list[dict[str, object]]:
    """Every step of a series; what is no curve, or is gone, is left out."""
    found = []
    for row in range(len(series)):
        try:
            curve = curve_of(run.value(series, row))
        except (Gone, ValueError):
            continue
        found.append(
            {
                "wall_time": float(series.columns["wall_times"][row]),
                "step": int(series.columns["steps"][row]),
                "precision": numbers(curve.precision),
                "recall": numbers(curve.recall),
                "true_positives": whole(curve.true_positives).tolist(),
                "false_positives": whole(curve.false_positives).tolist(),
                "true_negatives": whole(curve.true_negatives).tolist(),
                "false_negatives": whole(curve.false_negatives).tolist(),
                "thresholds": curve.thresholds.tolist(),
            }
        )
    return found
