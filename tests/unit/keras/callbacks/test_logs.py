"""`Logs`: a dict whose values are read when somebody looks."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.callbacks.logs import Logs, StackedLogs, plain_logs

VALUES = {"loss": 0.5, "mae": 0.25}


def lazy() -> tuple[Logs, list[int]]:
    """Logs, and a list that grows when their values are asked for."""
    reads: list[int] = []

    def load() -> dict[str, float]:
        reads.append(1)
        return dict(VALUES)

    return Logs({"loss": None, "mae": None}, load), reads


READS: dict[str, Callable[[Logs], Any]] = {
    "dict": dict,
    "unpack": lambda logs: {**logs},
    "call": lambda logs: (lambda **kw: kw)(**logs),
    "items": lambda logs: dict(logs.items()),
    "values": lambda logs: dict(zip(logs, logs.values(), strict=True)),
    "iterate": lambda logs: {name: logs[name] for name in logs},
    "get": lambda logs: {name: logs.get(name) for name in VALUES},
    "copy": lambda logs: logs.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "json": lambda logs: json.loads(json.dumps(logs)),
    "pickle": lambda logs: pickle.loads(pickle.dumps(logs)),
    "or": lambda logs: logs | {},
    "ror": lambda logs: {} | logs,
    "update": lambda logs: (into := {}, into.update(logs))[0],
    "repr": lambda logs: eval(repr(logs)),
    "pop": lambda logs: {"loss": logs.pop("loss"), "mae": logs.pop("mae")},
    "popitem": lambda logs: dict([logs.popitem(), logs.popitem()]),
    "setdefault": lambda logs: {name: logs.setdefault(name, 7) for name in VALUES},
    "sorted": lambda logs: dict(sorted(logs.items())),
}


@pytest.mark.parametrize("how", READS)
def test_every_way_of_reading_gives_the_values_and_asks_once(how: str) -> None:
    logs, reads = lazy()
    assert READS[how](logs) == VALUES
    assert reads == [1]


def test_names_cost_no_read() -> None:
    logs, reads = lazy()
    assert isinstance(logs, dict)
    assert list(logs) == list(logs.keys()) == ["loss", "mae"]
    assert "loss" in logs
    assert "acc" not in logs
    assert len(logs) == 2
    assert bool(logs)
    assert reads == []


def test_equality_reads_and_compares() -> None:
    logs, reads = lazy()
    assert logs == VALUES
    assert (logs != VALUES) is False
    assert logs != {"loss": 0.5}
    assert reads == [1]


def test_what_a_hook_sets_stays() -> None:
    logs, _ = lazy()
    logs["lr"] = 0.1
    logs["loss"] = 7.0
    logs.update(mae=8.0)
    assert {**logs} == {"loss": 7.0, "mae": 8.0, "lr": 0.1}


def test_what_a_hook_deletes_stays_away() -> None:
    logs, _ = lazy()
    del logs["loss"]
    assert {**logs} == {"mae": 0.25}


def test_a_failing_read_fails_every_time() -> None:
    def load() -> dict[str, float]:
        raise ArithmeticError("bad step")

    logs = Logs({"loss": None}, load)
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="bad step"):
            logs["loss"]


def test_get_gives_the_default() -> None:
    logs, _ = lazy()
    assert logs.get("val_loss") is None
    assert logs.get("val_loss", 3) == 3
    with pytest.raises(KeyError, match="val_loss"):
        logs["val_loss"]


def test_is_not_hashable_like_any_dict() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Logs({}))


def test_tensors_become_python_numbers_and_arrays() -> None:
    logs = Logs(
        {"loss": tf.constant(0.5), "n": tf.constant(3), "per_class": tf.constant([1.0, 2.0]), "s": "x"}
    )
    assert type(logs["loss"]) is float
    assert type(logs["n"]) is int
    assert isinstance(logs["per_class"], np.ndarray)
    assert logs["s"] == "x"


def test_numpy_scalars_become_python_numbers() -> None:
    plain = plain_logs({"a": np.float64(0.5), "b": np.float32(0.25), "c": np.int64(3), "d": np.array(2.0)})
    assert [type(value) for value in plain.values()] == [float, float, int, float]


def test_values_are_those_of_the_moment_they_were_given() -> None:
    values = {"loss": tf.constant(1.0)}
    logs = Logs(values)
    values["loss"] = tf.constant(2.0)
    assert logs["loss"] == 1.0


def test_structures_are_converted_inside() -> None:
    outputs = {"a": tf.constant([1.0]), "b": [tf.constant(2.0), None]}
    plain = plain_logs({"outputs": outputs})["outputs"]
    np.testing.assert_array_equal(plain["a"], np.ones(1, np.float32))
    assert plain["b"] == [2.0, None]
    assert plain_logs(None) == {}


def test_pending_tensors_run_at_the_read_only(counting: Any) -> None:
    x = tf.Variable(tf.ones([8]))
    with counting() as spent:
        logs = Logs({"loss": tf.reduce_sum(x.assign_add(tf.ones([8])))})
        list(logs)
    assert spent.dispatched == 0
    assert logs["loss"] == 16.0


def test_stacked_logs_are_fetched_once_for_all_steps() -> None:
    fetched: list[int] = []

    class Stacked:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            fetched.append(1)
            return np.array([1.0, 2.0, 3.0], np.float32)

    stacked = StackedLogs({"loss": Stacked()})
    steps = [stacked.step(i) for i in range(3)]
    assert [list(step) for step in steps] == [["loss"]] * 3
    assert fetched == []
    assert [step["loss"] for step in steps] == [1.0, 2.0, 3.0]
    assert type(steps[1]["loss"]) is float
    assert fetched == [1]
