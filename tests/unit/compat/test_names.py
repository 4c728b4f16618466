"""Which module a name stands for."""

from __future__ import annotations

import pytest

from tapeflow.compat.names import MOVED, is_ours, nearest, real_name


@pytest.mark.parametrize(
    ("name", "real"),
    [
        ("tensorflow.keras.layers", "tapeflow.keras.layers"),
        ("tensorflow.math", "tapeflow.math"),
        ("keras", "tapeflow.keras"),
        ("keras.models", "tapeflow.keras.models"),
        ("tensorflow.optimizers.schedules", "tapeflow.keras.optimizers.schedules"),
        ("tensorflow.python.keras.layers", "tapeflow.keras.layers"),
        ("tensorflow.python.ops", None),
        ("tensorflow.python.tpu", None),
        ("tensorflow.compat.v1", "tapeflow.compat.v1"),
    ],
)
def test_real_name(name: str, real: str | None) -> None:
    assert real_name(name) == real


def test_what_is_ours() -> None:
    assert is_ours("tensorflow")
    assert is_ours("keras.layers")
    assert not is_ours("tensorflow_datasets")
    assert not is_ours("numpy")


def test_nearest_ignores_case_and_private_names() -> None:
    assert nearest("dense", ["Dense", "_Dense", "Conv2D"]) == "; the nearest is 'Dense'"
    assert nearest("xyz", ["Dense"]) == ""


def test_moved_modules_go_to_keras_or_are_there_to_be_mentioned() -> None:
    elsewhere = {real for real in MOVED.values() if not real.startswith("tapeflow.keras")}
    assert elsewhere == {"tapeflow.compat.inner.dtensor"}
