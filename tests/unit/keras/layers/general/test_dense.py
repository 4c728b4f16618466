"""`Dense`."""

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

Dense = tf.keras.layers.Dense


def test_the_last_axis_is_projected_whatever_the_rank() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")
    dense = Dense(5, activation="relu", bias_initializer="ones")
    expected = np.maximum(np.einsum("abc,cd->abd", x, dense(x) is not None and dense.kernel.numpy()) + 1, 0)
    np.testing.assert_allclose(dense(x), expected, rtol=1e-5, atol=1e-6)
    assert dense.compute_output_shape((None, None, 4)).as_list() == [None, None, 5]


def test_integers_are_cast() -> None:
    dense = Dense(1, kernel_initializer="ones")
    np.testing.assert_array_equal(dense(np.array([[1, 2]], "uint8")), [[3.0]])
    deferred = tf.keras.Sequential([tf.keras.layers.Flatten(), Dense(1, kernel_initializer="ones")])
    np.testing.assert_array_equal(deferred(np.ones((1, 2, 2), "int64")), [[4.0]])


def test_without_a_bias_there_is_one_weight() -> None:
    dense = Dense(2, use_bias=False, kernel_constraint="non_neg", kernel_regularizer="l1")
    dense.build((None, 3))
    assert [w.name for w in dense.weights] == ["kernel:0"]
    assert dense.bias is None
    assert len(dense.losses) == 1
    assert dense.kernel.constraint is not None


def test_bad_arguments_and_inputs_are_refused() -> None:
    with pytest.raises(
        ValueError, match="Received an invalid value for `units`, expected a positive integer"
    ):
        Dense(-1)
    with pytest.raises(
        ValueError, match="The last dimension of the inputs to a Dense layer should be defined"
    ):
        Dense(1)(tf.keras.Input((None,)))
    with pytest.raises(ValueError, match="expected min_ndim=2, found ndim=1"):
        Dense(1)(tf.ones(3))
    dense = Dense(1)
    dense(tf.ones((1, 3)))
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 3"):
        dense(tf.ones((1, 4)))


def test_an_activation_may_be_taken_away() -> None:
    dense = Dense(1, activation="sigmoid", kernel_initializer="ones")
    dense.activation = None
    np.testing.assert_array_equal(dense([[1.0, 2.0]]), [[3.0]])
    assert dense.get_config()["activation"] in (None, "linear")


def test_a_subclass_may_have_a_bias_of_its_own() -> None:
    class Noisy(tf.keras.layers.Dense):
        def build(self, input_shape: Any) -> None:
            self.mean = self.add_weight("mean", [input_shape[-1], self.units], initializer="ones")
            self.built = True

        @property
        def kernel(self) -> Any:
            return self.mean

        @property
        def bias(self) -> Any:
            return 2.0 * tf.ones([self.units])

    np.testing.assert_allclose(Noisy(3)(tf.ones([1, 2])), [[4.0, 4.0, 4.0]])
