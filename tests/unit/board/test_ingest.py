"""What disks and people do to files while a board shows them."""

from __future__ import annotations

import os
import resource
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board.logdirs import Logdir, run_id
from tapeflow.board.notes import joined
from tapeflow.summary.event_files import encoding, wire
from tapeflow.summary.event_files.reader import EventFileReader
from tapeflow.summary.event_files.records import header, record
from tapeflow.summary.event_files.tensors import tensor_bytes

is_root = hasattr(os, "geteuid") and os.geteuid() == 0


def values(client: Any, run: str, tag: str = "loss") -> list[float]:
    return client.series(run, tag)[1][2].tolist()


@pytest.fixture
def folder(tmp_path: Path, events: Any) -> Path:
    """A good run, which must stay up whatever happens to the other."""
    root = tmp_path / "runs"
    events.write(root / "good", events.scalars("loss", [1.0, 2.0]))
    return root


def test_files_that_grow_are_followed(folder: Path, events: Any, serve: Callable[..., Any]) -> None:
    client = serve(folder)
    client.wait_until_read()
    path = folder / "good" / "events.out.tfevents.1.host"
    whole = events.scalars("loss", [3.0, 4.0], first=2)
    events.append(path, whole[:50])
    client.wait_for(lambda: values(client, "good") == [1, 2])
    events.append(path, whole[50:])
    client.wait_for(lambda: values(client, "good") == [1, 2, 3, 4])
    events.write(folder / "good", events.scalars("loss", [5.0], first=4), "events.out.tfevents.2.host")
    client.wait_for(lambda: values(client, "good") == [1, 2, 3, 4, 5])
    assert client.runs()["good"]["live"]


def test_a_folder_that_comes_later(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path / "later")
    client.wait_until_read()
    message = client.get("api/v1/runs")["progress"]["message"]
    assert message == f"{tmp_path / 'later'} does not exist yet; runs are shown once it does"
    (tmp_path / "later").mkdir()
    client.wait_for(
        lambda: "there are no event files yet" in client.get("api/v1/runs")["progress"]["message"]
    )
    events.write(tmp_path / "later", events.scalars("loss", [1.0]))
    client.wait_for(lambda: client.runs().get(".", {}).get("state") == "ready")
    assert values(client, ".") == [1]


@pytest.mark.skipif(os.name == "nt", reason="names there are text")
def test_a_folder_that_is_not_there_and_no_text(tmp_path: Path, load: Callable[..., Any]) -> None:
    board = load(Path(os.fsdecode(os.fsencode(str(tmp_path)) + b"/b\xff")))
    assert board.store.progress()["message"].startswith(f"{tmp_path}/b\\xff does not exist yet")


@pytest.mark.parametrize("how", ["truncated", "replaced", "rewritten in place"])
def test_another_file_in_its_place_is_read_anew(
    folder: Path, events: Any, serve: Callable[..., Any], how: str
) -> None:
    path = events.write(folder / "other", events.scalars("loss", [1.0, 2.0, 3.0]) + events.image("grid"))
    client = serve(folder)
    client.wait_until_read()
    cursor = client.series("other", "loss")[0]["cursor"]
    if how == "truncated":
        os.truncate(path, 0)
        client.wait_for(lambda: client.series("other", "loss")[0]["missing"])
        events.append(path, path.read_bytes() + events.scalars("loss", [7.0]))
    elif how == "replaced":
        new = events.write(folder.parent / "new", events.scalars("loss", [7.0]))
        os.replace(new, path)
    else:
        with path.open("r+b") as file:
            file.write(events.scalars("loss", [7.0] * 20))
    client.wait_for(lambda: set(values(client, "other")) == {7.0})
    assert client.series("other", "loss")[0]["cursor"] != cursor
    assert values(client, "good") == [1, 2]


def test_deleted_files_and_runs_go(folder: Path, events: Any, serve: Callable[..., Any]) -> None:
    events.write(folder / "other", events.scalars("loss", [1.0]))
    second = events.write(
        folder / "other", events.scalars("loss", [2.0], first=1), "events.out.tfevents.2.host"
    )
    client = serve(folder)
    client.wait_until_read()
    assert values(client, "other") == [1, 2]
    second.unlink()
    client.wait_for(lambda: values(client, "other") == [1])
    shutil.rmtree(folder / "other")
    client.wait_for(lambda: set(client.runs()) == {"good"})
    assert values(client, "good") == [1, 2]


def test_damage_is_said_with_its_place(folder: Path, events: Any, serve: Callable[..., Any]) -> None:
    path = events.write(folder / "run-b", events.scalars("loss", [float(i) for i in range(100)]))
    data = bytearray(path.read_bytes())
    data[2000:2212] = bytes(212)
    path.write_bytes(data)
    client = serve(folder)
    client.wait_until_read()
    # The checksum of the record before the zeros is looked at later.
    client.wait_for(lambda: client.board.store.runs[run_id("run-b")].is_checked)
    client.wait_until_read()
    run = client.runs()["run-b"]
    assert 212 <= run["bad_bytes"] < 450
    offset = run["damages"][0]["offset"]
    assert 1900 < offset <= 2000
    assert run["message"].startswith(
        f"{run['bad_bytes']} bad bytes at offset {offset} of events.out.tfevents.1.host"
    )
    message = client.get("api/v1/info")["progress"]["message"]
    assert message == f"run-b has {run['bad_bytes']} bad bytes at offset {offset}"
    assert len(set(values(client, "run-b"))) == len(values(client, "run-b")) == 100 - 4


def test_a_wrong_checksum_of_data_is_found_after_the_first_reading(
    folder: Path, events: Any, serve: Callable[..., Any]
) -> None:
    path = events.write(folder / "other", events.scalars("loss", [float(i) for i in range(100)]))
    data = bytearray(path.read_bytes())
    data[2000] ^= 1
    path.write_bytes(data)
    client = serve(folder)
    run = client.wait_for(lambda: client.runs().get("other", {}).get("bad_bytes") and client.runs()["other"])
    client.wait_for(lambda: client.runs()["other"]["state"] == "ready")
    assert run["damages"][0]["reason"] == "not a record"
    assert len(values(client, "other")) == 99
    assert not client.board.store.runs[run_id("good")].bad_bytes


@pytest.mark.skipif(is_root, reason="root may read everything")
def test_a_file_that_may_not_be_read(folder: Path, events: Any, serve: Callable[..., Any]) -> None:
    path = events.write(folder / "other", events.scalars("loss", [1.0]))
    path.chmod(0)
    client = serve(folder)
    client.wait_until_read()
    run = client.runs()["other"]
    assert run["state"] == "broken"
    assert run["message"] == "events.out.tfevents.1.host cannot be read: Permission denied"
    path.chmod(0o600)
    client.wait_for(lambda: client.runs()["other"]["state"] == "ready")


def test_a_failure_to_read_is_said_and_passes(
    folder: Path, events: Any, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tapeflow.summary.event_files import reader

    path = events.write(folder / "other", events.scalars("loss", [1.0]))
    real = reader.open_regular

    def refuse(name: str, follows_links: bool) -> Any:
        if name == str(path):
            raise PermissionError(13, "Permission denied", name)
        return real(name, follows_links)

    monkeypatch.setattr(reader, "open_regular", refuse)
    client = serve(folder)
    client.wait_until_read()
    run = client.runs()["other"]
    assert (run["state"], run["message"]) == (
        "broken",
        "events.out.tfevents.1.host cannot be read: Permission denied",
    )
    assert values(client, "good") == [1, 2]
    monkeypatch.setattr(reader, "open_regular", real)
    os.utime(path)
    client.wait_for(lambda: client.runs()["other"]["state"] == "ready")
    assert client.runs()["other"]["message"] == ""


def test_a_failure_that_passes_by_itself_is_tried_again(
    folder: Path, events: Any, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tapeflow.board import ingest
    from tapeflow.summary.event_files import reader

    path = events.write(folder / "other", events.scalars("loss", [1.0]))
    real, failures = reader.open_regular, [OSError(5, "Input/output error")]

    def fail_once(name: str, follows_links: bool) -> Any:
        if name == str(path) and failures:
            raise failures.pop()
        return real(name, follows_links)

    monkeypatch.setattr(reader, "open_regular", fail_once)
    monkeypatch.setattr(ingest, "RETRY_S", 0.1)
    client = serve(folder)
    client.wait_for(lambda: not failures and client.runs()["other"]["state"] == "ready")
    assert values(client, "other") == [1]


def test_a_run_exchanged_for_a_link_that_leads_out_is_forgotten(
    folder: Path, events: Any, serve: Callable[..., Any], tmp_path: Path
) -> None:
    events.write(folder / "other", events.scalars("loss", [1.0]) + events.image("grid"))
    events.write(tmp_path / "secret", events.scalars("loss", [7.0]) + events.scalars("secret", [7.0]))
    client = serve(folder)
    client.wait_until_read()
    found = client.board.store.runs[run_id("other")].found
    shutil.rmtree(folder / "other")
    (folder / "other").symlink_to(tmp_path / "secret")
    reader = EventFileReader(next(iter(found.files)), follows_links=False)
    with pytest.raises(OSError, match="Not a directory"):
        list(reader.batches())
    client.wait_for(lambda: client.runs()["other"]["state"] == "broken")
    client.wait_for(lambda: "a link that leads out" in client.runs()["other"]["message"])
    assert client.series("other", "loss")[0]["missing"]
    assert client.runs()["other"]["points"] == 0
    (folder / "other").unlink()
    events.write(folder / "other", events.scalars("loss", [2.0]))
    client.wait_for(lambda: client.runs()["other"]["state"] == "ready" and values(client, "other") == [2])


def test_a_look_that_fails_does_not_end_the_looking(
    folder: Path, events: Any, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tapeflow.board import ingest

    real, failures = ingest.find_runs, [OSError(116, "Stale file handle")]

    def fail_once(logdirs: Any, leaves: Any = None) -> Any:
        if failures:
            raise failures.pop()
        return real(logdirs, leaves)

    monkeypatch.setattr(ingest, "find_runs", fail_once)
    client = serve(folder)
    client.wait_for(lambda: not failures and "good" in client.runs())


def test_an_absurd_shape_costs_one_value_and_no_other(
    folder: Path, events: Any, load: Callable[..., Any]
) -> None:
    shape = wire.block(2, wire.block(2, wire.number(1, 1 << 62)) * 20)
    tensor = wire.number(1, 1) + shape + wire.block(5, b"\0\0\0\0")
    bad = record(encoding.tensor_event(1.7e9, 0, "absurd", tensor, encoding.metadata("custom")))
    events.write(
        folder / "other", events.scalars("loss", [1.0]) + bad + events.scalars("loss", [2.0], first=1)
    )
    run = load(folder).store.runs[run_id("other")]
    assert run.state == "ready"
    assert run.scalars["loss"].columns["values"].tolist() == [1, 2]
    assert run.damages[0].reason.startswith("a tensor of shape (4611686018427387904,")


def test_values_are_decoded_while_the_store_is_free(
    folder: Path, events: Any, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tapeflow.board import decoding

    events.write(folder / "other", events.image("grid") + events.entry("note", "x", "text"))
    real, free = decoding.value_of, []

    def value_of(proto: Any) -> Any:
        def take() -> None:
            free.append(board.store.lock.acquire(timeout=1))
            if free[-1]:
                board.store.lock.release()

        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
        return real(proto)

    board = load(folder.parent / "nothing")
    monkeypatch.setattr(decoding, "value_of", value_of)
    board.store.logdirs.append(Logdir(str(folder)))
    board.ingest.read_once()
    assert free == [True, True]


def test_pipes_links_and_lengths_that_lie(folder: Path, events: Any, serve: Callable[..., Any]) -> None:
    os.mkfifo(folder / "good" / "pipe.tfevents")
    absurd = (1 << 40).to_bytes(8, "little")
    path = events.write(folder / "absurd", events.scalars("loss", [1.0]))
    from tapeflow.summary.event_files.records import masked_crc

    events.append(path, absurd + masked_crc(absurd).to_bytes(4, "little"))
    events.append(path, events.scalars("loss", [2.0], first=1))
    long = events.write(folder / "long", events.scalars("loss", [1.0]))
    events.append(long, header(200 << 20))  # a record that is never finished
    with long.open("r+b") as file:
        file.truncate(100 << 20)  # a hole of 100 MB
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    client = serve(folder)
    client.wait_until_read()
    assert values(client, "good") == [1, 2]
    client.wait_for(lambda: values(client, "absurd") == [1, 2])
    assert client.runs()["absurd"]["bad_bytes"] == 12
    assert values(client, "long") == [1]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 << 10


def test_tags_without_number_or_measure_are_left_out(
    folder: Path, events: Any, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tapeflow.board import runs

    monkeypatch.setattr(runs, "MOST_TAGS", 50)
    data = b"".join(events.scalars(f"tag {i}", [1.0]) for i in range(80))
    events.write(folder / "other", data + events.entry("x" * 5000, "text", "text"))
    run = load(folder).store.runs[run_id("other")]
    assert len(run.scalars) == 50
    assert joined(run.notes()) == "31 values under too many or too long tags are left out"


def test_what_runs_say_about_themselves_has_a_limit(
    folder: Path, events: Any, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tapeflow.board import runs
    from tapeflow.summary.protos import message

    monkeypatch.setattr(runs, "_MOST_HPARAMS", 50)
    data = b""
    for i in range(3):
        content = message("hparams.HParamsPluginData")()
        hparams = content.session_start_info.hparams
        for j in range(30):
            hparams[f"{i} {j}"].string_value = "x" * 3000
        data += events.entry(f"_hparams_/{i}", 0.0, "hparams", content=content.SerializeToString())
    meta = message("SummaryMetadata")(summary_description="d" * 30_000, display_name="n" * 3000)
    meta.plugin_data.plugin_name = "text"
    data += record(encoding.tensor_event(1.7e9, 0, "note", tensor_bytes("x"), meta.SerializeToString()))
    events.write(folder / "other", data)
    run = load(folder).store.runs[run_id("other")]
    assert len(run.hparams) == 50
    assert {len(str(setting)) for setting in run.hparams.values()} == {2000}
    note = run.entries["note"]
    assert (len(note.description), len(note.display_name)) == (20_000, 2000)


def test_a_second_start_goes_on_where_the_first_ended(folder: Path, events: Any, serve: Any) -> None:
    path = folder / "good" / "events.out.tfevents.1.host"
    events.append(path, events.image("grid", 3) + events.entry("_hparams_/x", 0.0, "custom", content=b"\1\2"))
    first = serve(folder)
    first.wait_until_read()
    serve.stop(first)
    events.append(path, events.scalars("loss", [3.0], first=2))
    second = serve(folder)
    second.wait_until_read()
    run = second.board.store.runs[run_id("good")]
    second.wait_for(lambda: values(second, "good") == [1, 2, 3])
    kept = run.scalars["loss"].columns
    assert run.points == 5
    assert run.scalars["_hparams_/x"].content == b"\1\2"
    item = second.get("api/v1/images/items", run=run.id, tag="grid")["items"][0]
    assert second.ask("GET", "/" + item["samples"][0]["url"]).body.startswith(b"\x89PNG")
    assert kept.count == 3


def test_the_index_is_read_while_the_store_is_free(
    folder: Path, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []
    board = load(folder.parent / "nothing")
    monkeypatch.setattr(board.index, "load", lambda run: held.append(board.store.lock._is_owned()))
    board.store.logdirs.append(Logdir(str(folder)))
    board.ingest.read_once()
    assert held == [False]


def test_an_index_that_lacks_a_part_leaves_the_run_as_it_was(
    folder: Path, serve: Any, tmp_path: Path
) -> None:
    first = serve(folder)
    first.wait_until_read()
    serve.stop(first)
    (index,) = (tmp_path / "cache").glob("*.tfi")
    index.write_bytes(index.read_bytes().replace(b'"points"', b'"pxints"'))
    second = serve(folder)
    second.wait_until_read()
    assert values(second, "good") == [1, 2]
    assert second.runs()["good"]["points"] == 2


def test_an_index_that_does_not_fit_is_not_used(
    folder: Path, events: Any, serve: Any, tmp_path: Path
) -> None:
    first = serve(folder)
    first.wait_until_read()
    serve.stop(first)
    (index,) = (tmp_path / "cache").glob("*.tfi")
    good = index.read_bytes()
    path = folder / "good" / "events.out.tfevents.1.host"
    for spoiled in (b"", b"TFI1", good[:200], b"XXXX" + good[4:], good[:-8]):
        index.write_bytes(spoiled)
        client = serve(folder)
        client.wait_until_read()
        assert values(client, "good") == [1, 2]
        serve.stop(client)
        index.write_bytes(spoiled)
    new = events.write(tmp_path / "new", events.scalars("loss", [7.0] * 5))
    index.write_bytes(good)
    os.replace(new, path)
    client = serve(folder)
    client.wait_until_read()
    assert values(client, "good") == [7] * 5


def test_reading_goes_on_without_a_place_for_the_index(folder: Path, serve: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    client = serve(folder, cache=str(tmp_path / "file"))
    client.wait_until_read()
    serve.stop(client)
    assert (tmp_path / "file").read_text() == ""


@pytest.mark.slow
def test_ten_thousand_events_a_second(folder: Path, events: Any, serve: Callable[..., Any]) -> None:
    path = events.write(folder / "fast")
    client = serve(folder, reload_interval_s=0.2)
    client.wait_until_read()
    total, parts = 50_000, 50

    def write_all() -> None:
        for part in range(parts):
            events.append(
                path, events.scalars("loss", [1.0] * (total // parts), first=part * (total // parts))
            )
            time.sleep(0.1)

    thread = threading.Thread(target=write_all)
    thread.start()
    while thread.is_alive():
        assert values(client, "good") == [1, 2]
        time.sleep(0.2)
    thread.join()
    client.wait_for(lambda: client.series("fast", "loss")[0]["total"] == total)
    assert np.array_equal(client.series("fast", "loss")[1][0], np.arange(total))


@pytest.mark.slow
def test_garbage_of_every_kind_hurts_nobody(folder: Path, events: Any, serve: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    good = events.scalars("loss", [1.0] * 50) + events.image("grid") + events.entry("t", "x", "text")
    for i in range(200):
        data = bytearray(good)
        for place in rng.integers(0, len(data), rng.integers(1, 20)):
            data[place] = rng.integers(0, 256)
        framed = (
            bytes(data)
            if i % 2
            else record(bytes(rng.integers(0, 256, rng.integers(0, 300), dtype=np.uint8)))
        )
        events.write(folder / f"bad {i}", framed)
    client = serve(folder)
    client.wait_until_read()
    assert values(client, "good") == [1, 2]
    assert {run["state"] for run in client.runs().values()} == {"ready"}
    client.get("api/v1/tags")
