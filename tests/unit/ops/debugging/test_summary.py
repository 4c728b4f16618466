"""Summaries of tensors: pending ones, inside recorded functions, under tapes; and the graphs of functions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.program import counters
from tapeflow.summary.context import current
from tapeflow.summary.event_files.tag_series import Series
from tapeflow.summary.protos import message


@pytest.fixture
def logdir(tmp_path: Path) -> Iterator[Path]:
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        yield tmp_path
    writer.close()
    current.step = None


def points(logdir: Path, tag: str) -> list[tuple[int, float]]:
    series = tf.summary.read(logdir)[tag]
    return list(zip(series.steps.tolist(), series.values.tolist(), strict=True))


def series(logdir: Path, tag: str) -> Series:
    return tf.summary.read(logdir)[tag]


def test_logging_a_pending_tensor_runs_nothing(logdir: Path) -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        loss = x * x
    gradient = tape.gradient(loss, x)
    before = counters.dispatched + counters.op_by_op
    tf.summary.scalar("loss", loss, step=1)
    tf.summary.scalar("gradient", gradient, step=1)
    assert counters.dispatched + counters.op_by_op == before
    x.assign_sub(gradient)
    del loss, gradient, tape
    assert points(logdir, "loss") == [(1, 9.0)]
    assert points(logdir, "gradient") == [(1, 6.0)]


def test_a_variable_is_logged_as_it_is_now(logdir: Path) -> None:
    x, step = tf.Variable(1.0), tf.Variable(0, dtype=tf.int64)
    for _ in range(4):
        tf.summary.scalar("x", x, step=step)
        x.assign_add(1.0)
        step.assign_add(10)
    assert points(logdir, "x") == [(0, 1.0), (10, 2.0), (20, 3.0), (30, 4.0)]


def test_a_training_loop_logs_the_right_losses(logdir: Path) -> None:
    w = tf.Variable([1.0, 2.0])
    seen = []
    for i in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        tf.summary.scalar("loss", loss, step=i)
        tf.summary.histogram("w", w, step=i)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        seen.append(loss)
    found = points(logdir, "loss")
    np.testing.assert_allclose([v for _, v in found], [t.numpy() for t in seen])
    assert len(series(logdir, "w")) == 5


def test_in_a_function_it_is_written_at_every_call(logdir: Path) -> None:
    step = tf.Variable(0, dtype=tf.int64)
    recorded = []

    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        recorded.append(1)
        y = x * 2.0
        tf.summary.scalar("y", y, step=step)
        tf.summary.scalar("constant", 0.5, step=3)
        tf.summary.histogram("h", y + tf.range(4.0), step=step)
        step.assign_add(1)
        return y

    for i in range(3):
        f(tf.constant(float(i)))
    assert len(recorded) == 1
    assert points(logdir, "y") == [(0, 0.0), (1, 2.0), (2, 4.0)]
    assert points(logdir, "constant") == [(3, 0.5)] * 3
    assert series(logdir, "h").steps.tolist() == [0, 1, 2]


def test_the_default_step_may_be_a_variable(logdir: Path) -> None:
    step = tf.Variable(5, dtype=tf.int64)
    tf.summary.experimental.set_step(step)

    @tf.function
    def f() -> None:
        tf.summary.scalar("x", step * 2)
        step.assign_add(1)

    for _ in range(3):
        f()
    tf.summary.scalar("x", 0.0)
    assert points(logdir, "x") == [(5, 10.0), (6, 12.0), (7, 14.0), (8, 0.0)]


def test_record_if_with_a_tensor_is_decided_at_every_call(logdir: Path) -> None:
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f() -> None:
        with tf.summary.record_if(lambda: tf.equal(step % 2, 0)):
            tf.summary.scalar("x", 1.0, step=step)
        step.assign_add(1)

    for _ in range(5):
        f()
    assert [s for s, _ in points(logdir, "x")] == [0, 2, 4]


def test_in_a_function_under_a_tape(logdir: Path) -> None:
    w = tf.Variable(2.0)

    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        y = w * x
        tf.summary.scalar("y", y, step=0)
        return y

    for i in range(3):
        with tf.GradientTape() as tape:
            y = f(tf.constant(float(i)))
        assert float(tape.gradient(y, w)) == i
    assert [v for _, v in points(logdir, "y")] == [0.0, 2.0, 4.0]


def test_in_the_body_of_a_loop(logdir: Path) -> None:
    total = tf.constant(0)
    for i in tf.range(3):
        tf.summary.scalar("i", tf.cast(i, tf.float32), step=tf.cast(i, tf.int64))
        total += i
    tf.while_loop(
        lambda i: i < 3,
        lambda i: (tf.summary.scalar("j", i, step=tf.cast(i, tf.int64)), i + 1)[1:],
        [tf.constant(0)],
    )
    assert points(logdir, "i") == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert points(logdir, "j") == [(0, 0.0), (1, 1.0), (2, 2.0)]


def test_name_scopes_are_part_of_the_tag(logdir: Path) -> None:
    with tf.name_scope("a"), tf.name_scope("b"):
        tf.summary.scalar("x", 1.0, step=0)
        with tf.summary.experimental.summary_scope("s") as (tag, scope):
            assert (tag, scope) == ("a/b/s", "a/b/s/")
            tf.summary.scalar("y", 1.0, step=0)
        tf.summary.write("raw", 1.0, step=0)
    assert list(tf.summary.read(logdir)) == ["a/b/x", "a/b/s/y", "raw"]


def test_tensors_of_every_kind(logdir: Path) -> None:
    tf.summary.image("image", [tf.ones((2, 3, 1)) * 0.5, tf.ones((2, 3, 1))], step=0)
    tf.summary.audio("audio", tf.zeros((1, 10, 1)) + 0.5, tf.constant(8000), step=0)
    tf.summary.text("text", tf.constant(["a", "b"]), step=0)
    tf.summary.histogram("histogram", tf.range(10), step=tf.constant(7), buckets=tf.constant(5))
    tf.summary.write("bfloat16", tf.cast(tf.range(3.0), tf.bfloat16) + 1, step=0)
    run = tf.summary.read(logdir)
    assert run["image"].values[0][:2].tolist() == [b"3", b"2"]
    assert run["audio"].plugin == "audio"
    assert run["text"].values[0].tolist() == [b"a", b"b"]
    assert run["histogram"].steps.tolist() == [7]
    assert run["histogram"].values[0][:, 2].tolist() == [2, 2, 2, 2, 2]
    assert run["bfloat16"].values[0].astype(float).tolist() == [1, 2, 3]


def test_shapes_are_checked_at_the_call_also_of_pending_tensors(logdir: Path) -> None:
    @tf.function
    def f(x: tf.Tensor) -> None:
        tf.summary.scalar("x", x, step=0)

    with pytest.raises(ValueError, match=r"expected a scalar; got data of shape \(2,\)"):
        f(tf.ones(2))
    with pytest.raises(TypeError, match="expected an integer step"):
        tf.summary.scalar("x", 1.0, step=tf.constant(1.5) * 2)


def test_building_a_model_writes_nothing(logdir: Path) -> None:
    class Noted(tf.keras.layers.Layer):
        def call(self, x: tf.Tensor) -> tf.Tensor:
            tf.summary.scalar("mean", tf.reduce_mean(x), step=0)
            return x

    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, Noted()(inputs))
    assert "mean" not in tf.summary.read(logdir)
    model(tf.ones((2, 3)))
    assert points(logdir, "mean") == [(0, 1.0)]


def test_trace_export_writes_the_graph_of_a_function(logdir: Path) -> None:
    kernel = tf.Variable(tf.ones((3, 2)), name="kernel")

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.relu(x @ kernel))
        kernel.assign_sub(tape.gradient(loss, kernel))
        return loss

    step(tf.ones((4, 3)))
    tf.summary.trace_on(graph=True)
    step(tf.ones((4, 3)))
    step(tf.ones((4, 3)))
    tf.summary.trace_export("trace", step=2)
    found = series(logdir, "trace")
    assert (found.plugin, found.content, found.steps.tolist()) == ("graph_run_metadata_graph", b"1", [2])
    (function,) = message("RunMetadata").FromString(found.values[0].item()).function_graphs
    nodes = {n.name: n for n in function.pre_optimization_graph.node}
    assert {"step/argument_0", "step/kernel", "step/MatMul", "step/Identity", "step/assign/kernel"} <= set(
        nodes
    )
    assert [d.size for d in nodes["step/MatMul"].attr["_output_shapes"].list.shape[0].dim] == [4, 2]
    assert all(i.split(":")[0] in nodes for n in nodes.values() for i in n.input)


def test_ops_in_a_graph_are_named_by_scopes_and_layers(logdir: Path) -> None:
    layers = [tf.keras.layers.Dense(2, name="first"), tf.keras.layers.Dense(1, name="last")]
    model = tf.keras.Sequential(layers, name="net")
    model.build((None, 3))

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.name_scope("outer"), tf.name_scope("inner"):
            y = tf.nn.relu(model(x))
        with tf.name_scope("elsewhere/"):
            y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, model(y @ tf.ones((1, 3)))), [0, y])[1]
        return tf.square(y)

    tf.summary.trace_on(graph=True)
    step(tf.ones((4, 3)))
    tf.summary.trace_export("trace", step=0)
    (function,) = message("RunMetadata").FromString(series(logdir, "trace").values[0].item()).function_graphs
    names = {n.name for n in function.pre_optimization_graph.node}
    inner = "step/outer/inner"
    assert {f"{inner}/net/first/kernel", f"{inner}/net/last/bias", f"{inner}/Relu", "step/Square"} <= names
    assert any(name.startswith("step/elsewhere/") for name in names)


def test_trace_export_of_fit(logdir: Path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="first"), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    tf.summary.trace_on()
    model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), batch_size=4, verbose=0)
    tf.summary.trace_export("fit", step=0)
    (function,) = message("RunMetadata").FromString(series(logdir, "fit").values[0].item()).function_graphs
    names = {n.name for n in function.pre_optimization_graph.node}
    assert any("first/kernel" in n for n in names)
    assert any("gradient" in n for n in names)


class Logging(tf.keras.Model):
    """Logs in its step: before and after the weights change, constants, and under a condition."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.recorded = 0

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return self.dense(x)

    def train_step(self, data: tuple[tf.Tensor, tf.Tensor]) -> dict[str, tf.Tensor]:
        self.recorded += 1
        tf.summary.scalar("before", self.dense.bias[0], step=self.optimizer.iterations)
        tf.summary.scalar("bias", tf.reduce_sum(self.dense.bias), step=self.optimizer.iterations)
        logs = super().train_step(data)
        tf.summary.scalar("batch_loss", logs["loss"], step=self.optimizer.iterations)
        tf.summary.histogram("kernel", self.dense.kernel, step=self.optimizer.iterations)
        with tf.summary.record_if(lambda: tf.equal(self.optimizer.iterations % 4, 0)):
            tf.summary.scalar("now and then", 1.0, step=self.optimizer.iterations)
        return logs


def fit_logging(x: np.ndarray, run_eagerly: bool) -> Logging:
    model = Logging()
    model(x[:1])
    model.compile("sgd", "mse", run_eagerly=run_eagerly)
    model.fit(x, x[:, :1] * 3, batch_size=8, epochs=2, verbose=0, shuffle=False)
    return model


def test_a_step_in_fit_may_log(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(84, 4)).astype("float32")
    runs = []
    for run_eagerly in (True, False):
        writer = tf.summary.create_file_writer(tmp_path / str(run_eagerly))
        with writer.as_default():
            model = fit_logging(x, run_eagerly)
        runs.append(tf.summary.read(tmp_path / str(run_eagerly)))
        writer.close()
    assert model.recorded < 6  # it is staged although it logs
    eager, fused = runs
    assert set(eager) == {"before", "bias", "batch_loss", "kernel", "now and then"}
    assert fused["batch_loss"].steps.tolist() == list(range(1, 23))
    assert fused["before"].steps.tolist() == list(range(22))
    assert fused["now and then"].steps.tolist() == [4, 8, 12, 16, 20]
    assert set(fused) == set(eager)
    for tag in ("before", "bias", "batch_loss"):
        assert fused[tag].steps.tolist() == eager[tag].steps.tolist()
        np.testing.assert_allclose(fused[tag].values, eager[tag].values, rtol=1e-4, atol=1e-6)
    for mine, theirs in zip(fused["kernel"].values, eager["kernel"].values, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-6)
