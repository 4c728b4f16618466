"""Answers in JSON, and the arguments of requests."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tapeflow.board.notes import REFUSALS
from tapeflow.board.schema import Note, Problem

MOST_BODY = 8 << 20


class Refusal(HTTPException):
    """A refusal that the page can say in its own language; `code` is one of `REFUSALS`."""

    def __init__(self, status: int, code: str, /, **values: str | float) -> None:
        self.note = REFUSALS(code, **values)
        super().__init__(status, self.note["text"])


def json_answer(content: Any, request: Request | None = None) -> Response:
    """JSON; with a request, nothing if the browser that sent it has the same already.

    The tag is made of the content: versions that are counted are the same on another board.
    """
    headers = {"Cache-Control": "no-cache"}
    data = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    if request is not None:
        headers["ETag"] = f'"{hashlib.blake2s(data, digest_size=16).hexdigest()}"'
        if request.headers.get("if-none-match", "").removeprefix("W/") == headers["ETag"]:
            return Response(None, 304, headers)
    return Response(data, 200, headers, "application/json")


def problem(status: int, text: str, note: Note | None = None) -> Response:
    """A refusal, as a note, too, if it is one that the page says in its own language."""
    body: Problem = {"error": text, "note": note}
    return Response(orjson.dumps(body), status, media_type="application/json")


def inert(text: str) -> str:
    """A name for a CSV file that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else text


def argument(request: Request, name: str) -> str:
    """An argument in the query that must be there."""
    found = request.query_params.get(name)
    if found is None:
        raise HTTPException(400, f"{request.url.path} expected {name}=... in its query; got none")
    return found


def whole_number(request: Request, name: str, default: int | None = None) -> int:
    """An argument in the query that is a whole number from 0 on."""
    text = request.query_params.get(name, "" if default is None else str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise HTTPException(400, f"{request.url.path} expected a whole number as {name}; got {name}={text!r}")
    return int(text)


async def body_of(request: Request) -> Any:
    """The JSON in the body of a request, unless it is said to be something else.

    What pages of other sites may post without asking first (a form, plain text) is thus refused, whatever it holds.
    """
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise HTTPException(
            415, f"{request.url.path} expected Content-Type: application/json; got {kind[:100]!r}"
        )
    data = await bytes_of(request)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise HTTPException(400, f"{request.url.path} expected JSON in its body: {error}") from None


async def bytes_of(request: Request) -> bytes:
    """The body of a request, unless it is too long."""
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > MOST_BODY:
            raise HTTPException(413, f"{request.url.path} expected a body of at most {MOST_BODY} bytes")
    return bytes(data)
