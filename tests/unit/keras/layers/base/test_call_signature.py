"""What a `call` takes."""

from typing import Any

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
