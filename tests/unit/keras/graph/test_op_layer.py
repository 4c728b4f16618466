"""tf functions on symbolic tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.graph.op_layer import ClassMethod, InstanceMethod, InstanceProperty, TFOpLambda

DATA = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.reduce_mean(x, axis=1, keepdims=True),
        lambda x: tf.concat([x, 2.0 * x], axis=-1),
        lambda x: tf.stack([x, x], 1),
        lambda x: tf.reshape(x, (-1, 2, 2)),
        lambda x: tf.reshape(x, (tf.shape(x)[0], 4, 1)),
        lambda x: tf.one_hot(tf.argmax(x, -1), 4),
        lambda x: tf.where(x > 0.0, x, tf.zeros_like(x)),
        lambda x: tf.nn.softmax(tf.matmul(x, x, transpose_b=True)),
        lambda x: tf.keras.activations.relu(x),
        lambda x: tf.split(x, 2, axis=1)[1],
        lambda x: tf.cast(x, tf.int32),
        lambda x: tf.add(1.0, y=x),
    ],
)
def test_a_function_gives_in_a_model_what_it_gives_on_tensors(function: Any) -> None:
    x = tf.keras.Input((4,))
    symbol = function(x)
    model = tf.keras.Model(x, symbol)
    expected = function(tf.constant(DATA))
    np.testing.assert_allclose(model(DATA), expected, rtol=1e-6)
    assert symbol.dtype == expected.dtype
    assert symbol.shape.is_compatible_with(expected.shape)
    if symbol.shape[0] is not None:
        assert symbol.shape[0] != 3, "the batch's size is not known"
    copy = tf.keras.Model.from_config(model.get_config())
    np.testing.assert_allclose(copy(DATA), expected, rtol=1e-6)


def test_variables_in_a_function_are_used_as_they_are() -> None:
    weight = tf.Variable([[1.0]] * 4)
    x = tf.keras.Input((4,))
    model = tf.keras.Model(x, tf.matmul(x, weight))
    weight.assign([[2.0]] * 4)
    np.testing.assert_allclose(model(tf.ones((1, 4))), [[8.0]])


def test_only_functions_of_tf_are_found_by_name() -> None:
    assert TFOpLambda("math.reduce_mean").function is tf.math.reduce_mean
    for name in ("os.system", "nn._private", "__operators__.exec", "keras"):
        with pytest.raises(ValueError, match="TFOpLambda expected the name of a tf function"):
            TFOpLambda(name)


def test_functions_of_images_are_found_again() -> None:
    inputs = tf.keras.Input((4, 4, 3))
    model = tf.keras.Model(inputs, tf.image.resize(tf.image.rgb_to_grayscale(inputs), (2, 2)))
    again = tf.keras.Model.from_config(model.get_config())
    np.testing.assert_allclose(again(np.ones((1, 4, 4, 3))), model(np.ones((1, 4, 4, 3))))
    assert model.layers[-1].name.startswith("tf.image.resize")


def test_names_of_the_first_version_are_those_of_keras() -> None:
    layer = tf.transpose(tf.keras.Input((2, 3)), [0, 2, 1]).node.layer
    assert layer.name.startswith("tf.compat.v1.transpose")
    config = {**layer.get_config(), "function": "compat.v1.transpose"}
    assert type(layer).from_config(config)(np.ones((1, 2))).shape == (2, 1)


@pytest.mark.parametrize("kind", [InstanceProperty, InstanceMethod])
@pytest.mark.parametrize("name", ["numpy", "__class__", "_values", "tofile"])
def test_a_file_names_no_other_attribute_of_a_tensor(kind: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"expected attr_name to be one of .*; got '{name}'"):
        kind.from_config({"attr_name": name})


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("tf.compat.v1.norm", lambda x: tf.norm(x, axis=-1)),
        ("tf.einsum", lambda x: tf.einsum("bi,bj->bij", x, x)),
        ("tf.nn.softmax", lambda x: tf.nn.softmax(x)),
        ("tf.nn.softmax", lambda x: tf.keras.activations.softmax(x)),
        ("tf.math.sigmoid", lambda x: tf.keras.activations.sigmoid(x)),
        ("tf.nn.log_softmax", lambda x: tf.nn.log_softmax(x)),
        ("tf.math.truediv", lambda x: tf.divide(x, x)),
        ("tf.compat.v1.boolean_mask", lambda x: tf.boolean_mask(x, [True, False, True, True], axis=1)),
        ("tf.dtypes.complex", lambda x: tf.complex(x, x)),
        ("tf.tensordot", lambda x: tf.tensordot(x, tf.ones([4, 2]), 1)),
        ("tf.compat.v1.math.scalar_mul", lambda x: tf.scalar_mul(2.0, x)),
        ("tf.compat.v1.nn.crelu", lambda x: tf.nn.crelu(x)),
        (
            "tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2",
            lambda x: tf.nn.softmax_cross_entropy_with_logits(x, x),
        ),
        ("tf.compat.v1.floor_div", lambda x: x // 2.0),
        ("tf.debugging.check_numerics", lambda x: tf.debugging.check_numerics(x, "x")),
        ("tf.keras.backend.batch_flatten", lambda x: tf.keras.backend.batch_flatten(x)),
        ("tf.meshgrid", lambda x: tf.meshgrid(x[:, 0], x[:, 1])[1]),
    ],
    ids=range(17),
)
def test_calls_are_named_as_in_keras_and_come_back_from_their_config(name: str, call: Any) -> None:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((4,))
    model = tf.keras.Model(x, call(x))
    assert model.layers[-1].name == name
    again = tf.keras.Model.from_config(model.get_config())
    data = np.arange(1, 9, dtype="float32").reshape(2, 4)
    np.testing.assert_allclose(again(data), model(data))
    assert again.layers[-1].name == name


@pytest.mark.parametrize(
    ("name", "arguments", "data"),
    [
        ("from_row_splits", [((), "float32"), ((), "int64")], [[1.0, 2.0, 3.0], [0, 1, 3]]),
        ("from_row_lengths", [((), "float32"), ((), "int64")], [[1.0, 2.0, 3.0], [1, 2]]),
        ("from_value_rowids", [((), "float32"), ((), "int64")], [[1.0, 2.0, 3.0], [0, 1, 1]]),
    ],
)
def test_ragged_tensors_are_made_of_symbols(name: str, arguments: Any, data: Any) -> None:
    symbols = [tf.keras.Input(shape, dtype=dtype) for shape, dtype in arguments]
    made = getattr(tf.RaggedTensor, name)(*symbols)
    assert made.type_spec == tf.RaggedTensorSpec([None, None], tf.float32, 1)
    model = tf.keras.Model(symbols, tf.reduce_sum(made * 2.0, axis=1))
    given = [tf.constant(d, s.dtype) for d, s in zip(data, symbols, strict=True)]
    assert model(given).numpy().tolist() == [2.0, 10.0]
    again = tf.keras.Model.from_config(model.get_config())
    assert again(given).numpy().tolist() == [2.0, 10.0]


def test_a_ragged_tensor_without_padding_comes_back_from_its_config() -> None:
    inputs = tf.keras.Input((None,))
    model = tf.keras.Model(inputs, tf.RaggedTensor.from_tensor(inputs, padding=0.0))
    config = model.get_config()
    assert config["layers"][1]["class_name"] == "ClassMethod"
    assert config["layers"][1]["config"]["method_name"] == "from_tensor"
    for one in (model, tf.keras.Model.from_config(config)):
        assert one.predict(np.array([[1.0, 0.0], [2.0, 3.0]]), verbose=0).to_list() == [[1.0], [2.0, 3.0]]


@pytest.mark.parametrize(
    ("cls_symbol", "method_name"),
    [("RaggedTensor", "to_list"), ("RaggedTensor", "__init__"), ("io.gfile.GFile", "from_tensor")],
)
def test_a_file_names_no_other_class_method(cls_symbol: str, method_name: str) -> None:
    with pytest.raises(ValueError, match="ClassMethod expected RaggedTensor and one of"):
        ClassMethod.from_config({"cls_symbol": cls_symbol, "method_name": method_name})


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (lambda x, i, c: x[: i[0]], [[1.0, 2.0, 3.0]]),
        (lambda x, i, c: x[:, i[0] :], [[2.0, 3.0], [5.0, 6.0]]),
        (lambda x, i, c: x[tf.newaxis, ..., : tf.constant(1)], [[[1.0], [4.0]]]),
        (lambda x, i, c: c[i[0]], 20.0),
        (lambda x, i, c: c[i[0] :], [20.0, 30.0]),
    ],
    ids=range(5),
)
def test_indices_that_are_symbols(index: Any, expected: Any) -> None:
    x, i = tf.keras.Input((3,)), tf.keras.Input((), dtype=tf.int32)
    model = tf.keras.Model([x, i], index(x, i, tf.constant([10.0, 20.0, 30.0])))
    data = [np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32), np.array([1, 1])]
    for one in (model, tf.keras.Model.from_config(model.get_config())):
        assert one(data).numpy().tolist() == expected


def test_sparse_functions_of_symbols() -> None:
    inputs = tf.keras.Input((3,), sparse=True)
    product = tf.sparse.sparse_dense_matmul(inputs, tf.ones((3, 2)))
    model = tf.keras.Model(inputs, [product, tf.sparse.reduce_sum(inputs, axis=1)])
    product, total = model(tf.sparse.from_dense([[1.0, 0.0, 2.0]]))
    assert product.numpy().tolist() == [[3.0, 3.0]]
    assert total.numpy().tolist() == [3.0]
