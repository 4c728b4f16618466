"""The recurrent op against a loop written with numpy, its gradient against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.ops.nn.recurrent import Sequence, recurrent_op

BATCH, LENGTH, FEATURES, UNITS = 3, 4, 2, 3
GATES = {"simple": 1, "lstm": 4, "gru": 3, "gru_reset_before": 3}
MASK = np.array([[0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 0, 0]], bool)
ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    "tanh": np.tanh,
}


def arrays(plan: Sequence) -> list[np.ndarray]:
    """Inputs of the op: x, kernel, recurrent kernel, and the parts in the plan's order."""
    rng, gates = np.random.default_rng(4), GATES[plan.cell]
    lead = (LENGTH, BATCH) if plan.is_time_major else (BATCH, LENGTH)
    mask = MASK.T if plan.is_time_major else MASK
    made = {
        "bias": rng.normal(size=(2, gates * UNITS) if plan.cell == "gru" else (gates * UNITS,)),
        "h": rng.normal(size=(BATCH, UNITS)),
        "c": rng.normal(size=(BATCH, UNITS)),
        "mask": mask,
        "input_drop": rng.integers(0, 2, (gates, BATCH, FEATURES)) * 2.0,
        "state_drop": rng.integers(0, 2, (BATCH, UNITS)) * 2.0,
    }
    x = rng.normal(size=(*lead, FEATURES))
    kernels = [rng.normal(size=(n, gates * UNITS)) for n in (FEATURES, UNITS)]
    return [x, *kernels, *[made[part] for part in plan.parts]]


def expected(plan: Sequence, x: Any, kernel: Any, recurrent: Any, *rest: Any) -> list[np.ndarray]:
    given = dict(zip(plan.parts, rest, strict=True))
    act, gate = ACTIVATIONS[plan.activation], ACTIVATIONS[plan.recurrent_activation]
    x = np.swapaxes(x, 0, 1) if plan.is_time_major else x
    mask = given.get("mask", np.ones((BATCH, LENGTH), bool))
    mask = np.swapaxes(mask, 0, 1) if plan.is_time_major and "mask" in given else mask
    bias = given.get("bias", np.zeros((2, kernel.shape[1]) if plan.cell == "gru" else kernel.shape[1]))
    drop = given.get("input_drop", np.ones((GATES[plan.cell], BATCH, FEATURES)))
    state_drop = given.get("state_drop", np.ones((BATCH, UNITS)))
    kernels, recurrents = [np.split(k, GATES[plan.cell], axis=1) for k in (kernel, recurrent)]
    outputs = np.zeros((BATCH, LENGTH, UNITS))
    states = np.zeros((BATCH, 2, UNITS))
    for b in range(BATCH):
        h, c = [given[n][b] if n in given else np.zeros(UNITS) for n in ("h", "c")]
        seen = np.zeros(UNITS) if "h" in given else h
        order = range(LENGTH - 1, -1, -1) if plan.is_reversed else range(LENGTH)
        for place, t in enumerate(order):
            if mask[b, t]:
                biases = np.split(bias[0] if plan.cell == "gru" else bias, GATES[plan.cell])
                a = [(x[b, t] * drop[k, b]) @ kernels[k] + biases[k] for k in range(GATES[plan.cell])]
                r = [(h * state_drop[b]) @ k for k in recurrents]
                if plan.cell == "simple":
                    h = act(a[0] + r[0])
                elif plan.cell == "lstm":
                    c = gate(a[1] + r[1]) * c + gate(a[0] + r[0]) * act(a[2] + r[2])
                    h = gate(a[3] + r[3]) * act(c)
                else:
                    after = np.split(bias[1], 3) if plan.cell == "gru" else [0, 0, 0]
                    z, s = gate(a[0] + r[0] + after[0]), gate(a[1] + r[1] + after[1])
                    inner = r[2] if plan.cell == "gru" else ((s * h) * state_drop[b]) @ recurrents[2]
                    inner = s * (inner + after[2]) if plan.cell == "gru" else inner
                    h = z * h + (1 - z) * act(a[2] + inner)
                seen = h
            outputs[b, place] = 0.0 if plan.zeroes_masked and not mask[b, t] else seen
        states[b] = h, c
    found = outputs if plan.keeps_outputs else outputs[:, -1]
    if plan.is_time_major and plan.keeps_outputs:
        found = np.swapaxes(found, 0, 1)
    return [found, states[:, 0], states[:, 1]][: 3 if plan.cell == "lstm" else 2]


PLANS = {
    "simple": Sequence("simple", "relu", "linear", ("bias", "mask"), keeps_outputs=True),
    "lstm, states": Sequence("lstm", "tanh", "hard_sigmoid", ("bias", "h", "c", "mask"), keeps_outputs=True),
    "lstm, backwards": Sequence(
        "lstm",
        "tanh",
        "sigmoid",
        ("h", "c", "mask"),
        is_reversed=True,
        keeps_outputs=True,
        is_time_major=True,
    ),
    "lstm, dropped": Sequence(
        "lstm", "tanh", "sigmoid", ("bias", "input_drop", "state_drop"), is_unrolled=True
    ),
    "gru": Sequence("gru", "tanh", "sigmoid", ("bias", "mask"), is_time_major=True),
    "gru, zeroes": Sequence(
        "gru", "tanh", "sigmoid", ("bias", "mask"), keeps_outputs=True, zeroes_masked=True
    ),
    "gru, dropped": Sequence(
        "gru_reset_before", "tanh", "sigmoid", ("bias", "h", "input_drop", "state_drop")
    ),
    "gru, zeroes at the end": Sequence(
        "gru_reset_before", "linear", "sigmoid", ("mask",), is_reversed=True, zeroes_masked=True
    ),
}
EACH = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


@EACH
def test_values_and_gradients(plan: Sequence) -> None:
    given = arrays(plan)
    tensors = [tf.constant(a) for a in given]
    floats = [t for t in tensors if t.dtype.is_floating]
    wanted = expected(plan, *given)
    factors = [np.random.default_rng(i).normal(size=w.shape) for i, w in enumerate(wanted)]
    with tf.GradientTape() as tape:
        tape.watch(floats)
        found = recurrent_op(*tensors, plan=plan)
        loss = tf.add_n([tf.reduce_sum(f * y) for f, y in zip(factors, found, strict=True)])
    for y, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(y, w, atol=1e-12)
    gradients = iter(tape.gradient(loss, floats))
    rng = np.random.default_rng(9)
    moves = [rng.normal(size=a.shape) if a.dtype.kind == "f" else None for a in given]
    slope = sum(float((next(gradients).numpy() * m).sum()) for m in moves if m is not None)
    ends = [
        sum(
            (f * y).sum()
            for f, y in zip(
                factors,
                expected(plan, *[a if m is None else a + e * m for a, m in zip(given, moves, strict=True)]),
                strict=True,
            )
        )
        for e in (1e-6, -1e-6)
    ]
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-7)


@EACH
def test_float32_stays_float32(plan: Sequence) -> None:
    inputs = [jnp.asarray(a, jnp.float32 if a.dtype.kind == "f" else a.dtype) for a in arrays(plan)]
    places = tuple(i for i, a in enumerate(inputs) if a.dtype == jnp.float32)

    def run(*inputs: Any) -> Any:
        results = recurrent_op(*map(convert_to_tensor, inputs), plan=plan)
        return sum(jnp.sum(y.__jax_array__()) for y in results)

    assert "f64" not in str(jax.make_jaxpr(jax.value_and_grad(run, places))(*inputs))


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_second_derivatives(cell: str) -> None:
    """The derivative of the first one, along a direction, against differences of it."""
    parts = ("bias", "h", "c", "mask") if cell == "lstm" else ("bias", "h", "mask")
    plan = Sequence(cell, "tanh", "sigmoid", parts, keeps_outputs=True)
    given = [jnp.asarray(a) for a in arrays(plan)]
    numbers, mask = given[:-1], given[-1]
    rng = np.random.default_rng(7)
    one, other = [[jnp.asarray(rng.normal(size=a.shape)) for a in numbers] for _ in range(2)]

    def loss(*numbers: Any) -> Any:
        outputs, *states = recurrent_op.kernel(*numbers, mask, plan=plan)
        return jnp.sum(jnp.sin(outputs)) + sum(jnp.sum(s * s) for s in states)

    def slope(*numbers: Any) -> Any:
        gradients = jax.grad(loss, tuple(range(len(numbers))))(*numbers)
        return sum(jnp.sum(g * d) for g, d in zip(gradients, one, strict=True))

    def moved(step: float) -> list[Any]:
        return [a + step * d for a, d in zip(numbers, other, strict=True)]

    found = jax.jit(jax.grad(slope, tuple(range(len(numbers)))))(*numbers)
    along = sum(float(jnp.sum(g * d)) for g, d in zip(found, other, strict=True))
    run = jax.jit(slope)
    expected = (float(run(*moved(1e-5))) - float(run(*moved(-1e-5)))) / 2e-5
    assert along == pytest.approx(expected, rel=1e-6)
