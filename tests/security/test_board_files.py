"""Event files that somebody else made, shown by a board: whatever they hold, every route answers, and in bounds.

Beside this: damaged and cut files, lengths that lie, pipes, links and tags without number in
tests/unit/board/test_ingest.py; a snapshot of all runs that somebody else has written in test_snapshot.py; kinds and
sizes of blobs in test_blobs.py; layouts with hostile expressions in test_custom_scalars.py; graphs, models and
profiles in tests/unit/board/api; what the page does with names and texts in tests/browser/test_page.py and
test_media.py.
"""

from __future__ import annotations

import base64
import http.client
import json
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir, run_id
from tapeflow.board.serving import Running
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record
from tapeflow.summary.event_files.tensors import tensor_bytes
from tapeflow.summary.protos import message

MOST_FILLED = 1 << 22


def filled(shape: tuple[int, ...], dtype: int = 1, **fields: Any) -> bytes:
    """A tensor of a few bytes that claims to be large: the last element given stands for the rest."""
    tensor = message("TensorProto")(dtype=dtype, **fields)
    for size in shape:
        tensor.tensor_shape.dim.add(size=size)
    return tensor.SerializeToString()


ONE = {"float_val": [1.0]}
VALUES = {
    "a number": tensor_bytes(np.float32(1)),
    "empty": tensor_bytes(np.zeros(0)),
    "five axes": tensor_bytes(np.zeros((1, 2, 1, 2, 3))),
    "strings": tensor_bytes(np.array([b"\xff\0<b>", b"9" * 50, b"<svg onload=alert(1)>"], object)),
    "table": tensor_bytes(np.array([[b"=1+1"], [b"\xed\xa0\x80"]], object)),
    "a string": tensor_bytes("<script>alert(1)</script>"),
    "nan": tensor_bytes(np.full((6, 3), np.nan)),
    "infinite": tensor_bytes(np.full((3, 3), np.inf)),
    "negative": tensor_bytes(np.full((6, 4), -1e300)),
    "uint64": tensor_bytes(np.full((2, 2), 2**64 - 1, np.uint64)),
    "bool": tensor_bytes(np.ones((3, 3), bool)),
    "complex": tensor_bytes(np.ones((3, 3), np.complex64)),
    "bfloat16": tensor_bytes(np.ones((6, 3), ml_dtypes.bfloat16)),
    "int8": tensor_bytes(np.ones((1, 3, 3), np.int8)),
    "square": filled((300, 300), **ONE),
    "large": filled((MOST_FILLED,), **ONE),
    "curve": filled((6, MOST_FILLED // 6), **ONE),
    "buckets": filled((20_000, 3), **ONE),
    "mesh": filled((1, MOST_FILLED // 3, 3), **ONE),
    "two": filled((MOST_FILLED,), float_val=[1.0, 2.0]),
    "absurd": filled((1 << 40, 1 << 40), **ONE),
    "none of many": filled((0, 1 << 62)),
    "too few strings": filled((5, 5), 7, string_val=[b"a"]),
    "forty axes": filled((1,) * 40, **ONE),
    "a hundred axes": filled((1,) * 100, **ONE),
    "no type": filled((1,), 99),
}
PLUGINS = (
    *("scalars", "images", "audio", "text", "tables", "video", "mesh", "histograms", "confusion_matrix"),
    *("pr_curves", "custom_scalars", "hparams", "graphs", "graph_keras_model", "graph_run_metadata"),
    *("graph_run_metadata_graph", "projector", "nothing", "", "a" * 3000),
)
CONTENTS = (b"", b"\xff\xff\xff", b"\x08\x96\x01")  # none, no message, a version there is not
NAME = "<img src=x onerror=alert(1)>\u202e\x1b[31m\x07"


def events_of(plugin: str) -> Iterator[bytes]:
    for number, (name, tensor) in enumerate(VALUES.items()):
        for content in CONTENTS if number < 4 else CONTENTS[:1]:
            tag = f"{plugin[:20]}/{name}/{content.hex()}/{NAME}"
            meta = encoding.metadata(plugin, content)
            yield record(encoding.tensor_event(1.7e9, number % 5, tag, tensor, meta))


class Client:
    def __init__(self, running: Running) -> None:
        self.running = running
        self.port = running.options.port
        self.status: dict[str, int] = {}

    def ask(self, path: str) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/" + path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        self.status[path] = answer.status
        return answer, body

    def json(self, path: str) -> Any:
        answer, body = self.ask(path)
        return json.loads(body) if answer.status == 200 else None


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    root = tmp_path_factory.mktemp("board")
    folder = root / "runs" / NAME
    folder.mkdir(parents=True)
    events = [record(encoding.version_event(1.7e9)), *(e for plugin in PLUGINS for e in events_of(plugin))]
    (folder / "events.out.tfevents.1.host").write_bytes(b"".join(events))
    options = BoardOptions(port=0, cache=None, settings=str(root / "settings.json"))
    running = Running([Logdir(str(root / "runs"))], options)
    thread = running.run_in_thread()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)  # client and server take turns two thousand times
    client = Client(running)
    while not client.json("api/v1/info")["progress"]["is_done"]:
        time.sleep(0.05)
    yield client
    sys.setswitchinterval(interval)
    running.stop()
    thread.join(20)
    assert not thread.is_alive()


def paths_of(board: Client) -> Iterator[str]:
    """Every route that shows something of a run, with every tag."""
    run = run_id(NAME)
    for panel, entries in board.json("api/v1/tags")["panels"].items():
        for entry in entries:
            own = urllib.parse.urlencode({"run": run, "tag": entry["tag"]})
            named = urllib.parse.urlencode({"run": NAME, "tag": entry["tag"]})
            yield f"api/v1/{panel}/items?{own}"
            yield f"api/v1/{panel}/{'download' if panel == 'scalars' else 'steps'}?{own}"
            for name in (panel, "distributions") if panel == "histograms" else (panel,):
                yield f"data/plugin/{name}/{name}?{named}"
            if panel == "graphs":
                yield f"api/v1/graphs/node?{own}&index=0&node=0"
                yield f"data/plugin/graphs/graph?{named}"
                yield f"data/plugin/graphs/run_metadata?{named}"
            if panel == "mesh":
                yield f"data/plugin/mesh/meshes?{named}"
                yield f"data/plugin/mesh/data?{named}&content_type=VERTEX"
    for name in ("images", "audio", "text", "histograms", "distributions", "pr_curves", "mesh", "scalars"):
        yield f"data/plugin/{name}/tags"
    yield from ("data/runs", "data/plugin/graphs/info", "data/plugin/custom_scalars/layout")
    yield from ("data/plugin/hparams/experiment?request=%7B%7D", "data/plugin/projector/runs")
    yield from ("api/v1/custom_scalars/layout", "api/v1/hparams/sessions", "api/v1/projector/sets")


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_no_value_of_any_plugin_makes_a_route_fail(board: Client, capfd: pytest.CaptureFixture[str]) -> None:
    kinds = set()
    for path in list(paths_of(board)):
        answer, body = board.ask(path)
        assert answer.status in (200, 400, 404, 422), (path, body[:300])
        assert answer.headers["x-content-type-options"] == "nosniff", path
        kinds.add(answer.headers["content-type"].partition(";")[0])
        if path.startswith("api/v1/") and "/items?" in path and answer.status == 200:
            for item in json.loads(body)["items"][:1]:
                for sample in item["samples"][:1]:
                    assert board.ask(sample["url"])[0].status in (200, 404), sample["url"]
    assert {board.status[path] for path in board.status} >= {200, 404}
    assert "text/html" not in kinds
    assert "image/svg+xml" not in kinds
    assert "Traceback" not in capfd.readouterr().err


def test_a_number_under_another_plugin_s_name_is_a_scalar(board: Client) -> None:
    listed = board.json("data/plugin/images/tags")[NAME]
    assert not [tag for tag in listed if "/a number/" in tag]
    assert [tag for tag in listed if "/strings/" in tag]


def test_hostile_names_come_as_data_and_unchanged(board: Client) -> None:
    (run,) = board.json("api/v1/runs")["runs"]
    assert run["name"] == NAME
    answer, body = board.ask("data/runs")
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(body) == [NAME]


def test_texts_are_html_without_markup_in_tensorboards_route(board: Client) -> None:
    query = urllib.parse.urlencode({"run": NAME, "tag": f"text/a string//{NAME}"})
    for more in ("", "&markdown=false"):
        (step,) = board.json(f"data/plugin/text/text?{query}{more}")
        assert "<script" not in step["text"]
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in step["text"]


def generation(board: Client) -> int:
    return board.running.board.store.runs[run_id(NAME)].generation


@pytest.mark.parametrize("route", ["images/individualImage", "audio/individualAudio"])
@pytest.mark.parametrize(
    "key",
    [
        *(None, {}, "text", [], ["a"], [1] * 5, [[]] * 5, [None] * 5, ["../../etc/passwd", "x", 0, 0, 0]),
        *(["run", "tag", -1, 0, "g"], ["run", "tag", 10**18, 0, "g"], ["run", "tag", 1e300, 0, "g"]),
        *(["run", "tag", 0, -1, "g"], ["run", "tag", 0, 1e300, "g"], ["run", "tag", 0, 0, 1e300]),
    ],
    ids=str,
)
def test_keys_of_blobs_that_nobody_gave(board: Client, route: str, key: Any) -> None:
    known = {"run": run_id(NAME), "tag": f"images/strings//{NAME}", "g": generation(board)}
    if isinstance(key, list):
        key = [known.get(part, part) if isinstance(part, str) else part for part in key]
    text = base64.urlsafe_b64encode(json.dumps(key).encode()).decode()
    answer, body = board.ask(f"data/plugin/{route}?blob_key={text}")
    assert answer.status in (400, 404), body


@pytest.mark.parametrize("text", ["", "%ff%00", base64.b64encode(b"[" * 5000).decode(), "x" * 9000])
def test_keys_of_blobs_that_are_none(board: Client, text: str) -> None:
    assert board.ask(f"data/plugin/images/individualImage?blob_key={text}")[0].status == 400


READ = """
import sys
from tapeflow.board.board import Board, BoardOptions
from tapeflow.board.logdirs import Logdir
board = Board([Logdir(sys.argv[1])], BoardOptions(cache=None, settings=sys.argv[1] + "/../s.json"))

def most_kb():  # not ru_maxrss, in which the process that started this one counts, too
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

before = most_kb()
board.ingest.read_once()
(run,) = board.store.ordered_runs()
print(run.points, run.state, (most_kb() - before) // 1024)
"""


@pytest.mark.parametrize(
    ("tensor", "count"),
    [(filled((MOST_FILLED,), **ONE), 1000), (filled((MOST_FILLED,), float_val=[1.0, 2.0]), 50)],
    ids=["one element", "two elements"],
)
def test_small_files_of_large_tensors_take_little_memory(tmp_path: Path, tensor: bytes, count: int) -> None:
    (tmp_path / "runs").mkdir()
    meta = encoding.metadata("histograms")
    one = [record(encoding.tensor_event(1.7e9, i, "t", tensor, meta)) for i in range(count)]
    data = record(encoding.version_event(1.7e9)) + b"".join(one)
    assert len(data) < 100 * count  # for tensors of 16 MB each
    (tmp_path / "runs" / "events.out.tfevents.1.host").write_bytes(data)
    found = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path / "runs")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    points, state, megabytes = found.stdout.split()
    assert (points, state) == (str(count), "ready")
    assert int(megabytes) < 150
