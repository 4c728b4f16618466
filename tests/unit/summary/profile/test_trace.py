"""Events in columns: nesting, own time, files of other tools, and files that are broken or hostile.

`tests/data/profile/jax.xplane.pb` (with `jax.trace.json.gz`, which JAX made of it) is of

    step = jax.jit(lambda x: jnp.tanh(x @ x).sum())
    x = jnp.ones((300, 300)); step(x)
    with jax.profiler.trace("logs"):
        for i in range(20):
            with jax.profiler.StepTraceAnnotation("train", step_num=i):
                step(x).block_until_ready()

and `tensorflow.xplane.pb` of TensorFlow 2.21, with `slow` a function that sleeps for 5 ms, of

    ds = tf.data.Dataset.range(8).map(lambda i: tf.reshape(tf.py_function(slow, [i], tf.float32), (1,))).batch(2)
    w = tf.Variable(tf.ones((1, 1)))
    @tf.function
    def train(iterator):
        w.assign_sub(0.1 * tf.reduce_mean(tf.matmul(next(iterator), w)) * tf.ones((1, 1)))
    train(iter(ds)); iterator = iter(ds)
    tf.profiler.experimental.start("logs", ProfilerOptions(host_tracer_level=2, python_tracer_level=0))
    for _ in range(4):
        train(iterator)
    tf.profiler.experimental.stop()
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.summary.profile import planes, read, trace
from tapeflow.summary.profile.trace import Trace, kind_of, read_event, read_trace
from tapeflow.summary.protos import message

DATA = Path(__file__).parents[3] / "data" / "profile"
FILES = ["jax", "tensorflow"]


def file_of(name: str) -> Path:
    return DATA / f"{name}.xplane.pb"


def write(folder: Path, *events: tuple[str, int, int], line: str = "main", **stats: Any) -> Path:
    """A file with one line of events: name, offset and duration in picoseconds."""
    space = message("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    numbers: dict[str, int] = {}
    for key in stats:
        plane.stat_metadata[len(plane.stat_metadata) + 1].name = key
    made = plane.lines.add(name=line, timestamp_ns=100)
    for name, offset, duration in events:
        number = numbers.setdefault(name, len(numbers) + 1)
        plane.event_metadata[number].name = name
        event = made.events.add(metadata_id=number, offset_ps=offset, duration_ps=duration)
        for place, value in enumerate(stats.values(), 1):
            event.stats.add(metadata_id=place, int64_value=value)
    path = folder / "host.xplane.pb"
    path.write_bytes(space.SerializeToString())
    return path


def by_name(found: Trace) -> dict[str, tuple[int, int, int]]:
    """Of each name how often it is there, and its total and own picoseconds."""
    columns = zip(found.labels, *(c.tolist() for c in found.totals()), found.own.tolist(), strict=True)
    return {label.name: (count, wall, own) for label, count, wall, own in columns if count}


@pytest.mark.parametrize("name", FILES)
def test_every_event_of_other_tools_is_there(name: str) -> None:
    space = message("XSpace").FromString(file_of(name).read_bytes())
    expected = Counter((p.name, line.name) for p in space.planes for line in p.lines for _ in line.events)
    found = read_trace(file_of(name))
    counts = Counter({(t.process, t.name): t.lanes[-1] - t.lanes[0] for t in found.tracks})
    assert counts == expected
    walls = sum(e.duration_ps for p in space.planes for line in p.lines for e in line.events)
    assert int(found.durations.sum()) == walls
    assert found.damages == []


@pytest.mark.parametrize("name", FILES)
def test_events_of_a_lane_are_in_order_and_do_not_overlap(name: str) -> None:
    found = read_trace(file_of(name))
    for track in found.tracks:
        for first, last in zip(track.lanes, track.lanes[1:], strict=False):
            starts, ends = found.starts[first:last], (found.starts + found.durations)[first:last]
            assert (starts[1:] >= ends[:-1]).all()
    assert found.starts.min() == 0


def test_lanes_are_depths_and_own_time_is_what_is_not_nested(tmp_path: Path) -> None:
    events = [("step", 0, 100), ("op", 10, 30), ("inner", 15, 5), ("op", 50, 40), ("step", 200, 10)]
    found = read_trace(write(tmp_path, *events))
    assert found.tracks[0].lanes == [0, 2, 4, 5]
    assert by_name(found) == {"step": (2, 110, 40), "op": (2, 70, 65), "inner": (1, 5, 5)}


def test_events_that_overlap_without_being_nested_get_lanes_of_their_own(tmp_path: Path) -> None:
    found = read_trace(write(tmp_path, ("a", 0, 10), ("b", 5, 10), ("c", 12, 10)))
    assert found.tracks[0].lanes == [0, 2, 3]  # c fits behind a
    assert by_name(found)["a"] == (1, 10, 10)


def test_ever_deeper_events_do_not_make_ever_more_lanes(tmp_path: Path) -> None:
    found = read_trace(write(tmp_path, *[("call", i, 10_000 - 2 * i) for i in range(500)]))
    assert len(found.tracks[0].lanes) == trace.MOST_LANES + 1
    assert len(found) == 500


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sequential/dense/MatMul:MatMul", "framework"),
        ("random_normal/RandomStandardNormal:RandomStandardNormal", "framework"),
        ("dense/Relu:_FusedMatMul", "framework"),
        ("Iterator::Root::Prefetch", "input"),
        ("IteratorGetNextOp::DoCompute", "input"),
        ("$profiler.py:307 trace", "python"),
        ("ThreadpoolListener::Record", "runtime"),
        ("EagerLocalExecute: _EagerConst", "runtime"),
        ("end: fusion.1", "runtime"),
        ("", "runtime"),
    ],
)
def test_what_an_event_is_by_its_name(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_steps_and_pipelines_of_other_tools(tmp_path: Path) -> None:
    for name in FILES:
        folder = tmp_path / name / "plugins" / "profile" / "2026_01_01"
        folder.mkdir(parents=True)
        shutil.copy(file_of(name), folder / "vm.xplane.pb")
    jax, tensorflow = read(tmp_path / "jax"), read(tmp_path / "tensorflow")
    assert [step.number for step in jax.steps] == list(range(20))
    assert {step.name for step in jax.steps} == {"train"}
    assert jax.verdict.kind == "device"
    assert len(tensorflow.steps) == 4
    assert tensorflow.verdict.is_input_bound
    assert tensorflow.verdict.share > 0.8
    assert [step["method"] for step in tensorflow.pipelines[0].steps] == ["range", "map", "batch"]
    assert "cache(), map(num_parallel_calls=AUTOTUNE), prefetch()" in str(tensorflow.verdict)
    assert any("steps were found in its trace" in damage for damage in jax.damages)
    for profile in (jax, tensorflow):
        for step in profile.steps:
            assert sum(step.phases.values()) == pytest.approx(step.wall)


def test_what_else_is_known_about_an_event(tmp_path: Path) -> None:
    found = read_trace(file_of("jax"))
    (label,) = [i for i, label in enumerate(found.labels) if label.name == "train"]
    row = int(np.flatnonzero(found.label_ids == label)[3])
    assert read_event(file_of("jax"), int(found.places[row]), found.tracks[0]) == {"step_num": "3"}
    with pytest.raises(ValueError, match="the file has changed: load the profile again"):
        read_event(write(tmp_path, ("a", 0, 1)), 0, found.tracks[0])


def test_memory_that_an_allocator_tells_of(tmp_path: Path) -> None:
    path = write(tmp_path, ("MemoryAllocation", 5, 0), bytes_allocated=1000, peak_bytes_in_use=1500)
    assert read_trace(path).memory == [(0, 1000, 1500)]


@pytest.mark.parametrize("name", FILES)
def test_of_a_file_that_was_cut_what_is_before_the_cut_is_there(tmp_path: Path, name: str) -> None:
    data, whole = file_of(name).read_bytes(), len(read_trace(file_of(name)))
    counts = []
    for tenth in range(10):
        (tmp_path / "cut.xplane.pb").write_bytes(data[: len(data) * tenth // 10 + 1])
        found = read_trace(tmp_path / "cut.xplane.pb")
        assert "It may have been cut: take the profile again." in found.damages[0]
        counts.append(len(found))
    assert counts == sorted(counts)
    assert counts[-1] <= whole


@pytest.mark.parametrize(
    "data",
    [b"\x0a\xff\xff\xff\xff\x07", b"\x0a\x80\x80\x80\x80\x08" + b"\x1a\x05ab", b"\xff" * 64, b"no profile"],
    ids=["claims 2 GB", "claims more than it has", "no numbers", "text"],
)
def test_what_a_file_claims_is_not_believed(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "bad.xplane.pb").write_bytes(data)
    found = read_trace(tmp_path / "bad.xplane.pb")
    assert len(found) == 0
    assert "expected an XPlane file" in found.damages[0]


def test_durations_below_zero_and_times_beyond_all_measure(tmp_path: Path) -> None:
    found = read_trace(write(tmp_path, ("back", 50, -30), ("far", 2**62, 2**62), ("early", -(2**62), 1)))
    assert "1 events last less than no time" in found.damages[0]
    assert (found.durations >= 0).all()
    assert found.end >= found.starts.max() >= 0


def test_more_events_than_there_is_room_for_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "MOST_EVENTS", 100)
    monkeypatch.setattr(planes, "_BATCH", 30)
    found = read_trace(write(tmp_path, *[("op", 10 * i, 5) for i in range(250)]))
    assert (len(found), found.left_out) == (100, 150)
    assert found.damages == ["150 events beyond 100 are left out"]


def test_more_names_than_there_is_room_for_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_MOST_NAMES", 10)
    found = read_trace(write(tmp_path, *[(f"name {i}", 10 * i, 5) for i in range(40)]))
    assert by_name(found)["…"] == (30, 150, 150)
    monkeypatch.setattr(planes, "MOST_METADATA", 5)
    assert "names beyond 5 of a plane are left out" in read_trace(file_of("jax")).damages[0]


def test_long_names_are_cut(tmp_path: Path) -> None:
    found = read_trace(write(tmp_path, ("x" * 100_000, 0, 1), line="y" * 100_000))
    assert len(found.labels[0].name) == len(found.tracks[0].name) == 500
