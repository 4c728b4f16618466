"""A training that is told to end saves itself, and goes on when started again."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf

X = tf.distribute.experimental


def test_saves_after_the_step_and_goes_on(tmp_path: Path) -> None:
    left: list[int] = []

    def started(calls_to_end: int) -> tuple[Any, Any]:
        value = tf.Variable(0)
        config = X.TerminationConfig(
            lambda: int(value) == calls_to_end, exit_fn=lambda: left.append(int(value))
        )
        checkpoint = tf.train.Checkpoint(value=value)
        return value, X.PreemptionCheckpointHandler(None, checkpoint, tmp_path, config)

    value, handler = started(2)
    handler.run(value.assign_add, 1)
    assert left == []
    handler.run(value.assign_add, 1)
    assert left == [2]
    again, handler = started(100)
    assert int(again) == 2
    assert handler.total_run_calls == 2
    handler._preemption.end()


def test_sigterm_ends_the_process_after_the_step(tmp_path: Path) -> None:
    value = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(value=value), tmp_path, max_to_keep=1)
    handler = X.PreemptionCheckpointHandler(tf.distribute.cluster_resolver.TFConfigClusterResolver(), manager)

    def step() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        value.assign_add(7)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        handler.run(step)
    assert ended.value.code == 143
    assert signal.getsignal(signal.SIGTERM) != before
    assert tf.train.load_variable(tmp_path, "value/.ATTRIBUTES/VARIABLE_VALUE") == 7


def test_a_handler_that_is_dropped_listens_no_more(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    handler = X.PreemptionCheckpointHandler(None, tf.train.Checkpoint(value=tf.Variable(0)), tmp_path)
    assert signal.getsignal(signal.SIGTERM) != before
    del handler
    assert signal.getsignal(signal.SIGTERM) == before


def test_refusals(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(value=tf.Variable(0))
    with pytest.raises(ValueError, match="expected checkpoint_dir with a Checkpoint"):
        X.PreemptionCheckpointHandler(None, checkpoint)
    with pytest.raises(ValueError, match="expected no grace_period"):
        X.TerminationConfig(grace_period=30)
    two = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec({"worker": ["a:1", "b:1"]})
    )
    with pytest.raises(ValueError, match="expected a cluster of this process alone"):
        X.PreemptionCheckpointHandler(two, checkpoint, tmp_path)


def test_a_strategy_for_all_that_follows() -> None:
    strategy = X.CentralStorageStrategy(["/CPU:0"])
    tf.distribute.experimental_set_strategy(strategy)
    try:
        assert tf.distribute.get_strategy() is strategy
        with (
            strategy.scope(),
            pytest.raises(RuntimeError, match="Must not be called inside a strategy scope"),
        ):
            tf.distribute.experimental_set_strategy(None)
    finally:
        tf.distribute.experimental_set_strategy(None)
    assert not tf.distribute.has_strategy()
    assert (
        float(strategy.run(lambda x: x + 1, (tf.constant(1.0),), options=tf.distribute.RunOptions())) == 2.0
    )
