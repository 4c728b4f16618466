"""What an optimizer remembers."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.optimizers import SGD, Adam, Nadam, Optimizer


def built() -> tuple[Adam, tf.Variable]:
    x = tf.Variable([1.0, 2.0], name="dense/kernel")
    optimizer = Adam(0.1)
    optimizer.apply_gradients([(tf.constant([1.0, 2.0]), x)])
    return optimizer, x


def test_names_and_order() -> None:
    optimizer, _ = built()
    assert [v.name for v in optimizer.variables] == [
        "iteration:0",
        "Adam/m/dense/kernel:0",
        "Adam/v/dense/kernel:0",
    ]
    assert [v.name for v in optimizer.variables()] == [v.name for v in optimizer.weights]
    x = tf.Variable(1.0, name="x")
    named = SGD(momentum=0.5, use_ema=True, name="mine")
    named.apply_gradients([(tf.constant(1.0), x)])
    assert [v.name for v in named.variables] == ["iteration:0", "mine/average/x:0", "mine/m/x:0"]


def test_iterations() -> None:
    optimizer, _ = built()
    assert optimizer.iterations.dtype is tf.int64
    assert int(optimizer.iterations) == 1
    with pytest.raises(RuntimeError, match="Cannot set `iterations` to a new Variable after"):
        optimizer.iterations = tf.Variable(0, dtype=tf.int64)
    fresh = SGD()
    fresh.iterations = tf.Variable(5, dtype=tf.int64)
    fresh.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    assert int(fresh.iterations) == 6
    assert int(fresh.variables[0]) == 6


def test_building_twice_changes_nothing() -> None:
    optimizer, x = built()
    optimizer.build([x])
    assert len(optimizer.variables) == 3
    assert optimizer.built


def test_get_and_set_weights() -> None:
    optimizer, x = built()
    other = Adam(0.1)
    with pytest.raises(ValueError, match="an optimizer that has not yet been built"):
        other.set_weights(optimizer.get_weights())
    other.build([x])
    other.set_weights(optimizer.get_weights())
    for a, b in zip(optimizer.variables, other.variables, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    with pytest.raises(ValueError, match="has shape .* not compatible with provided weight shape"):
        other.set_weights([np.zeros(3)])


def test_weights_from_keras_2_leave_out_the_product_of_nadam() -> None:
    x = tf.Variable(1.0)
    optimizer = Nadam(0.1)
    optimizer.build([x])
    optimizer.set_weights([np.int64(3), np.float32(0.5), np.float32(0.25)])
    assert [float(v) for v in optimizer.variables] == [3.0, 0.5, 0.25, 1.0]


def test_save_and_load_own_variables() -> None:
    optimizer, x = built()
    store: dict[str, np.ndarray] = {}
    optimizer.save_own_variables(store)
    assert list(store) == ["0", "1", "2"]
    other = Adam(0.1)
    with pytest.warns(UserWarning, match="Skipping variable loading for optimizer 'Adam', because it has 1"):
        other.load_own_variables(store)
    other.build([x])
    other.load_own_variables(store)
    np.testing.assert_array_equal(other.variables[1].numpy(), store["1"])


def test_add_variable_as_keras_2_and_keras_3_spell_it() -> None:
    optimizer = Optimizer("mine", learning_rate=0.1)
    first = optimizer.add_variable((2,), "float64", "ones", name="a")
    second = optimizer.add_variable((2,), initializer="ones", dtype="float64", name="b")
    third = optimizer.add_variable((2,), "ones", "float64")
    for variable in (first, second, third):
        assert variable.dtype is tf.float64
        assert not variable.trainable
        np.testing.assert_array_equal(variable.numpy(), [1.0, 1.0])
    scalar = optimizer.add_variable([])
    assert (scalar.shape.rank, scalar.dtype, float(scalar)) == (0, tf.float32, 0.0)
    assert len(optimizer.variables) == 5


def test_add_variable_from_reference_as_both_spell_it() -> None:
    optimizer = Optimizer("mine", learning_rate=0.1)
    x = tf.Variable(np.ones((2, 3)), dtype="float16", name="x")
    two = optimizer.add_variable_from_reference(x, "a")
    three = optimizer.add_variable_from_reference(reference_variable=x, name="a", initializer="ones")
    assert (two.name, three.name) == ("a/x:0", "a/x:0")
    assert (two.dtype, tuple(two.shape)) == (tf.float16, (2, 3))
    assert float(tf.reduce_sum(three)) == 6.0
    shaped = optimizer.add_variable_from_reference(x, "b", shape=(4,))
    assert tuple(shaped.shape) == (4,)
    copied = optimizer.add_variable_from_reference(x, "c", initial_value=x)
    x.assign(tf.zeros_like(x))
    assert float(tf.reduce_sum(copied)) == 6.0
    m, v = optimizer.add_optimizer_variables([x], ["m", "v"], ["zeros", "ones"])
    assert (float(tf.reduce_sum(m[0])), float(tf.reduce_sum(v[0]))) == (0.0, 6.0)


def test_slots_are_made_inside_a_function_on_its_first_call() -> None:
    x = tf.Variable(1.0)
    optimizer = Adam(0.1)
    step = tf.function(lambda: optimizer.apply_gradients([(tf.constant(1.0), x)]))
    for _ in range(3):
        step()
    assert int(optimizer.iterations) == 3
    assert float(x) == pytest.approx(0.7, rel=1e-4)
