"""`tf.test`: what hardware and build there is, and a `TestCase` that compares tensors."""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.config.devices import list_physical_devices
from tapeflow.engine import nest
from tapeflow.engine.convert import convert_to_tensor
from tapeflow.engine.tape import GradientTape


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether JAX has a GPU."""
    return bool(list_physical_devices("GPU"))


def gpu_device_name() -> str:
    """The name of the first GPU, or an empty text."""
    return "/device:GPU:0" if is_gpu_available() else ""


def is_built_with_cuda() -> bool:
    """Whether programs can run on NVIDIA's GPUs here."""
    return is_gpu_available()


def is_built_with_gpu_support() -> bool:
    """Whether programs can run on a GPU here."""
    return is_gpu_available()


def is_built_with_rocm() -> bool:
    """Whether programs can run on AMD's GPUs here; not told apart from others, so False."""
    return False


def is_built_with_xla() -> bool:
    """Always: every program is compiled by XLA."""
    return True


def compute_gradient(
    f: Callable[..., Any], x: Any, delta: float | None = None
) -> tuple[list[Any], list[Any]]:
    """The Jacobians of `f` by tape and by differences, each flattened to (inputs, outputs).

    Args:
        f: from tensors to one tensor.
        x: a list of its arguments.
        delta: the step of the differences.
    """
    tensors = [convert_to_tensor(v) for v in x]
    with GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        y = f(*tensors)
    size = int(np.prod(tuple(y.shape)))
    exact = [np.asarray(tape.jacobian(y, t)).reshape(size, -1) for t in tensors]
    step = delta or 1.0 / 1024
    measured = []
    for i, tensor in enumerate(tensors):
        flat = np.asarray(tensor).ravel()
        columns = []
        for k in range(flat.size):
            ends = []
            for sign in (1, -1):
                moved = flat.copy()
                moved[k] += sign * step
                given = [
                    convert_to_tensor(moved.reshape(tensor.spec.shape)) if j == i else t
                    for j, t in enumerate(tensors)
                ]
                ends.append(np.asarray(f(*given)).ravel())
            columns.append((ends[0] - ends[1]) / (2 * step))
        measured.append(np.stack(columns, 1))
    return exact, measured


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[[Any], Any]:
    """A decorator of test methods: they are skipped where `pred()` is true."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def wrapped(self: unittest.TestCase, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return wrapped

    return decorate


class TestCase(unittest.TestCase):
    """A test case with assertions on tensors, arrays and nested lists of numbers."""

    __test__ = False  # pytest collects what derives from it, not this

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__test__ = True

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, in numpy."""
        return nest.map_structure(np.asarray, tensors)

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fail unless both have the same shape and elements."""
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b), err_msg=msg or "")

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None) -> None:
        """Fail unless all elements are about the same."""
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=atol, err_msg=msg or "")

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Fail if all elements are about the same."""
        if np.allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=atol):
            self.fail(msg or "The two values are close at all elements.")

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Any = None) -> None:
        """Fail unless both have the same shape."""
        if tuple(input_a.shape) != tuple(input_b.shape):
            self.fail(msg or f"The shapes differ: {tuple(input_a.shape)} and {tuple(input_b.shape)}.")

    def assertAllInRange(self, target: Any, lower_bound: float, upper_bound: float) -> None:
        """Fail unless all elements lie between two numbers, these included."""
        values = np.asarray(target)
        if not ((values >= lower_bound) & (values <= upper_bound)).all():
            self.fail(f"Some elements lie outside of [{lower_bound}, {upper_bound}].")


def main(argv: Any = None) -> None:
    """Run the tests of the calling module."""
    unittest.main(argv=argv)
