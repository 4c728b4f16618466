"""What objects hold."""

import tapeflow as tf
from tapeflow.keras.layers.base.tracking import Held, once, variables_in


def test_modules_are_found_in_containers_of_any_depth_once() -> None:
    a, b = tf.Module(), tf.Module()
    listed = tf.Variable(1.0)
    held = Held(
        {"x": [a, {"k": (b, a)}], "hidden": tf.Module(), "n": 3, "v": [listed]}, frozenset({"hidden"})
    )
    assert [id(x) for x in held.found] == [id(a), id(b), id(listed)]


def test_variables_that_are_attributes_are_left_to_the_layer() -> None:
    variable = tf.Variable(1.0)
    assert Held({"v": variable}, frozenset()).found == []
    assert [v is variable for v in variables_in(variable)] == [True]
    assert [v is variable for v in variables_in({"a": [variable, 1]})] == [True]
    assert variables_in("text") == []


def test_dicts_by_sorted_keys_and_variables_last() -> None:
    a, b = tf.Module(), tf.Module()
    first, second = tf.Variable(1.0), tf.Variable(2.0)
    held = {"z": first, "y": b, "m": second, "c": [a]}
    assert [id(x) for x in Held({"x": held}, frozenset()).found] == [id(a), id(b), id(first), id(second)]
    assert [id(v) for v in variables_in(held)] == [id(second), id(first)]
    mixed = {"z": b, 1: a}
    assert [id(x) for x in Held({"x": mixed}, frozenset()).found] == [id(b), id(a)]


def test_a_finding_is_current_until_a_container_changes() -> None:
    inner: list[tf.Module] = [tf.Module()]
    held = Held({"x": {"inner": inner}}, frozenset())
    assert held.is_current
    inner[0] = tf.Module()
    assert not held.is_current


def test_once_keeps_the_first_of_each() -> None:
    a, b = [1], [1]
    assert [id(x) for x in once([a, b, a])] == [id(a), id(b)]
