"""Tensors look and behave as TensorFlow's do, whether their value is there or still pending.

The expected texts are what TensorFlow prints for the same expressions.
"""

from __future__ import annotations

import copy
import math
import pickle
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.tensor import Tensor


@op(same_dtype=False)
def computed(x):
    """The same value, not known to the host."""
    return x


def _host(value, dtype=None):
    return tf.constant(value, dtype)


def _pending(value, dtype=None):
    return computed(tf.constant(value, dtype))


def _concrete(value, dtype=None):
    tensor = computed(tf.constant(value, dtype))
    tensor.numpy()
    return tensor


def _staged(value, dtype=None):
    function = tf.function(computed)
    function(tf.constant(value, dtype))
    return function(tf.constant(value, dtype))


@pytest.fixture(params=[_host, _pending, _concrete, _staged], ids=lambda f: f.__name__[1:])
def make(request):
    """Makes a tensor of a value in each of the states it can be in; the user sees none of them."""
    return request.param


class TestText:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (1.5, "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"),
            (3, "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
            (True, "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
            (1 + 2j, "<tf.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>"),
            (
                [1, 2],
                "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
            ),
            (
                [[1, 2], [3, 4]],
                "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\n"
                "array([[1, 2],\n       [3, 4]], dtype=int32)>",
            ),
            ([], "<tf.Tensor: shape=(0,), dtype=float32, numpy=array([], dtype=float32)>"),
        ],
        ids=["float", "int", "bool", "complex", "vector", "matrix", "empty"],
    )
    def test_repr(self, make, value, text):
        assert repr(make(value)) == text

    @pytest.mark.parametrize(
        ("dtype", "number", "text"),
        [
            ("float32", "1.6216036081314087", "1.6216036"),
            ("float64", "1.6216036", "1.6216036"),
            ("float16", "1.6220703125", "1.622"),
            ("bfloat16", "1.625", "1.625"),
            ("complex64", "(1.6216036081314087+0j)", "(1.6216036+0j)"),
        ],
    )
    def test_the_digits_of_a_number(self, dtype, number, text):
        """In a repr those of the Python number, as TensorFlow prints them; elsewhere NumPy's."""
        tensor = tf.constant(1.6216036, dtype)
        assert repr(tensor) == f"<tf.Tensor: shape=(), dtype={dtype}, numpy={number}>"
        assert (
            repr(tf.Variable(tensor)) == f"<tf.Variable 'Variable:0' shape=() dtype={dtype}, numpy={number}>"
        )
        assert str(tensor) == f"tf.Tensor({text}, shape=(), dtype={dtype})"

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (1.0, "tf.Tensor(1.0, shape=(), dtype=float32)"),
            ([1, 2], "tf.Tensor([1 2], shape=(2,), dtype=int32)"),
            ([[1, 2], [3, 4]], "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)"),
        ],
        ids=["scalar", "vector", "matrix"],
    )
    def test_str(self, make, value, text):
        assert str(make(value)) == text

    def test_print(self, make, capsys):
        print(make([1.5, 2.5]))  # noqa: T201
        assert capsys.readouterr().out == "tf.Tensor([1.5 2.5], shape=(2,), dtype=float32)\n"

    @pytest.mark.parametrize(
        ("value", "form", "text"),
        [
            (1.23456, ".2f", "1.23"),
            (3, "", "3"),
            (3, "5d", "    3"),
            (12345.678, ",.1f", "12,345.7"),
            (0.25, ".0%", "25%"),
            ([1.0, 2.0], "", "[1. 2.]"),
        ],
    )
    def test_format(self, make, value, form, text):
        assert format(make(value), form) == text

    def test_f_string_of_a_loss(self, make):
        assert f"{make(0.123456):.4f}" == "0.1235"

    def test_format_of_an_array_refuses_a_number_form(self, make):
        with pytest.raises(TypeError, match="unsupported format string"):
            format(make([1.0, 2.0]), ".2f")

    def test_percent_formatting(self, make):
        assert "%.2f %d" % (make(1.234), make(7)) == "1.23 7"  # noqa: UP031

    def test_strings(self):
        assert repr(tf.constant("a")) == "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"
        assert str(tf.constant("a")) == "tf.Tensor(b'a', shape=(), dtype=string)"
        assert (
            repr(tf.constant(["a", "bc"]))
            == "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'bc'], dtype=object)>"
        )
        assert f"{tf.constant('a')}" == "b'a'"


class TestShapeAndDtype:
    def test_known_without_running_anything(self, counting):
        with counting() as spent:
            tensor = tf.exp(tf.ones([3, 4])) @ tf.ones([4, 5])
            assert tensor.shape == [3, 5]
            assert tensor.dtype is tf.float32
            assert (tensor.ndim, tensor.get_shape(), len(tensor)) == (2, tf.TensorShape([3, 5]), 3)
        assert (spent.dispatched, spent.op_by_op) == (0, 0)

    def test_device(self, make):
        assert make(1.0).device == "/job:localhost/replica:0/task:0/device:CPU:0"

    def test_set_shape_checks(self, make):
        tensor = make([1, 2])
        tensor.set_shape([None])
        tensor.set_shape([2])
        with pytest.raises(ValueError, match=r"compatible with \(2,\); got shape=\[3\]"):
            tensor.set_shape([3])


class TestComparison:
    def test_elementwise(self, make):
        equal = make([1, 2]) == make([1, 3])
        assert isinstance(equal, Tensor)
        np.testing.assert_array_equal(equal, [True, False])
        np.testing.assert_array_equal(make([1, 2]) != make([1, 3]), [False, True])
        np.testing.assert_array_equal(make([1, 2]) < make([2, 2]), [True, False])
        np.testing.assert_array_equal(make([1, 2]) >= 2, [False, True])

    def test_with_none(self, make):
        assert (make([1, 2]) == None) is False  # noqa: E711
        assert (make([1, 2]) != None) is True  # noqa: E711

    def test_shapes_that_do_not_broadcast_are_unequal(self, make):
        assert bool(make([1, 2]) == make([1, 2, 3])) is False
        assert bool(make([1, 2]) != make([1, 2, 3])) is True

    def test_two_dtypes(self, make):
        with pytest.raises(tf.errors.InvalidArgumentError, match="int32 tensor but is a float"):
            make([1, 2]) == make([1.0, 2.0])  # noqa: B015

    def test_order_of_shapes_that_do_not_broadcast(self, make):
        with pytest.raises(tf.errors.InvalidArgumentError, match="[Ii]ncompatible"):
            make([1, 2]) < make([1, 2, 3])  # noqa: B015

    def test_membership(self, make):
        tensors = [make(2), make(1)]
        assert make(1) in tensors
        assert make(3) not in tensors
        assert tensors.index(make(1)) == 1

    def test_strings(self):
        assert bool(tf.constant("a") == "a")
        np.testing.assert_array_equal(tf.constant(["a", "b"]) == "a", [True, False])


class TestPythonNumbers:
    def test_conversions(self, make):
        assert float(make(2)) == 2.0
        assert int(make(2.7)) == 2
        assert complex(make(2.0)) == 2 + 0j
        assert bool(make(0)) is False
        assert bool(make([[1]])) is True
        assert type(float(make(2.0))) is float
        assert type(int(make(2))) is int

    def test_as_an_index(self, make):
        assert [10, 20, 30][make(1)] == 20
        assert list(range(make(3))) == [0, 1, 2]
        assert np.arange(10)[make(2) : make(4)].tolist() == [2, 3]

    def test_with_math(self, make):
        assert math.sqrt(make(4.0)) == 2.0

    @pytest.mark.parametrize("convert", [float, int, complex])
    def test_of_a_vector(self, make, convert):
        with pytest.raises(TypeError, match=r"only 0-dimensional.*got shape \(2,\)"):
            convert(make([1.0, 2.0]))
        assert convert(make([[3.0]])) == 3

    def test_of_one_element_into_an_array(self, make):
        kept = np.zeros((2, 2), np.int32)
        kept[0, 1] = make([7])
        assert kept.tolist() == [[0, 7], [0, 0]]

    def test_truth_of_a_vector(self, make):
        with pytest.raises(ValueError, match=r"more than one element is ambiguous; got shape \(2,\)"):
            bool(make([1, 2]))

    def test_truth_of_nothing(self, make):
        with pytest.raises(ValueError, match="truth value"):
            bool(make([]))

    def test_index_of_the_wrong_kind(self, make):
        with pytest.raises(TypeError, match="scalar integer tensor; got shape .*float32"):
            [10, 20][make(1.0)]
        with pytest.raises(TypeError, match=r"scalar integer tensor; got shape \(1,\)"):
            [10, 20][make([1])]


class TestIndexing:
    def test_values(self, make):
        tensor = make([[1, 2, 3], [4, 5, 6]])
        array = np.array([[1, 2, 3], [4, 5, 6]])
        for key in (0, -1, (0, 1), (slice(None), 1), (..., 0), slice(1, None), slice(None, None, -1)):
            np.testing.assert_array_equal(tensor[key], array[key])
        assert tensor[None].shape == (1, 2, 3)
        assert tensor[..., None].shape == (2, 3, 1)
        np.testing.assert_array_equal(tensor[make(1)], [4, 5, 6])
        np.testing.assert_array_equal(tensor[tensor > 2], [3, 4, 5, 6])

    @pytest.mark.parametrize("index", [3, -4])
    def test_out_of_range(self, make, index):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"slice index {index}"):
            make([1, 2, 3])[index].numpy()

    def test_too_many(self, make):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Index out of range"):
            make([1, 2, 3])[0, 0]

    @pytest.mark.parametrize("key", [1.0, "a"])
    def test_what_is_no_index(self, make, key):
        with pytest.raises(TypeError, match="Only integers, slices"):
            make([1, 2, 3])[key]

    def test_strings(self):
        tensor = tf.constant(["a", "b"])
        assert tensor[0].numpy() == b"a"
        assert [t.numpy() for t in tensor] == [b"a", b"b"]

    def test_items_cannot_be_assigned(self, make):
        with pytest.raises(TypeError, match="does not support item assignment"):
            make([1, 2])[0] = 3


class TestIteration:
    def test_rows(self, make):
        rows = list(make([[1, 2], [3, 4]]))
        assert all(isinstance(row, Tensor) for row in rows)
        np.testing.assert_array_equal(rows[1], [3, 4])

    def test_unpacking(self, make):
        a, b = make([1.0, 2.0])
        assert (float(a), float(b)) == (1.0, 2.0)

    def test_zip_and_enumerate(self, make):
        assert [(i, int(t)) for i, t in enumerate(make([5, 6]))] == [(0, 5), (1, 6)]

    def test_scalar(self, make):
        with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
            iter(make(1))
        with pytest.raises(TypeError, match="Scalar tensor has no `len"):
            len(make(1))

    def test_nothing(self, make):
        assert list(make([])) == []


class TestCopies:
    def test_copy_and_deepcopy(self, make):
        tensor = make([1.0, 2.0])
        for copied in (copy.copy(tensor), copy.deepcopy(tensor), copy.deepcopy([tensor])[0]):
            np.testing.assert_array_equal(copied, [1.0, 2.0])

    def test_pickle(self, make):
        again = pickle.loads(pickle.dumps(make([[1, 2], [3, 4]])))
        assert again.dtype is tf.int32
        np.testing.assert_array_equal(again, [[1, 2], [3, 4]])

    @pytest.mark.parametrize(
        "dtype",
        ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64"]
        + ["uint8", "uint16", "uint32", "uint64", "complex64", "complex128"],
    )
    def test_pickle_keeps_the_dtype(self, make, dtype):
        again = pickle.loads(pickle.dumps(make([0, 1], dtype)))
        assert again.dtype.name == dtype
        assert again.numpy().tolist() == [0, 1]

    def test_pickle_of_others(self):
        assert pickle.loads(pickle.dumps(tf.constant(["a"]))).numpy().tolist() == [b"a"]
        assert pickle.loads(pickle.dumps(tf.constant("a"))).numpy() == b"a"
        assert pickle.loads(pickle.dumps(tf.constant(True))).numpy() == np.True_


class TestNumpy:
    def test_kinds_of_results(self, make):
        assert isinstance(make([1.0]).numpy(), np.ndarray)
        assert isinstance(make(1.0).numpy(), np.float32)
        assert isinstance(make(True).numpy(), np.bool_)
        assert isinstance(tf.constant("a").numpy(), bytes)

    def test_the_array_is_the_callers_own(self, make):
        tensor = make([1.0, 2.0])
        array = tensor.numpy()
        array[:] = 9.0
        np.testing.assert_array_equal(tensor, [1.0, 2.0])
        view = np.asarray(tensor)
        view[:] = 9.0
        np.testing.assert_array_equal(tensor, [1.0, 2.0])
        np.testing.assert_array_equal(tensor + 0.0, [1.0, 2.0])

    def test_functions_of_numpy(self, make):
        tensor = make([[1.0, 3.0], [4.0, 2.0]])
        array = tensor.numpy()
        assert np.argmax(tensor, 1).tolist() == [1, 0]
        assert np.mean(tensor) == 2.5
        assert np.sum(tensor) == 10.0
        assert np.shape(tensor) == (2, 2)
        assert np.allclose(tensor, array)
        np.testing.assert_array_equal(np.sqrt(tensor), np.sqrt(array))
        np.testing.assert_array_equal(np.concatenate([tensor, tensor]), np.concatenate([array] * 2))
        np.testing.assert_array_equal(np.stack([tensor, tensor]), np.stack([array] * 2))
        np.testing.assert_array_equal(np.transpose(tensor), array.T)
        np.testing.assert_array_equal(np.reshape(tensor, -1), array.reshape(-1))
        np.testing.assert_array_equal(np.array([make(1.0), make(2.0)]), [1.0, 2.0])
        assert np.isnan(tensor).sum() == 0

    def test_dtype_argument(self, make):
        assert np.asarray(make([1.0]), dtype=np.float64).dtype == np.float64
        assert np.array(make([1]), np.int8).dtype == np.int8

    @pytest.mark.parametrize("other", [np.array([1.0, 2.0]), np.array([1, 2]), np.float64(2.0)])
    def test_operators_give_tensors_of_the_tensors_dtype(self, make, other):
        for result in (make([3.0, 4.0]) * other, other * make([3.0, 4.0]), other + make([3.0, 4.0])):
            assert isinstance(result, Tensor)
            assert result.dtype is tf.float32
        np.testing.assert_array_equal(other * make([3.0, 4.0]), np.float32(other) * np.float32([3, 4]))
        assert isinstance(other < make([2.0, 1.0]), Tensor)
        assert isinstance(other == make([2.0, 1.0]), Tensor)

    def test_matmul_with_an_array_on_the_left(self, make):
        result = np.array([[1.0, 2.0]], np.float32) @ make([[1.0], [2.0]])
        assert isinstance(result, Tensor)
        assert float(result[0, 0]) == 5.0

    def test_assignment_into_an_array(self, make):
        array = np.zeros((2, 2), np.float32)
        array[0] = make([1.0, 2.0])
        array[1, 1] = make(3.0)
        assert array.tolist() == [[1.0, 2.0], [0.0, 3.0]]

    def test_with_jax(self, make):
        import jax.numpy as jnp

        assert jnp.asarray(make([1.0, 2.0])).tolist() == [1.0, 2.0]


class TestIdentity:
    def test_unhashable(self, make):
        with pytest.raises(TypeError, match="unhashable. Instead, use tensor.ref"):
            hash(make(1.0))
        with pytest.raises(TypeError, match="unhashable"):
            {make(1.0): 1}

    def test_references(self, make):
        a, b = make(1.0), make(1.0)
        assert a.ref() == a.ref()
        assert a.ref() != b.ref()
        assert a.ref() != "a"
        assert {a.ref(): "x"}[a.ref()] == "x"
        assert len({a.ref(), b.ref(), a.ref()}) == 2
        assert a.ref().deref() is a
        assert "tf.Tensor" in repr(a.ref())

    def test_conversion_keeps_the_object(self, make):
        tensor = make([1.0])
        assert tf.convert_to_tensor(tensor) is tensor
        assert tf.constant(tensor) is tensor

    def test_weak_references(self, make):
        tensor = make([1.0])
        reference = weakref.ref(tensor)
        assert reference() is tensor


class TestErrors:
    def test_not_made_by_calling(self):
        with pytest.raises(TypeError, match=r"cannot be constructed directly\. Use tf\.constant\(value\)"):
            tf.Tensor([1.0])

    @pytest.mark.parametrize("name", ["op", "name", "graph"])
    def test_names_of_graphs(self, make, name):
        with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined when eager execution"):
            getattr(make(1.0), name)

    @pytest.mark.parametrize(("name", "instead"), [("astype", "tf.cast"), ("T", "tf.transpose")])
    def test_names_of_numpy(self, make, name, instead):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'.*{instead}"):
            getattr(make([1.0]), name)

    def test_other_names(self, make):
        with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'foo'"):
            make(1.0).foo  # noqa: B018
        assert not hasattr(make(1.0), "foo")

    def test_own_attributes(self, make):
        x = make(1.0)
        x.label = "x"
        assert x.label == "x"
        assert not hasattr(make(1.0), "label")

    def test_immutable(self, make):
        with pytest.raises(AttributeError):
            make(1.0).shape = (2,)


class TestJudgedByTheOp:
    """An op that fails names itself and what it got, at the call."""

    def test_shapes(self, make):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Add.*float32\[2\].*float32\[3\]"):
            make([1.0, 2.0]) + make([1.0, 2.0, 3.0])

    def test_dtypes(self, make):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"cannot compute .* input #1\(zero-based\) was expected to be a float32? tensor but is",
        ):
            make([1.0]) + make([1])

    def test_none(self, make):
        with pytest.raises(ValueError, match=r"convert a value \(None\)"):
            make([1.0]) + None


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_jax_takes_tensors_as_it_takes_numpys_arrays(make):
    value = make([1.0, 2.0])
    x = np.array([1.0, 2.0], np.float32)
    for function in (jnp.sin, jnp.sum, jax.lax.exp, jax.jit(lambda a: a * 2), jax.vmap(jnp.cos)):
        np.testing.assert_allclose(function(value), function(x))
    np.testing.assert_allclose(jax.grad(lambda a: jnp.sum(a**2))(value), 2 * x)
    np.testing.assert_allclose(jnp.where(value > 1, value, 0), [0, 2])
    np.testing.assert_allclose(jnp.stack([value, x]), [x, x])
