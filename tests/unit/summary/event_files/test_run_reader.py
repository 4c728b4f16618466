from __future__ import annotations

import csv
import os
import random
import threading
from pathlib import Path

import numpy as np
import pandas
import pytest
from pyarrow import parquet

from tapeflow import summary
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record
from tapeflow.summary.event_files.tensors import tensor_bytes
from tapeflow.summary.files import FileWriter
from tapeflow.summary.protos import message


def logged(writer: FileWriter) -> summary.Run:
    with writer.as_default():
        for i in range(5):
            summary.scalar("loss", 1 / (i + 1), step=i)
            summary.scalar('a/b, "c"', float(i), step=i)
        summary.text("note", "hi", step=0)
    return summary.read(writer.logdir)


def test_columns(writer: FileWriter) -> None:
    run = logged(writer)
    assert list(run) == ["loss", 'a/b, "c"', "note"]
    assert list(run.scalars) == ["loss", 'a/b, "c"']
    assert run["loss"].steps.dtype == np.int64
    np.testing.assert_allclose(run["loss"].values, 1 / np.arange(1, 6))
    assert (np.diff(run["loss"].wall_times) >= 0).all()
    assert "3 tags, 11 values" in repr(run)
    assert repr(run["note"]) == "<Series 'note' (text): 1 values>"


def test_to_pandas_csv_and_parquet(writer: FileWriter, tmp_path: Path) -> None:
    run = logged(writer)
    frame = run.to_pandas()
    assert list(frame.columns) == ["tag", "step", "wall_time", "value"]
    assert len(frame) == 10
    assert frame[frame.tag == "loss"].value.tolist() == run["loss"].values.tolist()
    assert run["loss"].to_pandas().step.tolist() == list(range(5))
    run.to_csv(tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(r["value"]) for r in rows] == frame.value.tolist()
    assert [r["tag"] for r in rows] == frame.tag.tolist()
    run.to_parquet(tmp_path / "out.parquet")
    pandas.testing.assert_frame_equal(
        parquet.read_table(tmp_path / "out.parquet").to_pandas(), frame, check_dtype=False
    )


def test_an_empty_run_exports(writer: FileWriter, tmp_path: Path) -> None:
    run = summary.read(writer.logdir)
    assert len(run.to_pandas()) == 0
    run.to_csv(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().strip() == "tag,step,wall_time,value"


def test_refresh_adds_and_starts_again(writer: FileWriter) -> None:
    run = summary.Run(writer.logdir)
    writer.add("x", 1.0, 1)
    writer.flush()
    assert run.refresh() == 2
    writer.add("x", 2.0, 2)
    writer.flush()
    assert run.refresh() == 1
    assert run["x"].steps.tolist() == [1, 2]
    assert run.refresh() == 0
    os.truncate(run.files[0], 0)
    run.refresh()
    assert len(run) == 0


def test_a_file_that_is_cut_and_replaced_all_the_time(tmp_path: Path) -> None:
    data = b"".join(record(encoding.scalar_event(1.0, i, "x", float(i), b"")) for i in range(500))
    path, other = tmp_path / "events.out.tfevents.1", tmp_path / "other"
    is_over = threading.Event()

    def meddle() -> None:
        generator = random.Random(0)
        while not is_over.is_set():
            kind = generator.choice(["append", "cut", "replace", "remove"])
            if kind == "append":
                with path.open("ab") as file:
                    file.write(data[: generator.randrange(len(data))])
            elif kind == "cut" and path.exists():
                os.truncate(path, generator.randrange(path.stat().st_size + 1))
            elif kind == "replace":
                other.write_bytes(data)
                os.replace(other, path)
            else:
                path.unlink(missing_ok=True)

    thread = threading.Thread(target=meddle)
    thread.start()
    run = summary.Run(str(tmp_path))
    try:
        for _ in range(100):
            run.refresh()
            if "x" in run:
                assert run["x"].values.tolist() == run["x"].steps.tolist()
    finally:
        is_over.set()
        thread.join()
    other.write_bytes(data)
    os.replace(other, path)
    run.refresh()
    assert run["x"].steps.tolist() == list(range(500))
    assert run.lost_bytes == 0


def test_missing_paths_and_tags(writer: FileWriter, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="expected a file or a folder; got path=.*nowhere"):
        summary.read(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="which has none. There are some in 'run': read one of those"):
        summary.read(tmp_path)
    with pytest.raises(KeyError, match="'y' is no tag of this run; it has none"):
        summary.read(writer.logdir)["y"]


def test_damage_is_counted_and_passed_over(writer: FileWriter) -> None:
    with writer.as_default():
        for i in range(100):
            summary.scalar("x", float(i), step=i)
    writer.close()
    assert writer.path is not None
    data = bytearray(Path(writer.path).read_bytes())
    data[2000] ^= 1
    data[3000:3100] = bytes(100)
    Path(writer.path).write_bytes(data[:-5])
    run = summary.read(writer.path)
    assert 90 <= len(run["x"]) <= 97
    assert run["x"].values.tolist() == run["x"].steps.tolist()
    assert run.lost_bytes == sum(d.nbytes for d in run.damages) > 150
    assert {d.reason for d in run.damages} == {"not a record", "incomplete"}
    assert "bytes lost" in repr(run)


def test_metadata_may_come_with_the_first_event_only(tmp_path: Path) -> None:
    meta = encoding.metadata("scalars", description="d")
    events = [encoding.scalar_event(1.0, i, "x", 1.0, b"" if i else meta) for i in range(3)]
    (tmp_path / "events.out.tfevents.1").write_bytes(b"".join(map(record, events)))
    run = summary.read(tmp_path)
    assert (run["x"].plugin, run["x"].description, len(run["x"])) == ("scalars", "d", 3)


def test_events_of_older_writers(tmp_path: Path) -> None:
    event = message("Event")(wall_time=1.0, step=3)
    add = event.summary.value.add
    add(tag="number", simple_value=1.5)
    image = add(tag="image").image
    image.height, image.width, image.encoded_image_string = 2, 3, b"png"
    add(tag="audio").audio.encoded_audio_string = b"wav"
    histo = add(tag="histo").histo
    histo.min, histo.max = -1, 9
    histo.bucket_limit.extend([-2, 0, 5, 1e300])
    histo.bucket.extend([0, 2, 0, 3])
    add(tag="empty")
    (tmp_path / "events.out.tfevents.1").write_bytes(record(event.SerializeToString()))
    run = summary.read(tmp_path)
    assert (run["number"].values.tolist(), run["number"].is_scalar) == ([1.5], True)
    assert run["image"].values[0].tolist() == [b"3", b"2", b"png"]
    assert run["audio"].values[0].tolist() == [[b"wav", b""]]
    assert run["histo"].values[0].tolist() == [[-1, 0, 2], [0, 5, 0], [5, 9, 3]]
    assert {s.plugin for s in run.values()} == {"scalars", "images", "audio", "histograms"}
    assert "empty" not in run


def test_a_tag_that_changes_its_kind_keeps_its_order(tmp_path: Path) -> None:
    events = [
        encoding.scalar_event(1.0, 0, "x", 1.0, b""),
        encoding.tensor_event(1.0, 1, "x", tensor_bytes(np.zeros(2)), b""),
        encoding.scalar_event(1.0, 2, "x", 3.0, b""),
    ]
    (tmp_path / "events.out.tfevents.1").write_bytes(b"".join(map(record, events)))
    run = summary.read(tmp_path)
    assert run["x"].steps.tolist() == [0, 1, 2]
    assert [np.ndim(v) for v in run["x"].values] == [0, 1, 0]
    assert run.scalars == {}


def test_malformed_tensors_are_damage(tmp_path: Path) -> None:
    event = encoding.tensor_event(
        1.0, 1, "x", message("TensorProto")(dtype=1, tensor_content=b"123").SerializeToString(), b""
    )
    (tmp_path / "events.out.tfevents.1").write_bytes(
        record(event) + record(encoding.scalar_event(1.0, 1, "y", 1.0, b""))
    )
    run = summary.read(tmp_path)
    assert (list(run), len(run.damages)) == (["y"], 1)


def test_mutated_files_never_break_the_reader(tmp_path: Path, writer: FileWriter) -> None:
    generator = random.Random(0)
    with writer.as_default():
        for i in range(20):
            summary.scalar("x", float(i), step=i)
            summary.text("t", "text", step=i)
            summary.histogram("h", np.arange(5.0), step=i)
    writer.close()
    assert writer.path is not None
    data = Path(writer.path).read_bytes()
    path = tmp_path / "events.out.tfevents.mutated"
    for _ in range(150):
        mutated = bytearray(data)
        for _ in range(generator.randint(1, 20)):
            mutated[generator.randrange(len(mutated))] = generator.randrange(256)
        del mutated[generator.randrange(len(mutated)) :]
        path.write_bytes(mutated)
        run = summary.read(path)
        assert all(len(s.steps) == len(s.values) for s in run.values())
        assert run["x"].values.tolist() == run["x"].steps.tolist() if "x" in run else True
    # The same inside the records, with good checksums: messages that say anything.
    payload = [encoding.tensor_event(1.0, 3, "h", tensor_bytes(np.arange(4.0)), encoding.metadata("m", b"c"))]
    payload.append(encoding.scalar_event(1.0, 3, "x", 1.0, b""))
    for _ in range(150):
        records = []
        for _ in range(20):
            event = bytearray(generator.choice(payload))
            for _ in range(generator.randint(1, 4)):
                event[generator.randrange(len(event))] = generator.randrange(256)
            records.append(record(bytes(event)))
        path.write_bytes(b"".join(records) + record(payload[1]))
        run = summary.read(path)
        assert run["x"].steps.tolist()[-1] == 3
