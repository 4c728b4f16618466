"""The MLP of `fit` written by hand for JAX: the least that this training can cost on it.

Its input work is that of `fit`: every epoch a new permutation of the rows, every batch (or group of batches)
gathered from memory. Dispatch is asynchronous, so a group is gathered while the one before is computed. The
batches that do not fill a group, and the smaller last one, take one call each.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.scripts.keras_data import Data, make_data, mlp_weights

FUSED = 32
LEARNING_RATE, RHO, EPSILON = 1e-3, 0.9, 1e-7


def _loss(weights, x, y):
    for w, b in zip(weights[0:-2:2], weights[1:-2:2], strict=True):
        x = jax.nn.relu(x @ w + b)
    logits = x @ weights[-2] + weights[-1]
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], axis=1)
    return -jnp.mean(chosen), logits


def _step(state, x, y):
    """RMSprop, mean loss and accuracy; `state` is (weights, squares, iterations, metrics)."""
    weights, squares, iterations, metrics = state
    (loss, logits), gradients = jax.value_and_grad(_loss, has_aux=True)(weights, x, y)
    squares = [RHO * s + (1.0 - RHO) * g * g for s, g in zip(squares, gradients, strict=True)]
    weights = [
        w - LEARNING_RATE * g * jax.lax.rsqrt(s + EPSILON)
        for w, g, s in zip(weights, gradients, squares, strict=True)
    ]
    hits = jnp.sum((jnp.argmax(logits, axis=1) == y).astype(jnp.float32))
    rows = float(len(y))
    metrics = [total + value for total, value in zip(metrics, (loss * rows, hits, rows), strict=True)]
    loss_total, correct, seen = metrics
    return (weights, squares, iterations + 1, metrics), (loss_total / seen, correct / seen)


def make_epoch(data: Data, is_fused: bool) -> Callable[[], float]:
    """Return a function that trains for an epoch and returns its mean loss."""
    weights = [jnp.asarray(array) for array in mlp_weights()]
    state = (weights, [jnp.zeros_like(weight) for weight in weights], jnp.zeros((), jnp.int32), [])
    one_step = jax.jit(_step, donate_argnums=0)
    many_steps = jax.jit(
        lambda state, x, y: jax.lax.scan(lambda carry, batch: _step(carry, *batch), state, (x, y)),
        donate_argnums=0,
    )
    rng = np.random.default_rng(2)
    rows, group = len(data.x), FUSED * data.batch

    def run_epoch() -> float:
        nonlocal state
        state = (*state[:-1], [jnp.zeros((), jnp.float32) for _ in range(3)])
        order = rng.permutation(rows)
        grouped = rows // group * group if is_fused else 0
        for start in range(0, grouped, group):
            some = order[start : start + group]
            x, y = data.x.take(some, axis=0), data.y.take(some)
            state, _ = many_steps(state, x.reshape(FUSED, data.batch, -1), y.reshape(FUSED, data.batch))
        for start in range(grouped, rows, data.batch):
            some = order[start : start + data.batch]
            state, _ = one_step(state, data.x.take(some, axis=0), data.y.take(some))
        loss_total, correct, seen = map(float, state[-1])
        if not (seen == rows and 0.0 <= correct <= seen):
            raise ArithmeticError(f"the loop expected to count {rows} rows; got {correct=} of {seen=}")
        return loss_total / seen

    return run_epoch


def contender(is_fused: bool) -> Callable[[int], float]:
    """Return `run_steps(count)`: one jit call a step, or one for FUSED steps scanned over."""
    data = make_data("mlp")
    run_epoch = make_epoch(data, is_fused)

    def run_steps(count: int) -> float:
        data.require_epoch(count)
        return run_epoch()

    return run_steps
