"""`summary`; its text is compared line by line with Keras 2's in tests/parity."""

from typing import Any

import pytest

import tapeflow as tf

layers = tf.keras.layers


def lines(model: Any, **arguments: Any) -> list[str]:
    found: list[str] = []
    model.summary(print_fn=found.append, **arguments)
    return found


def test_it_prints_to_standard_output_unless_told(capsys: pytest.CaptureFixture[str]) -> None:
    model = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(2)], name="small")
    assert model.summary() is None
    printed = capsys.readouterr().out.splitlines()
    assert printed == lines(model)
    assert printed[0] == 'Model: "small"'
    assert printed[-4] == "Total params: 10 (40.00 Byte)"


def test_sizes_are_readable() -> None:
    model = tf.keras.Sequential([tf.keras.Input((1024,)), layers.Dense(1024, use_bias=False)])
    assert "Total params: 1048576 (4.00 MB)" in lines(model)
    half = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(2, use_bias=False, dtype="float16")])
    assert "Total params: 8 (16.00 Byte)" in lines(half)


def test_more_positions_than_columns_are_taken_as_in_keras() -> None:
    model = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(2)])
    title = lines(model, line_length=100, positions=[0.3, 0.6, 0.8, 1.0])[2]
    assert [title.index(word) for word in ("Layer", "Output", "Param")] == [1, 30, 60]


def test_a_table_narrower_than_its_columns_ends() -> None:
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
    text = "".join(lines(model, line_length=3)).replace(" ", "")
    assert "dense" in text.lower()


def test_a_range_of_layers_can_be_shown() -> None:
    stack = [tf.keras.Input((4,)), *[layers.Dense(1, name=f"d{i}") for i in range(4)]]
    model = tf.keras.Sequential(stack)
    shown = [line.split()[0] for line in lines(model, layer_range=("d1", "d2")) if "(Dense)" in line]
    assert shown == ["d1", "d2"]
    with pytest.raises(ValueError, match="do not match the layer names in the model"):
        lines(model, layer_range=("d1", "nothing"))
    with pytest.raises(ValueError, match="expected layer_range to be two names of layers"):
        lines(model, layer_range=("d1",))
