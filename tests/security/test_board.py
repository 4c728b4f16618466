"""Attacks on a board over HTTP: other web sites, paths that lead out, hostile requests, floods of connections.

Beside this: which origins count as foreign in tests/unit/board/test_origins.py; tokens, cookies and names of hosts in
test_auth.py and test_serving.py; connections that are slow, silent, stalled or gone in test_connections.py; limits of
bodies, blobs and answers in test_app.py; links out of log folders in test_logdirs.py and test_ingest.py; what runs in a
page in tests/browser/test_page.py and test_media.py. Hostile event files are in test_board_files.py.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir, run_id
from tapeflow.board.serving import Running
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record

SECRET = b"root:x:0:0:secret"
TOKEN = "c2VjcmV0LXRva2Vu"


class Client:
    def __init__(self, running: Running) -> None:
        self.running = running
        self.port = running.options.port
        self.own = f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: bytes | None = None, headers: Any = ()) -> SimpleNamespace:
        """A request with exactly these headers, some of them maybe twice."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=any(name == "Host" for name, _ in headers))
        for name, value in headers:
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        found = SimpleNamespace(status=answer.status, headers=answer.headers, body=answer.read())
        connection.close()
        return found

    def send(self, data: bytes) -> bytes:
        """All that comes back for these bytes until the board closes the connection, or says nothing for a while."""
        found = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as made:
            with contextlib.suppress(ConnectionError):  # it may close before all is sent
                made.sendall(data)
            made.settimeout(0.5)
            with contextlib.suppress(TimeoutError, ConnectionError):
                while part := made.recv(1 << 16):
                    found += part
        return found

    def settings(self) -> Any:
        return json.loads(self.ask("GET", "/api/v1/settings").body)

    def is_alive(self) -> bool:
        return self.ask("GET", "/api/v1/info").status == 200


Start = Callable[..., Client]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Boards over a folder with a run, an embedding that names a file outside, a profile, and a secret beside it."""
    root = tmp_path_factory.mktemp("board")
    run = root / "runs" / "a"
    profile = run / "plugins" / "profile" / "2026_01_01"
    profile.mkdir(parents=True)
    (profile / "host.xplane.pb").write_bytes(b"")
    (root / "passwd").write_bytes(SECRET)
    (run / "vectors.tsv").write_text("1\t2\n3\t4\n5\t6\n7\t8\n")
    (run / "projector_config.pbtxt").write_text(
        "".join(
            f'embeddings {{ tensor_name: "{name}" tensor_path: "{vectors}" metadata_path: "{labels}" '
            f'bookmarks_path: "{labels}" sprite {{ image_path: "{labels}" }} }}\n'
            for name, vectors, labels in [
                ("labels", "vectors.tsv", root / "passwd"),
                ("above", "vectors.tsv", "../../passwd"),
                ("vectors", root / "passwd", ""),
                ("link", "link", "link"),
            ]
        )
        + f'model_checkpoint_path: "{root / "passwd"}"\n'
    )
    (run / "link").symlink_to(root / "passwd")
    event = encoding.scalar_event(1.7e9, 0, "loss", 1.0, encoding.metadata("scalars"))
    data = record(encoding.version_event(1.7e9)) + record(event)
    (run / "events.out.tfevents.1.host").write_bytes(data)
    started = []

    def make(**options: Any) -> Client:
        settings = str(root / f"settings-{len(started)}.json")
        running = Running(
            [Logdir(str(root / "runs"))], BoardOptions(port=0, cache=None, settings=settings, **options)
        )
        started.append((running, running.run_in_thread()))
        client = Client(running)
        while not any(run.state == "ready" for run in running.board.store.ordered_runs()):
            time.sleep(0.01)
        return client

    yield make
    for running, thread in started:
        running.stop()
        thread.join(20)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def board(start: Start) -> Client:
    return start()


@pytest.fixture(scope="module")
def locked_board(start: Start) -> Client:
    return start(token=TOKEN)


# ---- Other web sites ----

CHANGES = [
    ("PATCH", "/api/v1/settings", b'{"page": {"owned": 1}}'),
    ("POST", "/api/v1/settings", b'{"page": {"owned": 1}}'),
    ("PUT", "/api/v1/settings", b'{"page": {"owned": 1}}'),
    ("POST", "/api/v1/live/0", b'{"series": []}'),
    ("POST", "/api/v1/scalars/series", b'{"series": []}'),
    ("POST", "/api/v1/projector/jobs", b'{"run": "a", "name": "labels", "method": "tsne"}'),
    ("DELETE", "/api/v1/projector/jobs/0", None),
    ("POST", "/data/plugin/scalars/scalars_multirun", b"tag=loss&runs=a"),
    ("POST", "/data/plugin/hparams/experiment", b"{}"),
    ("POST", "/", b""),
    ("TRACE", "/", None),
    ("QUERY", "/api/v1/settings", b"{}"),
]
OTHER_SITES: dict[str, Callable[[str], list[tuple[str, str]]]] = {
    "origin": lambda own: [("Origin", "http://evil.example")],
    "origin that claims to be ours": lambda own: [
        ("Origin", "http://evil.example"),
        ("Sec-Fetch-Site", "same-origin"),
    ],
    "ours, but the browser says otherwise": lambda own: [("Origin", own), ("Sec-Fetch-Site", "cross-site")],
    "same site": lambda own: [("Sec-Fetch-Site", "same-site")],
    "null": lambda own: [("Origin", "null")],
    "null with a referrer of ours": lambda own: [("Origin", "null"), ("Referer", own + "/")],
    "empty": lambda own: [("Origin", "")],
    "another port": lambda own: [("Origin", "http://127.0.0.1:1")],
    "no port": lambda own: [("Origin", "http://127.0.0.1")],
    "another scheme": lambda own: [("Origin", own.replace("http:", "https:"))],
    "another name of this machine": lambda own: [("Origin", own.replace("127.0.0.1", "localhost"))],
    "a name that begins with ours": lambda own: [("Origin", own + ".evil.example")],
    "a user of another host": lambda own: [("Origin", own + "@evil.example")],
    "two origins": lambda own: [("Origin", own), ("Origin", "http://evil.example")],
    "two origins in one": lambda own: [("Origin", f"{own}, http://evil.example")],
    "referrer": lambda own: [("Referer", "http://evil.example/")],
    "referrer with our address in it": lambda own: [("Referer", f"http://evil.example/{own}/")],
    "a file": lambda own: [("Origin", "file://")],
    "an extension": lambda own: [("Origin", "chrome-extension://abcdefgh")],
    "a forwarded host": lambda own: [
        ("Origin", "http://evil.example"),
        ("X-Forwarded-Host", "evil.example"),
        ("Forwarded", "host=evil.example"),
    ],
}


@pytest.mark.parametrize("site", OTHER_SITES)
def test_no_other_site_changes_anything(board: Client, site: str) -> None:
    for method, path, body in CHANGES:
        for kind in ("application/json", "text/plain"):
            headers = [*OTHER_SITES[site](board.own), ("Content-Type", kind)]
            answer = board.ask(method, path, body, headers)
            assert answer.status == 403, (method, path)
            assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    assert board.settings()["page"] == {}


def test_the_page_itself_and_scripts_may(board: Client) -> None:
    for headers in (
        [],
        [("Origin", board.own)],
        [("Origin", board.own), ("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/json")],
        [("Referer", board.own + "/?panel=scalars")],
        [("Host", f"localhost:{board.port}"), ("Origin", f"http://localhost:{board.port}")],
    ):
        assert board.ask("PATCH", "/api/v1/settings", b"{}", headers).status == 200, headers


@pytest.mark.parametrize("site", ["origin", "null", "referrer"])
@pytest.mark.parametrize("path", ["/api/v1/runs", "/api/v1/live", "/data/runs", "/api/v1/projector/sets"])
def test_no_other_site_reads_anything(board: Client, site: str, path: str) -> None:
    assert board.ask("GET", path, None, OTHER_SITES[site](board.own)).status == 403
    assert not board.running.board.hub.clients


def test_a_token_is_no_excuse(locked_board: Client) -> None:
    cookie = ("Cookie", f"tapeflow-board-{locked_board.port}={TOKEN}")
    for proof in (cookie, ("Authorization", f"Bearer {TOKEN}")):
        assert locked_board.ask("PATCH", "/api/v1/settings", b"{}", [proof]).status == 200
        for site in OTHER_SITES.values():
            headers = [proof, *site(locked_board.own)]
            assert locked_board.ask("PATCH", "/api/v1/settings", b"{}", headers).status == 403, headers


def test_preflights_allow_nothing(board: Client) -> None:
    for origin in ("http://evil.example", board.own):
        headers = [("Origin", origin), ("Access-Control-Request-Method", "PATCH")]
        answer = board.ask("OPTIONS", "/api/v1/settings", None, headers)
        assert answer.status in (403, 405)
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]


def test_reading_changes_nothing(board: Client) -> None:
    patch = b'{"page": {"owned": 1}}'
    query = urllib.parse.urlencode({"_method": "PATCH", "page": '{"owned": 1}'})
    for method in ("GET", "HEAD"):
        for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
            board.ask(method, f"/api/v1/settings?{query}", patch, [(name, "PATCH")])
    assert board.ask("POST", f"/api/v1/settings?{query}", patch, []).status in (404, 405)
    assert board.settings()["page"] == {}


def test_there_are_no_web_sockets(board: Client) -> None:
    upgrade = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]
    for path in ("/api/v1/live", "/api/v1/info"):
        answer = board.ask("GET", path, None, [*upgrade, ("Origin", "http://evil.example")])
        assert answer.status == 403, path
    assert board.ask("GET", "/api/v1/info", None, [*upgrade, ("Origin", board.own)]).status == 200  # not 101


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:6006", "127.0.0.1.evil.example", "localhost.evil.example", ""),
        *("127.0.0.1@evil.example", "evil.example#127.0.0.1", "evil.example/127.0.0.1", "0.0.0.0", "[::]"),
        *("2130706433", "0x7f000001", "127.1", "192.168.0.1", "localhost.", "[::ffff:10.0.0.1]"),
    ],
)
def test_a_name_that_was_bound_to_this_machine_gets_nothing(board: Client, host: str) -> None:
    for path in ("/", "/api/v1/info", "/data/runs", "/assets/x.js"):
        headers = [("Host", host), ("X-Forwarded-Host", "localhost"), ("Forwarded", "host=localhost")]
        assert board.ask("GET", path, None, headers).status == 403, path


def test_one_host_is_named_and_it_is_the_one_that_counts(board: Client) -> None:
    twice = b"GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    assert board.send(twice).startswith(b"HTTP/1.1 400")
    whole = b"GET http://localhost/api/v1/info HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert board.send(whole).startswith(b"HTTP/1.1 403")


# ---- Paths that lead out ----

PATHS = [
    *("../passwd", "../../passwd", "/etc/passwd", "a/../../passwd", "..\\..\\passwd", "file:///etc/passwd"),
    *(
        "....//....//passwd",
        "%2e%2e/passwd",
        "..%2fpasswd",
        "..%252fpasswd",
        "\0",
        "passwd\0.png",
        "~/passwd",
    ),
    *("http://127.0.0.1:1/", "//evil.example/x", "gs://bucket/x", "|id", "$(id)", "a" * 6000, "\u202e", "é"),
]
ASKING = [
    "api/v1/images/items?run={}&tag=loss",
    f"api/v1/images/items?run={run_id('a')}&tag={{}}",
    "api/v1/blob?run={}&tag={}&index=0",
    "api/v1/scalars/download?run={}&tag={}",
    "api/v1/histograms/steps?run={}&tag={}",
    "api/v1/graphs/items?run={}&tag={}",
    "api/v1/graphs/node?run={}&tag={}&index=0&node=0",
    f"api/v1/profile/overview?run={run_id('a')}&session={{}}",
    f"api/v1/profile/overview?run={run_id('a')}&session=2026_01_01&host={{}}",
    f"api/v1/profile/timeline?run={run_id('a')}&session=2026_01_01&host={{}}",
    "api/v1/projector/facts?run={}&name={}",
    f"api/v1/projector/facts?run={run_id('a')}&name={{}}",
    f"api/v1/projector/sprite?run={run_id('a')}&name=labels&step={{}}",
    "api/v1/projector/jobs/{}",
    "api/v1/projector/jobs/{}/layout",
    "data/plugin/profile/data?run={}&tool=trace_viewer&host=host",
    "data/plugin/profile/data?run=a/2026_01_01&tool={}&host=host",
    "data/plugin/profile/data?run=a/2026_01_01&tool=trace_viewer&host={}",
    "data/plugin/profile/hosts?run={}",
    "data/plugin/projector/info?run={}",
    "data/plugin/projector/metadata?run={}&name=labels",
    "data/plugin/projector/metadata?run=a&name={}",
    "data/plugin/projector/tensor?run=a&name={}",
    "data/plugin/projector/sprite_image?run=a&name={}",
    "data/plugin/projector/bookmarks?run=a&name={}",
    "data/plugin/scalars/scalars?run={}&tag=loss",
    "data/plugin/images/individualImage?blob_key={}",
    "data/plugin/text/text?run={}&tag={}",
    "data/plugin/mesh/data?run={}&tag={}&content_type=VERTEX",
    "data/plugin/pr_curves/pr_curves?run={}&tag={}",
    "data/plugin/graphs/graph?run={}",
    "{}",
    "assets/{}",
]


@pytest.mark.parametrize("route", ASKING)
def test_no_name_in_a_request_leads_out_of_the_log_folder(board: Client, route: str) -> None:
    for path in PATHS:
        for text in (urllib.parse.quote(path, safe=""), urllib.parse.quote(path, safe="/.%:")):
            answer = board.ask("GET", "/" + route.replace("{}", text))
            assert answer.status in (200, 400, 404, 405, 422), (text, answer.body[:200])
            assert SECRET not in answer.body
            if answer.status == 200:  # TensorBoard's way to say that there is nothing
                assert answer.body in (b"[]", b"{}", b""), (text, answer.body[:200])


@pytest.mark.parametrize("name", ["labels", "above", "vectors", "link"])
def test_no_file_that_a_projector_configuration_names_leads_out(board: Client, name: str) -> None:
    query = f"run={run_id('a')}&name={name}"
    for route in ("facts", "column?column=0", "row?index=0", "pca", "sprite", "neighbors?index=0"):
        route += "&" if "?" in route else "?"
        answer = board.ask("GET", f"/api/v1/projector/{route}{query}")
        assert SECRET not in answer.body, route
    assert b"is outside of it" in board.ask("GET", f"/api/v1/projector/facts?{query}").body
    for route in ("info", "tensor", "metadata", "bookmarks", "sprite_image"):
        answer = board.ask("GET", f"/data/plugin/projector/{route}?run=a&name={name}")
        assert answer.status < 500
        assert SECRET not in answer.body, route


# ---- Requests ----


@pytest.mark.parametrize(
    "body",
    [
        *(b"[" * 100_000, b'{"series":' * 50_000, b"[" * 100_000 + b"]" * 100_000, b"", b"\xff\xfe", b"nul"),
        *(b'{"series": 1e999}', b"9" * 100_000, b'"\\ud800"', b"{" + b'"a":1,' * 100_000 + b'"b":2}', b"\0"),
        b"\x1f\x8b\x08" + b"\0" * 100,
    ],
    ids=lambda body: repr(body[:12]),
)
def test_bodies_that_are_no_requests(board: Client, body: bytes) -> None:
    for method, path, _ in CHANGES[:1] + CHANGES[3:6]:
        headers = [("Content-Encoding", "gzip")] if body.startswith(b"\x1f") else []
        answer = board.ask(method, path, body, headers)
        assert answer.status == 400, (path, answer.body[:200])
        assert len(answer.body) < 1000
    assert board.settings()["page"] == {}


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1, 2\r\n\r\nab",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffffffff\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /\r\nX: y HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX\0: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n X: y\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 300,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\n" * 100_000,
    ],
    ids=lambda data: repr(data[:60]),
)
def test_bytes_that_are_no_request(board: Client, request_: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    answer = board.send(request_)
    assert answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 505")), answer[:100]
    assert board.is_alive()
    assert "Traceback" not in capfd.readouterr().err


def test_what_stands_in_a_request_ends_no_header(locked_board: Client) -> None:
    evil = "%0d%0aSet-Cookie:%20owned=1%0d%0a%0d%0a<script>"
    for path in (f"/?token={TOKEN}&x={evil}", f"/{evil}?token={TOKEN}", f"/%5cevil.example/?token={TOKEN}"):
        answer = locked_board.ask("GET", path)
        assert answer.status == 303
        assert "owned" not in answer.headers["set-cookie"]
        assert re.fullmatch(r"/(?!/|\\)[!-~]*", answer.headers["location"])
    for path in (f"/api/v1/{evil}", f"/api/v1/tags?panel={evil}", f"/data/plugin/{evil}"):
        answer = locked_board.ask("GET", path, None, [("Authorization", f"Bearer {TOKEN}")])
        assert answer.status in (400, 404)
        assert "set-cookie" not in answer.headers
        assert not answer.headers["content-type"].startswith("text/html")


def test_no_header_of_a_proxy_changes_an_answer(board: Client) -> None:
    plain = board.ask("GET", "/api/v1/runs")
    for name, value in [
        *(("X-Forwarded-Host", "evil.example"), ("X-Host", "evil.example"), ("X-Forwarded-Prefix", "/evil")),
        *(("X-Original-URL", "/api/v1/settings"), ("X-Rewrite-URL", "/api/v1/settings")),
        *(("X-Forwarded-Scheme", "nothttps"), ("X-Forwarded-Port", "1"), ("X-Forwarded-For", "1.2.3.4")),
    ]:
        answer = board.ask("GET", "/api/v1/runs", None, [(name, value)])
        assert (answer.status, answer.body) == (200, plain.body), name
        assert answer.headers["cache-control"] == "no-cache"


# ---- What a browser may do with an answer ----

ANSWERS = [
    ("GET", "/", (200, 503)),
    ("GET", "/api/v1/runs", (200,)),
    ("GET", "/api/v1/nothing", (404,)),
    ("GET", "/api/v1/tags?panel=<script>", (400,)),
    ("DELETE", "/api/v1/settings", (404, 405)),
    ("GET", "/nothing.html", (404,)),
    ("GET", "/data/plugin/text/text?run=a&tag=b", (200,)),
    ("POST", "/", (405,)),
]


@pytest.mark.parametrize(("method", "path", "statuses"), ANSWERS)
def test_every_answer_tells_the_browser_to_run_and_frame_nothing(
    board: Client, method: str, path: str, statuses: tuple[int, ...]
) -> None:
    answer = board.ask(method, path)
    assert answer.status in statuses
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert policy.endswith("frame-ancestors 'self'")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in answer.headers
    if path != "/":
        assert not answer.headers.get("content-type", "").startswith("text/html")


def test_a_token_stays_where_it_is(locked_board: Client) -> None:
    answer = locked_board.ask("GET", f"/?token={TOKEN}")
    assert answer.status == 303
    assert TOKEN not in answer.headers["location"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
    proof = [("Authorization", f"Bearer {TOKEN}")]
    for path in ("/", "/api/v1/info", "/data/environment", "/api/v1/settings", "/api/v1/nothing"):
        answer = locked_board.ask("GET", path, None, proof)
        assert TOKEN.encode() not in answer.body, path
        assert TOKEN not in str(answer.headers), path
        refused = locked_board.ask("GET", f"{path}?token=wrong-token")
        assert refused.status == 401
        assert b"wrong-token" not in refused.body


@pytest.mark.parametrize(
    "header",
    [
        ("Authorization", "Bearer"),
        ("Authorization", f"Basic {TOKEN}"),
        ("Authorization", "Bearer " + TOKEN[:-1]),
        ("Authorization", f"Bearer {TOKEN}x"),
        ("Authorization", "Bearer é\xff"),
        ("Cookie", f"tapeflow-board-1={TOKEN}"),
        ("X-Token", TOKEN),
        ("X-Forwarded-For", "127.0.0.1"),
        ("Host", "localhost"),
    ],
    ids=str,
)
def test_nobody_gets_in_without_the_token(locked_board: Client, header: tuple[str, str]) -> None:
    for path in ("/", "/api/v1/info", "/data/runs", "/assets/index.js", "/~wrong/api/v1/info"):
        assert locked_board.ask("GET", path, None, [header]).status == 401, path


# ---- Floods ----

FLOODED = """
import resource, sys
from tapeflow.board import connections
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running
limit = min(1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
connections.HEADERS_S = 600.0  # those let in stay, however slow this machine is
running = Running([Logdir(sys.argv[1])], BoardOptions(port=0, cache=None, settings=sys.argv[1] + "/s.json"))
thread = running.run_in_thread()
print(running.options.port, flush=True)
sys.stdin.readline()
running.stop()
thread.join(10)
# Not ru_maxrss, in which the process that started this one counts, too.
status = open("/proc/self/status").read().splitlines()
most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(thread.is_alive(), most // 1024, flush=True)
"""


def test_ten_thousand_connections_take_neither_the_memory_nor_the_descriptors(tmp_path: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", FLOODED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    address = ("127.0.0.1", int(server.stdout.readline()))
    held: list[socket.socket] = []
    refused = 0
    try:
        for _ in range(10_000):
            made = socket.create_connection(address, timeout=10)
            held.append(made)
            if len(held) > 600:  # more than the board lets in: the rest have been closed by it
                with held.pop(550) as oldest:
                    oldest.settimeout(5)
                    with contextlib.suppress(TimeoutError):  # it was let in
                        refused += oldest.recv(100).startswith(b"HTTP/1.1 503")
        for made in held:
            made.close()
        for _ in range(200):
            with socket.create_connection(address, timeout=10) as made:
                made.sendall(b"GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n")
                if made.recv(12) == b"HTTP/1.1 200":
                    break
            time.sleep(0.05)
        else:
            pytest.fail("the board does not answer any more")
    finally:
        output, errors = server.communicate("stop\n", timeout=30)
    is_alive, megabytes = output.split()
    assert is_alive == "False"
    assert refused > 9000
    assert int(megabytes) < 250
    assert len(errors.splitlines()) <= 3, errors
