"""The error about a config that makes no sense."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tapeflow.keras.saving.config_errors import telling_config


@pytest.mark.parametrize(
    "error",
    [
        KeyError("units"),
        TypeError("x"),
        IndexError("x"),
        RecursionError("x"),
        OverflowError("x"),
        ZeroDivisionError("x"),
    ],
)
def test_it_says_what_was_expected_and_what_to_do(error: Exception) -> None:
    text = rf"Loading expected a config \({type(error).__name__}: .*\)\. Use another copy\."
    with pytest.raises(ValueError, match=text), telling_config("a config", "Use another copy."):
        raise error


def test_errors_of_operations_and_others() -> None:
    with pytest.raises(ValueError, match="InvalidArgumentError"), telling_config("a config", "Do."):
        raise tf.errors.InvalidArgumentError(None, None, "no")
    with pytest.raises(OSError, match="disk"), telling_config("a config", "Do."):
        raise OSError("disk")
