"""What a `call` takes."""

from typing import Any

import tapeflow as tf
from tapeflow.keras.layers.base.call_signature import signature_of


class Layer:
    def plain(self, inputs: Any) -> Any: ...

    def full(this, inputs: Any, mask: Any = None, training: Any = True) -> Any: ...

    def loose(self, inputs: Any, **kwargs: Any) -> Any: ...


def test_arguments_are_found_whatever_self_is_called() -> None:
    full = signature_of(Layer.full)
    assert full.names == ["inputs", "mask", "training"]
    assert full.takes_mask
    assert full.takes_training
    assert full.default_training is True
    plain = signature_of(Layer.plain)
    assert [plain.takes_mask, plain.takes_training, plain.has_kwargs] == [False, False, False]
    assert signature_of(Layer.loose).takes_training


def test_values_are_found_by_place_and_by_name() -> None:
    full = signature_of(Layer.full)
    assert full.value("training", (0, None, False), {}) is False
    assert full.value("training", (0,), {"training": 1}) == 1
    assert full.value("training", (0,), {}) is None
    assert full.was_passed("mask", (0, None))
    assert not full.was_given("mask", (0, None), {})
    assert full.was_given("mask", (0, "m"), {})


def test_training_comes_from_the_call_then_from_the_call_around_it_then_from_the_default() -> None:
    full, plain = signature_of(Layer.full), signature_of(Layer.plain)
    kwargs: dict[str, Any] = {}
    assert full.resolve_training((0,), kwargs, outer=False) is False
    assert kwargs == {"training": False}
    assert full.resolve_training((0,), {}, outer=None) is True
    assert full.resolve_training((0, None, True), {}, outer=False) is True
    given = {"training": True}
    assert plain.resolve_training((0,), given, outer=False) is True
    assert given == {}


def test_a_mask_is_taken_from_the_inputs_unless_it_is_given() -> None:
    x = tf.ones((1, 2))
    x._keras_mask = tf.constant([[True, False]])
    kwargs: dict[str, Any] = {}
    assert signature_of(Layer.full).resolve_mask(x, (x,), kwargs) is x._keras_mask
    assert kwargs == {"mask": x._keras_mask}
    assert signature_of(Layer.plain).resolve_mask(x, (x,), {"mask": "own"}) == "own"
