from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers

from tapeflow.board.origins import foreign_origin, foreign_site, serialized


@pytest.mark.parametrize(
    ("scheme", "host", "expected"),
    [
        ("http", "LocalHost:6006", "http://localhost:6006"),
        ("http", "lab:80", "http://lab"),
        ("https", "lab:443", "https://lab"),
        ("https", "lab:80", "https://lab:80"),
        ("http", "[::1]:80", "http://[::1]"),
        ("http", "[::80]", "http://[::80]"),
    ],
)
def test_origins_as_browsers_write_them(scheme: str, host: str, expected: str) -> None:
    assert serialized(scheme, host) == expected


HOST = ("Host", "127.0.0.1:6006")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], ""),
        ([("Origin", "http://127.0.0.1:6006")], ""),
        ([("Origin", "null")], "null"),
        ([("Origin", "")], "''"),
        ([("Origin", "https://127.0.0.1:6006")], "https://127.0.0.1:6006"),
        ([("Origin", "http://127.0.0.1:6007")], "http://127.0.0.1:6007"),
        ([("Origin", "http://127.0.0.1")], "http://127.0.0.1"),
        ([("Origin", "http://localhost:6006")], "http://localhost:6006"),
        ([("Origin", "http://127.0.0.1:6006.evil.example")], "http://127.0.0.1:6006.evil.example"),
        ([("Origin", "http://127.0.0.1:6006@evil.example")], "http://127.0.0.1:6006@evil.example"),
        ([("Origin", "http://127.0.0.1:6006"), ("Origin", "http://evil.example")], "http://evil.example"),
        ([("Origin", "http://lab.example")], ""),
        ([("Origin", "https://lab.example")], ""),
        ([("Origin", "https://lab.example:8443")], "https://lab.example:8443"),
        ([("Origin", "https://hub.example:8443")], ""),
        ([("Origin", "https://hub.example")], "https://hub.example"),
        ([("Referer", "http://127.0.0.1:6006/?x#y")], ""),
        ([("Referer", "http://127.0.0.1:6006")], ""),
        ([("Referer", "http://evil.example/http://127.0.0.1:6006/")], "http://evil.example"),
        ([("Referer", "http://evil.example?http://127.0.0.1:6006/")], "http://evil.example"),
        ([("Referer", "about:blank")], "about:blank://"),
        ([("Origin", "http://127.0.0.1:6006"), ("Referer", "http://evil.example/")], ""),
    ],
)
def test_which_origins_are_foreign(headers: list[tuple[str, str]], expected: str) -> None:
    raw = [(name.lower().encode(), value.encode()) for name, value in [HOST, *headers]]
    proxies = ("lab.example", "hub.example:8443")
    assert foreign_origin({"scheme": "http"}, Headers(raw=raw), proxies) == expected


def test_every_site_that_is_named_counts() -> None:
    raw = [(b"sec-fetch-site", b"same-origin"), (b"sec-fetch-site", b"cross-site")]
    assert foreign_site(Headers(raw=raw), ("same-origin", "none")) == "cross-site"
    assert foreign_site(Headers(raw=raw[:1]), ("same-origin", "none")) == ""
    assert foreign_site(Headers(raw=[]), ("same-origin", "none")) == ""


def test_a_page_behind_a_proxy_may_write_if_its_host_is_allowed(
    tmp_path: Path, serve: Callable[..., Any]
) -> None:
    client = serve(tmp_path, hosts=("lab.example", "hub.example:8443"), path_prefix="/board")
    for headers, status in [
        ({"Host": "lab.example", "Origin": "https://lab.example"}, 200),  # the proxy keeps the name
        ({"Origin": "https://lab.example"}, 200),  # the proxy asks by the board's own name
        ({"Host": "hub.example:8443", "Origin": "https://hub.example:8443"}, 200),
        ({"Origin": "https://hub.example"}, 403),
        ({"Origin": "https://other.example"}, 403),
    ]:
        answer = client.ask("PATCH", "/board/api/v1/settings", {}, headers)
        assert answer.status == status, headers
    assert json.loads(answer.body)["error"] == (
        "a page of another site may not change anything here; got Origin 'https://other.example'. If it is the "
        "board's own page behind a proxy, start the board with --allowed-host NAME[:PORT]"
    )


def test_a_proxy_may_say_that_the_page_came_over_tls(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path, token="secret")
    client.wait_for(lambda: client.running.server.started)
    headers = {"Host": "lab.example", "Origin": "https://lab.example", "Authorization": "Bearer secret"}
    assert client.ask("PATCH", "/api/v1/settings", {}, headers).status == 403
    headers["X-Forwarded-Proto"] = "https"
    assert client.ask("PATCH", "/api/v1/settings", {}, headers).status == 200


def test_bodies_that_are_not_json_are_refused(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path)
    for kind, status in [
        ("application/json; charset=utf-8", 200),
        ("application/merge-patch+json", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
    ]:
        answer = client.ask("PATCH", "/api/v1/settings", {}, {"Content-Type": kind})
        assert answer.status == status, kind
    assert json.loads(answer.body)["error"] == (
        "/api/v1/settings expected Content-Type: application/json; got 'multipart/form-data'"
    )
