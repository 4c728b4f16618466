"""What layers demand of their inputs."""

from __future__ import annotations

import re
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.keras.layers.base.input_spec import InputSpec, check_inputs


@pytest.mark.parametrize(
    ("spec", "shape", "text"),
    [
        (InputSpec(ndim=2), (3,), "expected ndim=2, found ndim=1. Full shape received: (3,)"),
        (InputSpec(min_ndim=2), (3,), "expected min_ndim=2, found ndim=1. Full shape received: (3,)"),
        (InputSpec(max_ndim=1), (3, 1), "expected max_ndim=1, found ndim=2. Full shape received: (3, 1)"),
        (
            InputSpec(dtype="int32"),
            (3,),
            "expected dtype=int32, found dtype=float32. Full shape received: (3,)",
        ),
        (
            InputSpec(axes={-1: 4}),
            (2, 3),
            "expected axis -1 of input shape to have value 4, but received input with shape (2, 3)",
        ),
        (InputSpec(shape=(None, 4)), (2, 3), "expected shape=(None, 4), found shape=(2, 3)"),
        (
            InputSpec(shape=(None, 4), allow_last_axis_squeeze=True),
            (2, 3, 4),
            "expected shape=(None, 4), found shape=(2, 3, 4)",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_keras_words(spec: Any, shape: Any, text: str) -> None:
    text = f'Input 0 of layer "lay" is incompatible with the layer: {text}'
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        check_inputs(spec, tf.ones(shape), "lay")


def test_a_last_axis_of_one_may_be_missing() -> None:
    spec = [InputSpec(shape=(None, 1), allow_last_axis_squeeze=True)]
    check_inputs(spec, tf.ones((3,)), "lay")
    check_inputs(spec, tf.ones((3, 1)), "lay")
    check_inputs([InputSpec(shape=(None,), allow_last_axis_squeeze=True)], tf.ones((3, 1)), "lay")


def test_the_number_and_the_keys_of_inputs_are_checked() -> None:
    one = InputSpec(ndim=1, name="a")
    with pytest.raises(
        ValueError, match=r'Layer "lay" expects 1 input\(s\), but it received 2 input tensors'
    ):
        check_inputs([one], [tf.ones(1), tf.ones(1)], "lay")
    missing = r'Missing data for input "a". You passed a data dictionary with keys \[\'b\'\]'
    for spec in ([one], {"a": one}):
        with pytest.raises(ValueError, match=missing):
            check_inputs(spec, {"b": tf.ones(1)}, "lay")


def test_a_spec_shows_what_it_demands_and_has_a_config() -> None:
    spec = InputSpec(dtype="float32", min_ndim=2, axes={-1: 3})
    assert repr(spec) == "InputSpec(dtype=float32, min_ndim=2, axes={-1: 3})"
    assert InputSpec.from_config(spec.get_config()).axes == {-1: 3}


@pytest.mark.parametrize("value", [None, "text"])
def test_what_is_no_tensor_is_refused_by_name(value: Any) -> None:
    with pytest.raises(
        TypeError, match=f"Inputs to a layer should be tensors. Got {value!r} .* layer 'dense'"
    ):
        check_inputs(InputSpec(ndim=2), value, "dense")
