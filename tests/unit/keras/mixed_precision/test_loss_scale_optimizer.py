"""Loss scaling: fixed and dynamic, by Keras 2's calls and by Keras 3's."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import optimizers
from tapeflow.keras.mixed_precision import LossScaleOptimizer
from tapeflow.keras.optimizers import SGD, Adam, schedules


def keras_2_step(optimizer: LossScaleOptimizer, x: tf.Variable, factor: Any = 1.0) -> None:
    with tf.GradientTape() as tape:
        scaled = optimizer.get_scaled_loss(x * x * factor)
    gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, [x]))
    optimizer.apply_gradients(zip(gradients, [x], strict=True))


def test_scaling_by_hand() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(SGD(0.25), initial_scale=8.0)
    assert float(optimizer.get_scaled_loss(tf.constant(2.0))) == 16.0
    assert float(optimizer.get_scaled_loss(lambda: x * 3.0)()) == 24.0
    half = optimizer.get_scaled_loss(tf.constant(2.0, tf.float16))
    assert half.dtype is tf.float16
    found = optimizer.get_unscaled_gradients([tf.constant(16.0), None, tf.constant(8.0, tf.float16)])
    assert (float(found[0]), found[1], found[2].dtype) == (2.0, None, tf.float16)
    rows = tf.IndexedSlices(tf.constant([[8.0]]), tf.constant([0]), tf.constant([2, 1]))
    np.testing.assert_array_equal(optimizer.get_unscaled_gradients([rows])[0].values, [[1.0]])
    keras_2_step(optimizer, x)
    assert float(x) == 0.5


def test_minimize_scales_by_itself() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(SGD(0.25))
    optimizer.minimize(lambda: x * x, [x])
    assert float(x) == 0.5
    with tf.GradientTape() as tape:
        loss = x * x
    optimizer.minimize(loss, [x], tape=tape)
    assert float(x) == 0.25


def test_scale_loss_as_in_keras_3() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(SGD(0.25), initial_scale=16.0)
    for apply in (
        lambda g: optimizer.apply_gradients(zip(g, [x], strict=True)),
        lambda g: optimizer.apply(g, [x]),
    ):
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(x * x)
        apply(tape.gradient(loss, [x]))
    assert float(x) == 0.25
    keras_2_step(optimizer, x)
    assert float(x) == 0.125


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "staged"])
def test_overflow_skips_the_step_and_halves_the_scale(wrap: Any) -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(Adam(0.5), initial_scale=8.0, dynamic_growth_steps=2)
    optimizer.build([x])
    step = wrap(lambda factor: keras_2_step(optimizer, x, factor))
    seen = []
    for factor in (np.inf, np.nan, 1.0, 1.0, np.inf, 1.0):
        before = float(x)
        step(tf.constant(factor, tf.float32))
        scale, good = float(optimizer.loss_scale), int(optimizer.dynamic_counter)  # pyright: ignore
        seen.append((float(x) != before, scale, good, int(optimizer.iterations)))
    assert seen == [
        (False, 4.0, 0, 1),
        (False, 2.0, 0, 2),
        (True, 2.0, 1, 3),
        (True, 4.0, 0, 4),
        (False, 2.0, 0, 5),
        (True, 2.0, 1, 6),
    ]
    assert all(np.isfinite(v.numpy()).all() for v in optimizer.variables)
    assert float(x) == pytest.approx(-0.0604197, rel=1e-5)  # as Keras 2 has it


def test_a_staged_step_reads_no_value() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(SGD(0.1))
    optimizer.build([x])
    step = tf.function(lambda: keras_2_step(optimizer, x))
    for _ in range(3):
        step()
    assert step.experimental_get_tracing_count() == 1


def test_the_scale_stays_between_one_and_the_largest_float() -> None:
    x = tf.Variable(1.0)
    low = LossScaleOptimizer(SGD(0.1), initial_scale=1.0)
    keras_2_step(low, x, np.inf)
    assert float(low.loss_scale) == 1.0
    high = LossScaleOptimizer(SGD(0.1), initial_scale=2.0**127, dynamic_growth_steps=1)
    keras_2_step(high, x, 1e-30)
    assert float(high.loss_scale) == 2.0**127


def test_fixed_scale() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(SGD(0.25), dynamic=False, initial_scale=4)
    keras_2_step(optimizer, x)
    assert float(x) == 0.5
    assert (optimizer.dynamic, float(optimizer.loss_scale)) == (False, 4.0)
    assert (optimizer.dynamic_counter, optimizer.dynamic_growth_steps) == (None, None)


def test_one_program_a_step(counting: Any) -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(Adam(0.1))
    for _ in range(2):
        keras_2_step(optimizer, x)
    x.numpy()
    with counting() as spent:
        for _ in range(4):
            keras_2_step(optimizer, x)
        x.numpy()
    assert (spent.dispatched, spent.compiled) == (4, 0)


def test_a_fixed_factor_of_the_inner_optimizer_gives_way() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(SGD(0.25, loss_scale_factor=64.0))
    optimizer.minimize(lambda: x * x, [x])
    assert float(x) == 0.5


def test_the_inner_optimizer_shows_through() -> None:
    inner = Adam(0.25, beta_1=0.75, use_ema=True, name="inner")
    optimizer = LossScaleOptimizer(inner)
    assert optimizer.inner_optimizer is inner
    assert (optimizer.name, optimizer.beta_1, optimizer.use_ema) == ("inner", 0.75, True)
    assert float(optimizer.lr) == 0.25
    optimizer.learning_rate = 0.5
    assert float(inner.lr) == 0.5
    optimizer.iterations = tf.Variable(7, dtype=tf.int64)
    assert int(inner.iterations) == 7
    assert isinstance(optimizer, optimizers.Optimizer)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = optimizer.nonsense
    x = tf.Variable(1.0)
    optimizer.minimize(lambda: x * x, [x])
    optimizer.finalize_variable_values([x])
    assert float(x) == float(inner._averages[0])


def test_state_is_saved_with_the_scale() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(Adam(0.1), initial_scale=8.0)
    keras_2_step(optimizer, x, np.inf)
    again = LossScaleOptimizer(Adam(0.1))
    again.build([x])
    again.set_weights(optimizer.get_weights())
    assert float(again.loss_scale) == 4.0
    assert len(again.variables) == 5


def test_a_schedule_inside() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(SGD(schedules.PiecewiseConstantDecay([0], [0.25, 0.125])))
    keras_2_step(optimizer, x)
    keras_2_step(optimizer, x)
    assert float(x) == 0.375
    assert float(optimizer.lr) == 0.125


def test_gradients_none() -> None:
    x, y = tf.Variable(1.0, name="x"), tf.Variable(1.0, name="y")
    optimizer = LossScaleOptimizer(SGD(0.1))
    with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['y:0'\]"):
        optimizer.minimize(lambda: x * x, [x, y])
    assert (float(x), float(y)) == (pytest.approx(0.8), 1.0)


def test_forgotten_calls_are_noticed() -> None:
    x = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(SGD(0.1))
    with pytest.warns(
        UserWarning, match=r"You forgot to call .*get_scaled_loss\(\) and .*get_unscaled_gradients"
    ):
        optimizer.apply_gradients([(tf.constant(1.0), x)])
    other = LossScaleOptimizer(SGD(0.1))
    other.get_scaled_loss(tf.constant(1.0))
    with pytest.warns(
        UserWarning, match=r"You forgot to call LossScaleOptimizer.get_unscaled_gradients\(\) before"
    ):
        other.apply_gradients([(tf.constant(1.0), x)])


@pytest.mark.parametrize("options", [{}, {"dynamic": False, "initial_scale": 4.0}])
def test_config_round_trip(options: dict[str, Any]) -> None:
    optimizer = LossScaleOptimizer(SGD(0.25, momentum=0.5), **options)
    described = json.loads(json.dumps(optimizers.serialize(optimizer)))
    again = optimizers.deserialize(described)
    assert isinstance(again, LossScaleOptimizer)
    assert again.get_config() == optimizer.get_config()
    assert again.inner_optimizer.momentum == 0.5  # pyright: ignore[reportAttributeAccessIssue]


def test_wrong_arguments() -> None:
    for inner in ("adam", None):
        with pytest.raises(TypeError, match='"inner_optimizer" must be an instance of'):
            LossScaleOptimizer(inner)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match='"dynamic" argument to LossScaleOptimizer.__init__ must be a bool'):
        LossScaleOptimizer(SGD(), dynamic=128.0)
    with pytest.raises(ValueError, match='"initial_scale" must be specified if "dynamic" is False'):
        LossScaleOptimizer(SGD(), dynamic=False)
    with pytest.raises(ValueError, match='"dynamic_growth_steps" must be None if "dynamic" is False'):
        LossScaleOptimizer(SGD(), dynamic=False, initial_scale=2.0, dynamic_growth_steps=3)
    inner = SGD()
    outer = LossScaleOptimizer(inner)
    with pytest.raises(ValueError, match="already wrapped by a LossScaleOptimizer"):
        LossScaleOptimizer(inner)
    with pytest.raises(TypeError, match="LossScaleOptimizer cannot wrap another LossScaleOptimizer"):
        LossScaleOptimizer(outer)


@pytest.mark.parametrize(
    ("loss_scale", "expected"),
    [
        ({"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}}, (8.0, None, False)),
        (
            {
                "class_name": "DynamicLossScale",
                "config": {"initial_loss_scale": 4, "increment_period": 5, "multiplier": 2.0},
            },
            (4.0, 5, True),
        ),
        ("dynamic", (2.0**15, 2000, True)),
        (16, (16.0, None, False)),
    ],
)
def test_configs_of_tensorflow_2_3(loss_scale: Any, expected: Any) -> None:
    config = {"optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.1}}, "loss_scale": loss_scale}
    made = tf.keras.mixed_precision.LossScaleOptimizer.from_config(config)
    assert (made.initial_scale, made.dynamic_growth_steps, made.dynamic) == expected


def test_a_loss_scale_that_is_not_known() -> None:
    config = {
        "optimizer": {"class_name": "SGD", "config": {}},
        "loss_scale": {"class_name": "Own", "config": {}},
    }
    with pytest.raises(
        ValueError, match="expected a loss scale that is fixed, or dynamic with a multiplier of 2"
    ):
        tf.keras.mixed_precision.LossScaleOptimizer.from_config(config)
