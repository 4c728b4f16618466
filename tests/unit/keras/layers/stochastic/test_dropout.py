"""Dropout and its spatial forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_drops_a_share_and_scales_the_rest() -> None:
    y = L.Dropout(0.3, seed=1)(tf.ones((200, 100)), training=True).numpy()
    assert abs((y == 0).mean() - 0.3) < 0.01
    np.testing.assert_allclose(y[y != 0], 1 / 0.7, rtol=1e-6)


def test_noise_shape_drops_together() -> None:
    y = L.Dropout(0.5, noise_shape=(None, 1, None), seed=1)(tf.ones((4, 5, 6)), training=True).numpy()
    assert (y == y[:, :1]).all()
    assert 0 < (y[:, 0] == 0).sum() < 24


@pytest.mark.parametrize(
    ("make", "shape", "axes"),
    [
        (lambda: L.SpatialDropout1D(0.5, seed=1), (4, 3, 8), (1,)),
        (lambda: L.SpatialDropout2D(0.5, seed=1), (4, 3, 3, 8), (1, 2)),
        (lambda: L.SpatialDropout2D(0.5, "channels_first", seed=1), (4, 8, 3, 3), (2, 3)),
        (lambda: L.SpatialDropout3D(0.5, seed=1), (4, 2, 2, 2, 8), (1, 2, 3)),
    ],
)
def test_spatial_dropout_drops_whole_channels(
    make: Any, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    y = make()(tf.ones(shape), training=True).numpy()
    by_channel = y.mean(axes)
    assert set(np.unique(by_channel)) == {0.0, 2.0}


def test_inference_and_rate_zero_record_nothing() -> None:
    x = tf.ones((2, 3))
    assert L.Dropout(0.5)(x) is x
    assert L.Dropout(0)(x, training=True) is x


def test_rate_one_drops_everything() -> None:
    assert not L.Dropout(1.0)(tf.ones((2, 3)), training=True).numpy().any()


def test_set_random_seed_repeats_a_run() -> None:
    def run() -> np.ndarray:
        tf.keras.utils.set_random_seed(4)
        layer = L.Dropout(0.5)
        return np.stack([layer(tf.ones((3, 4)), training=True).numpy() for _ in range(2)])

    first = run()
    np.testing.assert_array_equal(first, run())
    assert not np.array_equal(first[0], first[1])


def test_a_staged_function_draws_anew() -> None:
    layer = L.Dropout(0.5, seed=1)
    staged = tf.function(lambda x: layer(x, training=True))
    results = [staged(tf.ones((20,))).numpy() for _ in range(3)]
    assert not np.array_equal(results[1], results[2])


def test_building_draws_nothing() -> None:
    layer, other = L.Dropout(0.5, seed=1), L.Dropout(0.5, seed=1)
    layer(tf.keras.Input((4,)), training=True)
    x = tf.ones((5, 4))
    np.testing.assert_array_equal(layer(x, training=True).numpy(), other(x, training=True).numpy())


def test_fit_draws_as_a_loop_does() -> None:
    """Each step of a fused fit has a choice of its own, the one that single steps have."""
    x = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")

    def model() -> Any:
        tf.keras.utils.set_random_seed(1)
        made = tf.keras.Sequential([L.Dropout(0.5, input_shape=(4,)), L.Dense(1)])
        made.compile("sgd", "mse")
        return made

    fitted, stepped = model(), model()
    fitted.fit(x, x[:, :1], batch_size=4, shuffle=False, verbose=0)
    for start in range(0, 32, 4):
        stepped.train_on_batch(x[start : start + 4], x[start : start + 4, :1])
    for a, b in zip(fitted.get_weights(), stepped.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: L.Dropout(1.5), ValueError, "expected a value between 0 and 1"),
        (lambda: L.SpatialDropout2D(0.5, "last"), ValueError, "`data_format` must be"),
        (lambda: L.SpatialDropout1D(0.5)(tf.ones((2, 3))), ValueError, "expected ndim=3"),
        (
            lambda: L.Dropout(0.5, noise_shape=(2, 2))(tf.ones((2, 3)), training=True),
            ValueError,
            "expected noise_shape to have 1, None or the size",
        ),
        (lambda: L.Dropout(0.5)(tf.constant([1, 2]), training=True), ValueError, "floating-point input"),
    ],
)
def test_wrong_rates_shapes_and_dtypes_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_noise_shape_with_tensors_and_shorter_ones() -> None:
    x = tf.ones((4, 5, 6))

    class Together(L.Dropout):
        def _get_noise_shape(self, inputs: Any) -> Any:
            sizes = tf.shape(inputs)
            return sizes[0], 1, sizes[2]

    sizes = tf.shape(x)
    for layer in (Together(0.5, seed=1), L.Dropout(0.5, noise_shape=(sizes[0], 1, sizes[2]), seed=1)):
        y = layer(x, training=True).numpy()
        assert (y == y[:, :1]).all()
        assert 0 < (y[:, 0] == 0).sum() < 24
    y = L.Dropout(0.5, noise_shape=(1, 6), seed=1)(x, training=True).numpy()
    assert (y == y[:1, :1]).all()
