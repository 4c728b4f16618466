"""`keras.backend`: state, draws, phases, models and errors. Values are compared with Keras 2 in tests/parity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import backend as K


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    K.set_learning_phase(None)
    K.set_floatx("float32")


def test_variables() -> None:
    v = K.variable([[1, 2], [3, 4]], name="v")
    assert isinstance(v, tf.Variable)
    assert K.dtype(v) == "float32"
    assert (K.int_shape(v), K.ndim(v), K.count_params(v)) == ((2, 2), 2, 4)
    K.set_value(v, [[0, 0], [0, 1]])
    K.update_add(v, K.ones((2, 2)))
    K.update_sub(v, [[0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_array_equal(K.get_value(v), [[0.5, 0.5], [0.5, 1.5]])
    K.update(v, v * 2)
    K.batch_set_value([(v, np.zeros((2, 2)))])
    assert K.batch_get_value([v])[0].tolist() == [[0, 0], [0, 0]]
    K.moving_average_update(v, 1.0, 0.75)
    assert K.eval(v).tolist() == [[0.25, 0.25], [0.25, 0.25]]
    assert K.get_value(3) == 3


def test_floatx_is_the_default_type() -> None:
    K.set_floatx("float64")
    assert K.floatx() == "float64"
    for made in (K.zeros((2,)), K.constant(1), K.variable(1), K.random_uniform((2,)), K.eye((2, 3))):
        assert K.dtype(made) == "float64"
    assert K.cast_to_floatx([1, 2]).dtype == np.float64
    assert K.cast_to_floatx(tf.constant([1])).dtype == tf.float64


def test_draws() -> None:
    tf.random.set_seed(1)
    normal = K.random_normal((2000,), mean=3.0, stddev=0.5).numpy()
    assert abs(normal.mean() - 3) < 0.1
    assert abs(K.truncated_normal((2000,)).numpy()).max() <= 2
    uniform = K.random_uniform((500,), -1, 2).numpy()
    assert -1 <= uniform.min() < -0.8
    assert 1.8 < uniform.max() < 2
    coins = K.random_bernoulli((2000,), p=0.2).numpy()
    assert set(coins) == {0.0, 1.0}
    assert abs(coins.mean() - 0.2) < 0.05
    assert K.random_normal_variable((2, 3), 0, 1).shape == (2, 3)
    assert K.random_uniform_variable((2, 3), 0, 1, seed=3).shape == (2, 3)
    dropped = K.dropout(K.ones((1000,)), 0.4).numpy()
    assert abs((dropped == 0).mean() - 0.4) < 0.1


def test_learning_phase() -> None:
    assert K.learning_phase() == 0
    assert K.in_train_phase("train", "test") == "test"
    with K.learning_phase_scope(1):
        assert K.learning_phase() == 1
        assert K.in_train_phase(lambda: "train", "test") == "train"
        assert K.in_test_phase("test", "train") == "train"
    assert K.learning_phase() == 0
    K.set_learning_phase(1)
    K.clear_session()
    assert K.learning_phase() == 0


def test_training_may_be_a_tensor() -> None:
    chosen = K.in_train_phase(tf.constant(1.0), lambda: tf.constant(2.0), training=tf.constant(False))
    assert float(chosen) == 2.0


def test_switch_has_a_gradient() -> None:
    x = tf.Variable([1.0, -2.0])
    with tf.GradientTape() as tape:
        y = K.sum(K.switch(K.greater(x, 0), x * 3.0, lambda: x * 5.0))
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 5.0]


def test_names_begin_again() -> None:
    K.reset_uids()
    assert [K.get_uid("thing"), K.get_uid("thing"), K.get_uid("other")] == [1, 2, 1]
    K.clear_session()
    assert K.get_uid("thing") == 1


def test_loops() -> None:
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert K.map_fn(lambda row: row * 2, rows).numpy().tolist() == [[2, 4], [6, 8]]
    assert K.foldl(lambda total, row: total + row, rows).numpy().tolist() == [4, 6]
    assert K.foldr(lambda total, row: total - row, rows).numpy().tolist() == [2, 2]


def test_small_things(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.constant([1.0, 2.0])
    assert K.backend() == "tensorflow"
    assert not K.is_sparse(x)
    assert K.to_dense(x) is x
    sparse = tf.sparse.from_dense([[0.0, 2.0]])
    assert K.is_sparse(sparse)
    assert K.is_sparse(tf.keras.Input((3,), sparse=True))
    assert K.to_dense(sparse).numpy().tolist() == [[0.0, 2.0]]
    assert K.image_data_format() == "channels_last"
    assert K.print_tensor(x, "here") is x
    assert len(K.stop_gradient([x, x])) == 2
    assert float(K.logsumexp(x)) == pytest.approx(np.log(np.exp([1, 2]).sum()))
    assert K.resize_volumes(tf.ones((1, 2, 2, 2, 1)), 2, 3, 1, "channels_last").shape == (1, 4, 6, 2, 1)
    assert K.pool3d(tf.ones((1, 4, 4, 4, 2)), (2, 2, 2), (2, 2, 2)).shape == (1, 2, 2, 2, 2)
    assert K.spatial_3d_padding(tf.ones((1, 2, 2, 2, 1))).shape == (1, 4, 4, 4, 1)
    with K.name_scope("scope"):
        pass


def test_symbolic_tensors() -> None:
    x = tf.keras.Input((4, 3))
    assert K.int_shape(x) == (None, 4, 3)
    assert K.is_keras_tensor(x)
    assert not K.is_keras_tensor(tf.constant(1.0))
    flat = K.batch_flatten(x)
    assert K.int_shape(flat) == (None, 12)
    product = K.batch_dot(x, x, axes=2)
    assert K.int_shape(product) == (None, 4, 4)
    assert K.int_shape(K.placeholder((None, 5))) == (None, 5)
    assert K.int_shape(K.placeholder(ndim=2)) == (None, None)
    value = np.arange(24.0).reshape(2, 4, 3).astype("float32")
    both = K.function([x], [flat, K.sum(product, axis=-1)])([value])
    np.testing.assert_array_equal(both[0], value.reshape(2, 12))
    np.testing.assert_allclose(both[1], (value @ value.transpose(0, 2, 1)).sum(-1))
    assert K.function(x, flat)(value).shape == K.function([x], [flat])(value)[0].shape == (2, 12)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: K.batch_dot(tf.ones(2), tf.ones((2, 2))), ValueError, "batch_dot on inputs with rank < 2"),
        (
            lambda: K.batch_dot(tf.ones((2, 3)), tf.ones((3, 3))),
            ValueError,
            "different batch sizes. Received",
        ),
        (
            lambda: K.batch_dot(tf.ones((2, 3)), tf.ones((2, 3)), 0),
            ValueError,
            "Cannot perform batch_dot over axis 0",
        ),
        (
            lambda: K.batch_dot(tf.ones((2, 3)), tf.ones((2, 4)), 1),
            ValueError,
            r"with axes=\[1, 1\]. x.shape\[1\] != y.shape\[1\] \(3 != 4\)",
        ),
        (
            lambda: K.batch_dot(tf.ones((2, 3)), tf.ones((2, 4)), ([1], 1)),
            ValueError,
            "Multiple target dimensions are not supported",
        ),
        (
            lambda: K.switch([[True]], tf.ones(1), tf.ones(1)),
            ValueError,
            "Rank of `condition` should be less than",
        ),
        (lambda: K.repeat(tf.ones(3), 2), ValueError, r"K.repeat expected a matrix; got x of shape \(3,\)"),
        (
            lambda: K.resize_images(tf.ones((1, 2, 2, 1)), 2, 2, None, "cubic"),
            ValueError,
            "expected interpolation 'nearest' or 'bilinear'; got interpolation='cubic'",
        ),
        (
            lambda: K.conv2d(tf.ones((1, 2, 2, 1)), tf.ones((1, 1, 1, 1)), padding="x"),
            ValueError,
            "Invalid padding: x",
        ),
        (
            lambda: K.pool2d(tf.ones((1, 2, 2, 1)), (1, 1), pool_mode="x"),
            ValueError,
            "Invalid pooling mode: x",
        ),
        (
            lambda: K.bias_add(tf.ones((2, 3, 4, 5)), tf.ones((2, 3))),
            ValueError,
            "Unexpected bias dimensions 2, expect",
        ),
        (lambda: K.is_keras_tensor(3), ValueError, "Expected a symbolic tensor instance"),
        (lambda: K.gradients(1, 2), RuntimeError, "Use tf.GradientTape instead"),
        (lambda: K.function([], [], updates=[1]), ValueError, "there is no session. Received: updates="),
    ],
)
def test_wrong_arguments_and_absent_sessions_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_rnn_takes_variables_and_arrays() -> None:
    """`K.zeros` and `K.ones` are Variables."""

    def step(x: Any, states: Any) -> Any:
        return x + states[0], [x + states[0]]

    last, outputs, states = K.rnn(step, K.ones((1, 3, 2)), [K.zeros((1, 2))])
    assert outputs.numpy().tolist() == [[[1, 1], [2, 2], [3, 3]]]
    assert last.numpy().tolist() == states[0].numpy().tolist() == [[3, 3]]
    assert K.rnn(step, np.ones((1, 2, 1), "float32"), [np.ones((1, 1), "float32")])[0].numpy() == 3


def test_random_layers_always_have_generators() -> None:
    tf.keras.backend.experimental.enable_tf_random_generator()
    assert tf.keras.backend.experimental.is_tf_random_generator_enabled()


def test_sparse_tensors() -> None:
    sparse = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    assert K.is_sparse(sparse)
    assert K.to_dense(sparse).numpy().tolist() == [[1.0, 0.0], [0.0, 2.0]]
    symbol = tf.keras.Input((2,), sparse=True)
    assert K.is_sparse(symbol)
    dense = K.to_dense(symbol)
    assert not K.is_sparse(dense)
    assert tf.keras.Model(symbol, dense)(sparse).numpy().tolist() == [[1.0, 0.0], [0.0, 2.0]]
