from __future__ import annotations

import json
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board.auth import host_name, is_loopback


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("[::1]", True),
        ("board.localhost", True),
        ("0.0.0.0", False),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_what_is_this_machine(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_names_in_host_headers() -> None:
    assert [host_name(h) for h in ("localhost:6006", "[::1]:6006", "a.b", "[::1]")] == [
        "localhost",
        "[::1]",
        "a.b",
        "[::1]",
    ]


def test_on_loopback_the_host_must_be_ours(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path, hosts=("my.proxy",))
    for host, status in [
        ("localhost:99", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("my.proxy", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example:6006", 403),
        ("", 403),
    ]:
        assert client.ask("GET", "/api/v1/info", headers={"Host": host}).status == status, host
    error = json.loads(client.ask("GET", "/data/runs", headers={"Host": "evil.example"}).body)["error"]
    assert error.startswith("the board is asked for as 'evil.example', which is not a name it goes by")


def test_pages_of_other_sites_change_nothing(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path)
    for site, status in [("same-origin", 200), ("cross-site", 403), ("same-site", 403)]:
        headers = {"Sec-Fetch-Site": site}
        assert client.ask("PATCH", "/api/v1/settings", {}, headers).status == status


def test_pages_of_other_sites_get_nothing_to_read(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path)
    for path, site, status in [
        ("/api/v1/info", "cross-site", 403),
        ("/data/runs", "cross-site", 403),
        ("/api/v1/info", "same-origin", 200),
        ("/api/v1/info", "none", 200),
    ]:
        assert client.ask("GET", path, headers={"Sec-Fetch-Site": site}).status == status, (path, site)
    answer = client.ask("GET", "/", headers={"Sec-Fetch-Site": "cross-site"})  # a link to the page
    assert answer.status in (200, 503)


def test_elsewhere_a_token_is_needed(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path, host="0.0.0.0")
    client.wait_for(lambda: client.running.server.started)
    token = client.running.options.token
    assert len(token) >= 32
    assert client.running.url.endswith(f"/?token={token}")
    for headers, status in [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Cookie": f"tapeflow-board-{client.port}=wrong"}, 401),
        ({"Cookie": "=;;==\x01"}, 401),
        ({"Authorization": f"Bearer {token}"}, 200),
        ({"Cookie": f"tapeflow-board-{client.port}={token}"}, 200),
    ]:
        assert client.ask("GET", "/api/v1/info", headers=headers).status == status, headers
        assert client.ask("GET", "/data/runs", headers={**headers, "Host": "any.name"}).status == status
    assert client.ask("GET", "/?token=wrong").status == 401
    answer = client.ask("GET", f"/?view=x&token={urllib.parse.quote(token)}")
    assert (answer.status, answer.headers["location"]) == (303, "/?view=x")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_other_pages_may_show_it_only_if_told(tmp_path: Path, serve: Callable[..., Any]) -> None:
    policies = [
        serve(tmp_path, is_framed=framed).ask("GET", "/api/v1/info").headers["content-security-policy"]
        for framed in (False, True)
    ]
    assert policies[0].endswith("frame-ancestors 'self'")
    assert "http://localhost:*" in policies[1]
