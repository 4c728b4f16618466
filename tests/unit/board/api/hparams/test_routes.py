from __future__ import annotations

import csv
import io
import json
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board import export
from tapeflow.summary.kinds.hyperparameters import START_TAG, hparams_pb


@pytest.fixture
def runs(tmp_path: Path, events: Any) -> Path:
    for i in range(12):
        content = hparams_pb({"lr": i / 10, "opt": "a"}).value[0].metadata.plugin_data.content
        data = events.entry(START_TAG, [], "hparams", content=content) + events.scalars(
            "loss", [9.0, float(i)]
        )
        events.write(tmp_path / "runs" / f"r{i:02d}", data)
    return tmp_path / "runs"


def test_sessions_and_importance(runs: Path, serve: Callable[..., Any], events: Any) -> None:
    client = serve(runs)
    client.wait_until_read()
    found = client.get("api/v1/hparams/sessions")
    assert len(found["groups"]) == 12
    assert found["metrics"][0]["values"][:2] == [0.0, 1.0]
    assert client.get("api/v1/hparams/sessions", value="max")["metrics"][0]["values"][0] == 9.0
    matters = client.get("api/v1/hparams/importance", tag="loss")
    assert matters["hparams"][0]["name"] == "lr"
    assert matters["hparams"][0]["correlation"] == pytest.approx(1.0)
    # A value that is written is in the next answer.
    events.append(next((runs / "r00").iterdir()), events.scalars("loss", [77.0], first=5))
    client.wait_for(lambda: client.get("api/v1/hparams/sessions")["metrics"][0]["values"][0] == 77.0)


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("sessions?value=median", 400, "expected value=last, min, max or mean; got value='median'"),
        ("importance", 400, "expected tag=... in its query; got none"),
        ("importance?tag=x", 404, "hparams has no metric tag='x' group=''"),
    ],
)
def test_refusals(runs: Path, serve: Callable[..., Any], path: str, status: int, text: str) -> None:
    answer = serve(runs).ask("GET", f"/api/v1/hparams/{path}")
    assert answer.status == status
    assert text in json.loads(answer.body)["error"]


def test_a_saved_page_holds_the_tables(
    runs: Path, load: Callable[..., Any], tmp_path: Path, events: Any
) -> None:
    data, _ = export.collect(load(runs), points=10, steps=1)
    assert len(data["answers"]["api/v1/hparams/sessions?value=last"]["groups"]) == 12
    assert data["answers"]["api/v1/hparams/importance?tag=loss&group=&value=last"]["sessions"] == 12
    events.write(tmp_path / "plain/a", events.scalars("loss", [1.0]))
    data, _ = export.collect(load(tmp_path / "plain"), points=10, steps=1)
    assert not any("hparams" in url for url in data["answers"])


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"{", "session_groups expected a request in JSON"),
        (b"[]", "session_groups expected a JSON object; got []"),
        (b'{"colour": 1}', "session_groups expected no field of the name 'colour'"),
        (b'{"sliceSize": true}', "session_groups expected another type of value; got sliceSize=True"),
        (
            b'{"sliceSize": 9000000000}',
            "session_groups expected a number of 32 bits; got slice_size=9000000000",
        ),
        (b'{"allowedStatuses": [9]}', "expected one of STATUS_UNKNOWN, STATUS_SUCCESS"),
        (b'{"colParams": [{}]}', "expected a metric or an hparam in every column; got {}"),
        (
            b'{"colParams": [{"hparam": "opt", "filterRegexp": "("}]}',
            "expected a regular expression; got '('",
        ),
        (
            b'{"colParams": [{"hparam": "lr", "filterInterval": {"minValue": "x"}}]}',
            "expected a number; got 'x'",
        ),
        (
            b'{"allowedStatuses": [0], "colParams": [{"hparam": "lr", "filterRegexp": "a"}]}',
            "expected a regular expression on texts only; got one on 0.0",
        ),
        (
            b'{"allowedStatuses": [0], "colParams": [{"hparam": "opt", "filterInterval": {}}]}',
            "expected an interval on numbers only; got one on 'a'",
        ),
    ],
    ids=range(11),
)
def test_what_tensorboards_routes_refuse(
    runs: Path, serve: Callable[..., Any], body: bytes, text: str
) -> None:
    client = serve(runs)
    client.wait_until_read()
    answer = client.ask("POST", "/data/plugin/hparams/session_groups", body)
    assert answer.status == 400
    assert text in json.loads(answer.body)["error"]


def test_downloads_refuse(runs: Path, serve: Callable[..., Any]) -> None:
    client = serve(runs)
    for query, text in (
        ("columnsVisibility=3", "expected columnsVisibility to be a list of true and false; got 3"),
        ("columnsVisibility=[]&format=xls", "expected format=json, csv or latex; got format='xls'"),
    ):
        answer = client.ask("GET", f"/data/plugin/hparams/download_data?request={{}}&{query}")
        assert answer.status == 400
        assert text in json.loads(answer.body)["error"]


def test_no_text_in_a_csv_file_is_a_formula(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    evil = {"=lr": "-2+3+cmd|' /C calc'!A0", "n": -1.5}
    content = hparams_pb(evil).value[0].metadata.plugin_data.content
    events.write(tmp_path / "runs" / "a", events.entry(START_TAG, [], "hparams", content=content))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    statuses = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]
    wanted = {
        "request": json.dumps({"allowedStatuses": statuses, "sliceSize": 10}),
        "columnsVisibility": "[true, true]",
    }
    query = urllib.parse.urlencode({**wanted, "format": "csv"})
    answer = client.ask("GET", f"/data/plugin/hparams/download_data?{query}")
    cells = [cell for row in csv.reader(io.StringIO(answer.body.decode())) for cell in row]
    assert sorted(cells) == sorted(["'=lr", "n", "'-2+3+cmd|' /C calc'!A0", "-1.5"])
