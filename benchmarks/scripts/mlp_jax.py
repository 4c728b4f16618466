"""The same training loop written by hand for JAX: the least this work can cost on it."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from benchmarks.scripts.mlp_data import BATCH, BETA_1, BETA_2, EPSILON, LEARNING_RATE, make_problem

FUSED = 16


def _loss(weights, images, labels):
    w1, b1, w2, b2 = weights
    logits = jax.nn.relu(images @ w1 + b1) @ w2 + b2
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -jnp.mean(chosen), logits


def _step(state, images, labels):
    """Adam and both metrics; `state` is (weights, means, squares, iterations, metrics)."""
    weights, means, squares, iterations, metrics = state
    (loss, logits), gradients = jax.value_and_grad(_loss, has_aux=True)(weights, images, labels)
    iterations = iterations + 1.0
    rate = LEARNING_RATE * jnp.sqrt(1.0 - BETA_2**iterations) / (1.0 - BETA_1**iterations)
    means = [BETA_1 * m + (1.0 - BETA_1) * g for m, g in zip(means, gradients, strict=True)]
    squares = [BETA_2 * s + (1.0 - BETA_2) * g * g for s, g in zip(squares, gradients, strict=True)]
    weights = [
        w - rate * m / (jnp.sqrt(s) + EPSILON) for w, m, s in zip(weights, means, squares, strict=True)
    ]
    hits = jnp.sum((jnp.argmax(logits, axis=1) == labels).astype(jnp.float32))
    new = (loss, 1.0, hits, float(len(labels)))
    metrics = [total + value for total, value in zip(metrics, new, strict=True)]
    return (weights, means, squares, iterations, metrics), loss


def contender(is_fused: bool) -> Callable[[int], float]:
    """Return `run_steps(count)`: one jit call a step, or one for FUSED steps scanned over."""
    problem = make_problem()
    weights = [jnp.asarray(array) for array in problem.weights]
    zeros = [jnp.zeros_like(weight) for weight in weights]
    state = (weights, zeros, [jnp.copy(zero) for zero in zeros], jnp.zeros((), jnp.float32), [])
    one_step = jax.jit(_step, donate_argnums=0)

    def fused_steps(state, images, labels):
        return jax.lax.scan(lambda carry, batch: _step(carry, *batch), state, (images, labels))

    many_steps = jax.jit(fused_steps, donate_argnums=0)

    def run_steps(count: int) -> float:
        nonlocal state
        state = (*state[:-1], [jnp.zeros((), jnp.float32) for _ in range(4)])
        if is_fused:
            for number in range(0, count, FUSED):
                images, labels = problem.batch(number, FUSED)
                state, _ = many_steps(state, images.reshape(FUSED, BATCH, -1), labels.reshape(FUSED, BATCH))
        else:
            for number in range(count):
                state, _ = one_step(state, *problem.batch(number))
        loss_total, loss_count, correct, seen = map(float, state[-1])
        if not 0.0 <= correct / seen <= 1.0:
            raise ArithmeticError(f"the loop expected an accuracy in [0, 1]; got {correct / seen}")
        return loss_total / loss_count

    return run_steps
