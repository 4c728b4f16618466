"""TensorBoard's routes of the projector: the files of a configuration as they are, and tensors as float32."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from google.protobuf import json_format
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import json_answer
from tapeflow.board.api.projector.assets import (
    MOST_BOOKMARK_BYTES,
    MOST_TEXT_BYTES,
    Assets,
    Unreadable,
    opened,
    read_sprite,
)
from tapeflow.board.api.projector.places import Place, Places
from tapeflow.board.board import Board
from tapeflow.summary.kinds.embeddings import Embedding
from tapeflow.summary.kinds.projector_files import read_config


class _Refusal(Exception):
    """What TensorBoard answers with status 400, in plain text."""


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""
    places, assets = Places(board), Assets()

    def runs(request: Request) -> Response:
        del request
        return json_answer([place.name for place in _shown(board, places)])

    def info(request: Request) -> Response:
        place = _place(places, request)
        config = read_config(place.folder)
        by_name = {info.tensor_name: info for info in place.embeddings}
        for one in config.embeddings:
            known = by_name.get(one.tensor_name)
            if known is None:
                continue
            one.tensor_name = (one.tensor_name or known.name).removesuffix(":0")
            if one.tensor_path and not one.tensor_shape:
                try:
                    one.tensor_shape.extend(assets.points(place, known).vectors.shape)
                except Unreadable:
                    continue  # what cannot be read has no shape; the others have
        return Response(json_format.MessageToJson(config), media_type="application/json")

    def tensor(request: Request) -> Response:
        place, found, most = _place(places, request), _named(places, request), _rows(request)
        vectors = assets.points(place, found).vectors
        return Response(vectors[:most].tobytes(), media_type="application/octet-stream")

    def metadata(request: Request) -> Response:
        place, found, most = _place(places, request), _named(places, request), _rows(request)
        if not found.metadata:
            raise _Refusal(_nothing("metadata", place, found))
        parts: list[bytes] = []
        left = MOST_TEXT_BYTES
        with opened(place.folder, found.metadata) as file:
            while left > 0 and (line := file.readline(left)):
                parts.append(line)
                left -= len(line)
                if most and len(parts) >= most + (b"\t" in parts[0]):
                    break
        return PlainTextResponse(b"".join(parts).decode("utf-8", "replace"))

    def bookmarks(request: Request) -> Response:
        place, found = _place(places, request), _named(places, request)
        if not found.bookmarks:
            raise _Refusal(_nothing("bookmarks", place, found))
        with opened(place.folder, found.bookmarks) as file:
            return Response(file.read(MOST_BOOKMARK_BYTES), media_type="application/json")

    def sprite(request: Request) -> Response:
        place, found = _place(places, request), _named(places, request)
        if not found.sprite:
            raise _Refusal(_nothing("sprite image", place, found))
        kind, data = read_sprite(place, found)
        return Response(data, media_type=kind)

    given = {
        "runs": runs,
        "info": info,
        "tensor": tensor,
        "metadata": metadata,
        "bookmarks": bookmarks,
        "sprite_image": sprite,
    }
    return [Route(f"/projector/{name}", _answering(give)) for name, give in given.items()]


def _answering(give: Callable[[Request], Response]) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        try:
            return give(request)
        except (_Refusal, Unreadable) as error:
            return PlainTextResponse(str(error), 400)

    return answer


def _shown(board: Board, places: Places) -> list[Place]:
    """The runs with embeddings, in TensorBoard's order: as it found them, the log folder itself last."""
    found = [place for place in places.all() if place.embeddings]
    order = {run.name: number for number, run in enumerate(board.store.ordered_runs())}
    return sorted(found, key=lambda place: (order.get(place.name, len(order)), place.name))


def _argument(request: Request, name: str) -> str:
    found = request.query_params.get(name)
    if found is None:
        raise _Refusal(f'query parameter "{name}" is required')
    return found


def _place(places: Places, request: Request) -> Place:
    run = _argument(request, "run")
    found = places.named(run)
    if found is None or not found.embeddings:
        raise _Refusal(f'Unknown run: "{run}"')
    return found


def _named(places: Places, request: Request) -> Embedding:
    name = _argument(request, "name")
    place = _place(places, request)
    for info in place.embeddings:
        if (info.tensor_name or info.name).removesuffix(":0") == name.removesuffix(":0"):
            return info
    raise _Refusal(f'No tensor "{name}" in the config file of run "{place.name}"')


def _rows(request: Request) -> int | None:
    text = request.query_params.get("num_rows", "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:15]) > 0):
        raise _Refusal("query parameter num_rows must be integer > 0")
    return int(text[:15])


def _nothing(what: str, place: Place, found: Embedding) -> str:
    return f'No {what} file found for tensor "{found.tensor_name}" in the config file of run "{place.name}"'
