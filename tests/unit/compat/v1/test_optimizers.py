"""The optimizers of `tf.compat.v1.train`: where TensorFlow's are after three steps, eagerly and in a `tf.function`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

train = tf.compat.v1.train

# TensorFlow's, from [1, 2] along the gradients of the sum of squares.
CASES = [
    ("AdamOptimizer", (0.1,), {}, [0.7015873, 1.7006245]),
    ("MomentumOptimizer", (0.1, 0.9), {}, [0.062, 0.124]),
    ("MomentumOptimizer", (0.1, 0.9), {"use_nesterov": True}, [-0.108352, -0.216704]),
    ("GradientDescentOptimizer", (0.1,), {}, [0.512, 1.024]),
    ("AdagradOptimizer", (0.1,), {}, [0.7822992, 1.7762966]),
    ("RMSPropOptimizer", (0.1,), {"momentum": 0.5}, [0.387154, 1.131669]),
    ("RMSPropOptimizer", (0.1,), {"centered": True}, [0.5589304, 1.363653]),
    ("AdadeltaOptimizer", (0.1,), {}, [0.9998643, 1.9998643]),
]


@pytest.mark.parametrize(("name", "args", "options", "expected"), CASES)
def test_three_steps(name: str, args: Any, options: Any, expected: list[float]) -> None:
    variable = tf.Variable([1.0, 2.0])
    optimizer = getattr(train, name)(*args, **options)
    for _ in range(3):
        optimizer.minimize(lambda: tf.reduce_sum(variable**2), var_list=[variable])
    np.testing.assert_allclose(variable, expected, rtol=1e-5)


def test_a_step_inside_a_function() -> None:
    variable, count = tf.Variable([1.0, 2.0]), tf.Variable(0)
    optimizer = train.AdamOptimizer(0.1)

    @tf.function
    def step() -> None:
        optimizer.minimize(tf.reduce_sum(variable**2), count, [variable])

    for _ in range(3):
        step()
    np.testing.assert_allclose(variable, [0.7015873, 1.7006245], rtol=1e-5)
    assert int(count) == 3
    assert [v.name for v in optimizer.variables()][:2] == ["Variable/Adam:0", "Variable/Adam_1:0"]
    assert optimizer.get_slot_names() == ["m", "v"]
    first = optimizer.get_slot(variable, "m")
    assert first is not None
    assert first.shape == (2,)


def test_rows_of_a_table() -> None:
    table = tf.Variable(tf.ones([4, 2]))
    train.GradientDescentOptimizer(0.5).minimize(
        lambda: tf.reduce_sum(tf.gather(table, [1, 1, 3])), var_list=[table]
    )
    np.testing.assert_allclose(table[:, 0], [1.0, 0.0, 1.0, 0.5])


def test_an_optimizer_of_ones_own() -> None:
    class Signs(train.Optimizer):
        def __init__(self) -> None:
            super().__init__(False, "Signs")

        def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
            return handle.assign_sub(0.1 * tf.sign(grad))

    variable = tf.Variable([1.0, -2.0])
    Signs().minimize(lambda: tf.reduce_sum(variable**2), var_list=[variable])
    np.testing.assert_allclose(variable, [0.9, -1.9], rtol=1e-6)


def test_errors() -> None:
    variable = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match="should be a function when eager execution is enabled"):
        train.GradientDescentOptimizer(0.1).minimize(variable * 2.0, var_list=[variable])
    with pytest.raises(ValueError, match="No gradients provided for any variable, check your graph"):
        train.GradientDescentOptimizer(0.1).minimize(lambda: tf.constant(1.0), var_list=[variable])
    with pytest.raises(ValueError, match="expected one that is not None"):
        train.GradientDescentOptimizer(0.1).apply_gradients([(None, variable)])
    with pytest.raises(ValueError, match="Must specify the optimizer name"):
        train.Optimizer(False, "")
    with pytest.raises(NotImplementedError, match="Plain expected its class to define _resource_apply_dense"):
        type("Plain", (train.Optimizer,), {})(False, "p").minimize(lambda: variable * 2.0)
    with pytest.raises(NotImplementedError, match="There are no sessions"):
        train.MonitoredSession()
