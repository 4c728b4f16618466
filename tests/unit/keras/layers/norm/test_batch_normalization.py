"""BatchNormalization: moving averages, freezing, masks, precision. Values against Keras are in tests/parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def _data(*shape: int) -> np.ndarray:
    return (np.random.default_rng(1).normal(size=shape) * 3 + 5).astype("float32")


def test_moving_averages_follow_the_batches() -> None:
    layer, x = L.BatchNormalization(momentum=0.9), _data(8, 3)
    layer(x, training=True)
    np.testing.assert_allclose(layer.moving_mean.numpy(), 0.1 * x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(layer.moving_variance.numpy(), 0.9 + 0.1 * x.var(0), rtol=1e-5)


def test_images_keep_the_variance_of_the_population_unless_told_otherwise() -> None:
    x = _data(2, 3, 3, 2)
    for fused, ddof in ((None, 1), (False, 0)):
        layer = L.BatchNormalization(momentum=0.0, fused=fused)
        layer(x, training=True)
        np.testing.assert_allclose(layer.moving_variance.numpy(), x.var((0, 1, 2), ddof=ddof), rtol=1e-5)


def test_inference_changes_nothing() -> None:
    layer, x = L.BatchNormalization(), _data(4, 3)
    before = layer(x).numpy()
    np.testing.assert_allclose(before, x / np.sqrt(1.001), rtol=1e-5)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), np.zeros(3))


def test_a_frozen_layer_is_in_inference() -> None:
    layer, x = L.BatchNormalization(), _data(4, 3)
    layer.trainable = False
    np.testing.assert_allclose(layer(x, training=True).numpy(), x / np.sqrt(1.001), rtol=1e-5)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), np.zeros(3))


def test_freezing_a_model_freezes_it() -> None:
    model = tf.keras.Sequential([L.BatchNormalization(input_shape=(3,)), L.Dense(1)])
    model.trainable = False
    model(_data(4, 3), training=True)
    np.testing.assert_array_equal(model.layers[0].moving_mean.numpy(), np.zeros(3))


def test_masked_positions_are_left_out() -> None:
    x, mask = _data(2, 4, 3), np.array([[1, 1, 0, 0], [1, 1, 1, 0]], bool)
    layer = L.BatchNormalization(momentum=0.0)
    y = layer(x, training=True, mask=tf.constant(mask)).numpy()
    np.testing.assert_allclose(layer.moving_mean.numpy(), x[mask].mean(0), rtol=1e-5)
    np.testing.assert_allclose(layer.moving_variance.numpy(), x[mask].var(0), rtol=1e-5)
    np.testing.assert_allclose(
        y[mask], (x[mask] - x[mask].mean(0)) / np.sqrt(x[mask].var(0) + 1e-3), rtol=1e-4
    )


def test_a_mask_over_images_warns() -> None:
    with pytest.warns(UserWarning, match="does not look at the mask"):
        L.BatchNormalization()(_data(2, 3, 3, 2), training=True, mask=tf.ones((2, 3, 3), tf.bool))


def test_half_precision_is_normalised_in_float32() -> None:
    x = (np.random.default_rng(0).normal(size=(512, 2)) + 300).astype("float32")
    layer = L.BatchNormalization(dtype="mixed_float16")
    y = layer(x, training=True)
    assert y.dtype == tf.float16
    seen = x.astype("float16").astype("float64")
    expected = (seen - seen.mean(0)) / np.sqrt(seen.var(0) + 1e-3)
    np.testing.assert_allclose(y.numpy(), expected, atol=2e-3)
    assert layer.moving_mean.dtype == tf.float32


def test_momentum_may_be_set_later() -> None:
    layer, x = L.BatchNormalization(), _data(8, 3)
    layer(x)
    layer.momentum = 0.5
    layer(x, training=True)
    np.testing.assert_allclose(layer.moving_mean.numpy(), 0.5 * x.mean(0), rtol=1e-5)


def test_fit_updates_the_moving_averages_at_every_step() -> None:
    x = _data(32, 3)

    def model() -> Any:
        tf.keras.utils.set_random_seed(1)
        made = tf.keras.Sequential([L.BatchNormalization(input_shape=(3,)), L.Dense(1)])
        made.compile("sgd", "mse")
        return made

    fitted, stepped = model(), model()
    fitted.fit(x, x[:, :1], batch_size=4, shuffle=False, verbose=0)
    for start in range(0, 32, 4):
        stepped.train_on_batch(x[start : start + 4], x[start : start + 4, :1])
    for a, b in zip(fitted.get_weights(), stepped.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
    assert (fitted.layers[0].moving_mean.numpy() != 0).all()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: L.BatchNormalization(adjustment=len), ValueError, "expected no `adjustment`"),
        (
            lambda: L.BatchNormalization(virtual_batch_size=2, renorm=True),
            ValueError,
            "expected no `virtual_batch_size` together",
        ),
        (lambda: L.BatchNormalization(axis="last"), TypeError, "Expected an int or a list/tuple of ints"),
        (lambda: L.BatchNormalization(axis=3)(_data(2, 3)), ValueError, "Invalid value for `axis`"),
        (lambda: L.BatchNormalization(axis=[1, -1])(_data(2, 3)), ValueError, "Duplicate axis"),
        (lambda: L.BatchNormalization()(tf.keras.Input((None,))), ValueError, "undefined `axis` dimension"),
        (
            lambda: L.BatchNormalization(synchronized=True, fused=True),
            ValueError,
            "`fused=True` is not supported",
        ),
        (
            lambda: tf.keras.Sequential([L.BatchNormalization(input_shape=(3,))])(_data(2, 4)),
            ValueError,
            "incompatible",
        ),
    ],
)
def test_wrong_axes_and_options_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_virtual_batches_have_moments_of_their_own() -> None:
    layer, x = L.BatchNormalization(virtual_batch_size=2, momentum=0.9, epsilon=0.0), _data(6, 4, 3)
    outputs = layer(x, training=True).numpy()
    means, variances = [], []
    for i in range(3):  # sample i + 3 k is in virtual batch i
        part = x[i::3]
        means.append(part.mean((0, 1)))
        variances.append(part.var((0, 1)))
        np.testing.assert_allclose(outputs[i::3], (part - means[-1]) / variances[-1] ** 0.5, atol=1e-4)
    assert layer.moving_mean.shape == (1, 1, 1, 3)
    np.testing.assert_allclose(layer.moving_mean.numpy().ravel(), 0.1 * np.mean(means, 0), rtol=1e-5)
    variance = 0.9 + 0.1 * np.mean(variances, 0)
    np.testing.assert_allclose(layer.moving_variance.numpy().ravel(), variance, rtol=1e-5)
    expected = (x - 0.1 * np.mean(means, 0)) / variance**0.5
    np.testing.assert_allclose(layer(x[:5]), expected[:5], rtol=1e-4)
    again = L.BatchNormalization.from_config(layer.get_config())
    assert again.virtual_batch_size == 2
    model = tf.keras.Sequential([L.Dense(3), L.BatchNormalization(virtual_batch_size=4)])
    model.compile("sgd", "mse")
    assert np.isfinite(model.fit(x[:4, 0], x[:4, 0], verbose=0).history["loss"]).all()
