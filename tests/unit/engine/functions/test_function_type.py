"""Types of functions and of arguments: `function_type`, and objects that say what they count as."""

from __future__ import annotations

from typing import Any

import tapeflow as tf

types = tf.types.experimental


def test_the_type_of_a_function() -> None:
    @tf.function
    def f(x: Any, y: int = 2, *, z: Any = None) -> Any:
        return x * y

    assert str(f.function_type) == "(x, y=<captured_default_value>, *, z=<captured_default_value>)"
    assert isinstance(f.function_type, types.FunctionType)


def test_the_type_of_a_call() -> None:
    @tf.function
    def f(x: Any, y: int = 2, *, z: Any = None, pair: Any = (1, 2)) -> Any:
        return {"a": x * y, "b": [x]}

    found = f.get_concrete_function(tf.TensorSpec([None], tf.float32), z="s")
    spec = "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    assert str(found.function_type) == (
        f"(x: {spec}, y: Literal[2], *, z: Literal['s'], pair: (Literal[1], Literal[2])) -> "
        f"{{'a': {spec}, 'b': [{spec}]}}"
    )
    assert found.structured_input_signature[1] == {"z": "s", "pair": (1, 2)}
    assert found.function_type.parameters["y"].annotation == type(
        found.function_type.parameters["y"].annotation
    )(2)
    assert len({found.function_type.parameters["y"].annotation}) == 1


class Kind(types.TraceType):
    def __init__(self, name: str) -> None:
        self.name = name

    def is_subtype_of(self, other: Any) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Any) -> Any:
        return self if all(self == o for o in others) else None

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class Fruit:
    def __init__(self, name: str, weight: float) -> None:
        self.name, self.weight = name, weight

    def __tf_tracing_type__(self, context: Any) -> Kind:
        return Kind(self.name)


def test_objects_of_one_type_share_a_record() -> None:
    @tf.function
    def f(fruit: Any, x: Any) -> Any:
        return x * len(fruit.name)

    assert isinstance(Fruit("apple", 1.0), types.SupportsTracingProtocol)
    for fruit in (Fruit("apple", 1.0), Fruit("apple", 2.0), Fruit("kiwi", 1.0), Fruit("kiwi", 3.0)):
        assert float(f(fruit, tf.constant(2.0))) == 2.0 * len(fruit.name)
    assert f.experimental_get_tracing_count() == 2


def test_what_can_be_called() -> None:
    f = tf.function(lambda x: x)
    assert isinstance(f, types.Callable)
    assert isinstance(f, types.GenericFunction)
    assert isinstance(f.get_concrete_function(tf.constant(1)), (types.Callable, types.ConcreteFunction))
    assert isinstance(tf.constant(1), types.TensorLike)
    assert not isinstance(len, types.Callable)
