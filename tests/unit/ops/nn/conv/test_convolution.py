"""`tf.nn` convolutions: arguments as TensorFlow takes them, values, gradients, and what they refuse.

The values were computed with TensorFlow 2.21; `test_conv_kernel.py` compares with sums written out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math.elementwise import sin
from tapeflow.ops.math.reduction import reduce_sum
from tapeflow.ops.nn.conv import convolution as conv

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 6, 5, 4)).astype(np.float32)
W = RNG.normal(size=(3, 3, 4, 5)).astype(np.float32)
ONES, FILTERS = np.ones((1, 6, 6, 1), np.float32), np.ones((3, 3, 1, 1), np.float32)
SEQUENCE, TAPS = np.arange(6.0, dtype=np.float32).reshape(1, 6, 1), np.ones((3, 1, 1), np.float32)


def close(found: Any, expected: Any, rtol: float = 1e-5) -> None:
    expected = np.asarray(expected)
    assert tuple(found.shape) == expected.shape
    np.testing.assert_allclose(np.asarray(found.numpy(), "f8"), expected, rtol=rtol, atol=rtol)


def test_same_padding_puts_the_odd_cell_at_the_end() -> None:
    expected = [[9, 9, 6], [9, 9, 6], [6, 6, 4]]
    close(conv.conv2d(ONES, FILTERS, 2, "SAME")[0, :, :, 0], expected)


def test_explicit_padding() -> None:
    found = conv.conv2d(ONES, FILTERS, 3, [[0, 0], [1, 2], [2, 0], [0, 0]])
    close(found[0, :, :, 0], [[2, 6], [3, 9], [1, 3]][:3])


@pytest.mark.parametrize("strides", [2, [2], [2, 2], [1, 2, 2, 1], (2, 2), np.array([2, 2])])
def test_ways_to_say_strides(strides: Any) -> None:
    close(conv.conv2d(X, W, strides, "SAME"), conv.conv2d(X, W, 1, "SAME")[:, 1::2, ::2].numpy())


@pytest.mark.parametrize("dilations", [2, [2], [2, 2], [1, 2, 2, 1]])
def test_dilations_spread_the_filter(dilations: Any) -> None:
    spread = np.zeros((5, 5, 4, 5), np.float32)
    spread[::2, ::2] = W
    found = conv.conv2d(X, W, 1, "SAME", dilations=dilations)
    close(found, conv.conv2d(X, spread, 1, "SAME").numpy())
    close(conv.atrous_conv2d(X, W, 2, "SAME"), found.numpy())


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [0, 1], [2, 0], [0, 0]]])
def test_channels_first(padding: Any) -> None:
    found = conv.conv2d(X, W, [2, 1], padding)
    if not isinstance(padding, str):
        padding = [padding[i] for i in (0, 3, 1, 2)]
    first = conv.conv2d(X.transpose(0, 3, 1, 2), W, [1, 1, 2, 1], padding, data_format="NCHW")
    close(first, found.numpy().transpose(0, 3, 1, 2))


def test_leading_axes_are_part_of_the_batch() -> None:
    stacked = np.stack([X, 2 * X, 3 * X])
    one = conv.conv2d(X, W, 1, "VALID").numpy()
    close(conv.conv2d(stacked, W, 1, "VALID"), [one, 2 * one, 3 * one])
    assert conv.conv2d(stacked[:0], W, 1, "VALID").shape.as_list() == [0, 2, 4, 3, 5]


def test_groups() -> None:
    w = RNG.normal(size=(3, 3, 2, 6)).astype(np.float32)
    halves = [
        conv.conv2d(X[..., 2 * g : 2 * g + 2], w[..., 3 * g : 3 * g + 3], 1, "SAME").numpy() for g in range(2)
    ]
    close(conv.conv2d(X, w, 1, "SAME"), np.concatenate(halves, -1))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int32"])
def test_dtypes_are_kept(dtype: str) -> None:
    x, w = constant(np.round(X * 3), dtype), constant(np.round(W * 3), dtype)
    found = conv.conv2d(x, w, 1, "SAME")
    assert found.dtype.name == dtype
    exact = conv.conv2d(np.round(X * 3), np.round(W * 3), 1, "SAME").numpy()
    close(found, exact, rtol=1e-2 if dtype == "bfloat16" else 1e-6)


def test_lists_and_empty_batches() -> None:
    close(conv.conv2d(ONES.tolist(), FILTERS.tolist(), 1, "VALID"), np.full((1, 4, 4, 1), 9))
    assert conv.conv2d(X[:0], W, 1, "SAME").shape.as_list() == [0, 6, 5, 5]
    assert conv.conv2d(X[:, :2], W, 1, "VALID").shape.as_list() == [2, 0, 3, 5]


def test_conv1d() -> None:
    close(conv.conv1d(SEQUENCE, TAPS, 1, "SAME")[0, :, 0], [1, 3, 6, 9, 12, 9])
    close(conv.conv1d(SEQUENCE, TAPS, [1, 2, 1], "VALID")[0, :, 0], [3, 9])
    close(conv.conv1d(SEQUENCE, TAPS, 1, "VALID", dilations=2)[0, :, 0], [6, 9])
    first = conv.conv1d(SEQUENCE.transpose(0, 2, 1), TAPS, 2, "SAME", data_format="NCW")
    close(first[0, 0], conv.conv1d(SEQUENCE, TAPS, 2, "SAME", data_format="NHWC").numpy()[0, :, 0])


def test_convolution_goes_by_the_rank_of_the_filters() -> None:
    close(conv.convolution(X, W), conv.conv2d(X, W, 1, "VALID").numpy())
    found = conv.convolution(X, W, 2, "SAME", dilations=1)
    close(found, conv.conv2d(X, W, 2, "SAME").numpy())
    close(conv.convolution(SEQUENCE, TAPS)[0, :, 0], [3, 6, 9, 12])


@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise_is_one_convolution_a_channel(multiplier: int) -> None:
    w = RNG.normal(size=(3, 3, 4, multiplier)).astype(np.float32)
    each = [conv.conv2d(X[..., c : c + 1], w[:, :, c : c + 1], 2, "SAME").numpy() for c in range(4)]
    found = conv.depthwise_conv2d(X, w, [1, 2, 2, 1], "SAME")
    close(found, np.concatenate(each, -1))
    first = conv.depthwise_conv2d(X.transpose(0, 3, 1, 2), w, [1, 1, 2, 2], "SAME", data_format="NCHW")
    close(first, found.numpy().transpose(0, 3, 1, 2))


def test_separable_is_depthwise_then_pointwise() -> None:
    w = RNG.normal(size=(3, 3, 4, 2)).astype(np.float32)
    mix = RNG.normal(size=(1, 1, 8, 3)).astype(np.float32)
    parted = conv.depthwise_conv2d(X, w, [1, 1, 1, 1], "VALID")
    found = conv.separable_conv2d(X, w, mix, [1, 1, 1, 1], "VALID")
    close(found, parted.numpy() @ mix[0, 0], rtol=1e-4)


def test_gradients_to_third_order_under_nested_tapes() -> None:
    x, w = constant(X[:1, :4, :4, :2].astype(np.float64)), constant(W[..., :2, :2].astype("f8"))

    def third(x: Any, w: Any) -> list[Any]:
        with GradientTape() as outer:
            outer.watch([x, w])
            with GradientTape() as middle:
                middle.watch([x, w])
                with GradientTape() as inner:
                    inner.watch([x, w])
                    score = reduce_sum(sin(conv.conv2d(x, w, 1, "SAME")))
                first = inner.gradient(score, [x, w])
                score = reduce_sum(first[0] ** 2) + reduce_sum(first[1] ** 2)
            second = middle.gradient(score, [x, w])
            score = reduce_sum(second[0] ** 2) + reduce_sum(sin(second[1]))
        return [score, *outer.gradient(score, [x, w])]

    score, *gradients = third(x, w)
    for place, gradient in enumerate(gradients):
        step = RNG.normal(size=gradient.shape.as_list()) * 1e-6
        ends = [
            float(third(*[a + sign * step if i == place else a for i, a in enumerate((x, w))])[0])
            for sign in (1, -1)
        ]
        slope = float(np.sum(gradient.numpy() * step))
        assert (ends[0] - ends[1]) / 2 == pytest.approx(slope, rel=1e-4)
    assert np.isfinite(float(score))


def test_integers_carry_no_gradient() -> None:
    x, w = constant(np.round(X), "int32"), constant(np.round(W), "int32")
    with GradientTape() as tape:
        with pytest.warns(UserWarning, match="must be floating"):
            tape.watch([x, w])
        y = conv.conv2d(x, w, 1, "SAME")
    assert tape.gradient(y, [x, w]) == [None, None]


REFUSED: list[tuple[Any, Any, str]] = [
    (
        lambda: conv.conv2d(X[0], W, 1, "SAME"),
        errors.InvalidArgumentError,
        r"tf.nn.conv2d expected input of rank 4 or more.* got input of shape \[6, 5, 4\]. .*NHWC",
    ),
    (
        lambda: conv.conv2d(X, W[0], 1, "SAME"),
        errors.InvalidArgumentError,
        r"expected filters of rank 4: filter must be 4-dimensional; got filters of shape \[3, 4, 5\]",
    ),
    (
        lambda: conv.conv2d(X, W[:, :, :3], 1, "SAME"),
        errors.InvalidArgumentError,
        r"multiple of the channels of filters; got 4 channels for 3 \(input of shape \[2, 6, 5, 4\]",
    ),
    (
        lambda: conv.conv2d(X[..., :0], W[:, :, :0], 1, "SAME"),
        errors.InvalidArgumentError,
        "got 0 channels for 0",
    ),
    (
        lambda: conv.conv2d(X, W[:, :, :2], 1, "SAME"),
        errors.InvalidArgumentError,
        "as can be split into 2 groups; got 5 outputs",
    ),
    (
        lambda: conv.conv2d(X, W, 1, "same"),
        errors.InvalidArgumentError,
        "expected padding to be 'SAME' or 'VALID'; got padding='same'. .* use 'SAME'",
    ),
    (
        lambda: conv.conv2d(X, W, 1, "FULL"),
        errors.InvalidArgumentError,
        "got padding='FULL'. Pad with tf.pad",
    ),
    (lambda: conv.conv2d(X, W, 1, "EXPLICIT"), ValueError, "a list of pairs; got padding='EXPLICIT'"),
    (lambda: conv.conv2d(X, W, 1, None), TypeError, "or a list of pairs; got padding=None"),
    (
        lambda: conv.conv2d(X, W, 1, [[1, 1], [2, 0]]),
        ValueError,
        r"explicit padding as 4 pairs, one an axis of NHWC; got .* \(shape \[2, 2\]\)",
    ),
    (
        lambda: conv.conv2d(X, W, 1, [[1, 0], [1, 1], [2, 0], [0, 0]]),
        errors.InvalidArgumentError,
        "expected no padding of the batch and the channels",
    ),
    (
        lambda: conv.conv2d(X, W, 1, [[0, 0], [-1, 1], [2, 0], [0, 0]]),
        errors.InvalidArgumentError,
        "expected padding of at least 0",
    ),
    (
        lambda: conv.conv2d(X, W, [1, 2, 1], "SAME"),
        ValueError,
        r"strides of length 1, 2 or 4; got strides=\[1, 2, 1\] \(length 3\)",
    ),
    (
        lambda: conv.conv2d(X, W, [2, 2, 1, 1], "SAME"),
        errors.UnimplementedError,
        r"strides of 1 for the batch and the channels; got strides=\[2, 2, 1, 1\]",
    ),
    (
        lambda: conv.conv2d(X, W, 0, "SAME"),
        errors.InvalidArgumentError,
        "strides of at least 1; got strides=0",
    ),
    (lambda: conv.conv2d(X, W, "a", "SAME"), TypeError, "integers for strides; got strides='a'"),
    (
        lambda: conv.conv2d(X, W, 1, "SAME", dilations=0),
        errors.InvalidArgumentError,
        "dilations of at least 1; got dilations=0",
    ),
    (
        lambda: conv.conv2d(X, W, 1, "SAME", data_format="NWHC"),
        errors.InvalidArgumentError,
        "data_format to be 'NHWC' or 'NCHW'; got data_format='NWHC'",
    ),
    (
        lambda: conv.conv2d(X > 0, W > 0, 1, "SAME"),
        errors.InvalidArgumentError,
        "floating-point or int32 tensor for input; got input of dtype bool",
    ),
    (
        lambda: conv.conv2d(constant(X, "float64"), constant(W), 1, "SAME"),
        errors.InvalidArgumentError,
        "Conv2D",
    ),
    (
        lambda: conv.conv1d(SEQUENCE, TAPS, [1, 2], "SAME"),
        ValueError,
        r"tf.nn.conv1d expected stride of length 1 or 3; got stride=\[1, 2\]",
    ),
    (
        lambda: conv.conv1d(SEQUENCE, TAPS, 1, "SAME", data_format="x"),
        ValueError,
        "tf.nn.conv1d expected data_format to be 'NWC' or 'NCW'; got data_format='x'",
    ),
    (
        lambda: conv.convolution(X, W[None, None]),
        ValueError,
        r"tf.nn.convolution expected filters of rank 3, 4 or 5; got filters \(shape \[1, 1, 3, 3, 4, 5\]",
    ),
    (
        lambda: conv.depthwise_conv2d(X, W[:, :, :3], [1, 1, 1, 1], "SAME"),
        errors.InvalidArgumentError,
        "filter with the channels of input; got 3 for 4",
    ),
    (
        lambda: conv.depthwise_conv2d(X, W, [1, 2, 2, 1], "SAME", dilations=[2, 2]),
        ValueError,
        "expected strides of 1 with dilations of more than 1",
    ),
    (
        lambda: conv.depthwise_conv2d(X.astype("i4"), W.astype("i4"), [1, 1, 1, 1], "SAME"),
        errors.InvalidArgumentError,
        "tf.nn.depthwise_conv2d expected a floating-point tensor for input",
    ),
    (
        lambda: conv.separable_conv2d(X, W, W, [1, 1, 1, 1], "SAME"),
        ValueError,
        r"pointwise_filter of shape \[1, 1, channels, outputs\]; got pointwise_filter \(shape",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED, ids=[text for *_, text in REFUSED])
def test_refuses(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
