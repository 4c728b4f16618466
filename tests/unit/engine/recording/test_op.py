"""Ops: what the decorator makes of a kernel, how statics are told apart, and where errors are raised."""

from __future__ import annotations

import inspect
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import Op, freeze, op
from tapeflow.engine.values.tensor import Tensor


@op
def scaled_kernel(x, *, by: float = 2.0, shift: float = 0.0):
    """Scale and shift."""
    return x * jnp.asarray(by, x.dtype) + jnp.asarray(shift, x.dtype)


class TestDecorator:
    def test_bare(self):
        assert isinstance(scaled_kernel, Op)
        assert (scaled_kernel.name, scaled_kernel.__name__) == ("scaled", "scaled_kernel")
        assert scaled_kernel.__doc__ == "Scale and shift."
        assert repr(scaled_kernel) == "<op scaled>"
        np.testing.assert_array_equal(scaled_kernel.kernel(jnp.ones(2), by=3.0), [3.0, 3.0])

    def test_with_options(self):
        @op(name="Plus", same_dtype=False)
        def add(a, b):
            return a + b

        assert (add.name, add.same_dtype) == ("Plus", False)
        assert add(1.0, 2.0).numpy() == 3.0

    def test_results(self):
        assert isinstance(scaled_kernel([1.0]), Tensor)
        np.testing.assert_array_equal(scaled_kernel([1.0, 2.0], by=3.0), [3.0, 6.0])
        np.testing.assert_array_equal(scaled_kernel([1.0, 2.0]), [2.0, 4.0])

    @pytest.mark.parametrize("kind", [tuple, list])
    def test_several_results(self, kind):
        @op
        def both(x):
            return kind((x + 1, x * 2))

        results = both([1.0, 2.0])
        assert isinstance(results, tuple)
        assert all(isinstance(r, Tensor) for r in results)
        np.testing.assert_array_equal(results[0], [2.0, 3.0])
        np.testing.assert_array_equal(results[1], [2.0, 4.0])

    def test_one_result_in_a_tuple(self):
        @op
        def wrapped(x):
            return (x + 1,)

        (result,) = wrapped([1.0])
        assert result.numpy().tolist() == [2.0]

    def test_any_number_of_inputs(self):
        @op
        def total(*xs):
            return sum(xs[1:], xs[0])

        assert total(1.0, 2.0, tf.constant(3.0)).numpy() == 6.0

    def test_no_inputs(self):
        @op
        def ones(*, n: int):
            return jnp.ones((n,), jnp.float32)

        assert ones(n=3).numpy().tolist() == [1.0, 1.0, 1.0]
        assert (ones(n=2) + ones(n=2)).numpy().tolist() == [2.0, 2.0]


class TestRecording:
    def test_nothing_runs_until_a_value_is_needed(self, counting):
        seen = []

        @op
        def spy(x):
            seen.append(type(x).__name__)
            return x + 1

        with counting() as spent:
            results = [spy(tf.constant([1.0])) for _ in range(3)]
        assert (spent.dispatched, spent.op_by_op) == (0, 0)
        assert len(seen) == 1  # for its shape, once
        assert [r.numpy().tolist() for r in results] == [[2.0]] * 3

    def test_shape_and_dtype_are_inferred_once_for_each_kind_of_input(self):
        shapes = []

        @op
        def spy(x, *, n: int = 0):
            shapes.append((x.shape, n))
            return x

        for n in (0, 0, 1):
            for value in ([1.0], [2.0], [1.0, 2.0]):
                spy(value, n=n)
        assert shapes == [((1,), 0), ((2,), 0), ((1,), 1), ((2,), 1)]

    def test_the_kernel_sees_arrays_of_the_announced_dtype(self):
        @op(same_dtype=False)
        def described(*xs):
            assert [x.dtype for x in xs] == [jnp.float32, jnp.int32, jnp.float64, jnp.bool_]
            return xs[0]

        described(1.0, 2, np.float64(3.0), True)


class TestStatics:
    def test_are_told_apart_by_type_and_bits(self):
        values = [1, True, 1.0, 0, 0.0, -0.0, False, "1", b"1", None, 1j, (1,), (1.0,), [1], (True,)]
        keys = [freeze(v) for v in values]
        assert len(set(keys)) == len(values)

    @pytest.mark.parametrize("kind", [float, np.float32, np.float64, np.float16])
    def test_signed_zeros_and_nan_of_every_float(self, kind):
        assert freeze(kind(0.0)) != freeze(kind(-0.0))
        assert freeze(kind("nan")) == freeze(kind("nan"))
        assert hash(freeze(kind("nan"))) == hash(freeze(kind("nan")))

    def test_inside_containers(self):
        class Pair(NamedTuple):
            a: object
            b: object

        assert freeze((1, (0.0,))) != freeze((1, (-0.0,)))
        assert freeze({"a": 1}) != freeze({"a": True})
        assert freeze([float("nan")]) == freeze([float("nan")])
        assert freeze(Pair(0.0, 1)) != freeze(Pair(-0.0, 1))
        assert freeze(Pair(1, 1)) != freeze(Pair(True, 1))
        assert freeze(Pair(float("nan"), 1)) == freeze(Pair(float("nan"), 1))

    def test_arrays(self):
        assert freeze(np.array([1, 2])) == freeze(np.array([1, 2]))
        assert freeze(np.array([1, 2])) != freeze(np.array([1.0, 2.0]))
        assert freeze(np.array([1, 2])) != freeze(np.array([[1, 2]]))

    def test_instances_are_interned(self):
        assert scaled_kernel.instance({"by": 3.0}) is scaled_kernel.instance({"by": 3.0})
        assert scaled_kernel.instance({"by": 3.0}) is not scaled_kernel.instance({"by": 3})
        first, second = (scaled_kernel.instance({"by": float("nan")}) for _ in range(2))
        assert first is second

    def test_each_has_its_own_result(self):
        np.testing.assert_array_equal(
            [scaled_kernel(1.0, by=b) for b in (0.5, 0.25, -0.0)], [0.5, 0.25, -0.0]
        )
        assert np.signbit(scaled_kernel(1.0, by=-0.0, shift=-0.0).numpy())
        assert not np.signbit(scaled_kernel(1.0, by=0.0).numpy())


class TestErrors:
    def test_name_the_op_and_what_it_got(self):
        @op(name="Strange")
        def strange(a, b):
            return a @ b

        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Strange got incompatible inputs \(float32\[2\], float32\[3\]\)",
        ):
            strange([1.0, 2.0], [1.0, 2.0, 3.0])

    def test_are_raised_at_the_users_line(self):
        try:
            tf.ones([2]) + tf.ones([3])
        except tf.errors.InvalidArgumentError as error:
            frames = []
            traceback = error.__traceback__
            while traceback is not None:
                frames.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
                traceback = traceback.tb_next
            here = inspect.currentframe().f_code
            assert frames[0] == (__file__, here.co_firstlineno + 2)
        else:
            pytest.fail("nothing was raised")

    def test_leave_nothing_behind(self):
        """What was recorded before and what comes after an error is not touched by it."""
        x = tf.identity([1.0, 2.0])
        with pytest.raises(tf.errors.InvalidArgumentError):
            x + tf.ones([3])
        y = x + 1.0
        np.testing.assert_array_equal(y, [2.0, 3.0])

    def test_two_dtypes(self):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"cannot compute Add as input #1\(zero-based\) was expected to be a float32 tensor but "
            r"is a float64 tensor.*Use tf.cast",
        ):
            tf.add(tf.constant([1.0]), tf.constant([1.0], tf.float64))

    def test_the_third_of_three(self):
        @op(name="Sum3")
        def total(a, b, c):
            return a + b + c

        with pytest.raises(tf.errors.InvalidArgumentError, match=r"cannot compute Sum3 as input #2"):
            total(tf.constant(1.0), 1, tf.constant(1))

    def test_python_values_are_checked_against_the_tensor(self):
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
            scaled_add(tf.constant([1]), "a")

    def test_unknown_statics(self):
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="nonsense"):
            scaled_kernel([1.0], nonsense=1)

    def test_too_many_inputs(self):
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="positional"):
            scaled_kernel([1.0], [2.0])


@op(name="ScaledAdd")
def scaled_add(a, b):
    return a * 2 + b


class TestDifferentiability:
    def test_follows_by_default(self):
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = scaled_add(v, v)
        np.testing.assert_array_equal(tape.gradient(y, v), [3.0, 3.0])

    def test_not_when_told(self):
        @op(differentiable=False)
        def cut(x):
            return x * 2

        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = cut(v)
        assert tape.gradient(y, v) is None

    def test_of_some_results(self):
        @op(same_dtype=False)
        def mixed(x):
            return x * 2, (x > 1).astype(jnp.int32)

        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            doubled, flags = mixed(v)
            y = doubled * tf.cast(flags, tf.float32)
        np.testing.assert_array_equal(tape.gradient(y, v), [0.0, 2.0])
        assert tape.gradient(flags, v) is None


class TestHost:
    def test_small_integers_known_to_the_host_stay_there(self, counting):
        @op(name="Twice", host=lambda x: x * 2)
        def twice(x):
            return x * 2

        with counting() as spent:
            result = twice(tf.constant([1, 2]))
            assert result.host_value().tolist() == [2, 4]
            assert result.numpy().tolist() == [2, 4]
        assert (spent.dispatched, spent.op_by_op) == (0, 0)
        assert twice(tf.constant([1.0])).host_value() is None
        assert twice(tf.cast(tf.identity([1.0]), tf.int32)).host_value() is None

    def test_overflow_wraps_as_on_the_device(self):
        @op(name="Square", host=lambda x: x * x)
        def square(x):
            return x * x

        value = tf.constant([2**20], tf.int32)
        pending = tf.cast(tf.identity([float(2**20)]), tf.int32)
        assert square(value).numpy().tolist() == square(pending).numpy().tolist() == [0]


class TestChecks:
    def test_of_an_op_of_ones_own(self):
        @op(
            name="Pick",
            same_dtype=False,
            check=index_check(arg=1, limit=lambda arrays, statics: arrays[0].shape[0]),
            check_text="{op} wants less than {limit}, not {value}.",
        )
        def pick(x, i):
            return x[i]

        x = tf.constant([1.0, 2.0, 3.0])
        assert pick(x, 2).numpy() == 3.0
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"Pick wants less than 3, not 5\. At .*:\d+"
        ):
            pick(x, 5)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Pick wants less than 3, not 5"):
            pick(x, tf.cast(x[0] * 5.0, tf.int32)).numpy()
