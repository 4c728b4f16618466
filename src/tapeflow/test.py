"""`tf.test`: queries about hardware and build, and a `TestCase` that compares tensors."""

# ruff: noqa: PT009, PT027 - these are the assertions of unittest

from __future__ import annotations

import functools
import re
import shutil
import tempfile
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow.config.devices import list_physical_devices
from tapeflow.engine import errors
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.tensor import TensorBase


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
    """Whether programs can run on AMD GPUs; always False, because they cannot be distinguished from others."""
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

    def get_temp_dir(self) -> str:
        """A temporary folder for this test, deleted at its end."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp()
            self.addCleanup(shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    _folder: str | None = None

    @contextmanager
    def session(self, *args: Any, **kwargs: Any) -> Iterator[None]:
        """Nothing to open: ops run when they are called. `use_gpu` and other options are ignored."""
        yield None

    cached_session = session

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fail unless both have the same shape and elements."""
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b), err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fail if both have the same shape and elements."""
        if np.array_equal(np.asarray(a), np.asarray(b)):
            self.fail(msg or "The two values are equal at all elements.")

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None) -> None:
        """Fail unless all elements are about the same; dicts and lists of tensors are compared in their parts."""
        if isinstance(a, dict):
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
        elif isinstance(a, (list, tuple)) and any(isinstance(v, (dict, TensorBase, np.ndarray)) for v in a):
            self.assertEqual(len(a), len(b), msg)
            for one, other in zip(a, b, strict=True):
                self.assertAllClose(one, other, rtol, atol, msg)
        else:
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=atol, err_msg=msg or "")

    def assertAllCloseAccordingToType(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, half_rtol: float = 1e-3, **kwargs: Any
    ) -> None:
        """Fail unless all elements are close, with the tolerance of the narrower dtype."""
        del kwargs
        is_half = min(np.asarray(a).dtype.itemsize, np.asarray(b).dtype.itemsize) < 4
        self.assertAllClose(a, b, *((half_rtol, half_rtol) if is_half else (rtol, atol)))

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Fail if all elements are about the same."""
        if np.allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=atol):
            self.fail(msg or "The two values are close at all elements.")

    def assertNear(self, f1: float, f2: float, err: float, msg: Any = None) -> None:
        """Fail unless two numbers differ by at most `err`."""
        self.assertLessEqual(abs(float(f1) - float(f2)), err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Any = None) -> None:
        """Fail unless both have the same shape."""
        if tuple(input_a.shape) != tuple(input_b.shape):
            self.fail(msg or f"The shapes differ: {tuple(input_a.shape)} and {tuple(input_b.shape)}.")

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fail unless the elements have a dtype."""
        self.assertEqual(as_dtype(target.dtype), as_dtype(expected_dtype))

    def assertAllInRange(self, target: Any, lower_bound: float, upper_bound: float) -> None:
        """Fail unless all elements are between two numbers, inclusive."""
        values = np.asarray(target)
        if not ((values >= lower_bound) & (values <= upper_bound)).all():
            self.fail(f"Some elements lie outside of [{lower_bound}, {upper_bound}].")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fail unless every element is one of some values."""
        found = set(np.asarray(target).ravel().tolist()) - set(expected_set)
        if found:
            self.fail(f"Some elements are not in {expected_set}: {sorted(found)}.")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are greater than a number."""
        self.assertGreater(np.min(np.asarray(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are less than a number."""
        self.assertLess(np.max(np.asarray(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are at least a number."""
        self.assertGreaterEqual(np.min(np.asarray(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are at most a number."""
        self.assertLessEqual(np.max(np.asarray(a)), comparison_target)

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """Fail unless a container has so many parts."""
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """Fail unless a container has no parts."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """Fail if a container has no parts."""
        self.assertNotEqual(len(container), 0, msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """Fail unless a number is between two others, inclusive."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value} is not between {minv} and {maxv}.")

    @contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Any:
        """Fail unless the code inside raises an error whose text has a pattern, or that a function says yes to."""
        wanted = expected_err_re_or_predicate
        with self.assertRaises(exception_type) as caught:
            yield caught
        is_right = wanted(caught.exception) if callable(wanted) else re.search(wanted, str(caught.exception))
        self.assertTrue(is_right, f"Another error was raised: {caught.exception!r}")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Fail unless the code inside raises one of `tf.errors` with a text."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)


def main(argv: Any = None) -> None:
    """Run the tests of the calling module."""
    unittest.main(argv=argv)
