"""`Layer`: what happens around `call`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers


class Noting(layers.Layer):
    """Notes the `training` it is called with."""

    def __init__(self, seen: list[Any]) -> None:
        super().__init__()
        self.seen = seen

    def call(this, x: Any, training: Any = None) -> Any:  # the name of self is the user's
        this.seen.append(training)
        return x


class Around(layers.Layer):
    """Calls another layer, saying nothing of training."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def call(self, x: Any) -> Any:
        return self.inner(x)


@pytest.fixture
def x() -> Any:
    return tf.ones((2, 3))


def test_training_is_what_the_call_says_or_the_call_around_it(x: Any) -> None:
    seen: list[Any] = []
    layer = Noting(seen)
    layer(x)
    layer(x, training=True)
    layer(x, False)
    Around(layer)(x, training=True)
    Around(Around(layer))(x)
    assert seen == [None, True, False, True, None]


def test_training_of_a_default_in_call_holds_where_nobody_says(x: Any) -> None:
    class Default(layers.Layer):
        def call(self, x: Any, training: bool = True) -> Any:
            return x * (2.0 if training else 1.0)

    assert float(Default()(x)[0, 0]) == 2.0
    assert float(Around(Default())(x, training=False)[0, 0]) == 1.0
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, Default()(inputs))
    assert float(model(x, training=False)[0, 0]) == 1.0


def test_training_fixed_in_a_functional_model_stays(x: Any) -> None:
    seen: list[Any] = []
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, Noting(seen)(inputs, training=False))
    seen.clear()
    model(x, training=True)
    assert seen == [False]


def test_build_is_called_once_with_the_shape() -> None:
    shapes: list[Any] = []

    class Built(layers.Layer):
        def build(self, input_shape: Any) -> None:
            shapes.append(input_shape)

        def call(self, inputs: Any) -> Any:
            return inputs

    layer = Built()
    layer(tf.ones((2, 3)))
    layer(tf.ones((4, 3)))
    Built()([tf.ones((1, 2)), tf.ones((3,))])
    assert shapes[0].as_list() == [2, 3]
    assert [s.as_list() for s in shapes[1]] == [[1, 2], [3]]
    assert layer.built


def test_the_first_argument_may_be_named_but_not_left_out(x: Any) -> None:
    layer = layers.Dense(2)
    assert layer(inputs=x).shape == (2, 2)
    with pytest.raises(ValueError, match=r"first argument to `Dense.call` must always be passed"):
        layer()


def test_a_layer_without_super_init_says_so(x: Any) -> None:
    class Forgetful(layers.Layer):
        def __init__(self) -> None:
            pass

    class Setting(layers.Layer):
        def __init__(self) -> None:
            self.w = tf.Variable(1.0)

    with pytest.raises(
        RuntimeError, match=r"You must call `super\(\).__init__\(\)` in the layer constructor"
    ):
        Forgetful()(x)
    with pytest.raises(RuntimeError, match=r"forgot to call `super\(\).__init__\(\)`"):
        Setting()


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        layers.Layer(colour="red")


def test_weights_given_at_the_start_are_taken() -> None:
    layer = layers.Dense(2, weights=[np.ones((3, 2)), np.zeros(2)])
    np.testing.assert_array_equal(layer(tf.ones((1, 3))), [[3.0, 3.0]])


def test_activity_regularization_is_by_sample(x: Any) -> None:
    layer = layers.Dense(2, activity_regularizer="l2", kernel_initializer="ones")
    layer(x)
    [loss] = layer.losses
    assert float(loss) == pytest.approx(0.01 * 2 * 9.0)
    layer.activity_regularizer = None
    layer(x)
    assert layer.losses == []


def test_output_shapes_and_signatures_are_found_by_sketching() -> None:
    class Halves(layers.Layer):
        def call(self, inputs: Any) -> Any:
            return tf.split(inputs, 2, axis=1)

    assert [s.as_list() for s in Halves().compute_output_shape((None, 6))] == [[None, 3], [None, 3]]
    dense = layers.Dense(4, dtype="float64")
    signature = dense.compute_output_signature(tf.TensorSpec((None, 3), tf.float32))
    assert (signature.shape.as_list(), signature.dtype) == ([None, 4], tf.float64)


class TestMasks:
    """Masks travel on tensors."""

    @pytest.fixture
    def embedded(self) -> Any:
        return layers.Embedding(5, 3, mask_zero=True)(np.array([[1, 2, 0], [3, 0, 0]]))

    def test_layers_that_support_masking_pass_it_on(self, embedded: Any) -> None:
        class Passing(layers.Layer):
            def __init__(self) -> None:
                super().__init__()
                self.supports_masking = True

            def call(self, inputs: Any) -> Any:
                return inputs * 2.0

        expected = [[True, True, False], [True, False, False]]
        np.testing.assert_array_equal(Passing()(embedded)._keras_mask, expected)
        model = tf.keras.Sequential([layers.Embedding(5, 3, mask_zero=True), layers.Dense(2), Passing()])
        np.testing.assert_array_equal(model(np.array([[1, 2, 0], [3, 0, 0]]))._keras_mask, expected)

    def test_other_layers_drop_it(self, embedded: Any) -> None:
        class Dropping(layers.Layer):
            def call(self, inputs: Any) -> Any:
                return inputs + 1.0

        assert Dropping()(embedded)._keras_mask is None

    def test_a_call_that_takes_it_gets_it(self, embedded: Any) -> None:
        class Taking(layers.Layer):
            def call(self, inputs: Any, mask: Any = None) -> Any:
                return tf.reduce_sum(tf.cast(mask, tf.int32), axis=1)

        np.testing.assert_array_equal(Taking()(embedded), [2, 1])
        np.testing.assert_array_equal(Taking()(embedded, mask=tf.ones((2, 3), tf.bool)), [3, 3])

    def test_compute_mask_makes_one_for_each_output(self, embedded: Any) -> None:
        class Splitting(layers.Layer):
            def call(self, inputs: Any) -> Any:
                return inputs[:, :1], inputs[:, 1:]

            def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
                return None if mask is None else (mask[:, :1], mask[:, 1:])

        first, second = Splitting()(embedded)
        assert first._keras_mask.shape == (2, 1)
        np.testing.assert_array_equal(second._keras_mask, [[True, False], [False, False]])

    def test_a_mask_for_a_layer_without_support_is_refused(self) -> None:
        with pytest.raises(TypeError, match="does not support masking"):
            layers.Layer().compute_mask(tf.ones((2,)), tf.ones((2,), tf.bool))


def test_packages_know_the_compute_dtype_by_a_private_name() -> None:
    assert tf.keras.layers.Dense(1, dtype="mixed_float16")._compute_dtype == "float16"
