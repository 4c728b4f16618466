"""TensorBoard's routes of hparams, asked of TensorBoard and of the board on the same files.

TensorBoard runs in this process: its application is called without a server. `tests/data/hparams` was written by
TensorFlow 2.21 (`hp.hparams_config`, `hp.KerasCallback` and `tf.summary.scalar`) and PyTorch 2.13
(`SummaryWriter.add_hparams`), the latter in `torch-*`.
"""

from __future__ import annotations

import http.client
import json
import shutil
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tensorboardX
from tensorboard.backend import application
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2
from tensorboard.plugins.hparams import summary_v2 as their_hp
from tensorboard.plugins.hparams.hparams_plugin import HParamsPlugin
from tensorboard.plugins.scalar.scalars_plugin import ScalarsPlugin
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from werkzeug.test import Client

from tapeflow import summary
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running
from tapeflow.plugins.hparams import api as hp
from tapeflow.summary.kinds.hyperparameters import session_end_pb

STATUSES = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]
DATA = Path(__file__).parents[1] / "data" / "hparams"
ALL: dict[str, Any] = {"allowedStatuses": STATUSES, "startIndex": 0, "sliceSize": 100}


def with_tapeflow(folder: Path, hparams: dict[str, Any], trial: str | None = None, **metrics: Any) -> None:
    writer = summary.create_file_writer(folder)
    with writer.as_default():
        hp.hparams(hparams, trial_id=trial, start_time_secs=5.0)
        for tag, values in metrics.items():
            for step, value in enumerate(values):
                summary.scalar(tag, value, step=step)
    writer.close()


def with_tensorboard(folder: Path, *summaries: Any, **metrics: float) -> None:
    """As TensorBoard's own API and Keras's callback of it write."""
    writer = EventFileWriter(str(folder))
    for one in summaries:
        writer.add_event(Event(wall_time=1.0, step=0, summary=one))
    for tag, value in metrics.items():
        content = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
        writer.add_event(Event(wall_time=2.0, step=3, summary=content))
    writer.close()


def of_plugin(tag: str, **data: Any) -> Summary:
    """Metadata without a value, as PyTorch writes it."""
    content = plugin_data_pb2.HParamsPluginData(**data)
    return Summary(value=[Summary.Value(tag=tag, metadata=metadata.create_summary_metadata(content))])


def log_sessions(folder: Path) -> None:
    """Sessions that nothing describes: repeated trials, sub-runs, mixed types, NaN, several endings."""
    nan, inf = float("nan"), float("inf")
    with_tapeflow(folder / "a/1", {"lr": 0.1, "opt": "adam", "n": 3, "on": True}, "one", loss=[3.0, 1.0])
    with_tapeflow(folder / "a/2", {"lr": 0.1, "opt": "adam", "n": 3, "on": True}, "one", loss=[4.0, 2.5, 2.0])
    with_tapeflow(folder / "b", {"lr": 0.01, "opt": "größe_50%", "n": "three", "on": False}, loss=[nan])
    with_tapeflow(folder / "c", {"lr": 0.3, "opt": "<script>", "extra": inf}, "c", loss=[inf], acc=[0.5])
    for part in ("train", "validation"):
        with_tensorboard(folder / "b" / part, epoch_loss=0.25, acc=0.75)
    writer = summary.create_file_writer(folder / "c")
    with writer.as_default():
        summary.experimental.write_raw_pb(session_end_pb(2, 9.0).SerializeToString(), step=0)
    writer.close()
    with_tensorboard(folder / "no session", loss=7.0)
    ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS, end_time_secs=20.0)
    begun = plugin_data_pb2.SessionStartInfo(model_uri="uri", monitor_url="http://x", start_time_secs=11.0)
    begun.hparams["lr"].number_value = 1e-7
    begun.hparams["opt"].string_value = "sgd"
    start = of_plugin(metadata.SESSION_START_INFO_TAG, session_start_info=begun)
    end = of_plugin(metadata.SESSION_END_INFO_TAG, session_end_info=ended)
    with_tensorboard(folder / "old", start, end, loss=1e-9)


def log_experiment(folder: Path) -> None:
    """Sessions of a described experiment."""
    config = their_hp.hparams_config_pb(
        [
            their_hp.HParam(
                "units", their_hp.Discrete([16, 32]), display_name="Units", description="how wide"
            ),
            their_hp.HParam("rate", their_hp.RealInterval(0.0, 1.0)),
            their_hp.HParam("depth"),
            their_hp.HParam("name_of", their_hp.Discrete(["a", "b"])),
        ],
        [
            their_hp.Metric("acc", group="validation", display_name="Accuracy"),
            their_hp.Metric("loss", dataset_type=their_hp.Metric.TRAINING),
            their_hp.Metric("missing"),
        ],
        123.0,
    )
    with_tensorboard(folder, config)
    for units in (16, 32):
        for rate in (0.25, 0.5):
            start = their_hp.hparams_pb({"units": units, "rate": rate, "name_of": "a"}, None, 4.0)
            run = folder / f"{units}-{rate}"
            with_tensorboard(run, start, loss=units * rate, other=1.0)
            with_tensorboard(run / "validation", acc=1 / (units * rate))


def log_tensorboardx(folder: Path) -> None:
    """What tensorboardX, and PyTorch alike, write: metadata without a value, in a folder below."""
    writer = tensorboardX.SummaryWriter(str(folder))
    writer.add_hparams({"units": 3, "name": "x", "on": True}, {"accuracy": 0.5}, name="trial")
    writer.close()


def log_with_real(name: str) -> Callable[[Path], None]:
    """What a real TensorFlow or PyTorch wrote."""

    def copy(folder: Path) -> None:
        shutil.copytree(DATA / name, folder, dirs_exist_ok=True)

    return copy


class Theirs:
    """TensorBoard, asked without a server."""

    def __init__(self, folder: Path) -> None:
        multiplexer = EventMultiplexer()
        multiplexer.AddRunsFromDirectory(str(folder))
        multiplexer.Reload()
        provider = MultiplexerDataProvider(multiplexer, str(folder))
        loaders = [base_plugin.BasicLoader(plugin) for plugin in (ScalarsPlugin, HParamsPlugin)]
        flags = SimpleNamespace(
            window_title="", path_prefix="", generic_data="true", samples_per_plugin={}, logdir=str(folder)
        )
        app = application.TensorBoardWSGIApp(flags, loaders, provider)
        self._client = Client(app)

    def ask(self, method: str, path: str, body: bytes | None) -> tuple[int, str, bytes]:
        answer = self._client.open(path, method=method, data=body)
        return answer.status_code, answer.mimetype, answer.get_data()


class Ours:
    """The board, served as it always is."""

    def __init__(self, folder: Path, settings: Path) -> None:
        self._running = Running(
            [Logdir(str(folder))], BoardOptions(port=0, cache=None, settings=str(settings))
        )
        self._thread = self._running.run_in_thread()
        end = time.monotonic() + 20
        while not (self._running.server.started and self._running.board.store.progress()["is_done"]):
            assert time.monotonic() < end
            time.sleep(0.02)

    def ask(self, method: str, path: str, body: bytes | None) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._running.options.port, timeout=20)
        connection.request(method, path, body)
        answer = connection.getresponse()
        found = answer.status, answer.headers["content-type"].partition(";")[0], answer.read()
        connection.close()
        return found

    def stop(self) -> None:
        self._running.stop()
        self._thread.join(20)


Pair = tuple[Theirs, Ours]
_LOGS: dict[str, Callable[[Path], None]] = {
    "sessions": log_sessions,
    "experiment": log_experiment,
    "tensorboardx": log_tensorboardx,
    "tensorflow": log_with_real("tensorflow"),
    "torch": log_with_real("torch-0.1"),
}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pair]]:
    found = {}
    for name, log in _LOGS.items():
        folder = tmp_path_factory.mktemp(name)
        log(folder)
        found[name] = Theirs(folder), Ours(folder, tmp_path_factory.mktemp("other") / "settings.json")
    yield found
    for _, ours in found.values():
        ours.stop()


def both(pair: Pair, route: str, request: Any, method: str = "POST", **query: str) -> list[Any]:
    answers = []
    for board in pair:
        text = json.dumps(request)
        asked = query if method == "POST" else {**query, "request": text}
        path = f"/data/plugin/hparams/{route}?{urllib.parse.urlencode(asked)}"
        answers.append(board.ask(method, path, text.encode() if method == "POST" else None))
    return answers


def decoded(answer: tuple[int, str, bytes]) -> Any:
    status, mime, data = answer
    assert (status, mime) == (200, "application/json"), data
    found = json.loads(data)
    for info in found.get("hparamInfos", []) if isinstance(found, dict) else []:
        if "domainDiscrete" in info:  # TensorBoard gives sets, in an order of chance
            info["domainDiscrete"] = sorted(info["domainDiscrete"], key=str)
    return found


@pytest.mark.parametrize("logs", _LOGS)
@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize(
    "request_",
    [{}, {"experimentName": ""}, {"includeMetrics": False}, {"hparams_limit": 2}],
    ids=["empty", "named", "no metrics", "limited"],
)
def test_experiment(pairs: dict[str, Pair], logs: str, method: str, request_: dict[str, Any]) -> None:
    theirs, ours = map(decoded, both(pairs[logs], "experiment", request_, method))
    assert ours == theirs
    assert theirs["hparamInfos"]


LR = {"hparam": "lr"}
LOSS = {"metric": {"tag": "loss"}}
REQUESTS: dict[str, dict[str, Any]] = {
    "all": ALL,
    "some": {**ALL, "startIndex": 1, "sliceSize": 2},
    "none": {},
    "ended": {**ALL, "allowedStatuses": ["STATUS_SUCCESS", "STATUS_FAILURE"]},
    "by number": {**ALL, "allowed_statuses": [1, 2], "allowedStatuses": None},
    "no metrics": {**ALL, "includeMetrics": False},
    "ascending": {**ALL, "colParams": [{**LR, "order": "ORDER_ASC"}]},
    "descending": {**ALL, "colParams": [{**LR, "order": "ORDER_DESC"}]},
    "two orders": {
        **ALL,
        "colParams": [{"hparam": "opt", "order": "ORDER_DESC"}, {**LR, "order": "ORDER_ASC"}],
    },
    "missing first": {
        **ALL,
        "colParams": [{"hparam": "on", "order": "ORDER_ASC", "missingValuesFirst": True}],
    },
    "missing last": {**ALL, "colParams": [{"hparam": "on", "order": "ORDER_DESC"}]},
    "regexp": {**ALL, "colParams": [{"hparam": "opt", "filterRegexp": "^ad|50"}]},
    "interval": {**ALL, "colParams": [{**LR, "filterInterval": {"minValue": 0.05, "maxValue": 0.3}}]},
    "open interval": {
        **ALL,
        "colParams": [{**LR, "filterInterval": {"minValue": "-Infinity", "maxValue": 0.1}}],
    },
    "metric interval": {**ALL, "colParams": [{**LOSS, "filterInterval": {"minValue": 0, "maxValue": 5}}]},
    "discrete": {**ALL, "colParams": [{"hparam": "on", "filterDiscrete": [True]}]},
    "only with it": {
        **ALL,
        "colParams": [{"hparam": "on", "filterDiscrete": [True], "excludeMissingValues": True}],
    },
    "not missing": {**ALL, "colParams": [{"hparam": "extra", "excludeMissingValues": True}]},
    "mean": {**ALL, "aggregationType": "AGGREGATION_AVG"},
    "included": {**ALL, "colParams": [{**LR, "includeInResult": True}]},
    "not included": {**ALL, "colParams": [{**LR, "includeInResult": False}, {"hparam": "opt"}]},
}


@pytest.mark.parametrize("logs", _LOGS)
@pytest.mark.parametrize("name", REQUESTS)
def test_session_groups(pairs: dict[str, Pair], logs: str, name: str) -> None:
    theirs, ours = map(decoded, both(pairs[logs], "session_groups", REQUESTS[name]))
    assert ours == theirs


@pytest.mark.parametrize("kind", ["MEDIAN", "MIN", "MAX"])
def test_the_session_that_stands_for_its_group(pairs: dict[str, Pair], kind: str) -> None:
    only = {"hparam": "lr", "filterInterval": {"minValue": 0.1, "maxValue": 0.1}}
    request = {
        **ALL,
        "colParams": [only],
        "aggregationType": f"AGGREGATION_{kind}",
        "aggregationMetric": {"tag": "loss"},
    }
    # TensorBoard fails where a group has no such metric; here every group has.
    request["allowedStatuses"] = ["STATUS_UNKNOWN"]
    theirs, ours = map(decoded, both(pairs["sessions"], "session_groups", request))
    assert ours == theirs
    (group,) = ours["sessionGroups"]
    assert group["metricValues"][0]["value"] == (2.0 if kind == "MAX" else 1.0)


@pytest.mark.parametrize(
    ("session", "metric"),
    [("a/2", {"tag": "loss"}), ("b", {"tag": "acc", "group": "train"}), ("c", {"tag": "loss"})],
    ids=["own", "below", "infinite"],
)
def test_metric_evals(pairs: dict[str, Pair], session: str, metric: dict[str, str]) -> None:
    request = {"sessionName": session, "metricName": metric}
    theirs, ours = map(decoded, both(pairs["sessions"], "metric_evals", request))
    assert ours == theirs
    assert len(ours) == (3 if session == "a/2" else 1)


def test_a_metric_there_is_not(pairs: dict[str, Pair]) -> None:
    request = {"sessionName": "a/2", "metricName": {"tag": "nothing"}}
    assert [answer[0] for answer in both(pairs["sessions"], "metric_evals", request)] == [404, 404]


@pytest.mark.parametrize("logs", _LOGS)
@pytest.mark.parametrize("kind", ["json", "csv", "latex"])
def test_download(pairs: dict[str, Pair], logs: str, kind: str) -> None:
    shown = json.dumps([True, True, False] + [True] * 20)
    theirs, ours = both(pairs[logs], "download_data", ALL, "GET", format=kind, columnsVisibility=shown)
    if kind == "json":
        assert decoded(ours) == decoded(theirs)
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        '{"unknown": 1}',
        '{"allowedStatuses": ["STATUS_ASTRAY"]}',
        '{"startIndex": "x"}',
        '{"allowedStatuses": [0], "sliceSize": 9, "colParams": [{"hparam": "lr", "filterRegexp": "a"}]}',
        '{"allowedStatuses": [0], "sliceSize": 9, "colParams": [{"order": "ORDER_ASC"}]}',
    ],
    ids=["text", "unknown", "status", "number", "regexp on numbers", "no column"],
)
def test_refusals(pairs: dict[str, Pair], body: str) -> None:
    path = "/data/plugin/hparams/session_groups"
    assert [board.ask("POST", path, body.encode())[0] for board in pairs["sessions"]] == [400, 400]
