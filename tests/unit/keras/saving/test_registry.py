"""Names of the user's classes and functions: registration, scopes, configs."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import pytest

from tapeflow.keras.saving import registry
from tapeflow.keras.saving.family import deserialize_keras_object


class Thing:
    """An object with a config."""

    def __init__(self, size: Any = 1, helper: Any = None, name: str | None = None) -> None:
        self.size, self.helper, self.name = size, helper, name

    def get_config(self) -> dict[str, Any]:
        return {"size": self.size, "helper": self.helper, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Thing:
        return cls(**config)


def helper(x: Any) -> Any:
    return x


def test_config_form_is_that_of_keras_2() -> None:
    assert registry.serialize_keras_object(Thing(3)) == {
        "class_name": "Thing",
        "config": {"size": 3, "helper": None, "name": None},
    }
    assert registry.serialize_keras_object(helper) == "helper"
    assert registry.serialize_keras_object(lambda x: x) == "<lambda>"
    assert registry.serialize_keras_object(None) is None


def test_registered_names() -> None:
    registry.register_keras_serializable("mine")(Thing)
    registry.register_keras_serializable(name="other")(helper)
    assert registry.get_registered_name(Thing) == "mine>Thing"
    assert registry.get_registered_object("mine>Thing") is Thing
    assert registry.serialize_keras_object(Thing())["class_name"] == "mine>Thing"
    assert registry.serialize_keras_object(helper) == "Custom>other"
    assert registry.get_custom_objects()["Custom>other"] is helper
    made = deserialize_keras_object(registry.serialize_keras_object(Thing(5)))
    assert isinstance(made, Thing)
    assert made.size == 5
    assert deserialize_keras_object("Custom>other") is helper


def test_unregistered_name_is_the_python_name() -> None:
    assert registry.get_registered_name(Thing) == "Thing"
    assert registry.get_registered_object("Thing") is None
    assert registry.get_registered_object("Thing", {"Thing": Thing}) is Thing


def test_scopes_nest_and_end() -> None:
    with registry.custom_object_scope({"a": 1}), registry.CustomObjectScope({"b": 2}, {"c": 3}):
        assert [registry.get_registered_object(name) for name in "abc"] == [1, 2, 3]
    assert registry.get_registered_object("a") is None


def test_scopes_belong_to_a_thread() -> None:
    seen: list[Any] = []
    with registry.custom_object_scope({"a": 1}):
        thread = threading.Thread(target=lambda: seen.append(registry.get_registered_object("a")))
        thread.start()
        thread.join()
    assert seen == [None]


def test_what_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="Cannot serialize .* because it doesn't implement `get_config"):
        registry.serialize_keras_object(partial(helper))

    class Plain:
        pass

    with pytest.raises(ValueError, match="Cannot register a class that does not have a get_config"):
        registry.register_keras_serializable()(Plain)
