"""The settings all of Keras shares."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tapeflow as tf
from tapeflow.keras import config, initializers


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    config.set_floatx("float32")
    config.set_epsilon(1e-7)
    config.set_image_data_format("channels_last")


def test_defaults() -> None:
    assert (config.floatx(), config.epsilon(), config.image_data_format()) == (
        "float32",
        1e-7,
        "channels_last",
    )


def test_floatx_decides_the_type_of_values() -> None:
    config.set_floatx("float64")
    assert initializers.Zeros()((2,)).dtype == tf.float64
    config.set_floatx(tf.float16)
    assert config.floatx() == "float16"


def test_unknown_values() -> None:
    with pytest.raises(ValueError, match="Unknown `floatx` value: int8. Expected one of float16"):
        config.set_floatx("int8")
    with pytest.raises(ValueError, match="Unknown `data_format`: channels. Expected one of channels_first"):
        config.set_image_data_format("channels")


def test_data_format_is_read_with_the_setting_as_default() -> None:
    assert config.read_data_format(None) == "channels_last"
    config.set_image_data_format("channels_first")
    assert config.read_data_format(None) == "channels_first"
    assert config.read_data_format("Channels_Last") == "channels_last"
