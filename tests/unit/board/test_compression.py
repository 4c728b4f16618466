"""Answers are compressed for those who take it, and the same otherwise."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
def client(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> Any:
    for i in range(10):
        events.write(
            tmp_path / "logs" / f"run{i}", events.scalars("loss", [1.0] * 100) + events.image("picture")
        )
    found = serve(tmp_path / "logs")
    found.wait_until_read()
    return found


def test_json_is_compressed(client: Any) -> None:
    plain = client.ask("GET", "/api/v1/runs")
    assert "content-encoding" not in plain.headers
    small = client.ask("GET", "/api/v1/runs", headers=GZIP)
    assert small.headers["content-encoding"] == "gzip"
    assert small.headers["vary"] == "Accept-Encoding"
    assert int(small.headers["content-length"]) == len(small.body) < len(plain.body) / 3
    assert json.loads(gzip.decompress(small.body)) == json.loads(plain.body)


@pytest.mark.parametrize("more", [{}, GZIP])
def test_what_the_browser_has_is_not_sent_again(client: Any, more: dict[str, str]) -> None:
    tag = client.ask("GET", "/api/v1/runs", headers=more).headers["etag"]
    again = client.ask("GET", "/api/v1/runs", headers={**more, "If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")


def test_what_is_small_or_packed_already_goes_as_it_is(client: Any) -> None:
    run = next(iter(client.board.store.runs))
    assert "content-encoding" not in client.ask("GET", "/api/v1/settings", headers=GZIP).headers
    url = client.get("api/v1/images/items", run=run, tag="picture")["items"][0]["samples"][0]["url"]
    assert "content-encoding" not in client.ask("GET", f"/{url}", headers=GZIP).headers
    body = {"series": [{"run": run, "tag": "loss"}]}
    columns = client.ask("POST", "/api/v1/scalars/series", body, GZIP)
    assert columns.headers["content-type"] == "application/vnd.tapeflow.columns"
    assert "content-encoding" not in columns.headers
    assert client.ask("HEAD", "/api/v1/runs", headers=GZIP).body == b""


def test_refusals_are_as_they_were(client: Any) -> None:
    answer = client.ask("GET", "/api/v1/nothing", headers=GZIP)
    assert answer.status == 404
    assert "there is no GET" in json.loads(answer.body)["error"]
