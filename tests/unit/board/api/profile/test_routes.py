"""Profiles over HTTP: found live, judged, in columns, and refused in words where they are broken."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board.api.profile import timeline
from tapeflow.board.api.profile.export import exports
from tapeflow.board.api.profile.sessions import MOST_KEPT, sessions_of
from tapeflow.board.logdirs import Logdir as Folder
from tapeflow.board.logdirs import find_runs, run_id
from tapeflow.summary.profile.records import PHASES
from tapeflow.summary.profile.trace import read_trace
from tapeflow.summary.protos import message

DATA = Path(__file__).parents[4] / "data" / "profile"
SESSION = "2026_01_01_00_00_00"


def folder_of(run: Path, session: str = SESSION) -> Path:
    folder = run / "plugins" / "profile" / session
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def put(run: Path, name: str, session: str = SESSION) -> Path:
    """One of the files that other tools wrote."""
    return Path(shutil.copy(DATA / f"{name}.xplane.pb", folder_of(run, session) / "vm.xplane.pb"))


def record(run: Path, input_ms: float, count: int = 20, session: str = SESSION) -> Path:
    """The record of steps of which each waits so long for input and computes for 10 ms."""
    rows: list[dict[str, Any]] = [{"kind": "profile", "version": 1, "host": "vm", "device": "cpu"}]
    for i in range(count):
        phases = dict.fromkeys([f"{phase}_ns" for phase in PHASES], 0)
        phases |= {"input_ns": int(input_ms * 1e6), "device_ns": 10_000_000}
        rows.append({"kind": "step", "name": "train", "step": i, "count": 1, "at_ns": i * 10**8, **phases})
    rows.append({"kind": "memory", "at_ns": 5, "rss_bytes": 3000, "live_bytes": 1000})
    stages = [{"method": "range"}, {"method": "map", "function": "decode", "busy_ns": 9000, "calls": 3}]
    rows.append({"kind": "pipeline", "reads": 20, "read_ns": 9000, "steps": stages})
    path = folder_of(run, session) / "vm.steps.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def opened(data: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    """The head and columns of a timeline."""
    assert data[:4] == b"TFT1"
    (length,) = struct.unpack_from("<I", data, 4)
    head, at = json.loads(data[8 : 8 + length]), 8 + length
    columns = {}
    for name, kind in zip(
        ("starts", "durations", "labels", "indices", "counts"),
        ("<f8", "<f8", "<u4", "<u4", "<u4"),
        strict=True,
    ):
        columns[name] = np.frombuffer(data, kind, head["length"], at)
        at += columns[name].nbytes
    assert at == len(data)
    return head, columns


class Page:
    """What the page asks for."""

    def __init__(self, client: Any, run: str, session: str = SESSION) -> None:
        self.client, self.query = client, {"run": run_id(run), "session": session}

    def overview(self) -> Any:
        return self.client.get("api/v1/profile/overview", **self.query)

    def timeline(self, **window: Any) -> tuple[Any, dict[str, np.ndarray]]:
        query = "&".join(f"{k}={v}" for k, v in {**self.query, **window}.items())
        answer = self.client.ask("GET", f"/api/v1/profile/timeline?{query}")
        assert answer.status == 200, answer.body
        return opened(answer.body)

    def refused(self, route: str, **more: Any) -> tuple[int, str]:
        query = "&".join(f"{k}={v}" for k, v in {**self.query, **more}.items())
        answer = self.client.ask("GET", f"/api/v1/profile/{route}?{query}")
        return answer.status, json.loads(answer.body)["error"]


def test_a_profile_that_appears_is_told_of_and_so_are_its_changes(
    tmp_path: Path, serve: Callable[..., Any]
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    client = serve(logs)
    assert client.runs() == {}
    path = record(logs / "a", 30, count=3)
    first = client.wait_for(lambda: client.runs().get("a", {}).get("profiles", {}).get(SESSION))
    client.wait_for(lambda: client.runs()["a"]["state"] == "ready")
    assert client.get("api/v1/info")["progress"]["is_done"]
    assert len(Page(client, "a").overview()["steps"]["numbers"]) == 3
    record(logs / "a", 30, count=5)
    client.wait_for(lambda: client.runs()["a"]["profiles"][SESSION] != first)
    assert len(Page(client, "a").overview()["steps"]["numbers"]) == 5
    path.unlink()
    client.wait_for(lambda: "a" not in client.runs())


def test_the_verdict_on_slow_input_and_on_the_mended_run(tmp_path: Path, serve: Callable[..., Any]) -> None:
    record(tmp_path / "logs" / "before", 30)
    record(tmp_path / "logs" / "after", 0.1)
    client = serve(tmp_path / "logs")
    client.wait_until_read()
    before, after = Page(client, "before").overview(), Page(client, "after").overview()
    assert (before["verdict"]["kind"], after["verdict"]["kind"]) == ("input", "device")
    assert before["verdict"]["share"] == pytest.approx(0.75)
    remedies = before["verdict"]["remedies"]
    assert remedies
    assert all(set(one) == {"kind", "subject", "text"} and one["subject"] in one["text"] for one in remedies)
    assert not after["verdict"]["remedies"]
    assert before["steps"]["walls"] == pytest.approx([0.04] * 20)
    assert before["breakdown"]["input"] == pytest.approx(0.6)
    assert before["memory"]["process"] == [3000]
    assert before["pipelines"][0]["stages"][1] == {
        "method": "map",
        "function": "decode",
        "workers": 0,
        "busy": 9e-6,
        "calls": 3,
    }
    assert before["is_measured"]
    assert "there is no XPlane file" in before["damages"][0]


def test_files_of_tensorflow_and_jax(tmp_path: Path, serve: Callable[..., Any]) -> None:
    logs = tmp_path / "logs"
    put(logs / "tf", "tensorflow")
    put(logs, "jax")  # the run of the log folder itself
    client = serve(logs)
    client.wait_until_read()
    tensorflow, jax = Page(client, "tf").overview(), Page(client, ".").overview()
    assert tensorflow["verdict"]["kind"] == "input"
    assert jax["verdict"]["kind"] == "device"
    assert not tensorflow["is_measured"]
    assert tensorflow["damages"] == []
    ops = {op["type"]: op for op in tensorflow["ops"] if op["kind"] == "framework"}
    assert "EagerPyFunc" in ops
    (matmul,) = [op for op in jax["ops"] if op["kind"] == "xla"]
    assert matmul["type"] == "matmul"
    assert matmul["count"] == 21  # the call before the profile was still running
    assert 0 < matmul["own"] <= matmul["total"]
    head, columns = Page(client, ".").timeline()
    assert head["is_raw"]
    assert head["length"] == jax["events"] == len(columns["starts"])
    step = next(i for i, label in enumerate(head["labels"]) if label["name"] == "train")
    index = int(columns["indices"][columns["labels"] == step][7])
    event = client.get("api/v1/profile/event", **Page(client, ".").query, index=index)
    assert event["name"] == "train"
    assert event["args"] == {"step_num": "7"}
    assert event["process"] == "/host:CPU"


def many(run: Path, count: int) -> None:
    """A trace of short events, and a long one among them."""
    space = message("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[1].name, plane.event_metadata[2].name = "tiny", "long <script>alert(1)</script>"
    for thread in range(2):
        line = plane.lines.add(name=f"thread {thread}")
        for i in range(count // 2):
            line.events.add(metadata_id=1, offset_ps=i * 10_000_000, duration_ps=5_000_000)
        line.events.add(metadata_id=2, offset_ps=count // 2 * 10_000_000, duration_ps=10**12)
    (folder_of(run) / "vm.xplane.pb").write_bytes(space.SerializeToString())


def test_what_is_too_much_for_a_page_is_merged_and_zooming_brings_every_event(
    tmp_path: Path, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "_FINEST", 256)
    many(tmp_path / "logs" / "a", 20_000)
    client = serve(tmp_path / "logs")
    client.wait_until_read()
    page = Page(client, "a")
    head, columns = page.timeline(most=2000)
    assert not head["is_raw"]
    assert len(columns["starts"]) <= 2000
    assert columns["counts"].sum() == head["total"] == head["window_total"] == 20_002
    names = [head["labels"][i]["name"] for i in columns["labels"]]
    assert names.count("long <script>alert(1)</script>") == 2  # never merged
    assert [sum(track["lanes"]) for track in head["tracks"]] == [len(names) // 2] * 2
    begin = 10_000 * 1000
    part, rows = page.timeline(most=2000, begin=begin, end=begin + 100_000)
    assert part["is_raw"]
    assert rows["counts"].tolist() == [1] * 22
    assert rows["starts"][0] == begin
    few, _ = page.timeline(most=10)
    assert few["length"] <= 10


def test_broken_files_are_said_and_the_rest_is_shown(tmp_path: Path, serve: Callable[..., Any]) -> None:
    logs = tmp_path / "logs"
    cut = put(logs / "cut", "tensorflow")
    cut.write_bytes(cut.read_bytes()[:9000])
    (folder_of(logs / "claims") / "vm.xplane.pb").write_bytes(b"\x0a\xff\xff\xff\xff\x07")
    (folder_of(logs / "text") / "vm.steps.jsonl").write_text("no record")
    many(logs / "good", 100)
    client = serve(logs)
    client.wait_until_read()
    cut_overview = Page(client, "cut").overview()
    assert "It may have been cut" in cut_overview["damages"][0]
    assert str(tmp_path) not in cut_overview["damages"][0]
    assert 0 < cut_overview["events"] < 446
    assert "expected an XPlane file" in " ".join(Page(client, "claims").overview()["damages"])
    assert Page(client, "claims").timeline()[0]["total"] == 0
    assert "expected the record of a profile" in " ".join(Page(client, "text").overview()["damages"])
    assert Page(client, "good").overview()["events"] == 102


def test_refusals(tmp_path: Path, serve: Callable[..., Any]) -> None:
    put(tmp_path / "logs" / "a", "jax")
    client = serve(tmp_path / "logs")
    client.wait_until_read()
    page = Page(client, "a")
    for route in ("overview", "timeline", "event"):
        status, error = Page(client, "a", "other").refused(route)
        assert status == 404
        assert "there is no run=" in error
    assert page.refused("overview", host="b")[1] == f"profile '{SESSION}' expected a host of vm; got host='b'"
    assert "expected nanoseconds as begin; got begin='x'" in page.refused("timeline", begin="x")[1]
    assert "expected nanoseconds as end; got end='inf'" in page.refused("timeline", end="inf")[1]
    assert "expected begin before end" in page.refused("timeline", begin=5, end=5)[1]
    status, error = page.refused("event", index=100_000)
    assert status == 404
    assert "events; got index=100000" in error


def test_nothing_outside_the_log_folder_is_a_profile(tmp_path: Path) -> None:
    put(tmp_path / "secret", "jax")
    logs = tmp_path / "logs"
    (logs / "a" / "plugins" / "profile").mkdir(parents=True)
    os.symlink(folder_of(tmp_path / "secret"), logs / "a" / "plugins" / "profile" / "linked")
    (logs / "b").mkdir()
    os.symlink(tmp_path / "secret" / "plugins", logs / "b" / "plugins")
    linked = folder_of(logs / "c") / "vm.xplane.pb"
    os.symlink(folder_of(tmp_path / "secret") / "vm.xplane.pb", linked)
    assert all(not run.profiles for run in find_runs([Folder(str(logs))]).values())


def test_only_the_last_few_profiles_are_kept(tmp_path: Path, load: Callable[..., Any]) -> None:
    for number in range(MOST_KEPT + 2):
        put(tmp_path / "logs" / "a", "jax", f"2026_01_0{number}")
    board = load(tmp_path / "logs")
    sessions, (run,) = sessions_of(board), board.store.runs.values()
    found = [sessions.of(run, name).profile for name in run.found.profiles]
    assert len(sessions._kept) == MOST_KEPT
    assert sessions.of(run, "2026_01_05").profile is found[-1]


def test_a_saved_page_holds_profiles(tmp_path: Path, load: Callable[..., Any]) -> None:
    put(tmp_path / "logs" / "a", "jax")
    answers = exports(load(tmp_path / "logs"))
    query = f"?run={run_id('a')}&session={SESSION}&host="
    assert set(answers) == {f"api/v1/profile/overview{query}", f"api/v1/profile/timeline{query}"}


def chrome(events: list[Any]) -> Counter[tuple[str, str, float, float]]:
    """Events by thread, name, start and duration, in nanoseconds."""
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    complete = [e for e in events if e.get("ph") == "X"]
    return Counter(
        (threads[e["pid"], e["tid"]], e["name"], round(e["ts"] * 1000), round(e["dur"] * 1000))
        for e in complete
    )


def test_the_routes_of_xprof(tmp_path: Path, serve: Callable[..., Any]) -> None:
    put(tmp_path / "logs" / "a" / "train", "jax")
    put(tmp_path / "logs", "tensorflow", "2026_02_02")
    client = serve(tmp_path / "logs")
    client.wait_until_read()
    assert client.get("data/plugin/profile/runs") == [f"a/train/{SESSION}", "2026_02_02"]
    run = f"a/train/{SESSION}"
    assert client.get("data/plugin/profile/run_tools", run=run) == ["trace_viewer"]
    assert client.get("data/plugin/profile/hosts", run=run, tag="trace_viewer") == [{"hostname": "vm"}]
    found = client.get("data/plugin/profile/data", run=run, tool="trace_viewer", host="vm")
    with gzip.open(DATA / "jax.trace.json.gz") as file:
        expected = json.load(file)  # as XProf's own code, which JAX calls, puts it
    assert {k: v for k, v in found.items() if k != "traceEvents"} == {
        k: v for k, v in expected.items() if k != "traceEvents"
    }
    assert chrome(found["traceEvents"]) == chrome(expected["traceEvents"])
    steps = [e["args"] for e in found["traceEvents"] if e["name"] == "train"]
    assert steps == [{"step_num": str(i)} for i in range(20)]
    framework = client.get("data/plugin/profile/data", run="2026_02_02", tool="trace_viewer@")["traceEvents"]
    named = [e for e in framework if "long_name" in e.get("args", {})]
    assert all(e["args"]["long_name"].endswith(f":{e['name']}") for e in named)
    assert named
    for path in ("data?run=x/y&tool=trace_viewer", f"data?run={run}&tool=memory_viewer", "hosts?run=none"):
        assert client.ask("GET", f"/data/plugin/profile/{path}").status == 404


def test_an_answer_holds_all_lanes_of_all_tracks() -> None:
    found = read_trace(DATA / "tensorflow.xplane.pb")
    head, columns = opened(timeline.message(found, None, None))
    assert [sum(track["lanes"]) for track in head["tracks"]] == [
        t.lanes[-1] - t.lanes[0] for t in found.tracks
    ]
    assert columns["starts"].tolist() == (found.starts / 1000).tolist()
    names = [head["labels"][i]["name"] for i in columns["labels"]]
    assert names == [found.labels[i].name for i in found.label_ids]


def test_slow_input_is_an_alert(tmp_path: Path, load: Callable[..., Any]) -> None:
    record(tmp_path / "slow", input_ms=30.0)
    record(tmp_path / "mended", input_ms=0.01)
    board = load(tmp_path)
    for _ in range(2):  # each profile is read once
        board.health.look_at_all()
    found = {run.name: board.store.answer(run)["alerts"] for run in board.store.ordered_runs()}
    assert found["mended"] == []
    (alert,) = found["slow"]
    assert (alert["code"], alert["level"]) == ("input_bound", "warning")
    assert re.fullmatch(
        rf"Training waits for its input \d\d % of the time \(profile {SESSION}\)", alert["note"]["text"]
    )
