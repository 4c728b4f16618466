"""conv-relu-pool twice, a dense layer, SGD: written for JAX by hand, with one convolution or another.

`native` is `lax.conv_general_dilated`; `im2col` copies patches and multiplies; `kernels` is what
TapeFlow's `tf.nn.conv2d` and `tf.nn.max_pool2d` run, without its engine.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from benchmarks.scripts.cnn_data import BATCHES, LEARNING_RATE, make_problem


def _native(x, filters):
    numbers = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(x, filters, (1, 1), "SAME", dimension_numbers=numbers)


def _im2col(x, filters):
    height, width, inputs, outputs = filters.shape
    padded = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    rows, columns = x.shape[1:3]
    patches = jnp.concatenate(
        [padded[:, i : i + rows, j : j + columns] for i in range(height) for j in range(width)], -1
    )
    flat = patches.reshape(-1, height * width * inputs) @ filters.reshape(-1, outputs)
    return flat.reshape(*x.shape[:3], outputs)


def _reduce_window(x):
    ones = (1, 2, 2, 1)
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, ones, ones, "VALID")


def _kernels():
    from tapeflow.ops.nn.conv import kernel as conv_kernel
    from tapeflow.ops.nn.pool import kernel as pool_kernel
    from tapeflow.ops.nn.window import Window

    def convolve(x, filters):
        window = Window(x.shape[1:3], filters.shape[:2], (1, 1), ((1, 1), (1, 1)), (1, 1))
        return conv_kernel.forward((window, 1), x, filters)

    def pool(x):
        window = Window(x.shape[1:3], (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1))
        return pool_kernel.pool_max(window, x)

    return convolve, pool


def _make_step(convolve, pool):
    def loss_of(weights, images, labels):
        w1, b1, w2, b2, w3, b3 = weights
        hidden = pool(jax.nn.relu(convolve(images, w1) + b1))
        hidden = pool(jax.nn.relu(convolve(hidden, w2) + b2))
        logits = hidden.reshape(hidden.shape[0], -1) @ w3 + b3
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -jnp.mean(chosen)

    def step(weights, batch):
        loss, gradients = jax.value_and_grad(loss_of)(weights, *batch)
        return [w - LEARNING_RATE * g for w, g in zip(weights, gradients, strict=True)], loss

    return step


def contender(channels: tuple[int, int], convolution: str, is_fused: bool) -> Callable[[int], float]:
    """Return `run_steps(count)`: one jit call a step, or one for BATCHES steps scanned over."""
    problem = make_problem(channels)
    weights = [jnp.asarray(array) for array in problem.weights]
    if convolution == "kernels":
        step = _make_step(*_kernels())
    else:
        step = _make_step({"native": _native, "im2col": _im2col}[convolution], _reduce_window)
    one_step = jax.jit(step, donate_argnums=0)
    many_steps = jax.jit(lambda state, data: jax.lax.scan(step, state, data), donate_argnums=0)

    def run_steps(count: int) -> float:
        nonlocal weights
        loss = None
        if is_fused:
            for _ in range(count // BATCHES):
                weights, losses = many_steps(weights, problem.all_batches())
                loss = losses[-1]
        else:
            for number in range(count):
                weights, loss = one_step(weights, problem.batch(number))
        return float(loss)

    return run_steps
