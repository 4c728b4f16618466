"""Initializers by name, config, class, callable and array; the fixed kinds; one of a user's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import initializers


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("zeros", "Zeros"),
        ("zero", "Zeros"),
        ("ones", "Ones"),
        ("one", "Ones"),
        ("uniform", "RandomUniform"),
        ("random_uniform", "RandomUniform"),
        ("normal", "RandomNormal"),
        ("truncated_normal", "TruncatedNormal"),
        ("glorot_uniform", "GlorotUniform"),
        ("GlorotUniform", "GlorotUniform"),
        ("GlorotUniformV2", "GlorotUniform"),
        ("he_normal", "HeNormal"),
        ("lecun_uniform", "LecunUniform"),
        ("variance_scaling", "VarianceScaling"),
        ("orthogonal", "Orthogonal"),
        ("identity", "Identity"),
        ("constant", "Constant"),
    ],
)
def test_initializers_are_found_by_name(name: str, kind: str) -> None:
    assert type(initializers.get(name)) is getattr(initializers, kind)


def test_each_look_up_gives_an_initializer_of_its_own() -> None:
    assert initializers.get("he_normal") is not initializers.get("he_normal")


def test_none_class_and_callable() -> None:
    assert initializers.get(None) is None
    assert isinstance(initializers.get(initializers.Ones), initializers.Ones)

    def mine(shape: Any, dtype: Any = None) -> Any:
        return tf.ones(shape, dtype)

    assert initializers.get(mine) is mine


def test_array_in_place_of_an_initializer() -> None:
    array = np.arange(6.0).reshape(2, 3)
    value = initializers.get(array)((2, 3), dtype="float32")
    assert value.dtype == tf.float32
    np.testing.assert_array_equal(value.numpy(), array)
    with pytest.raises(ValueError, match=r"Expected `shape` to be \(2, 3\) for direct tensor as initializer"):
        initializers.get(tf.constant(array))((3, 2))


def test_own_subclass() -> None:
    class Mine(initializers.Initializer):
        def __init__(self, value: float) -> None:
            self.value = value

        def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
            return tf.fill(shape, self.value)

        def get_config(self) -> dict[str, Any]:
            return {"value": self.value}

    config = initializers.serialize(Mine(2.0))
    assert config == {"class_name": "Mine", "config": {"value": 2.0}}
    with tf.keras.saving.custom_object_scope({"Mine": Mine}):
        assert initializers.get(config).value == 2.0
    with pytest.raises(NotImplementedError, match="must implement the `__call__"):
        initializers.Initializer()((2,))


def test_old_configs_with_a_dtype() -> None:
    assert initializers.get({"class_name": "Zeros", "config": {"dtype": "float32"}})((2,)).shape == (2,)


@pytest.mark.parametrize("dtype", ["float16", "int64", "bool", "complex64"])
def test_fixed_values_in_every_type(dtype: str) -> None:
    assert initializers.Zeros()((2, 3), dtype).dtype == tf.as_dtype(dtype)
    np.testing.assert_array_equal(initializers.Ones()(4, dtype).numpy(), np.ones(4, dtype))


def test_constant() -> None:
    made = initializers.get(initializers.serialize(initializers.Constant(np.arange(6))))
    np.testing.assert_array_equal(made((2, 3)).numpy(), np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(initializers.Constant([1, 2])((3, 2)).numpy(), [[1, 2]] * 3)
    with pytest.raises(
        ValueError, match=r"Constant expected one number or 3 of them for shape=\(3,\); got a value"
    ):
        initializers.Constant([1, 2])((3,))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: initializers.get(3), "Could not interpret initializer identifier: 3"),
        (lambda: initializers.Zeros()((2,), tf.string), "Expected numeric or boolean dtype, got"),
        (lambda: initializers.STFT(side="left"), "side should be 'real' or 'imag', not left"),
        (
            lambda: initializers.STFT(scaling="x"),
            "Scaling is invalid, it must be `None`, 'density' or 'spectrum'",
        ),
        (lambda: initializers.STFT(window="x"), "window"),
        (
            lambda: initializers.STFT(window=[1.0])((4, 1, 3)),
            "The shape of `window` must be equal to .frame_length.",
        ),
        (lambda: initializers.Identity()((2, 2, 2)), "can only be used for 2D matrices. Received: shape="),
    ],
)
def test_unknown_identifiers_and_wrong_arguments_raise(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
