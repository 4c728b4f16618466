"""What every optimizer must do: stage, round-trip, resume, take all options, and be one op a step."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import optimizers

NAMES = [
    "SGD",
    "RMSprop",
    "Adam",
    "AdamW",
    "Adamax",
    "Nadam",
    "Adagrad",
    "Adadelta",
    "Adafactor",
    "Ftrl",
    "Lion",
    "Lamb",
]
# What their common class does for all is looked at with some.
SOME = [n if n in ("SGD", "Adam", "Ftrl", "Lamb") else pytest.param(n, marks=pytest.mark.slow) for n in NAMES]
OPTIONS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9, "nesterov": True},
    "RMSprop": {"momentum": 0.5, "centered": True, "rho": 0.8},
    "Adam": {"amsgrad": True, "beta_1": 0.8},
    "AdamW": {"weight_decay": 0.1},
    "Ftrl": {"l1_regularization_strength": 0.01, "beta": 0.1},
    "Adafactor": {"relative_step": False},
}
EVERYTHING: dict[str, Any] = {
    "clipvalue": 0.5,
    "use_ema": True,
    "ema_momentum": 0.9,
    "ema_overwrite_frequency": 2,
    "gradient_accumulation_steps": 2,
}


def make(name: str, **options: Any) -> Any:
    return getattr(optimizers, name)(learning_rate=0.05, **{**OPTIONS.get(name, {}), **options})


def variables(dtype: str = "float32") -> list[tf.Variable]:
    random = np.random.default_rng(1)
    return [
        tf.Variable(random.normal(size=shape), dtype=dtype, name=name)
        for name, shape in (("dense/kernel", (3, 2)), ("dense/bias", (2,)))
    ]


def train(
    optimizer: Any, over: list[tf.Variable], steps: int = 3, wrap: Callable[..., Any] | None = None
) -> None:
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, over[0]) + over[1] - 1.0))
        optimizer.apply_gradients(zip(tape.gradient(loss, over), over, strict=True))
        return loss

    call = step if wrap is None else wrap(step)
    for i in range(steps):
        call(tf.constant(np.arange(12).reshape(4, 3) / (10.0 + i), over[0].dtype))


def values(of: list[tf.Variable]) -> list[np.ndarray]:
    return [v.numpy() for v in of]


@pytest.mark.parametrize("name", NAMES)
def test_staged_equals_eager(name: str) -> None:
    eager, staged = variables(), variables()
    first, second = make(name, **EVERYTHING), make(name, **EVERYTHING)
    train(first, eager, 5)
    train(second, staged, 5, tf.function)
    for a, b in zip(values([*eager, *first.variables]), values([*staged, *second.variables]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_config_round_trip(name: str) -> None:
    optimizer = make(name, **EVERYTHING)
    described = json.loads(json.dumps(optimizers.serialize(optimizer)))
    again = optimizers.deserialize(described)
    assert type(again) is type(optimizer)
    assert again.get_config() == optimizer.get_config()
    assert float(again.learning_rate) == pytest.approx(0.05)
    ours, theirs = variables(), variables()
    train(optimizer, ours)
    train(again, theirs)
    np.testing.assert_array_equal(ours[0].numpy(), theirs[0].numpy())


@pytest.mark.parametrize("name", SOME)
def test_resume_from_weights(name: str) -> None:
    straight, halted = variables(), variables()
    optimizer, before, resumed = make(name), make(name), make(name)
    for _ in range(2):
        train(optimizer, straight, 2)
    train(before, halted, 2)
    resumed.build(halted)
    resumed.set_weights(before.get_weights())
    train(resumed, halted, 2)
    np.testing.assert_array_equal(halted[0].numpy(), straight[0].numpy())
    assert int(resumed.iterations) == 4


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
def test_slots_have_the_variable_dtype(name: str, dtype: str) -> None:
    over = variables(dtype)
    optimizer = make(name)
    train(optimizer, over, 3)
    assert {v.dtype.name for v in optimizer.variables[1:]} <= {dtype}
    assert over[0].dtype.name == dtype
    exact = variables()
    train(make(name), exact, 3)
    np.testing.assert_allclose(over[0].numpy().astype("float32"), exact[0].numpy(), atol=0.02)


@pytest.mark.parametrize("name", SOME)
def test_a_step_is_one_program(name: str, counting: Any) -> None:
    over = variables()
    optimizer = make(name)
    train(optimizer, over, 2)
    float(tf.reduce_sum(over[0]))
    with counting() as spent:
        train(optimizer, over, 3)
        over[0].numpy()
    assert spent.dispatched == 3
    assert spent.compiled == 0


@pytest.mark.parametrize("name", SOME)
def test_a_step_is_one_op(name: str) -> None:
    from tapeflow.engine.recording.trace import live_trace

    over = variables()
    optimizer = make(name, clipnorm=1.0, weight_decay=0.1, use_ema=True)
    train(optimizer, over, 1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(over[0]) + tf.reduce_sum(over[1])
    gradients = tape.gradient(loss, over)
    before = len(live_trace().nodes)
    optimizer.apply_gradients(zip(gradients, over, strict=True))
    added = [repr(n.instance) for n in live_trace().nodes[before:]]
    assert [n for n in added if not n.startswith("item")] == ["OptimizerStep"]


@pytest.mark.parametrize("name", SOME)
def test_guarded_step_changes_only_the_counter(name: str) -> None:
    over = variables()
    optimizer = make(name, use_ema=True)
    train(optimizer, over, 1)
    before = values([*over, *optimizer.variables[1:]])
    pairs = [(tf.fill(v.shape, np.nan), v) for v in over]
    optimizer._apply(pairs, guard=tf.constant(False))
    for a, b in zip(before, values([*over, *optimizer.variables[1:]]), strict=True):
        np.testing.assert_array_equal(a, b)
    assert int(optimizer.iterations) == 2


@pytest.mark.parametrize("name", SOME)
def test_overridden_update_step_equals_the_fused_one(name: str) -> None:
    class Mine(getattr(optimizers, name)):
        def update_step(self, gradient: Any, variable: tf.Variable, *rate: Any) -> Any:
            return super().update_step(gradient, variable, *rate)

    fused, single = variables(), variables()
    options = {**OPTIONS.get(name, {}), "clipvalue": 0.3, "use_ema": True, "ema_overwrite_frequency": 2}
    first, second = getattr(optimizers, name)(0.05, **options), Mine(0.05, **options)
    train(first, fused)
    train(second, single)
    for a, b in zip(values(fused), values(single), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
