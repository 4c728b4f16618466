"""`tf.train.ClusterSpec`. Expected values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

CLUSTER = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {1: "c:3"}})


def test_jobs_and_tasks() -> None:
    assert CLUSTER.as_dict() == {"worker": ["a:1", "b:2"], "ps": {1: "c:3"}}
    assert (CLUSTER.jobs, CLUSTER.num_tasks("ps"), CLUSTER.task_indices("ps")) == (["worker", "ps"], 1, [1])
    assert (CLUSTER.task_address("worker", 1), CLUSTER.job_tasks("ps")) == ("b:2", [None, "c:3"])
    assert repr(CLUSTER) == "ClusterSpec({'ps': {1: 'c:3'}, 'worker': ['a:1', 'b:2']})"
    again = tf.train.ClusterSpec(CLUSTER)
    assert again == CLUSTER
    assert hash(CLUSTER) == hash(again)
    assert not tf.train.ClusterSpec({})


@pytest.mark.parametrize(
    ("ask", "error", "text"),
    [
        (lambda: CLUSTER.num_tasks("x"), ValueError, "No such job in cluster: 'x'"),
        (lambda: CLUSTER.task_address("worker", 5), ValueError, "No task with index 5 in job 'worker'"),
        (lambda: tf.train.ClusterSpec(3), TypeError, "`cluster` must be a dictionary"),
        (lambda: tf.train.ClusterSpec({"a": "b"}), TypeError, "The tasks for job 'a' must be a list"),
        (lambda: tf.train.ClusterSpec({"a": [3]}), TypeError, "Task address 3 of job 'a' must be a str"),
    ],
    ids=["job", "task", "number", "text", "address"],
)
def test_wrong_arguments_raise(ask: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        ask()
