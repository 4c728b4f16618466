"""`tf.test` and `tf.autograph`: what scripts ask of them."""

# ruff: noqa: PT027 - unittest is what is tested

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def test_the_build_is_described() -> None:
    has_gpu = bool(tf.config.list_physical_devices("GPU"))
    assert (
        tf.test.is_gpu_available()
        is tf.test.is_built_with_cuda()
        is tf.test.is_built_with_gpu_support()
        is has_gpu
    )
    assert tf.test.gpu_device_name() == ("/device:GPU:0" if has_gpu else "")
    assert tf.test.is_built_with_xla()
    assert not tf.test.is_built_with_rocm()


class Compared(tf.test.TestCase):
    def test_alike(self) -> None:
        self.assertAllEqual(tf.constant([1, 2]), [1, 2])
        self.assertAllClose(tf.constant([1.0]), [1.0 + 1e-8])
        self.assertNotAllClose([1.0], [2.0])
        self.assertShapeEqual(np.zeros(2), tf.zeros(2))
        self.assertAllInRange(tf.constant([0.5]), 0, 1)
        assert self.evaluate({"a": tf.constant(3)})["a"] == 3


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("assertAllEqual", ([1], [2])),
        ("assertAllClose", ([1.0], [1.1])),
        ("assertNotAllClose", ([1.0], [1.0])),
        ("assertShapeEqual", (np.zeros(2), np.zeros(3))),
        ("assertAllInRange", ([2.0], 0, 1)),
    ],
)
def test_what_differs_fails(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(AssertionError):
        getattr(Compared("test_alike"), name)(*arguments)


def test_cases_run_under_unittest() -> None:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Compared).run(result)
    assert (result.testsRun, result.failures, result.errors) == (1, [], [])


def test_gradients_are_measured() -> None:
    exact, measured = tf.test.compute_gradient(lambda x: x**2, [np.array([1.0, 3.0])])
    np.testing.assert_allclose(exact[0], [[2, 0], [0, 6]])
    np.testing.assert_allclose(measured[0], exact[0], rtol=1e-6)


def test_autograph_leaves_functions_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.autograph.experimental.do_not_convert
    def double(x: Any) -> Any:
        return x * 2

    assert tf.autograph.experimental.do_not_convert()(double) is double
    assert tf.autograph.to_graph(double) is double
    assert "return x * 2" in tf.autograph.to_code(tf.function(double))
    tf.autograph.set_verbosity(3)
    tf.autograph.experimental.set_loop_options(maximum_iterations=3)
    tf.autograph.trace("seen")
    assert capsys.readouterr().out == "seen\n"


def test_a_test_that_is_skipped() -> None:
    class Case(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "not here")
        def test_it(self) -> None:
            self.fail()

        @tf.test.disable_with_predicate(lambda: False, "not here")
        def test_other(self) -> None:
            self.fail()

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert [reason for _, reason in result.skipped] == ["not here"]
    assert len(result.failures) == 1


class Comparisons(tf.test.TestCase):
    def test_parts_and_bounds(self) -> None:
        x = tf.constant([1.0, 2.0])
        self.assertAllClose({"a": x, "b": [x]}, {"a": [1.0, 2.0], "b": [np.array([1.0, 2.0])]})
        self.assertNotAllEqual(x, [1.0, 3.0])
        self.assertDTypeEqual(x, np.float32)
        self.assertAllGreater(x, 0)
        self.assertAllInSet(x, {1.0, 2.0})
        self.assertNear(1.0, 1.001, 0.01)
        self.assertAllCloseAccordingToType(tf.constant([1.0], tf.float16), [1.0004])
        self.assertLen([1], 1)
        self.assertEmpty([])
        with self.cached_session(use_gpu=True), self.assertRaisesOpError("shape"):
            tf.reshape(x, [3])
        with self.assertRaisesWithPredicateMatch(ValueError, lambda e: "b" in str(e)):
            raise ValueError("b")
        for check, given in ((self.assertAllLess, (x, 2.0)), (self.assertAllInSet, (x, {1.0}))):
            with self.assertRaises(AssertionError):
                check(*given)
        assert self.get_temp_dir() == self.get_temp_dir()
