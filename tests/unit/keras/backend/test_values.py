"""Variables, constants, draws and types of `keras.backend`."""

from __future__ import annotations

import numpy as np

import tapeflow as tf
from tapeflow.keras import backend as K


def test_variables_are_read_and_updated() -> None:
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


def test_draws_have_their_moments() -> None:
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


def test_sparse_tensors() -> None:
    sparse = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    assert K.is_sparse(sparse)
    assert K.to_dense(sparse).numpy().tolist() == [[1.0, 0.0], [0.0, 2.0]]
    symbol = tf.keras.Input((2,), sparse=True)
    assert K.is_sparse(symbol)
    dense = K.to_dense(symbol)
    assert not K.is_sparse(dense)
    assert tf.keras.Model(symbol, dense)(sparse).numpy().tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_values_pass_through() -> None:
    x = tf.constant([1.0, 2.0])
    assert K.print_tensor(x, "here") is x
    assert len(K.stop_gradient([x, x])) == 2
    with K.name_scope("scope"):
        assert K.dtype(x) == "float32"


def test_dense_tensors_stay_dense() -> None:
    x = tf.constant([1.0, 2.0])
    assert not K.is_sparse(x)
    assert K.to_dense(x) is x
    sparse = tf.sparse.from_dense([[0.0, 2.0]])
    assert K.is_sparse(sparse)
    assert K.is_sparse(tf.keras.Input((3,), sparse=True))
    assert K.to_dense(sparse).numpy().tolist() == [[0.0, 2.0]]
