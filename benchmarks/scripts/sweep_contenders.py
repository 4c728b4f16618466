"""Who runs the cases of `benchmarks.sweep`: TapeFlow's kernels, TensorFlow and PyTorch, one case a round.

The number of steps of a round is the number of a case. What comes back is the shortest time of one call, in seconds, of
several in a row; NaN where the package has no such kernel.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.scripts.sweep_cases import Case, Convolution, Pooling, Product, draw

Work = Callable[[], Any]
_AT_MOST_S, _AT_MOST_CALLS, _WARM_UP_CALLS = 0.15, 50, 2


def contender(package: str, kind: str, seed: int, count: int, is_alone: bool) -> Callable[[int], float]:
    """Return `run_steps(number)`: the time of a call of that case.

    Args:
        package: "tapeflow", "tensorflow" or "torch".
        kind: "conv", "pool" or "product".
        seed: for what is drawn.
        count: how many cases are drawn.
        is_alone: count the time of the processor, and use one thread: for a machine on which others work.
    """
    if is_alone:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    make = {"tapeflow": _tapeflow, "tensorflow": _tensorflow, "torch": _torch}[package](is_alone)
    cases = draw(kind, seed, count)
    clock = time.process_time if is_alone else time.perf_counter
    made: dict[int, Work | None] = {}

    def run_steps(number: int) -> float:
        if number not in made:
            made.clear()  # the arrays of one case are enough to hold
            arrays = [np.random.default_rng(0).random(s, dtype=np.float32) for s in cases[number].shapes]
            made[number] = make(cases[number], arrays)
        work = made[number]
        return math.nan if work is None else _shortest(work, clock)

    return run_steps


def _shortest(work: Work, clock: Callable[[], float]) -> float:
    for _ in range(_WARM_UP_CALLS):
        work()
    shortest, end = math.inf, time.perf_counter() + _AT_MOST_S
    for _ in range(_AT_MOST_CALLS):
        start = clock()
        work()
        shortest = min(shortest, clock() - start)
        if time.perf_counter() > end:
            break
    return shortest


def _tapeflow(is_alone: bool) -> Callable[[Case, list[np.ndarray]], Work | None]:
    del is_alone
    import jax

    from tapeflow.engine import backend
    from tapeflow.ops.linalg import products
    from tapeflow.ops.nn.conv import kernel as conv_kernel
    from tapeflow.ops.nn.pool import kernel as pool_kernel
    from tapeflow.ops.nn.window import Window

    def function_of(case: Case) -> tuple[Callable[..., Any], tuple[int, ...]]:
        if isinstance(case, Product):
            return lambda a, b: products._matmul.kernel(
                a, b, transpose_a=case.transpose_a, transpose_b=case.transpose_b
            ), (0, 1)
        image, size, stride = (case.image,) * 2, (case.size,) * 2, (case.stride,) * 2
        if isinstance(case, Pooling):
            from tapeflow.ops.nn.window import same_padding

            pads = same_padding(image, size, stride, (1, 1)) if case.padding == "SAME" else ((0, 0),) * 2
            window = Window(image, size, stride, pads, (1, 1))
            pool = pool_kernel.pool_max if case.kind == "max" else pool_kernel.pool_mean
            if not case.is_gradient:
                return lambda x, y: pool(window, x), (0, 1)
            return lambda x, y: jax.vjp(lambda x: pool(window, x), x)[1](y), (0, 1)
        window = Window(image, size, stride, (case.pads,) * 2, (case.dilation,) * 2)
        function, used = {
            "forward": (conv_kernel.forward, (0, 1)),
            "input": (conv_kernel.to_input, (2, 1)),
            "filter": (conv_kernel.to_filter, (0, 2)),
        }[case.result]
        return lambda a, b: function((window, case.groups), a, b), used

    def make(case: Case, arrays: list[np.ndarray]) -> Work:
        function, used = function_of(case)
        compiled = backend.jax.jit(function)
        given = [jax.device_put(arrays[i]) for i in used]
        return lambda: jax.block_until_ready(compiled(*given))

    return make


def _tensorflow(is_alone: bool) -> Callable[[Case, list[np.ndarray]], Work | None]:
    import tensorflow as tf

    if is_alone:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    ops = tf.raw_ops

    def function_of(case: Case, arrays: list[Any]) -> Work:
        if isinstance(case, Product):
            return lambda: tf.matmul(*arrays[:2], transpose_a=case.transpose_a, transpose_b=case.transpose_b)
        strides = [1, case.stride, case.stride, 1]
        if isinstance(case, Pooling):
            window = {"ksize": [1, case.size, case.size, 1], "strides": strides, "padding": case.padding}
            x, y = arrays
            if case.kind == "max":
                seen = ops.MaxPool(input=x, **window)
                if case.is_gradient:
                    return lambda: ops.MaxPoolGrad(orig_input=x, orig_output=seen, grad=y, **window)
                return lambda: ops.MaxPool(input=x, **window)
            if case.is_gradient:
                return lambda: ops.AvgPoolGrad(orig_input_shape=x.shape, grad=y, **window)
            return lambda: ops.AvgPool(value=x, **window)
        x, filters, y = arrays
        options = {"strides": strides, "padding": case.padding}
        if case.dilation > 1:
            options["dilations"] = [1, case.dilation, case.dilation, 1]
        is_depthwise = case.groups == case.inputs > 1
        sizes = case.shapes
        if is_depthwise:
            filters, forward = tf.transpose(filters, (0, 1, 3, 2)), ops.DepthwiseConv2dNative
            to_input, to_filter = (
                ops.DepthwiseConv2dNativeBackpropInput,
                ops.DepthwiseConv2dNativeBackpropFilter,
            )
            shape = (*sizes[1][:2], sizes[1][3], 1)
        else:
            forward, to_input, to_filter = ops.Conv2D, ops.Conv2DBackpropInput, ops.Conv2DBackpropFilter
            shape = sizes[1]
        if case.result == "forward":
            return lambda: forward(input=x, filter=filters, **options)
        if case.result == "input":
            return lambda: to_input(input_sizes=sizes[0], filter=filters, out_backprop=y, **options)
        return lambda: to_filter(input=x, filter_sizes=shape, out_backprop=y, **options)

    def make(case: Case, arrays: list[np.ndarray]) -> Work | None:
        try:
            work = function_of(case, [tf.constant(a) for a in arrays])
            work()
        except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError):
            return None  # groups and dilations have no gradients on its CPU
        return work

    return make


def _torch(is_alone: bool) -> Callable[[Case, list[np.ndarray]], Work | None]:
    import torch

    if is_alone:
        torch.set_num_threads(1)
    functional, backward = torch.nn.functional, torch.ops.aten.convolution_backward

    def images(array: np.ndarray) -> Any:
        return torch.from_numpy(array).permute(0, 3, 1, 2)

    def product(case: Product, arrays: list[np.ndarray]) -> Work:
        a, b = map(torch.from_numpy, arrays[:2])
        a = a.transpose(-1, -2) if case.transpose_a else a
        b = b.transpose(-1, -2) if case.transpose_b else b
        return lambda: torch.matmul(a, b)

    def pooling(case: Pooling, arrays: list[np.ndarray]) -> Work | None:
        x, y = map(images, arrays)
        cells = (case.shapes[1][1] - 1) * case.stride + case.size
        total = max(cells - case.image, 0) if case.padding == "SAME" else 0
        if total % 2:
            return None  # it pads both sides alike
        pool = functional.max_pool2d if case.kind == "max" else functional.avg_pool2d
        if not case.is_gradient:
            return lambda: pool(x, case.size, case.stride, total // 2)
        x.requires_grad_()
        seen = pool(x, case.size, case.stride, total // 2)
        return lambda: torch.autograd.grad(seen, x, y, retain_graph=True)

    def convolution(case: Convolution, arrays: list[np.ndarray]) -> Work | None:
        x, y = images(arrays[0]), images(arrays[2])
        filters = torch.from_numpy(arrays[1]).permute(3, 2, 0, 1)
        filters = filters.contiguous(memory_format=torch.channels_last)
        low, high = case.pads
        if low != high:
            x = functional.pad(x, (0, 1, 0, 1)).contiguous(memory_format=torch.channels_last)
        stride, pad, dilation = ((n, n) for n in (case.stride, low, case.dilation))
        if case.result == "forward":
            return lambda: functional.conv2d(x, filters, None, stride, pad, dilation, case.groups)
        mask = [case.result == "input", case.result == "filter", False]
        rest = (None, stride, pad, dilation, False, [0, 0], case.groups, mask)
        return lambda: backward(y, x, filters, *rest)

    def make(case: Case, arrays: list[np.ndarray]) -> Work | None:
        if isinstance(case, Product):
            return product(case, arrays)
        return pooling(case, arrays) if isinstance(case, Pooling) else convolution(case, arrays)

    return make
