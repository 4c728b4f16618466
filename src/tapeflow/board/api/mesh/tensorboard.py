"""TensorBoard's routes of meshes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import argument, json_answer, whole_number
from tapeflow.board.board import Board
from tapeflow.board.runs import Run
from tapeflow.board.series import Series
from tapeflow.board.tensorboard import series_of
from tapeflow.summary.kinds.meshes import PARTS, mesh_part

_DTYPES = {"vertices": np.dtype("<f4"), "faces": np.dtype("<i4"), "colors": np.dtype("u1")}
_ALL_PARTS = 0b1110  # what files of the first version mean, which do not say


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""

    def parts() -> Iterator[tuple[Run, Series, str, Any]]:
        for run, series in series_of(board, "mesh"):
            part, data = mesh_part(series.content)
            if part:
                yield run, series, part, data

    def parts_asked_for(request: Request) -> list[tuple[Run, Series, str, Any]]:
        name, tag = argument(request, "run"), argument(request, "tag")
        return [one for one in parts() if one[0].name == name and one[3].name == tag]

    def tags(request: Request) -> Response:
        del request
        found: dict[str, dict[str, dict[str, int]]] = {}
        for run, _, _, data in parts():
            found.setdefault(run.name, {})[data.name] = {"samples": data.shape[0] if data.shape else 0}
        return json_answer(found)

    def meshes(request: Request) -> Response:
        found = [
            {
                "wall_time": float(series.columns["wall_times"][row]),
                "step": int(series.columns["steps"][row]),
                "content_type": data.content_type,
                "components": data.components or _ALL_PARTS,
                "config": data.json_config,
                "data_shape": list(data.shape),
            }
            for _, series, _, data in parts_asked_for(request)
            for row in range(len(series))
        ]
        return json_answer(sorted(found, key=lambda one: one["step"]))

    def data(request: Request) -> Response:
        kind = argument(request, "content_type")
        wanted = next((part for part, name in PARTS.items() if name == kind), None)
        if wanted is None:
            raise HTTPException(
                400, f"mesh/data expected content_type to be one of {', '.join(PARTS.values())}; got {kind!r}"
            )
        step, sample = _step(request), whole_number(request, "sample", 0)
        found = []
        for run, series, part, _ in parts_asked_for(request):
            rows = np.flatnonzero(series.columns["steps"] == step).tolist() if part == wanted else []
            for row in rows:
                value = next(run.values(series, range(row, row + 1)))
                if value is None or value.array.dtype.kind not in "fiuV" or sample >= len(value.array):
                    raise HTTPException(404, f"the mesh has no sample={sample} at step={step:g}")
                with np.errstate(invalid="ignore"):
                    found.append(value.array[sample].astype(_DTYPES[wanted]).tobytes())
        return Response(b"".join(found), media_type="arraybuffer")

    return [Route("/mesh/tags", tags), Route("/mesh/meshes", meshes), Route("/mesh/data", data)]


def _step(request: Request) -> float:
    text = request.query_params.get("step", "0")
    try:
        return float(text)
    except ValueError:
        raise HTTPException(400, f"mesh/data expected a number as step; got step={text!r}") from None
