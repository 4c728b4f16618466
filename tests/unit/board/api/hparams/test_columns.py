from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board.api.hparams import columns
from tapeflow.board.api.hparams.columns import table_of
from tapeflow.board.api.hparams.schema import HParamsAnswer, MetricPoint
from tapeflow.board.api.hparams.sessions import study_of
from tapeflow.board.logdirs import run_id
from tapeflow.summary.kinds.hyperparameters import (
    END_TAG,
    EXPERIMENT_TAG,
    START_TAG,
    hparams_config_pb,
    hparams_pb,
    session_end_pb,
)

NAN, INF = math.nan, math.inf


@pytest.fixture
def noted(events: Any) -> Callable[..., bytes]:
    """Records of hparams: `noted(start=hparams_pb(...))`."""
    tags = {"start": START_TAG, "end": END_TAG, "experiment": EXPERIMENT_TAG}

    def make(**notes: Any) -> bytes:
        contents = {name: pb.value[0].metadata.plugin_data.content for name, pb in notes.items()}
        return b"".join(
            events.entry(tags[name], [], "hparams", content=content) for name, content in contents.items()
        )

    return make


@pytest.fixture
def table(load: Callable[..., Any], tmp_path: Path) -> Callable[..., HParamsAnswer]:
    def make(point: MetricPoint = "last") -> HParamsAnswer:
        return table_of(study_of(load(tmp_path / "runs").store), point)

    return make


def test_a_session_has_what_is_logged_below_it(
    tmp_path: Path, events: Any, noted: Any, table: Callable[..., HParamsAnswer]
) -> None:
    runs = tmp_path / "runs"
    start = hparams_pb({"lr": 0.1, "on": True, "opt": "adam"}, "one", 1.7e9)
    events.write(runs / "a", noted(start=start, end=session_end_pb(1, 1.7e9 + 90)))
    events.write(runs / "a/validation", events.scalars("loss", [3.0, 1.0, 2.0]))
    events.write(runs / "other", events.scalars("loss", [9.0]))
    found = table()
    (group,) = found["groups"]
    assert group["sessions"] == ["a"]
    assert group["runs"] == [run_id("a"), run_id("a/validation")]
    assert (group["name"], group["status"], group["duration_s"]) == ("one", "success", 90.0)
    assert {c["name"]: (c["kind"], c["values"]) for c in found["hparams"]} == {
        "lr": ("number", [0.1]),
        "on": ("bool", [True]),
        "opt": ("string", ["adam"]),
    }
    (metric,) = found["metrics"]
    assert (metric["tag"], metric["group"], metric["values"]) == ("loss", "validation", [2.0])
    assert [table(point)["metrics"][0]["values"] for point in ("min", "max", "mean")] == [[1.0], [3.0], [2.0]]


def test_how_a_session_ended(
    tmp_path: Path, events: Any, noted: Any, table: Callable[..., HParamsAnswer]
) -> None:
    for number, name in enumerate(("stopped", "success", "failure")):
        start, end = hparams_pb({"lr": 0.1}, name, 1.7e9), session_end_pb(number, 1.7e9 + 90)
        events.write(tmp_path / "runs" / name, noted(start=start, end=end))
    assert all(group["name"] == group["status"] for group in table()["groups"])


def test_sessions_of_one_trial_are_one_row_with_the_mean(
    tmp_path: Path, events: Any, noted: Any, table: Callable[..., HParamsAnswer]
) -> None:
    for seed, loss in enumerate([1.0, 2.0, 6.0]):
        content = noted(start=hparams_pb({"lr": 0.1})) + events.scalars("loss", [loss])
        events.write(tmp_path / "runs" / f"seed {seed}", content)
    found = table()
    (group,) = found["groups"]
    assert group["sessions"] == ["seed 0", "seed 1", "seed 2"]
    assert found["metrics"][0]["values"] == [3.0]


def test_sessions_where_tensorboard_finds_no_metric(
    tmp_path: Path, events: Any, noted: Any, table: Callable[..., HParamsAnswer]
) -> None:
    """In the log folder itself, and beside its validation run."""
    runs = tmp_path / "runs"
    events.write(runs, noted(start=hparams_pb({"lr": 0.1})))
    events.write(runs / "eval", events.scalars("loss", [1.0]))
    events.write(runs / "b/train", noted(start=hparams_pb({"lr": 0.2})))
    events.write(runs / "b/validation", events.scalars("loss", [2.0]))
    found = table()
    assert [group["sessions"] for group in found["groups"]] == [["."], ["b/train"]]
    assert [(m["group"], m["values"]) for m in found["metrics"]] == [
        ("eval", [1.0, None]),
        ("validation", [None, 2.0]),
    ]


def test_what_the_experiment_names_comes_first(
    tmp_path: Path, events: Any, noted: Any, table: Callable[..., HParamsAnswer]
) -> None:
    from tapeflow.plugins.hparams import api as hp

    config = hparams_config_pb(
        [hp.HParam("z", display_name="Zed", description="last letter")],
        [hp.Metric("loss", display_name="Loss"), hp.Metric("never logged")],
    )
    events.write(tmp_path / "runs", noted(experiment=config))
    for i in range(2):
        content = noted(start=hparams_pb({"a": i, "same": 1, "z": i}))
        content += events.scalars("acc", [1.0]) + events.scalars("loss", [2.0])
        events.write(tmp_path / "runs" / str(i), content)
    found = table()
    assert [(c["name"], c["display_name"], c["differs"]) for c in found["hparams"]] == [
        ("z", "Zed", True),
        ("a", "", True),
        ("same", "", False),
    ]
    assert [(m["tag"], m["display_name"], m["is_declared"]) for m in found["metrics"]] == [
        ("loss", "Loss", True),
        ("acc", "", False),
    ]


def test_mixed_types_missing_values_and_what_is_no_number(
    tmp_path: Path, events: Any, noted: Any, table: Callable[..., HParamsAnswer]
) -> None:
    rows: list[dict[str, Any]] = [
        {"x": 1, "n": NAN},
        {"x": "1", "n": -INF},
        {"x": True, "n": 2.5},
        {"x": 0.5},
    ]
    for i, (row, loss) in enumerate(zip(rows, [NAN, INF, 1.0, -INF], strict=True)):
        content = noted(start=hparams_pb(row)) + events.scalars("loss", [1.0, loss])
        events.write(tmp_path / "runs" / str(i), content)
    found = table()
    values = {c["name"]: (c["kind"], c["values"]) for c in found["hparams"]}
    assert values["x"] == ("string", ["1", "1", "true", "0.5"])
    assert values["n"] == ("number", ["NaN", "-Infinity", 2.5, None])
    assert found["metrics"][0]["values"] == ["NaN", "Infinity", 1.0, "-Infinity"]
    assert table("min")["metrics"][0]["values"] == [1.0, 1.0, 1.0, "-Infinity"]
    assert table("mean")["metrics"][0]["values"] == [1.0, 1.0, 1.0, 1.0]


def test_too_many_hparams_are_left_out_and_that_is_said(
    tmp_path: Path, events: Any, noted: Any, table: Callable[..., HParamsAnswer]
) -> None:
    events.write(
        tmp_path / "runs/many", noted(start=hparams_pb({f"h{i}": i for i in range(10_000)} | {"x" * 600: 1}))
    )
    events.write(tmp_path / "runs/one", noted(start=hparams_pb({"h9999": 2})))
    found = table()
    assert len(found["hparams"]) == columns.MOST_HPARAMS
    assert found["hparams"][0]["name"] == "h9999"  # the one both have
    assert found["left_out"] == "9001 hparams beyond the first 1000 or with names longer than 500"


def test_too_many_metrics_and_sessions(
    tmp_path: Path,
    events: Any,
    noted: Any,
    table: Callable[..., HParamsAnswer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for i in range(3):
        content = noted(start=hparams_pb({"i": i})) + events.scalars("a", [1.0]) + events.scalars("b", [1.0])
        events.write(tmp_path / "runs" / str(i), content)
    monkeypatch.setattr(columns, "MOST_METRICS", 1)
    monkeypatch.setattr(columns, "MOST_GROUPS", 2)
    found = table()
    assert (len(found["groups"]), len(found["metrics"])) == (2, 1)
    assert found["left_out"] == "1 sessions beyond the first 2; 1 metrics beyond the first 1"


def test_no_sessions(tmp_path: Path, events: Any, table: Callable[..., HParamsAnswer]) -> None:
    events.write(tmp_path / "runs/a", events.scalars("loss", [1.0]) + events.entry(START_TAG, [], "hparams"))
    assert table() == {"groups": [], "hparams": [], "metrics": [], "left_out": "", "notes": []}
