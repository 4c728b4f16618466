"""Objects by name: registration, scopes, configs of Keras 2 and 3, and unknown names."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tapeflow.keras import initializers, regularizers
from tapeflow.keras.saving import registry


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


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    objects, names = dict(registry._registered), dict(registry._names)
    yield
    for live, saved in ((registry._registered, objects), (registry._names, names)):
        live.clear()
        live.update(saved)


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
    made = registry.deserialize_keras_object(registry.serialize_keras_object(Thing(5)))
    assert isinstance(made, Thing)
    assert made.size == 5
    assert registry.deserialize_keras_object("Custom>other") is helper


def test_unregistered_name_is_the_python_name() -> None:
    assert registry.get_registered_name(Thing) == "Thing"
    assert registry.get_registered_object("Thing") is None
    assert registry.get_registered_object("Thing", {"Thing": Thing}) is Thing


def test_nested_objects_and_functions_come_back() -> None:
    registry.register_keras_serializable()(helper)
    config = registry.serialize_keras_object(Thing(size=Thing(2), helper=helper, name="helper"))
    again = json.loads(json.dumps(config))
    made = registry.deserialize_keras_object(again, custom_objects={"Thing": Thing})
    assert made.size.size == 2
    assert made.helper is helper
    assert made.name == "helper"
    assert again == json.loads(json.dumps(config)), "the config is left as it was"


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


def test_from_config_may_take_custom_objects() -> None:
    class Outer(Thing):
        @classmethod
        def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Outer:
            return cls(size=custom_objects["extra"])

    objects = {"Outer": Outer, "extra": 9}
    made = registry.deserialize_keras_object({"class_name": "Outer", "config": {}}, custom_objects=objects)
    assert made.size == 9


def test_function_that_makes_an_object() -> None:
    config = {"class_name": "make", "config": {"size": 4}}
    assert registry.deserialize_keras_object(config, {"make": make}).size == 4


def make(size: int) -> Thing:
    return Thing(size)


def test_dicts_of_keras_3_are_read() -> None:
    config = {
        "module": "keras.initializers",
        "class_name": "HeNormal",
        "config": {"seed": 3},
        "registered_name": None,
    }
    assert registry.deserialize_keras_object(config).seed == 3
    assert initializers.get(config).seed == 3
    custom = {"module": "mine", "class_name": "Thing", "config": {}, "registered_name": "mine>Thing"}
    registry.register_keras_serializable("mine")(Thing)
    assert isinstance(registry.deserialize_keras_object(custom), Thing)
    function = {
        "module": "builtins",
        "class_name": "function",
        "config": "helper",
        "registered_name": "function",
    }
    assert registry.deserialize_keras_object(function, custom_objects={"helper": helper}) is helper


def test_keras_objects_are_found_without_naming_their_family() -> None:
    made = registry.deserialize_keras_object({"class_name": "L2", "config": {"l2": 0.5}})
    assert isinstance(made, regularizers.L2)


def test_custom_objects_come_before_keras_ones() -> None:
    class Zeros(initializers.Initializer):
        pass

    with registry.custom_object_scope({"Zeros": Zeros}):
        assert isinstance(initializers.get("Zeros"), Zeros)


def test_functions_pass_unchanged() -> None:
    assert registry.deserialize_keras_object(helper) is helper


@pytest.mark.parametrize(
    ("identifier", "text"),
    [
        (
            "zeross",
            r"Unknown initializer: 'zeross'. Please ensure you are using a `keras.utils.custom_object_scope` "
            r"and that this object is included in the scope. Did you mean 'zeros'\?",
        ),
        ({"class_name": "Qqq", "config": {}}, "Unknown initializer: 'Qqq'. Please ensure"),
        ({"class_name": "Zeros"}, "Improper config format for .* `class_name` and `config` as keys"),
        (3.5, "Could not interpret serialized initializer: 3.5"),
    ],
)
def test_what_cannot_be_read(identifier: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        initializers.deserialize(identifier)


def test_what_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="Cannot serialize .* because it doesn't implement `get_config"):
        registry.serialize_keras_object(partial(helper))

    class Plain:
        pass

    with pytest.raises(ValueError, match="Cannot register a class that does not have a get_config"):
        registry.register_keras_serializable()(Plain)
