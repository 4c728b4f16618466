"""Objects of one kind, by name."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.keras import initializers, regularizers
from tapeflow.keras.losses.serialization import LOSSES
from tapeflow.keras.metrics.serialization import METRICS
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


def test_a_name_a_config_a_class_a_function_and_an_object() -> None:
    mse = tf.keras.losses.mean_squared_error
    loss = tf.keras.losses.Huber(2.0)
    assert LOSSES.get(None) is None
    assert LOSSES.get("mse") is mse
    assert LOSSES.get(mse) is mse
    assert LOSSES.get(loss) is loss
    assert type(LOSSES.get("Huber")) is type(LOSSES.get(tf.keras.losses.Huber)) is tf.keras.losses.Huber
    config = tf.keras.losses.serialize(loss)
    assert LOSSES.get(config).get_config() == loss.get_config()


def test_what_looks_up_is_not_looked_up() -> None:
    assert not {"get", "serialize", "deserialize"} & {*LOSSES.known, *METRICS.known}
    assert METRICS.known["AUC"] is tf.keras.metrics.AUC


def test_what_is_none_of_them_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"Could not interpret loss function identifier: 3. Pass a name such as 'mse'"
    ):
        LOSSES.get(3)
    with pytest.raises(ValueError, match="Unknown metric function: 'acuracy'.*Did you mean"):
        METRICS.get("acuracy")
    assert LOSSES.deserialize("own", {"own": len}) is len


def test_nested_objects_and_functions_come_back() -> None:
    registry.register_keras_serializable()(helper)
    config = registry.serialize_keras_object(Thing(size=Thing(2), helper=helper, name="helper"))
    again = json.loads(json.dumps(config))
    made = deserialize_keras_object(again, custom_objects={"Thing": Thing})
    assert made.size.size == 2
    assert made.helper is helper
    assert made.name == "helper"
    assert again == json.loads(json.dumps(config)), "the config is left as it was"


def test_from_config_may_take_custom_objects() -> None:
    class Outer(Thing):
        @classmethod
        def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Outer:
            return cls(size=custom_objects["extra"])

    objects = {"Outer": Outer, "extra": 9}
    made = deserialize_keras_object({"class_name": "Outer", "config": {}}, custom_objects=objects)
    assert made.size == 9


def test_a_function_is_referred_to_and_never_called() -> None:
    config = {"class_name": "make", "config": {"size": 4}}
    with pytest.raises(ValueError, match="expected the name of a class of objects; got class_name='make'"):
        deserialize_keras_object(config, {"make": make})
    assert deserialize_keras_object("make", {"make": make}) is make


def make(size: int) -> Thing:
    raise AssertionError("called while loading")


@pytest.mark.parametrize("name", ["Thing", "Dense", "make", "Loose"])
def test_what_is_not_of_the_family_is_refused_by_name(name: str) -> None:
    objects = {"Thing": Thing, "Dense": tf.keras.layers.Dense, "make": make, "Loose": type("Loose", (), {})}
    with pytest.raises(ValueError, match=rf"Loading expected '{name}' to name an optimizer; got the"):
        tf.keras.optimizers.deserialize({"class_name": name, "config": {}}, objects)


def test_a_class_of_another_family_is_not_taken_for_a_callable() -> None:
    with pytest.raises(ValueError, match="expected 'Own' to name an initializer; got the class"):
        initializers.deserialize(
            {"class_name": "Own", "config": {}}, {"Own": type("Own", (tf.keras.Model,), {})}
        )


def test_a_users_initializer_needs_no_base() -> None:
    class Own(Thing):
        def __call__(self, shape: Any, dtype: Any = None) -> Any:
            return tf.zeros(shape)

    assert isinstance(initializers.deserialize({"class_name": "Own", "config": {}}, {"Own": Own}), Own)


def test_the_next_source_is_tried_where_the_first_has_something_else() -> None:
    with registry.custom_object_scope({"Zeros": tf.keras.layers.Dense}):
        assert isinstance(initializers.get("Zeros"), initializers.Zeros)


def test_loss_and_metric_functions_take_labels_and_predictions() -> None:
    for family in (LOSSES, METRICS):
        for name, value in family.known.items():
            if not inspect.isclass(value):
                assert list(inspect.signature(value).parameters)[:2] == ["y_true", "y_pred"], name


def test_dicts_of_keras_3_are_read() -> None:
    config = {
        "module": "keras.initializers",
        "class_name": "HeNormal",
        "config": {"seed": 3},
        "registered_name": None,
    }
    assert deserialize_keras_object(config).seed == 3
    assert initializers.get(config).seed == 3
    custom = {"module": "mine", "class_name": "Thing", "config": {}, "registered_name": "mine>Thing"}
    registry.register_keras_serializable("mine")(Thing)
    assert isinstance(deserialize_keras_object(custom), Thing)
    function = {
        "module": "builtins",
        "class_name": "function",
        "config": "helper",
        "registered_name": "function",
    }
    assert deserialize_keras_object(function, custom_objects={"helper": helper}) is helper


def test_keras_objects_are_found_without_naming_their_family() -> None:
    made = deserialize_keras_object({"class_name": "L2", "config": {"l2": 0.5}})
    assert isinstance(made, regularizers.L2)


def test_custom_objects_come_before_keras_ones() -> None:
    class Zeros(initializers.Initializer):
        pass

    with registry.custom_object_scope({"Zeros": Zeros}):
        assert isinstance(initializers.get("Zeros"), Zeros)


def test_functions_pass_unchanged() -> None:
    assert deserialize_keras_object(helper) is helper


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
