"""Conversion: what becomes of numbers, lists, numpy and JAX arrays, alone and where they meet tensors.

Dtypes and error types are TensorFlow's, but for the one friendly difference: an integer tensor met with
a floating number gives float32.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.tensor import Tensor

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
SMALL = ["float8_e5m2", "float8_e4m3fn", "int4", "uint4"]


class TestDtypes:
    @pytest.mark.parametrize("name", FLOATS + INTEGERS + COMPLEX)
    def test_from_python_numbers(self, name):
        for value in (1, [0, 1, 2], [[1], [2]]):
            tensor = tf.constant(value, dtype=name)
            assert tensor.dtype.name == name
            assert tensor.numpy().dtype == np.dtype(tensor.dtype.as_numpy_dtype)
            np.testing.assert_array_equal(tensor.numpy().astype(complex), value)

    @pytest.mark.parametrize("name", FLOATS + INTEGERS + COMPLEX + SMALL)
    def test_from_numpy(self, name):
        dtype = tf.as_dtype(name)
        array = np.array([0, 1], dtype=dtype.as_numpy_dtype)
        tensor = tf.convert_to_tensor(array)
        assert tensor.dtype is dtype
        assert tensor.numpy().tolist() == array.tolist()

    @pytest.mark.parametrize("name", FLOATS + INTEGERS + COMPLEX)
    def test_through_a_program(self, name):
        """A value leaves a compiled program with the dtype it went in with."""
        tensor = tf.identity(tf.constant([0, 1], dtype=name))
        for _ in range(6):
            tensor = tf.identity(tensor)
        assert tensor.dtype.name == name
        assert tensor.numpy().tolist() == [0, 1]

    @pytest.mark.parametrize("name", FLOATS + INTEGERS + COMPLEX)
    def test_scalars_travel_packed(self, name):
        """Host scalars go into a program as one array per dtype, and come out unchanged."""
        top = tf.as_dtype(name).max if name in INTEGERS else 1.5
        tensor = tf.identity(tf.constant(top, dtype=name))
        for _ in range(6):
            tensor = tf.identity(tensor)
        assert tensor.numpy() == tf.constant(top, dtype=name).numpy()

    def test_bool(self):
        assert tf.constant([True, False]).dtype is tf.bool
        assert tf.constant(True).numpy() == np.True_
        assert tf.constant(True, dtype=tf.int32).numpy() == 1

    @pytest.mark.parametrize("value", [1, 1.0, [1, 0]])
    def test_bool_of_numbers(self, value):
        with pytest.raises(TypeError, match="Cannot convert .* bool"):
            tf.constant(value, dtype=tf.bool)


class TestPythonDefaults:
    @pytest.mark.parametrize(
        ("value", "dtype"),
        [
            (1, "int32"),
            (-(2**31), "int32"),
            (2**31, "int64"),
            ([1, 2**40], "int64"),
            (1.0, "float32"),
            ([1, 2.5], "float32"),
            (1j, "complex128"),
            ([1j, 1.0], "complex128"),
            (True, "bool"),
            ("a", "string"),
            (b"a", "string"),
            ([], "float32"),
            ([[], []], "float32"),
            ((1, 2), "int32"),
            (((1.0,), (2.0,)), "float32"),
            (range(3), "int32"),
            (tf.TensorShape([1, 2]), "int32"),
        ],
        ids=repr,
    )
    def test_dtype(self, value, dtype):
        assert tf.constant(value).dtype.name == dtype
        assert tf.convert_to_tensor(value).dtype.name == dtype

    @pytest.mark.parametrize(
        ("value", "dtype"),
        [
            (np.float64(1.0), "float64"),
            (np.int64(1), "int64"),
            (np.bool_(True), "bool"),
            ([np.float64(1.0)], "float64"),
            ([np.float64(1.0), 1], "float64"),
            ([np.float32(1.0), 2.0], "float32"),
            ([np.int64(1), 2], "int32"),
            ([np.array([1, 2]), np.array([3, 4])], "int32"),
            ([np.array([1.0, 2.0]), [3, 4]], "float64"),
        ],
        ids=repr,
    )
    def test_numpy_numbers(self, value, dtype):
        assert tf.constant(value).dtype.name == dtype

    def test_hint(self):
        assert tf.convert_to_tensor(1, dtype_hint=tf.float32).dtype is tf.float32
        assert tf.convert_to_tensor([1, 2], dtype_hint=tf.float64).dtype is tf.float64
        assert tf.convert_to_tensor(1.5, dtype_hint=tf.int32).dtype is tf.float32
        assert tf.convert_to_tensor("a", dtype_hint=tf.float32).dtype is tf.string
        assert tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32).dtype is tf.int32
        array = np.array([1.0, 2.0])
        assert tf.convert_to_tensor(array, dtype_hint=tf.float32).dtype is tf.float32


class TestShapes:
    def test_filled_and_reshaped(self):
        np.testing.assert_array_equal(tf.constant(1, shape=[2, 2]), [[1, 1], [1, 1]])
        np.testing.assert_array_equal(tf.constant([1, 2, 3], shape=[3, 1]), [[1], [2], [3]])
        np.testing.assert_array_equal(tf.constant([7], shape=[2]), [7, 7])
        assert tf.constant(1.0, shape=()).shape == ()
        assert tf.constant(1.0, shape=tf.TensorShape([2])).shape == (2,)
        assert tf.constant("a", shape=[2]).numpy().tolist() == [b"a", b"a"]

    @pytest.mark.parametrize("shape", [[3], [2, 2]])
    def test_that_do_not_fit(self, shape):
        with pytest.raises(TypeError, match=r"expected [34] elements for shape=.*; got 2"):
            tf.constant([1, 2], shape=shape)

    def test_empty(self):
        assert tf.constant([[]]).shape == (1, 0)
        assert tf.constant(np.zeros((0, 3), np.float32)).shape == (0, 3)


class TestTensorsInLists:
    def test_are_stacked(self):
        one = tf.constant(1.0)
        np.testing.assert_array_equal(tf.convert_to_tensor([one, 2.0]), [1.0, 2.0])
        np.testing.assert_array_equal(tf.convert_to_tensor([1, tf.constant(2.5)]), [1.0, 2.5])
        np.testing.assert_array_equal(
            tf.convert_to_tensor([[one, 2.0], [3.0, 4.0]]), [[1.0, 2.0], [3.0, 4.0]]
        )
        np.testing.assert_array_equal(tf.convert_to_tensor([tf.Variable(1.0), np.float32(2)]), [1, 2])

    def test_carry_gradients(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.convert_to_tensor([[v, v * v], [1.0, v]]))
        assert tape.gradient(y, v).numpy() == 8.0

    def test_of_another_dtype(self):
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="int32"):
            tf.convert_to_tensor([tf.constant(1.0), tf.constant(2)])
        with pytest.raises(TypeError, match=r"Cannot convert 2\.5 to a tensor of dtype int32"):
            tf.convert_to_tensor([tf.constant(1), 2.5])

    def test_of_another_shape(self):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=r"non-rectangular|hapes"):
            tf.convert_to_tensor([tf.constant(1.0), tf.constant([2.0])])


class TestRefusals:
    @pytest.mark.parametrize("value", [[[1], [1, 2]], [[1, 2], [3]], [[1, 2], 3], [["a"], ["b", "c"]]])
    def test_ragged(self, value):
        with pytest.raises(ValueError, match="non-rectangular Python sequence.*rows differ in length"):
            tf.constant(value)

    @pytest.mark.parametrize("value", [None, [None], [1, None]])
    def test_none(self, value):
        with pytest.raises(ValueError, match=r"convert a value \(None\) with an unsupported type"):
            tf.constant(value)

    @pytest.mark.parametrize("value", [{1: 2}, {1, 2}, object(), lambda: 1])
    def test_other_objects(self, value):
        with pytest.raises(ValueError, match="with an unsupported type"):
            tf.constant(value)

    @pytest.mark.parametrize("value", [[True, 1], [True, 1.0], [1, "a"]])
    def test_mixed_types(self, value):
        with pytest.raises(ValueError, match="Python sequence with mixed types"):
            tf.constant(value)

    @pytest.mark.parametrize(
        ("value", "dtype"),
        [(300, "uint8"), (-1, "uint8"), (256, "int8"), ([1, 2**31], "int32"), (2**63, "int64")],
    )
    def test_overflow(self, value, dtype):
        with pytest.raises(ValueError, match=f"fit dtype {dtype}; got"):
            tf.constant(value, dtype=dtype)

    def test_integer_too_big_for_any_dtype(self):
        with pytest.raises(ValueError, match="fit dtype int64; got 9223372036854775808"):
            tf.constant(2**63)
        assert tf.constant(2**63, dtype=tf.uint64).numpy() == 2**63

    @pytest.mark.parametrize(
        ("value", "dtype"),
        [(1.5, "int32"), ([1.5], "int64"), ("a", "int32"), (1, "string"), (1j, "float32")],
    )
    def test_kinds_that_do_not_fit(self, value, dtype):
        with pytest.raises(TypeError, match=f"Cannot convert .* to a tensor of dtype {dtype}"):
            tf.constant(value, dtype=dtype)

    def test_float_too_big(self):
        with pytest.raises(ValueError, match="1e\\+300"):
            tf.constant(1e300)
        assert tf.constant(1e300, dtype=tf.float64).numpy() == 1e300
        assert tf.constant(float("inf")).numpy() == np.inf

    def test_tensor_of_another_dtype(self):
        with pytest.raises(ValueError, match="requested dtype float64 for Tensor with dtype float32"):
            tf.convert_to_tensor(tf.constant(1.0), dtype=tf.float64)
        with pytest.raises(ValueError, match="requested dtype int32 for Tensor with dtype float32"):
            tf.convert_to_tensor(tf.Variable(1.0), dtype=tf.int32)
        with pytest.raises(TypeError, match="of dtype int32; got a tensor of float32. Use tf.cast"):
            tf.constant(tf.constant(1.0), dtype=tf.int32)

    def test_numpy_strings_as_numbers(self):
        with pytest.raises(TypeError, match="Cannot convert .* to a tensor of dtype float32"):
            tf.constant(np.array(["a"]), dtype=tf.float32)
        with pytest.raises(TypeError, match="expected strings for dtype=tf.string"):
            tf.constant(np.array([1.0]), dtype=tf.string)

    def test_numpy_kinds_without_a_dtype(self):
        with pytest.raises((TypeError, ValueError), match="datetime64|M8"):
            tf.constant(np.datetime64("2020-01-01"))


class TestStrings:
    def test_python_and_numpy(self):
        assert tf.constant("é").numpy() == "é".encode()
        assert tf.constant(b"a\xff").numpy() == b"a\xff"
        assert tf.constant([["a"], ["b"]]).numpy().tolist() == [[b"a"], [b"b"]]
        for array in (np.array(["a", "b"]), np.array([b"a", b"b"]), np.array(["a", "b"], object)):
            tensor = tf.constant(array)
            assert (tensor.dtype, tensor.shape) == (tf.string, (2,))
            assert tensor.numpy().tolist() == [b"a", b"b"]

    def test_empty_string(self):
        assert tf.constant("").numpy() == b""
        assert tf.constant([""]).shape == (1,)


class TestPythonNumbersMeetTensors:
    @pytest.mark.parametrize("name", FLOATS + INTEGERS)
    def test_take_the_tensors_dtype(self, name):
        tensor = tf.constant([1, 2], dtype=name)
        for result in (tensor + 1, 1 + tensor, tensor * 2, tensor - 1):
            assert result.dtype.name == name
        np.testing.assert_array_equal((tensor * 2 + 1).numpy().astype(float), [3, 5])

    @pytest.mark.parametrize("name", FLOATS)
    def test_floats_take_it_too(self, name):
        assert (tf.constant([1], dtype=name) * 0.5).dtype.name == name

    def test_float64_keeps_every_bit_of_a_python_float(self):
        assert (tf.constant(1.0, tf.float64) * 0.1).numpy() == 0.1
        assert (tf.constant(0.0, tf.float64) + 1e-300).numpy() == 1e-300

    @pytest.mark.parametrize("name", INTEGERS)
    def test_integer_tensor_and_float(self, name):
        """The friendly difference: TensorFlow raises."""
        tensor = tf.identity(tf.constant([1, 2], dtype=name))
        for result in (tensor * 0.5, 0.5 * tensor, tensor + [0.5, 0.5]):
            assert result.dtype is tf.float32
        np.testing.assert_array_equal(tensor * 0.5, [0.5, 1.0])

    def test_bool_is_a_number(self):
        assert (tf.constant([1.0]) + True).numpy().tolist() == [2.0]
        assert (tf.constant([1]) + True).numpy().tolist() == [2]

    @pytest.mark.parametrize(
        ("name", "number", "wrapped"),
        [("uint8", 300, [45, 46]), ("uint8", -1, [0, 1]), ("int32", 2**40, [1, 2])],
    )
    def test_overflow_wraps_as_in_tensorflow(self, name, number, wrapped):
        result = tf.constant([1, 2], dtype=name) + number
        assert (result.dtype.name, result.numpy().tolist()) == (name, wrapped)

    def test_complex_number(self):
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError), match="complex"):
            tf.constant([1.0]) + 1j
        assert (tf.constant([1.0], tf.complex64) * 1j).numpy().tolist() == [1j]

    def test_lists(self):
        result = tf.constant([1.0, 2.0]) + [1, 2]
        assert result.dtype is tf.float32
        np.testing.assert_array_equal(result, [2.0, 4.0])

    def test_string(self):
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError), match="'a'|string"):
            tf.constant([1.0]) + "a"

    def test_only_python_numbers(self):
        assert tf.add(1, 2).dtype is tf.int32
        assert tf.add(1, 2.5).dtype is tf.float32
        assert tf.add(1, 2.5).numpy() == 3.5


class TestNumpyMeetsTensors:
    @pytest.mark.parametrize("array", [np.array([1.0, 2.0]), np.array([1, 2]), np.float64(2.0)])
    def test_takes_the_tensors_dtype(self, array):
        for name in ("float16", "float32", "float64"):
            assert (tf.constant([1.0, 2.0], dtype=name) + array).dtype.name == name
            assert (array + tf.constant([1.0, 2.0], dtype=name)).dtype.name == name

    def test_integers(self):
        assert (tf.constant([1, 2], tf.int64) + np.array([1, 2], np.int32)).dtype is tf.int64
        assert (tf.constant([1, 2]) + np.array([1, 2])).dtype is tf.int32

    def test_integer_tensor_and_float_array(self):
        np.testing.assert_array_equal(tf.constant([1, 2]) * np.array([1.5, 2.0]), [1.5, 4.0])

    def test_alone_keeps_its_own(self):
        assert tf.add(np.float64(1.0), 2.0).dtype is tf.float64
        assert tf.constant(np.array([1.0])).dtype is tf.float64

    def test_foreign_memory_orders(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        np.testing.assert_array_equal(tf.constant(array.T) + 0.0, array.T)
        np.testing.assert_array_equal(tf.constant(array[:, ::-2]) + 0.0, array[:, ::-2])
        np.testing.assert_array_equal(tf.constant(array.astype(">f4")) + 0.0, array)

    def test_read_only(self):
        array = np.arange(3.0)
        array.flags.writeable = False
        np.testing.assert_array_equal(tf.constant(array), array)

    def test_subclasses(self):
        masked = np.ma.masked_array([1.0, 2.0], [False, False])
        np.testing.assert_array_equal(tf.constant(masked) + 0.0, [1.0, 2.0])


class TestJaxArrays:
    def test_in_and_out(self):
        import jax.numpy as jnp

        array = jnp.arange(3, dtype=jnp.float32)
        tensor = tf.convert_to_tensor(array)
        assert isinstance(tensor, Tensor)
        np.testing.assert_array_equal(tensor * 2.0, [0.0, 2.0, 4.0])
        assert tf.convert_to_tensor(array, dtype=tf.float64).dtype is tf.float64
        np.testing.assert_array_equal(jnp.asarray(tensor), array)

    def test_a_variable_never_overwrites_them(self):
        import jax.numpy as jnp

        array = jnp.zeros(1000, jnp.float32)
        v = tf.Variable(array)
        for _ in range(3):
            v.assign_add(tf.ones([1000]))
            v.numpy()
        assert not array.is_deleted()
        np.testing.assert_array_equal(array, np.zeros(1000))


class TestProtocols:
    def test_tf_tensor(self):
        class Wrapped:
            def __tf_tensor__(self, dtype=None, name=None):
                return tf.constant([1.0, 2.0])

        np.testing.assert_array_equal(tf.convert_to_tensor(Wrapped()), [1.0, 2.0])
        np.testing.assert_array_equal(tf.constant([1.0, 1.0]) + Wrapped(), [2.0, 3.0])

    def test_array(self):
        class Wrapped:
            def __array__(self, dtype=None, copy=None):
                return np.array([1.5, 2.5], dtype)

        tensor = tf.convert_to_tensor(Wrapped())
        assert tensor.dtype.is_floating
        np.testing.assert_array_equal(tensor, [1.5, 2.5])

    def test_operators_of_other_types_get_their_turn(self):
        class Other:
            def __radd__(self, left):
                return "mine"

        assert tf.constant([1.0]) + Other() == "mine"


class TestOpsWithoutACommonDtype:
    def test_inputs_are_converted_one_by_one(self):
        @op(same_dtype=False)
        def pick(values, index):
            return values[index]

        result = pick(np.array([1.0, 2.0], np.float32), 1)
        assert (result.dtype, result.numpy()) == (tf.float32, 2.0)

    def test_bfloat16_scalars(self):
        result = tf.constant([1.0], tf.bfloat16) * 1.5
        assert result.numpy().dtype == ml_dtypes.bfloat16
        assert result.numpy().tolist() == [1.5]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.add(None, 1.0), r"Add expected tensors; got None as input #0"),
        (lambda: tf.reduce_sum(None), "reduce_sum expected tensors; got None"),
        (lambda: tf.nn.relu(None), "Relu expected tensors; got None"),
        (lambda: tf.stack([tf.constant(1), None]), "Pack expected tensors; got None as input #1"),
        (lambda: tf.constant([1, "a"]), "it holds strings and numbers"),
    ],
    ids=["add", "reduce_sum", "relu", "stack", "mixed"],
)
def test_none_and_mixed_lists_name_the_op(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
