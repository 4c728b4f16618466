"""The layers that the contract suite looks at: append a `Case` for each layer, and for each way it behaves.

    Case("dense", lambda: tf.keras.layers.Dense(3, activation="relu"), lambda: normal(4, 5)),

`make_layer` makes a fresh layer (give random ones a seed), `make_inputs` what it is called with: an array, or
a list of them. Shapes are small: every case compiles a handful of programs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tapeflow as tf

L = tf.keras.layers


@dataclass(frozen=True)
class Case:
    """One layer, how to make it, and what does not hold for it."""

    name: str
    make_layer: Callable[[], Any]
    make_inputs: Callable[[], Any]
    # In training it draws random numbers: the same result is not expected twice.
    is_random: bool = False
    # Whether the inputs have a gradient at all (integers have none).
    has_input_gradient: bool = True
    # The weights by name, trainable ones first, without the layer's; None leaves them unchecked.
    weights: list[str] | None = None
    # Where the output's dtype under a mixed policy is not the compute dtype.
    keeps_input_dtype: bool = False


def normal(*shape: int) -> np.ndarray:
    """Normal numbers, the same every time."""
    return np.random.default_rng(7).normal(size=shape).astype("float32")


def integers(high: int, *shape: int) -> np.ndarray:
    """Integers below `high`, the same every time."""
    return np.random.default_rng(7).integers(0, high, shape).astype("int32")


_RECURRENT = ("kernel", "recurrent_kernel", "bias")

CASES: list[Case] = [
    Case("dense", lambda: L.Dense(3, activation="tanh"), lambda: normal(4, 5), weights=["kernel", "bias"]),
    Case(
        "conv_lstm2d",
        lambda: L.ConvLSTM2D(2, 2, return_sequences=True),
        lambda: normal(2, 3, 4, 3, 1),
        weights=["kernel", "recurrent_kernel", "bias"],
    ),
    Case("conv_lstm1d", lambda: L.ConvLSTM1D(2, 2, strides=2), lambda: normal(2, 3, 6, 1)),
    Case(
        "locally_connected1d",
        lambda: L.LocallyConnected1D(2, 2, strides=2, activation="tanh"),
        lambda: normal(2, 5, 3),
        weights=["kernel", "bias"],
    ),
    Case("identity", L.Identity, lambda: normal(4, 5)),
    Case("random_crop", lambda: L.RandomCrop(2, 3, seed=1), lambda: normal(2, 4, 5, 1), is_random=True),
    Case("dense_no_bias", lambda: L.Dense(3, use_bias=False), lambda: normal(2, 3, 5), weights=["kernel"]),
    Case(
        "embedding",
        lambda: L.Embedding(10, 4),
        lambda: integers(10, 3, 5),
        has_input_gradient=False,
        weights=["embeddings"],
    ),
    Case("activation", lambda: L.Activation("tanh"), lambda: normal(3, 4)),
    Case("lambda", lambda: L.Lambda(_scaled, arguments={"by": 3.0}), lambda: normal(3, 4)),
    Case("flatten", lambda: L.Flatten(), lambda: normal(2, 3, 4)),
    Case("flatten_first", lambda: L.Flatten("channels_first"), lambda: normal(2, 3, 4, 2)),
    Case("reshape", lambda: L.Reshape((-1, 2)), lambda: normal(2, 3, 4)),
    Case("permute", lambda: L.Permute((2, 1)), lambda: normal(2, 3, 4)),
    Case("repeat_vector", lambda: L.RepeatVector(3), lambda: normal(2, 4)),
    Case("dropout", lambda: L.Dropout(0.5, seed=1), lambda: normal(4, 5), is_random=True),
    Case(
        "spatial_dropout1d", lambda: L.SpatialDropout1D(0.5, seed=1), lambda: normal(2, 3, 4), is_random=True
    ),
    Case(
        "spatial_dropout2d",
        lambda: L.SpatialDropout2D(0.5, seed=1),
        lambda: normal(2, 3, 3, 4),
        is_random=True,
    ),
    Case(
        "batch_normalization",
        lambda: L.BatchNormalization(),
        lambda: normal(6, 3),
        weights=["gamma", "beta", "moving_mean", "moving_variance"],
    ),
    Case(
        "batch_normalization_images",
        lambda: L.BatchNormalization(axis=1, scale=False),
        lambda: normal(2, 3, 4, 4),
        weights=["beta", "moving_mean", "moving_variance"],
    ),
    Case("masking", lambda: L.Masking(), lambda: normal(2, 3, 4)),
    Case("cropping1d", lambda: L.Cropping1D((1, 0)), lambda: normal(2, 4, 3)),
    Case("cropping2d", lambda: L.Cropping2D(((1, 0), (0, 2)), "channels_first"), lambda: normal(2, 3, 4, 4)),
    Case("cropping3d", lambda: L.Cropping3D(1), lambda: normal(2, 3, 3, 4, 2)),
    Case("activity_regularization", lambda: L.ActivityRegularization(0.1, 0.2), lambda: normal(3, 4)),
    Case(
        "einsum_dense",
        lambda: L.EinsumDense("abc,cd->abd", (None, 5), activation="tanh", bias_axes="d"),
        lambda: normal(2, 3, 4),
        weights=["kernel", "bias"],
    ),
    Case("relu", lambda: L.ReLU(1.0, 0.1, 0.2), lambda: normal(3, 4)),
    Case("leaky_relu", lambda: L.LeakyReLU(), lambda: normal(3, 4)),
    Case("prelu", lambda: L.PReLU(shared_axes=[1]), lambda: normal(2, 3, 4), weights=["alpha"]),
    Case("elu", lambda: L.ELU(0.5), lambda: normal(3, 4)),
    Case("thresholded_relu", lambda: L.ThresholdedReLU(0.5), lambda: normal(3, 4)),
    Case("softmax", lambda: L.Softmax(), lambda: normal(3, 4)),
    Case("softmax_axes", lambda: L.Softmax(axis=[1, 2]), lambda: normal(2, 3, 4)),
    *[
        Case(name, make, lambda: [normal(2, 3, 4), 2 * normal(2, 3, 4) + 0.1])
        for name, make in {
            "add": lambda: L.Add(),
            "subtract": lambda: L.Subtract(),
            "multiply": lambda: L.Multiply(),
            "average": lambda: L.Average(),
            "maximum": lambda: L.Maximum(),
            "minimum": lambda: L.Minimum(),
            "concatenate": lambda: L.Concatenate(axis=1),
            "dot": lambda: L.Dot(axes=(1, 1), normalize=True),
        }.items()
    ],
    Case("add_of_ranks", lambda: L.Add(), lambda: [normal(2, 4), normal(2, 3, 4)]),
    Case("gaussian_noise", lambda: L.GaussianNoise(0.5, seed=1), lambda: normal(4, 5), is_random=True),
    Case("gaussian_dropout", lambda: L.GaussianDropout(0.5, seed=1), lambda: normal(4, 5), is_random=True),
    Case("alpha_dropout", lambda: L.AlphaDropout(0.5, seed=1), lambda: normal(4, 5), is_random=True),
    Case(
        "layer_normalization",
        lambda: L.LayerNormalization(axis=[1, 2]),
        lambda: normal(2, 3, 4),
        weights=["gamma", "beta"],
    ),
    Case("rescaling", lambda: L.Rescaling(0.5, offset=1.0), lambda: normal(2, 3)),
    Case(
        "rescaling_integers", lambda: L.Rescaling(0.5), lambda: integers(255, 2, 3), has_input_gradient=False
    ),
    Case(
        "normalization",
        lambda: L.Normalization(),
        lambda: normal(2, 3),
        weights=["mean", "variance", "count"],
    ),
    Case("normalization_given", lambda: L.Normalization(mean=1.0, variance=4.0), lambda: normal(2, 3)),
    Case("center_crop", lambda: L.CenterCrop(2, 3), lambda: normal(2, 4, 4, 2)),
    Case("resizing", lambda: L.Resizing(3, 6), lambda: normal(2, 4, 4, 2)),
    *[
        Case(name, make, lambda: 50 * normal(4, 4, 4, 2), is_random=True)
        for name, make in {
            "random_flip": lambda: L.RandomFlip(seed=1),
            "random_rotation": lambda: L.RandomRotation(0.2, seed=1),
            "random_zoom": lambda: L.RandomZoom(0.2, 0.3, seed=1),
            "random_translation": lambda: L.RandomTranslation(0.2, 0.3, seed=1),
            "random_contrast": lambda: L.RandomContrast(0.4, seed=1),
            "random_brightness": lambda: L.RandomBrightness(0.2, seed=1),
        }.items()
    ],
    Case("unit_normalization", lambda: L.UnitNormalization(), lambda: normal(3, 4)),
    Case(
        "group_normalization",
        lambda: L.GroupNormalization(2),
        lambda: normal(2, 3, 4),
        weights=["gamma", "beta"],
    ),
    Case(
        "simple_rnn",
        lambda: L.SimpleRNN(3),
        lambda: normal(2, 4, 5),
        weights=[f"simple_rnn_cell/{name}" for name in _RECURRENT],
    ),
    Case("lstm", lambda: L.LSTM(3), lambda: normal(2, 4, 5), weights=[f"lstm_cell/{n}" for n in _RECURRENT]),
    Case(
        "lstm_states",
        lambda: L.LSTM(3, return_sequences=True, return_state=True, go_backwards=True),
        lambda: normal(2, 4, 5),
    ),
    Case(
        "lstm_dropout",
        lambda: L.LSTM(3, dropout=0.3, recurrent_dropout=0.3, seed=1),
        lambda: normal(4, 3, 5),
        is_random=True,
    ),
    Case("lstm_stepped", lambda: L.LSTM(3, activation="softsign"), lambda: normal(2, 4, 5)),
    Case("gru", lambda: L.GRU(3, return_sequences=True), lambda: normal(2, 4, 5)),
    Case("gru_reset_before", lambda: L.GRU(3, reset_after=False), lambda: normal(2, 4, 5)),
    Case("rnn_stacked", lambda: L.RNN([L.LSTMCell(3), L.GRUCell(2)]), lambda: normal(2, 4, 5)),
    Case("bidirectional", lambda: L.Bidirectional(L.GRU(3, return_state=True)), lambda: normal(2, 4, 5)),
    Case("time_distributed", lambda: L.TimeDistributed(L.Dense(3)), lambda: normal(2, 4, 5)),
    Case("attention", lambda: L.Attention(use_scale=True), lambda: [normal(2, 3, 4), normal(2, 5, 4)]),
    Case("additive_attention", lambda: L.AdditiveAttention(), lambda: [normal(2, 3, 4), normal(2, 5, 4)]),
    Case("conv1d_causal", lambda: L.Conv1D(3, 2, padding="causal"), lambda: normal(2, 5, 3)),
    Case(
        "conv2d",
        lambda: L.Conv2D(4, 3, strides=2, padding="same", activation="tanh"),
        lambda: normal(2, 5, 4, 3),
        weights=["kernel", "bias"],
    ),
    Case(
        "conv2d_first",
        lambda: L.Conv2D(4, 2, groups=2, use_bias=False, data_format="channels_first"),
        lambda: normal(2, 4, 4, 3),
        weights=["kernel"],
    ),
    Case("conv3d", lambda: L.Conv3D(2, 2), lambda: normal(1, 3, 3, 3, 2), weights=["kernel", "bias"]),
    Case("conv1d_transpose", lambda: L.Conv1DTranspose(3, 2, 2), lambda: normal(2, 4, 2)),
    Case(
        "conv2d_transpose",
        lambda: L.Conv2DTranspose(3, 3, 2, padding="same", output_padding=1),
        lambda: normal(2, 3, 4, 2),
        weights=["kernel", "bias"],
    ),
    Case(
        "depthwise_conv2d",
        lambda: L.DepthwiseConv2D(2, depth_multiplier=2),
        lambda: normal(2, 4, 4, 2),
        weights=["depthwise_kernel", "bias"],
    ),
    Case(
        "separable_conv2d",
        lambda: L.SeparableConv2D(3, 2),
        lambda: normal(2, 4, 4, 2),
        weights=["depthwise_kernel", "pointwise_kernel", "bias"],
    ),
    Case("max_pooling1d", lambda: L.MaxPooling1D(), lambda: normal(2, 5, 3)),
    Case("max_pooling2d", lambda: L.MaxPooling2D(2, 1, "same", "channels_first"), lambda: normal(2, 3, 4, 4)),
    Case("average_pooling2d", lambda: L.AveragePooling2D((2, 3), padding="same"), lambda: normal(2, 5, 4, 3)),
    Case("global_max_pooling2d", lambda: L.GlobalMaxPooling2D(), lambda: normal(2, 3, 4, 3)),
    Case(
        "global_average_pooling1d", lambda: L.GlobalAveragePooling1D(keepdims=True), lambda: normal(2, 5, 3)
    ),
    Case("up_sampling2d", lambda: L.UpSampling2D((2, 3)), lambda: normal(2, 2, 3, 2)),
    Case("up_sampling2d_bilinear", lambda: L.UpSampling2D(2, None, "bilinear"), lambda: normal(2, 2, 3, 2)),
    Case("zero_padding2d", lambda: L.ZeroPadding2D(((1, 0), (2, 1))), lambda: normal(2, 3, 2, 2)),
]


def _scaled(x: Any, by: float) -> Any:
    return x * by
