"""`tf.compat.v1.train.get_or_create_global_step`, and learning rates that follow a counter of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.optimizers import schedules

_counter: list[Variable] = []


def get_global_step(graph: Any = None) -> Variable | None:
    """The counter of steps, if there is one."""
    return _counter[0] if _counter else None


def create_global_step(graph: Any = None) -> Variable:
    """A new counter of steps; there must be none yet."""
    if _counter:
        raise ValueError(
            'tf.compat.v1.train.create_global_step expected no counter yet: "global_step" already exists. Use '
            "get_or_create_global_step()."
        )
    with tf.init_scope():
        _counter.append(Variable(0, name="global_step", dtype=tf.int64, trainable=False))
    return _counter[0]


def get_or_create_global_step(graph: Any = None) -> Variable:
    """The counter of steps of this process."""
    return _counter[0] if _counter else create_global_step()


def _following(schedule: Callable[[Any], Any], step: Any) -> Callable[[], Tensor]:
    return lambda: schedule(step() if callable(step) and not isinstance(step, Variable) else step)


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: int,
    decay_rate: float,
    staircase: bool = False,
    name: str | None = None,
) -> Callable[[], Tensor]:
    """A function that gives the rate: `learning_rate * decay_rate ** (step / decay_steps)`."""
    schedule = schedules.ExponentialDecay(learning_rate, decay_steps, decay_rate, staircase)
    return _following(schedule, global_step)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: int,
    decay_rate: float,
    staircase: bool = False,
    name: str | None = None,
) -> Callable[[], Tensor]:
    """A function that gives the rate: `learning_rate / (1 + decay_rate * step / decay_steps)`."""
    schedule = schedules.InverseTimeDecay(learning_rate, decay_steps, decay_rate, staircase)
    return _following(schedule, global_step)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: int,
    end_learning_rate: float = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Callable[[], Tensor]:
    """A function that gives the rate, which goes down to `end_learning_rate`."""
    schedule = schedules.PolynomialDecay(learning_rate, decay_steps, end_learning_rate, power, cycle)
    return _following(schedule, global_step)


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: int, alpha: float = 0.0, name: str | None = None
) -> Callable[[], Tensor]:
    """A function that gives the rate, which goes down as a cosine does."""
    return _following(schedules.CosineDecay(learning_rate, decay_steps, alpha), global_step)


def piecewise_constant(
    x: Any, boundaries: list[Any], values: list[Any], name: str | None = None
) -> Callable[[], Tensor]:
    """A function that gives the rate of the stretch that the step is in."""
    return _following(schedules.PiecewiseConstantDecay(boundaries, values), x)
