"""`Conv1D`, `Conv2D`, `Conv3D`: arguments, what they refuse, and what a call records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.trace import live_trace

L = tf.keras.layers
K = tf.keras


def zeros(*shape: int) -> Any:
    return tf.zeros(shape)


def test_arguments_are_in_keras_order() -> None:
    layer = L.Conv2D(4, 3, 2, "SAME", "channels_first", 1, 2, "relu", False, "ones")
    assert (layer.strides, layer.padding, layer.data_format, layer.groups) == (
        (2, 2),
        "same",
        "channels_first",
        2,
    )
    assert (layer.activation, layer.use_bias) == (tf.keras.activations.relu, False)
    assert L.Conv1D(4, 3, 1, "valid", "channels_last", 2).dilation_rate == (2,)
    assert L.Conv2D(4.0, 3).filters == 4


def test_a_sum_written_out() -> None:
    layer = L.Conv2D(1, 2, kernel_initializer="ones", bias_initializer="ones")
    x = np.arange(9, dtype="float32").reshape(1, 3, 3, 1)
    np.testing.assert_array_equal(layer(x).numpy()[0, :, :, 0], [[9, 13], [21, 25]])


def test_causal_sees_nothing_of_what_comes_after() -> None:
    layer = L.Conv1D(1, 3, padding="causal", dilation_rate=2, kernel_initializer="ones")
    x = np.zeros((1, 8, 1), "float32")
    x[0, 3] = 1
    np.testing.assert_array_equal(layer(x).numpy()[0, :, 0], [0, 0, 0, 1, 0, 1, 0, 1])


def test_sequences_have_their_channels_last_whatever_images_do() -> None:
    K.backend.set_image_data_format("channels_first")
    try:
        found = [L.Conv1D(1, 1).data_format, L.Conv2D(1, 1).data_format, L.MaxPooling1D().data_format]
        pooled = [
            L.MaxPooling2D().data_format,
            L.GlobalMaxPooling1D().data_format,
            L.UpSampling2D().data_format,
        ]
    finally:
        K.backend.set_image_data_format("channels_last")
    assert found == ["channels_last", "channels_first", "channels_last"]
    assert pooled == ["channels_first", "channels_last", "channels_first"]


def test_more_leading_axes_are_part_of_the_batch() -> None:
    layer = L.Conv2D(2, 3)
    x = np.random.default_rng(0).normal(size=(2, 3, 5, 5, 1)).astype("float32")
    found = layer(x)
    assert found.shape == layer.compute_output_shape(x.shape) == (2, 3, 3, 3, 2)
    np.testing.assert_allclose(found.numpy()[1], layer(x[1]).numpy(), rtol=1e-6)


def test_a_call_records_the_convolution_with_its_bias_and_the_activation() -> None:
    x = tf.constant(np.ones((1, 4, 4, 1), "float32"))
    for layer, names in (
        (L.Conv2D(2, 3, activation="relu"), ["Conv2D", "Relu"]),
        (L.Conv2DTranspose(2, 3), ["Conv2DBackpropInput"]),
        (L.DepthwiseConv2D(3), ["DepthwiseConv2dNative"]),
    ):
        layer.build(x.shape)
        run_pending()
        layer(x)
        assert [n.instance.op.name for n in live_trace().nodes] == names
        run_pending()


def test_an_overridden_convolution_gets_the_bias_after() -> None:
    class Doubled(L.Conv2D):
        def convolution_op(self, inputs: Any, kernel: Any) -> Any:
            return super().convolution_op(inputs, 2.0 * kernel)

    for data_format in ("channels_last", "channels_first"):
        x = np.ones((1, 2, 2, 2), "float32")
        layer = Doubled(1, 2, data_format=data_format, kernel_initializer="ones", bias_initializer="ones")
        np.testing.assert_array_equal(layer(x).numpy().ravel(), [17])


def test_sizes_may_be_unknown() -> None:
    layer = L.Conv2D(4, 3, strides=2)
    assert tuple(layer.compute_output_shape((None, None, 9, 3))) == (None, None, 4, 4)
    model = K.Sequential([K.Input((None, None, 3)), layer, L.GlobalAveragePooling2D()])
    assert model(zeros(2, 9, 7, 3)).shape == (2, 4)
    assert model(zeros(1, 5, 5, 3)).shape == (1, 4)


def test_regularizers_and_constraints() -> None:
    layer = L.Conv2D(2, 2, kernel_regularizer="l2", bias_regularizer="l1", kernel_constraint="non_neg")
    layer(zeros(1, 3, 3, 1))
    assert len(layer.losses) == 2
    assert layer.kernel.constraint is layer.kernel_constraint


_REFUSED = [
    (lambda: L.Conv2D(0, 3), r"Invalid value for argument `filters`. Expected a strictly positive value"),
    (lambda: L.Conv2D(3, 3, groups=2), r"filters must be evenly divisible .* groups=2, filters=3"),
    (
        lambda: L.Conv2D(1, (3, 3, 3)),
        r"`kernel_size` argument must be a tuple of 2 integers. Received: \(3, 3, 3\)",
    ),
    (lambda: L.Conv2D(1, None), r"`kernel_size` argument must be a tuple of 2 integers. Received: None"),
    (lambda: L.Conv2D(1, (3, "a")), r"including element a of type <class 'str'>"),
    (lambda: L.Conv2D(1, 0), r"including \{0\} that does not satisfy the requirement `> 0`"),
    (lambda: L.Conv2D(1, 3, -1), r"including \{-1\} that does not satisfy the requirement `>= 0`"),
    (lambda: L.Conv2D(1, 3, 0), r"The argument `strides` cannot contains 0\(s\). Received: \(0, 0\)"),
    (
        lambda: L.Conv2D(1, 3, padding="foo"),
        r'`padding` argument must be one of "valid", "same".*Received: foo',
    ),
    (lambda: L.Conv2D(1, 3, padding="causal"), r"Causal padding is only supported for `Conv1D`"),
    (lambda: L.Conv2D(1, 3, data_format="foo"), r'"channels_first", "channels_last". Received: foo'),
    (lambda: L.Conv2D(1, 3, 2, dilation_rate=2), r"`strides > 1` not supported in conjunction with"),
    (lambda: L.Conv2D(4, 3, groups=2)(zeros(1, 5, 5, 3)), r"groups=2, but the input has 3 channels"),
    (
        lambda: L.Conv2D(1, 3)(zeros(1, 1, 5, 1)),
        r"One of the dimensions in the output is <= 0 due to downsampling",
    ),
    (lambda: L.Conv2D(1, 3)(K.Input((4, 4, None))), r"channel dimension of the inputs should be defined"),
    (lambda: L.Conv2D(1, 3)(zeros(4, 4, 1)), r"expected min_ndim=4, found ndim=3"),
    (
        lambda: [L.Conv2D(1, 3).build((1, 4, 4, None))],
        r"The input_shape received is \(1, 4, 4, None\), where axis -1 \(0-based\)",
    ),
    (lambda: L.Conv2DTranspose(1, 3, 2, output_padding=2), r"Strides must be greater than output padding"),
    (lambda: L.Conv2DTranspose(1, 3).build((4, 4, 1)), r"Inputs should have rank 4. Received input_shape="),
    (
        lambda: L.Conv2DTranspose(1, 3)(K.Input((4, 4, None))),
        r"inputs to `Conv2DTranspose` should be defined",
    ),
    (lambda: L.DepthwiseConv2D(3).build((4, 4, 1)), r"Inputs to `DepthwiseConv` should have rank 4"),
    (lambda: L.DepthwiseConv2D(3)(K.Input((4, 4, None))), r"inputs to `DepthwiseConv` should be defined"),
    (lambda: L.SeparableConv2D(2, 3)(zeros(1, 2, 5, 1)), r"One of the dimensions in the output is <= 0"),
]


@pytest.mark.parametrize(("call", "text"), _REFUSED, ids=[t for _, t in _REFUSED])
def test_wrong_arguments_raise(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_refuses_other_channels_than_it_was_built_for() -> None:
    layer = L.Conv2D(1, 3)
    layer(zeros(1, 4, 4, 2))
    with pytest.raises(
        ValueError, match=r"expected axis -1 of input shape to have value 2, but received input with"
    ):
        layer(zeros(1, 4, 4, 3))


def test_aliases() -> None:
    assert L.Convolution2D is L.Conv2D
    assert L.Convolution2DTranspose is L.Conv2DTranspose
    assert L.SeparableConvolution2D is L.SeparableConv2D


def test_causal_separable_equals_padding_before() -> None:
    layer = L.SeparableConv1D(3, 3, padding="causal")
    x = np.random.default_rng(0).normal(size=(2, 6, 2)).astype("float32")
    found = layer(x).numpy()
    plain = L.SeparableConv1D(3, 3)
    plain.build(x.shape)
    plain.set_weights(layer.get_weights())
    padded = np.pad(x, ((0, 0), (2, 0), (0, 0)))
    np.testing.assert_allclose(found, plain(padded).numpy(), rtol=1e-5, atol=1e-6)


def test_transposed_shapes_with_unknown_sizes() -> None:
    layer = L.Conv2DTranspose(3, 3, strides=2, padding="same")
    assert tuple(layer.compute_output_shape((None, None, 4, 2))) == (None, None, 8, 3)
    valid = L.Conv1DTranspose(3, 4, strides=2, output_padding=1)
    assert tuple(valid.compute_output_shape((2, 5, 2))) == (2, 13, 3)


def test_refuses_an_output_padding_that_no_convolution_undoes() -> None:
    layer = L.Conv2DTranspose(1, 4, strides=2, padding="same", output_padding=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Conv2DTranspose expected an output_shape"):
        layer(zeros(1, 4, 4, 1))
