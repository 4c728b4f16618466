"""Drawn values: seeds, types, bounds, and that drawing compiles nothing."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import initializers

KINDS = [
    "RandomUniform",
    "RandomNormal",
    "TruncatedNormal",
    "VarianceScaling",
    "GlorotUniform",
    "GlorotNormal",
    "HeUniform",
    "HeNormal",
    "LecunUniform",
    "LecunNormal",
    "Orthogonal",
]


@pytest.mark.parametrize("kind", KINDS)
class TestContract:
    def test_seed_gives_the_same_values_at_every_call(self, kind: str) -> None:
        initializer = getattr(initializers, kind)(seed=7)
        first = initializer((4, 5)).numpy()
        np.testing.assert_array_equal(initializer((4, 5)).numpy(), first)
        tf.random.set_seed(99)
        np.testing.assert_array_equal(getattr(initializers, kind)(seed=7)((4, 5)).numpy(), first)
        assert (getattr(initializers, kind)(seed=8)((4, 5)).numpy() != first).any()

    def test_unseeded_ones_differ_and_follow_the_global_seed(self, kind: str) -> None:
        make = getattr(initializers, kind)
        tf.random.set_seed(1)
        first, second = make()((4, 5)).numpy(), make()((4, 5)).numpy()
        assert (first != second).any()
        tf.random.set_seed(1)
        np.testing.assert_array_equal(make()((4, 5)).numpy(), first)
        np.testing.assert_array_equal(make()((4, 5)).numpy(), second)

    def test_config_round_trip(self, kind: str) -> None:
        initializer = getattr(initializers, kind)(seed=3)
        again = initializers.get(initializers.serialize(initializer))
        assert type(again) is type(initializer)
        assert again.get_config() == initializer.get_config()
        np.testing.assert_array_equal(again((3, 3)).numpy(), initializer((3, 3)).numpy())

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
    def test_dtype(self, kind: str, dtype: str) -> None:
        value = getattr(initializers, kind)(seed=3)((6, 4), dtype=dtype)
        assert value.dtype == tf.as_dtype(dtype)
        assert value.shape == (6, 4)
        assert np.isfinite(value.numpy().astype("float64")).all()

    def test_clone_draws_values_of_its_own(self, kind: str) -> None:
        initializer = getattr(initializers, kind)()
        assert (initializer((4, 5)).numpy() != initializer.clone()((4, 5)).numpy()).any()


def test_an_unseeded_initializer_called_twice_repeats_itself_and_warns() -> None:
    initializer = initializers.GlorotUniform()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = initializer((2, 2)).numpy()
    with pytest.warns(UserWarning, match="GlorotUniform is unseeded and being called multiple times"):
        second = initializer((2, 2)).numpy()
    np.testing.assert_array_equal(first, second)


def test_making_the_weights_of_a_deep_model_compiles_nothing(counting: Any) -> None:
    with counting() as spent:
        for _ in range(20):
            tf.Variable(initializers.GlorotUniform()((512, 512)))
            tf.Variable(initializers.Zeros()((512, 512)))
        tf.Variable(initializers.Orthogonal()((32, 128))).numpy()
    assert spent.compiled == 0
    assert spent.dispatched == 0


def test_truncated_normal_stays_within_two_deviations() -> None:
    values = initializers.TruncatedNormal(mean=1.0, stddev=0.5, seed=0)((200, 200)).numpy()
    assert abs(values - 1.0).max() <= 1.0
    assert abs(values - 1.0).max() > 0.99


def test_uniform_integers() -> None:
    values = initializers.RandomUniform(minval=-2, maxval=3, seed=0)((500,), dtype="int32")
    assert values.dtype == tf.int32
    assert set(values.numpy()) == {-2, -1, 0, 1, 2}


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 3, 4)])
def test_orthogonal_matrix(shape: tuple[int, ...]) -> None:
    matrix = initializers.Orthogonal(gain=2.0, seed=1)(shape).numpy().reshape(-1, shape[-1])
    product = matrix.T @ matrix if matrix.shape[0] >= matrix.shape[1] else matrix @ matrix.T
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-5)


def test_parts_of_a_split_weight_differ() -> None:
    initializer = initializers.GlorotUniform(seed=1)
    whole = initializer((4, 3)).numpy()
    part = initializer((4, 3), partition_shape=(2, 3), partition_offset=(2, 0)).numpy()
    assert part.shape == (2, 3)
    assert (part != whole[:2]).any()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: initializers.HeNormal()((None, 3)),
            ValueError,
            "without unknown sizes; got shape=.None, 3.",
        ),
        (lambda: initializers.HeNormal()((2, 3), "int32"), ValueError, "Expected floating point type, got"),
        (
            lambda: initializers.RandomUniform()((2,), "bool"),
            ValueError,
            "Expected float or integer dtype, got",
        ),
        (lambda: initializers.HeNormal()((2, 3), names=1), TypeError, "Unknown keyword arguments: .'names'."),
        (
            lambda: initializers.HeNormal(seed="a"),
            ValueError,
            "HeNormal expected an integer or None as the seed",
        ),
        (lambda: initializers.VarianceScaling(scale=0.0), ValueError, "`scale` must be positive float"),
        (lambda: initializers.VarianceScaling(mode="fan"), ValueError, "Invalid `mode` argument: fan"),
        (
            lambda: initializers.VarianceScaling(distribution="x"),
            ValueError,
            "Invalid `distribution` argument: x",
        ),
        (
            lambda: initializers.Orthogonal()((3,)),
            ValueError,
            "at least two-dimensional. Received: shape=.3,.",
        ),
    ],
)
def test_wrong_shapes_dtypes_and_arguments_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_a_deviation_given_as_a_tensor() -> None:
    @tf.function
    def noise(deviation: tf.Tensor) -> tf.Tensor:
        return tf.random_normal_initializer(stddev=deviation)([1000])

    first, second = noise(tf.constant(2.0)).numpy(), noise(tf.constant(2.0)).numpy()
    assert not np.array_equal(first, second)
    assert first.std() == pytest.approx(2.0, rel=0.2)
    cut = tf.keras.initializers.TruncatedNormal(stddev=tf.constant(3.0))((1000,)).numpy()
    assert 4.0 < np.abs(cut).max() <= 6.0
