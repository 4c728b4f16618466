"""Who works together. Expected values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.distribute.slurm import counts, hosts

R: Any = tf.distribute.cluster_resolver
CLUSTER = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {1: "c:3"}})


def test_a_cluster_written_down() -> None:
    resolver = R.SimpleClusterResolver(CLUSTER, "m", "worker", 1, "e")
    assert (resolver.master(), resolver.master("ps", 1)) == ("m", "c:3")
    assert (resolver.task_type, resolver.task_id, resolver.environment) == ("worker", 1, "e")
    assert resolver.cluster_spec() == CLUSTER
    assert resolver.num_accelerators() == {}
    assert R.SimpleClusterResolver(CLUSTER, num_accelerators={"GPU": 2}).num_accelerators() == {"GPU": 2}
    with pytest.raises(TypeError, match="expected cluster_spec to be a `tf.train.ClusterSpec`"):
        R.SimpleClusterResolver({"worker": []})


def test_several_as_one() -> None:
    first = R.SimpleClusterResolver(CLUSTER, "m", "worker", 1, "e")
    union = R.UnionResolver(first, R.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["z:9"]})))
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:2", "z:9"], "ps": {1: "c:3"}}
    assert (union.master(), union.master("worker", 2), union.task_type, union.task_id) == (
        "m",
        "z:9",
        "worker",
        1,
    )
    with pytest.raises(ValueError, match="UnionResolver expected at least one"):
        R.UnionResolver()
    other = R.SimpleClusterResolver(tf.train.ClusterSpec({"ps": {1: "d:4"}}))
    with pytest.raises(KeyError, match="expected each task of job 'ps' once"):
        R.UnionResolver(first, other).cluster_spec()


def test_a_class_of_the_users_own() -> None:
    class Mine(R.ClusterResolver):
        task_type, task_id, rpc_layer = "worker", 0, "grpc"

        def cluster_spec(self) -> Any:
            return CLUSTER

    assert Mine().master() == "grpc://a:1"
    with pytest.raises(NotImplementedError, match="expected a method `cluster_spec"):
        R.ClusterResolver().cluster_spec()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n1", ["n1"]),
        ("n[1-2],m5,o[3-4,6,7-9]", ["n1", "n2", "m5", "o3", "o4", "o6", "o7", "o8", "o9"]),
        ("a[09-11]", ["a09", "a10", "a11"]),
    ],
    ids=["one", "ranges", "zeros"],
)
def test_lists_of_hosts(text: str, expected: list[str]) -> None:
    assert hosts(text) == expected


@pytest.mark.parametrize(
    "text", ["", "n[1-", "n]1", "n[a]", "a,,b"], ids=["empty", "open", "closed", "letter", "gap"]
)
def test_broken_lists_of_hosts(text: str) -> None:
    with pytest.raises(ValueError, match="Invalid hostlist format"):
        hosts(text)


def test_numbers_of_tasks() -> None:
    assert counts("3(x2),2,1") == [3, 3, 2, 1]
    with pytest.raises(ValueError, match="Invalid tasks-per-node list format"):
        counts("3(x")


def test_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_PROCID", "3")
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "5")
    monkeypatch.setenv("SLURM_STEP_NODELIST", "t[02-03,05]")
    monkeypatch.setenv("SLURM_STEP_TASKS_PER_NODE", "2(x2),1")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    resolver = R.SlurmClusterResolver()
    assert resolver.cluster_spec().as_dict() == {
        "worker": ["t02:8888", "t02:8889", "t03:8888", "t03:8889", "t05:8888"]
    }
    assert resolver.get_task_info() == ("worker", 3)
    assert resolver.master() == "grpc://t03:8889"
    divided = R.SlurmClusterResolver({"ps": 1, "worker": 4}, 9000, gpus_per_node=2)
    assert divided.cluster_spec().as_dict()["ps"] == ["t02:9000"]
    assert divided.get_task_info() == ("worker", 2)
    import os

    assert os.environ["CUDA_VISIBLE_DEVICES"] == "1"
    with pytest.raises(RuntimeError, match="Requested 3 tasks but only 5 were assigned"):
        R.SlurmClusterResolver({"worker": 3})
    with pytest.raises(RuntimeError, match="Requested more GPUs per node than available"):
        R.SlurmClusterResolver(gpus_per_node=2, gpus_per_task=2)
    monkeypatch.delenv("SLURM_PROCID")
    with pytest.raises(RuntimeError, match="SLURM_PROCID not found in environment"):
        R.SlurmClusterResolver()
