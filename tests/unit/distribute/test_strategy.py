"""Tests for tapeflow.distribute on one device; several are tried in tests/integration/test_distribute.py."""

from __future__ import annotations

import json

import pytest

import tapeflow as tf
from tapeflow.distribute.resolvers import TFConfigClusterResolver, worker_number, workers_of


def test_without_a_scope_there_is_the_default_strategy() -> None:
    strategy = tf.distribute.get_strategy()
    assert strategy is tf.distribute.get_strategy()
    assert strategy.num_replicas_in_sync == 1
    assert not tf.distribute.has_strategy()
    assert not tf.distribute.in_cross_replica_context()
    context = tf.distribute.get_replica_context()
    assert context.num_replicas_in_sync == 1
    assert context.merge_call(lambda s, v: (s is strategy, v), args=(3,)) == (True, 3)


def test_scopes_nest_and_end_with_an_error() -> None:
    one, other = tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.MirroredStrategy()
    with pytest.raises(KeyError), one.scope(), other.scope() as inner:
        assert inner is tf.distribute.get_strategy() is other
        raise KeyError
    assert not tf.distribute.has_strategy()


def test_a_function_runs_in_a_replica_context() -> None:
    strategy = tf.distribute.MirroredStrategy()

    def step(x, scale=1.0):
        context = tf.distribute.get_replica_context()
        assert context.strategy is strategy
        assert context.replica_id_in_sync_group == 0
        assert context.merge_call(lambda s, v: (s is strategy, v), args=(3,)) == (True, 3)
        return context.all_reduce("sum", x * scale), context.all_gather(x, axis=0)

    total, gathered = strategy.run(step, args=(tf.constant([1.0, 2.0]),), kwargs={"scale": 2.0})
    assert total.numpy().tolist() == [2.0, 4.0]
    assert strategy.gather(gathered, axis=0).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("op", "expected"), [("SUM", 6.0), ("mean", 2.0), (tf.distribute.ReduceOp.MEAN, 2.0)], ids=str
)
def test_reduce_along_an_axis(op, expected) -> None:
    strategy = tf.distribute.get_strategy()
    assert float(strategy.reduce(op, tf.constant([1.0, 2.0, 3.0]), axis=0)) == expected
    assert strategy.reduce(op, 5.0) == 5.0


def test_wrong_arguments() -> None:
    strategy = tf.distribute.get_strategy()
    with pytest.raises(
        ValueError, match="expected reduce_op to be tf.distribute.ReduceOp.SUM or MEAN; got reduce_op='max'"
    ):
        strategy.reduce("max", 1.0)
    with pytest.raises(ValueError, match="MirroredStrategy expected at least one device; got devices=\\[\\]"):
        tf.distribute.MirroredStrategy([])
    with pytest.raises(
        ValueError, match="A strategy expected a name such as '/CPU:0'.*device_name='nothing'"
    ):
        tf.distribute.OneDeviceStrategy("nothing")
    with pytest.raises(
        ValueError, match=r"global_batch_size \(7\) that is divisible by num_replicas_in_sync \(2\)"
    ):
        tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(7)


def test_the_cluster_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    assert TFConfigClusterResolver().cluster_spec().as_dict() == {}
    cluster = {"chief": ["a:1"], "worker": ["b:1", "c:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}}))
    resolver = TFConfigClusterResolver()
    assert workers_of(resolver.cluster_spec()) == ("a:1", "b:1", "c:1")
    assert (resolver.task_type, resolver.task_id) == ("worker", 1)
    assert worker_number(resolver.cluster_spec(), resolver.task_type, resolver.task_id) == 2


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"cluster": {"ps": ["a:1"]}}',
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}}',
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": "evaluator", "index": 0}}',
    ],
    ids=["no_json", "list", "job", "index", "type"],
)
def test_a_wrong_cluster(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(ValueError, match='TF_CONFIG expected {"cluster": {"worker": '):
        TFConfigClusterResolver()


def test_a_strategy_of_many_workers_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    tf.constant(1.0).numpy()
    config = {"cluster": {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    with pytest.raises(
        RuntimeError, match="MultiWorkerMirroredStrategy expected to be made before anything is computed"
    ):
        tf.distribute.MultiWorkerMirroredStrategy()


def test_what_tutorials_try_first() -> None:
    with pytest.raises(
        ValueError, match="TPUClusterResolver expected a TPU; got tpu=None, and there is none"
    ):
        tf.distribute.cluster_resolver.TPUClusterResolver()
    for kind in (
        tf.distribute.HierarchicalCopyAllReduce,
        tf.distribute.NcclAllReduce,
        tf.distribute.ReductionToOneDevice,
    ):
        operations = kind()
        assert isinstance(operations, tf.distribute.CrossDeviceOps)
        assert tf.distribute.MirroredStrategy(cross_device_ops=operations).num_replicas_in_sync >= 1


def test_values_for_each_replica_from_a_function() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    given = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(float(context.replica_id_in_sync_group + context.num_replicas_in_sync))
    )
    assert strategy.run(lambda value: value * 2.0, args=(given,)).numpy() == 2.0


def test_the_extended_half_of_a_strategy() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    extended = strategy.extended
    with strategy.scope():
        total = tf.Variable(1.0)
    with extended.colocate_vars_with(total):
        assert tf.distribute.get_strategy() is strategy
    extended.update(total, lambda v, by: v.assign_add(by), args=(2.0,))
    assert float(total) == 3.0
    assert extended.variable_created_in_scope(total)
    assert float(extended.read_var(total)) == 3.0
    doubled = extended.call_for_each_replica(lambda x: x * 2, args=(tf.constant(2.0),))
    assert float(extended.reduce_to("SUM", doubled, total)) == 4.0
    assert [float(v) for v in extended.batch_reduce_to("SUM", [(doubled, total)])] == [4.0]
    assert extended.worker_devices == extended.parameter_devices == extended.non_slot_devices([total])
    assert extended.worker_devices[0].endswith("CPU:0")
    assert (
        extended.update_non_slot(total, lambda: 5)
        == extended.value_container(5)
        == extended.broadcast_to(5, None)
    )
    with pytest.raises(ValueError, match=r"extended.update expected a tf.Variable; got 3"):
        extended.update(3, lambda v: v)
    with pytest.raises(RuntimeError, match="unsupported by default"):
        tf.distribute.get_strategy().extended.worker_devices  # noqa: B018


def test_local_results_of_a_structure() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    [(first, second)] = strategy.experimental_local_results(strategy.run(lambda: (tf.constant(1.0), 2)))
    assert (float(first), second) == (1.0, 2)
    assert strategy.experimental_local_results(3) == (3,)
