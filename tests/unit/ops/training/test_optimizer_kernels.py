"""The fused step as an op: dtypes, and what it refuses."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import optimizers
from tapeflow.ops.training import optimizer_schedules
from tapeflow.ops.training.optimizer_kernels import loss_scale_update, optimizer_step
from tapeflow.ops.training.optimizer_rules import RULES

CLASSES: dict[str, Any] = {
    rule: next(
        c
        for n in optimizers.__all__
        if getattr(c := getattr(optimizers, n), "_rule", None) == rule and c.__name__ != "AdamW"
    )
    for rule in RULES
}
OPTIONS: dict[str, Any] = {
    "clipnorm": 1.0,
    "weight_decay": 0.1,
    "use_ema": True,
    "ema_overwrite_frequency": 3,
    "gradient_accumulation_steps": 2,
    "loss_scale_factor": 2.0,
}


def jaxpr_of(optimizer: Any, is_guarded: bool) -> str:
    x, b = tf.Variable(np.ones((2, 3), "float32")), tf.Variable(np.ones(3, "float32"))
    optimizer.build([x, b])
    instance, targets = optimizer._layout([x, b], is_guarded)
    inputs = [jnp.zeros((), jnp.int64), jnp.float32(0.1), *([jnp.asarray(True)] if is_guarded else [])]
    values = [jnp.asarray(v.numpy()) for v in (x, b, *targets)]
    return str(jax.make_jaxpr(instance.fn)(*inputs, *values))


@pytest.mark.parametrize("rule", RULES)
def test_no_float64_in_a_float32_step(rule: str) -> None:
    assert "f64" not in jaxpr_of(CLASSES[rule](), is_guarded=False)
    assert "f64" not in jaxpr_of(CLASSES[rule](**OPTIONS), is_guarded=True)
    assert "f64" not in jaxpr_of(CLASSES[rule](global_clipnorm=1.0), is_guarded=False)
    assert "f64" not in jaxpr_of(CLASSES[rule](clipvalue=1.0), is_guarded=False)


@pytest.mark.parametrize(
    "name",
    [
        "exponential_decay",
        "inverse_time_decay",
        "polynomial_decay",
        "cosine_decay",
        "warmup_cosine_decay",
        "cosine_decay_restarts",
    ],
)
def test_no_float64_in_a_float32_schedule(name: str) -> None:
    kernel = getattr(optimizer_schedules, name).kernel
    count = kernel.__code__.co_argcount - 2
    statics = dict.fromkeys(
        kernel.__code__.co_varnames[count + 2 :][: kernel.__code__.co_kwonlyargcount], True
    )
    arguments = [jnp.float32(0.1), jnp.int64(3), *[jnp.float32(0.5)] * count]
    assert "f64" not in str(jax.make_jaxpr(lambda *a: kernel(*a, **statics))(*arguments))


def test_gradients_of_another_shape_are_refused() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"gradient 0 of shape \(2,\) for a variable of shape"
    ):
        optimizers.Adam().apply_gradients([(tf.ones(2), tf.Variable([[1.0, 2.0]]))])


def test_no_gradient_passes_a_step() -> None:
    assert not optimizer_step.differentiable
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = x * x
        optimizers.SGD(0.1).apply_gradients([(tf.constant(1.0), x)])
        total = loss + x * x
    assert float(tape.gradient(total, x)) == pytest.approx(2.0 + 1.8)


def test_under_a_users_own_jit_variables_cannot_change() -> None:
    x = tf.Variable(1.0)
    optimizer = optimizers.SGD(0.1)
    optimizer.build([x])

    def update(gradient: Any) -> Any:
        optimizer.apply_gradients([(gradient, x)])
        return gradient

    with pytest.raises(RuntimeError, match="A Variable expected a value; got a tracer"):
        jax.jit(update)(jnp.float32(1.0))


def test_loss_scale_update() -> None:
    scale, counter = tf.constant(8.0), tf.constant(1, tf.int64)
    good, larger, zero = loss_scale_update(scale, counter, [tf.ones(2)], 2, 2.0)
    assert (bool(good), float(larger), int(zero)) == (True, 16.0, 0)
    good, same, more = loss_scale_update(scale, counter, [tf.ones(2)], 3, 2.0)
    assert (bool(good), float(same), int(more)) == (True, 8.0, 2)
    good, smaller, zero = loss_scale_update(scale, counter, [tf.ones(2), tf.constant([np.inf])], 3, 2.0)
    assert (bool(good), float(smaller), int(zero)) == (False, 4.0, 0)


def test_in_the_body_of_a_loop_a_step_runs_as_python() -> None:
    x = tf.Variable(8.0)
    optimizer = optimizers.SGD(0.25)
    optimizer.build([x])

    def body(i: tf.Tensor) -> tuple[tf.Tensor]:
        optimizer.minimize(lambda: x * x, [x])
        return (i + 1,)

    tf.while_loop(lambda i: i < 3, body, (tf.constant(0),))
    assert float(x) == 1.0
    assert int(optimizer.iterations) == 3
