"""Variables: making, reading, assigning, and what is never visible of their values being pending."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.values.tensor import Tensor


class TestMaking:
    @pytest.mark.parametrize(
        ("value", "dtype"), [(1.0, "float32"), (1, "int32"), (True, "bool"), ([1j], "complex128")]
    )
    def test_dtype_of_the_value(self, value, dtype):
        assert tf.Variable(value).dtype.name == dtype

    def test_dtype_given(self):
        assert tf.Variable(1, dtype=tf.float32).numpy() == np.float32(1)
        assert tf.Variable(np.array([1.0, 2.0]), dtype=tf.float32).dtype is tf.float32

    def test_from_many_things(self):
        for value in (3.0, tf.constant(3.0), tf.identity(3.0), np.float32(3.0), tf.Variable(3.0)):
            assert tf.Variable(value).numpy() == 3.0
        assert tf.Variable(lambda: tf.constant(3.0)).numpy() == 3.0
        assert tf.Variable(lambda: 3.0, dtype=tf.float64).dtype is tf.float64

    def test_attributes(self):
        v = tf.Variable([[1.0, 2.0]], name="w", trainable=False, constraint=tf.abs)
        assert (v.name, v.trainable, v.constraint) == ("w:0", False, tf.abs)
        assert (v.shape, v.dtype, v.ndim) == (tf.TensorShape([1, 2]), tf.float32, 2)
        assert tf.Variable(1.0).name == "Variable:0"
        assert tf.Variable(1.0).trainable is True
        assert "CPU" in v.device
        assert v.is_initialized()

    def test_name_scope(self):
        with tf.name_scope("outer"), tf.name_scope("inner"):
            assert tf.Variable(1.0, name="w").name == "outer/inner/w:0"

    def test_strings(self):
        v = tf.Variable("a")
        assert v.numpy() == b"a"
        v.assign("b")
        assert v.numpy() == b"b"

    @pytest.mark.parametrize("make", [lambda: tf.Variable(), lambda: tf.Variable(None)])
    def test_without_a_value(self, make):
        with pytest.raises(ValueError, match="`initial_value` arg must be specified; got initial_value=None"):
            make()

    def test_shape_that_does_not_fit(self):
        with pytest.raises(ValueError, match=r"fits shape=\(2,\); got one of shape \(\)"):
            tf.Variable(tf.constant(1.0), shape=[2])

    def test_float_for_an_integer(self):
        with pytest.raises(TypeError, match="Cannot convert 1.5 to a tensor of dtype int32"):
            tf.Variable(1.5, dtype=tf.int32)

    def test_copies_the_value_it_is_made_from(self):
        """Two Variables of one tensor, or of one array, share nothing."""
        array = np.zeros(1 << 16, np.float32)
        tensor = tf.constant(array)
        first, second, third = tf.Variable(tensor), tf.Variable(tensor), tf.Variable(array)
        for _ in range(3):
            first.assign_add(tf.ones_like(tensor))
            run_pending()
        array[:] = 7.0
        assert first.numpy()[0] == 3.0
        for untouched in (second, third, tensor):
            assert untouched.numpy().max() == 0.0


class TestText:
    def test_repr(self):
        assert repr(tf.Variable(1.0)) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"
        assert (
            str(tf.Variable([1.0, 2.0], name="w"))
            == "<tf.Variable 'w:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"
        )
        assert repr(tf.Variable([[1.0], [2.0]])).endswith(
            "dtype=float32, numpy=\narray([[1.],\n       [2.]], dtype=float32)>"
        )
        assert "numpy=b'a'" in repr(tf.Variable("a"))

    def test_shows_the_current_value(self):
        v = tf.Variable(1.0)
        v.assign_add(1.0)
        assert "numpy=2.0" in repr(v)


class TestReading:
    def test_is_a_snapshot(self):
        v = tf.Variable([1.0, 2.0])
        before = [v.value(), v.read_value(), tf.convert_to_tensor(v), v + 0.0, tf.identity(v), v[0]]
        v.assign([3.0, 4.0])
        v.assign_add([1.0, 1.0])
        run_pending()
        for tensor in before[:5]:
            assert isinstance(tensor, Tensor)
            np.testing.assert_array_equal(tensor, [1.0, 2.0])
        assert float(before[5]) == 1.0
        np.testing.assert_array_equal(v, [4.0, 5.0])

    def test_between_assignments(self):
        v = tf.Variable(0.0)
        seen = []
        for _ in range(5):
            v.assign_add(1.0)
            seen.append(v.value())
        assert [float(s) for s in seen] == [1.0, 2.0, 3.0, 4.0, 5.0]

    def test_numpy_is_the_callers_own(self):
        v = tf.Variable([1.0, 2.0])
        array = v.numpy()
        array[:] = 9.0
        np.testing.assert_array_equal(v, [1.0, 2.0])
        kept = v.numpy()
        v.assign([5.0, 6.0])
        v.numpy()
        assert kept.tolist() == [1.0, 2.0]

    def test_like_a_tensor(self):
        v = tf.Variable([3.0, 1.0])
        assert np.argmax(v) == 0
        assert [float(x) for x in v] == [3.0, 1.0]
        assert float(tf.Variable(1.5)) == 1.5
        assert int(tf.Variable(2)) == 2
        assert bool(tf.Variable(True)) is True
        np.testing.assert_array_equal(v == tf.Variable([3.0, 0.0]), [True, False])
        np.testing.assert_array_equal(-v + 2 * v - v / 1.0, [0.0, 0.0])
        np.testing.assert_array_equal(v[::-1], [1.0, 3.0])
        assert (v == None) is False  # noqa: E711

    def test_hash_and_ref(self):
        v, w = tf.Variable(1.0), tf.Variable(1.0)
        with pytest.raises(TypeError, match=r"Variable is unhashable. Instead, use .*ref\(\) as the key"):
            hash(v)
        assert v.ref() == v.ref()
        assert {v.ref(), w.ref(), v.ref()} == {v.ref(), w.ref()}
        assert v.ref().deref() is v


class TestAssigning:
    @pytest.mark.parametrize(
        "value", [[3.0, 4.0], [3, 4], np.array([3.0, 4.0]), np.array([3, 4]), tf.constant([3.0, 4.0])]
    )
    def test_values(self, value):
        v = tf.Variable([1.0, 2.0])
        assert v.assign(value) is not None
        assert v.dtype is tf.float32
        np.testing.assert_array_equal(v, [3.0, 4.0])

    def test_adding_and_subtracting(self):
        v = tf.Variable([1.0, 2.0])
        np.testing.assert_array_equal(v.assign_add([1.0, 1.0]), [2.0, 3.0])
        np.testing.assert_array_equal(v.assign_sub([0.5, 0.5]), [1.5, 2.5])
        assert v.assign([0.0, 0.0]).numpy().tolist() == [0.0, 0.0]

    def test_of_itself(self):
        v = tf.Variable([1.0, 2.0])
        v.assign(v)
        v.assign(v * 2.0 + v)
        v.assign_add(v)
        np.testing.assert_array_equal(v, [6.0, 12.0])

    def test_swapping(self):
        a, b = tf.Variable([1.0]), tf.Variable([2.0])
        for _ in range(3):
            before = a.value()
            a.assign(b)
            b.assign(before)
        assert (float(a[0]), float(b[0])) == (2.0, 1.0)

    def test_parts(self):
        v = tf.Variable([1.0, 2.0, 3.0])
        v[1].assign(9.0)
        v[:1].assign_add([1.0])
        np.testing.assert_array_equal(v, [2.0, 9.0, 3.0])

    @pytest.mark.parametrize("operator", ["iadd", "isub", "imul", "itruediv", "ipow", "imatmul"])
    def test_augmented_operators_are_refused(self, operator):
        v = tf.Variable(1.0)
        with pytest.raises(
            RuntimeError, match=r"with `tf.Variable`s is not supported.*Use `variable\.assign"
        ):
            getattr(v, f"__{operator}__")(1.0)
        assert isinstance(v + 1.0, Tensor)

    def test_numpy_value_changed_afterwards(self):
        array = np.array([1.0, 2.0], np.float32)
        v = tf.Variable([0.0, 0.0])
        v.assign(array)
        array[:] = 9.0
        np.testing.assert_array_equal(v, [1.0, 2.0])

    def test_unknown_shape(self):
        v = tf.Variable([1.0, 2.0], shape=[None])
        assert v.shape == tf.TensorShape([None])
        v.assign([1.0, 2.0, 3.0])
        np.testing.assert_array_equal(v, [1.0, 2.0, 3.0])
        v.assign(v[:1] * 2.0)
        np.testing.assert_array_equal(v, [2.0])
        with pytest.raises(ValueError, match="Shape mismatch"):
            v.assign([[1.0]])

    @pytest.mark.parametrize("value", [[1.0, 2.0, 3.0], 1.0, [[1.0, 2.0]]])
    def test_wrong_shape(self, value):
        v = tf.Variable([1.0, 2.0], name="w")
        with pytest.raises(ValueError, match=r"'w:0': Shape mismatch. The variable shape \(2,\)"):
            v.assign(value)
        np.testing.assert_array_equal(v, [1.0, 2.0])

    @pytest.mark.parametrize("method", ["assign_add", "assign_sub"])
    @pytest.mark.parametrize("value", [[1.0, 2.0, 3.0], 1.0])
    def test_wrong_shape_of_an_update(self, method, value):
        v = tf.Variable([1.0, 2.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \(2,\): shapes must be equal"):
            getattr(v, method)(value)
        np.testing.assert_array_equal(v, [1.0, 2.0])

    def test_wrong_dtype(self):
        v = tf.Variable([1.0, 2.0])
        with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype int32"):
            v.assign(tf.constant([1, 2]))
        with pytest.raises(TypeError, match=r"Cannot convert \[1.5, 2\] to a tensor of dtype int32"):
            tf.Variable([1, 2]).assign([1.5, 2])
        with pytest.raises(ValueError, match=r"convert a value \(None\)"):
            v.assign(None)
        np.testing.assert_array_equal(v, [1.0, 2.0])


class TestCopies:
    def test_deepcopy(self):
        v = tf.Variable([1.0], name="w", trainable=False)
        copied = copy.deepcopy({"v": v})["v"]
        v.assign([5.0])
        assert copied is not v
        assert (copied.name, copied.trainable) == ("w:0", False)
        np.testing.assert_array_equal(copied, [1.0])
        copied.assign_add([1.0])
        np.testing.assert_array_equal(v, [5.0])

    def test_deepcopy_keeps_sharing(self):
        v = tf.Variable([1.0])
        a, b = copy.deepcopy([v, v])
        assert a is b

    def test_pickle(self):
        v = tf.Variable([1.0, 2.0], name="w")
        v.assign_add([1.0, 1.0])
        again = pickle.loads(pickle.dumps(v))
        np.testing.assert_array_equal(again, [2.0, 3.0])
        again.assign_add([1.0, 1.0])
        assert again.name == "w:0"
        np.testing.assert_array_equal(again, [3.0, 4.0])
        np.testing.assert_array_equal(v, [2.0, 3.0])

    def test_shallow_copy_of_a_pending_value(self):
        v = tf.Variable([1.0, 2.0])
        v.assign_add([1.0, 1.0])
        copied = copy.copy(v)
        v.assign(v * 2.0)
        np.testing.assert_array_equal(v, [4.0, 6.0])
        assert copied.numpy().tolist() in ([2.0, 3.0], [4.0, 6.0])


class TestLife:
    def test_a_pending_value_outlives_its_inputs(self):
        v = tf.Variable([1.0, 2.0])
        w = tf.Variable([3.0, 4.0])
        v.assign(w * 2.0)
        del w
        gc.collect()
        np.testing.assert_array_equal(v, [6.0, 8.0])

    def test_a_variable_that_is_let_go_frees_its_value(self):
        v = tf.Variable(np.zeros(1000, np.float32))
        v.assign_add(tf.ones([1000]))
        v.numpy()
        buffer = weakref.ref(v._node.value)
        del v
        assert buffer() is None

    def test_writes_of_a_dead_variable_do_no_harm(self):
        v = tf.Variable(1.0)
        w = tf.Variable(1.0)
        v.assign_add(1.0)
        w.assign_add(v * 2.0)
        del v
        assert float(w) == 5.0

    def test_many(self):
        """An id that is used again must not stand for the Variable that had it before."""
        total = tf.Variable(0.0)
        for i in range(300):
            v = tf.Variable(float(i))
            v.assign_add(1.0)
            total.assign_add(v)
        assert float(total) == sum(range(300)) + 300

    def test_initial_value_pending(self):
        v = tf.Variable(tf.ones([3]) * 2.0 + 1.0)
        v.assign_add(v * 2.0)
        np.testing.assert_array_equal(v, [9.0, 9.0, 9.0])

    def test_initial_value_from_another_variable_pending(self):
        a = tf.Variable(1.0)
        a.assign_add(1.0)
        b = tf.Variable(a)
        a.assign_add(1.0)
        c = tf.Variable(a * 1.0)
        a.assign_add(1.0)
        assert (float(a), float(b), float(c)) == (4.0, 2.0, 3.0)


class TestAfterFailures:
    """A step that raises leaves the Variables as they were when it began to fail."""

    def test_error_at_the_call(self):
        v = tf.Variable([1.0, 2.0])
        v.assign_add([1.0, 1.0])
        with pytest.raises(tf.errors.InvalidArgumentError):
            v.assign(v + tf.ones([3]))
        np.testing.assert_array_equal(v, [2.0, 3.0])

    def test_writes_before_a_failed_check_stay(self):
        v = tf.Variable(0.0)
        params = tf.identity([1.0, 2.0])
        v.assign_add(5.0)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.gather(params, tf.cast(params * 7.0, tf.int32)).numpy()
        assert float(v) == 5.0

    @pytest.mark.parametrize("initial", [[0.0, 0.0], tf.zeros([2])], ids=["value", "tensor"])
    def test_a_failed_value_is_not_assigned(self, initial):
        v = tf.Variable(initial)
        params = tf.identity([1.0, 2.0])
        with pytest.raises(tf.errors.InvalidArgumentError):
            v.assign(tf.gather(params, tf.cast(params * 7.0, tf.int32))).numpy()
        np.testing.assert_array_equal(v, [0.0, 0.0])
        v.assign_add([1.0, 1.0])
        np.testing.assert_array_equal(v, [1.0, 1.0])

    def test_pending_initial_value(self):
        params = tf.identity([1.0, 2.0])
        v = tf.Variable(params * 3.0)
        with pytest.raises(tf.errors.InvalidArgumentError):
            v.assign(tf.gather(params, tf.cast(params * 7.0, tf.int32))).numpy()
        np.testing.assert_array_equal(v, [3.0, 6.0])

    def test_of_two_writes_only_the_bad_one_is_taken_back(self):
        params = tf.identity([1.0, 2.0])
        v, w = tf.Variable(0.0), tf.Variable(0.0)
        v.assign_add(1.0)
        with pytest.raises(tf.errors.InvalidArgumentError):
            w.assign(tf.gather(params, tf.cast(params[0] * 7.0, tf.int32))).numpy()
        assert (float(v), float(w)) == (1.0, 0.0)

    def test_not_a_number(self):
        tf.debugging.enable_check_numerics()
        v = tf.Variable(1.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
            v.assign(tf.math.log(v * -1.0)).numpy()
        tf.debugging.disable_check_numerics()
        assert float(v) == 1.0


def test_assigning_inside_a_jax_transformation_is_refused() -> None:
    import jax

    v = tf.Variable(1.0)
    for change in (v.assign, v.assign_add, tf.Variable):
        with pytest.raises(RuntimeError, match="got a tracer of a JAX transformation"):
            jax.jit(lambda x, change=change: change(x).numpy())(2.0)
    assert v.numpy() == 1.0


def test_a_variable_of_any_shape() -> None:
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
    assert v.assign([[3.0]]).numpy().tolist() == [[3.0]]
    assert v.shape.rank is None
    scalar = tf.Variable(1.0, shape=[])
    with pytest.raises(ValueError, match="Shape mismatch"):
        scalar.assign([1.0])
