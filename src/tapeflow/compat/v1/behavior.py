"""Turning TensorFlow 2's behaviour on, where it always is, and off, which cannot be."""

from __future__ import annotations

from typing import Any, NoReturn


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Nothing to do: execution is always eager."""


def enable_control_flow_v2() -> None:
    """Nothing to do: loops and branches are functions always."""


def enable_v2_behavior() -> None:
    """Nothing to do: there is no other."""


def enable_resource_variables() -> None:
    """Nothing to do: there are no other Variables."""


def reset_default_graph() -> None:
    """Nothing to do: there is no default graph."""


def global_variables_initializer() -> None:
    """Nothing to do: a Variable has its value from the start."""


local_variables_initializer = tables_initializer = global_variables_initializer


def disable_eager_execution() -> NoReturn:
    """Not possible here: raises, saying what to do instead."""
    raise RuntimeError(no_graphs("tf.compat.v1.disable_eager_execution"))


def disable_v2_behavior() -> NoReturn:
    """Not possible here: raises, saying what to do instead."""
    raise RuntimeError(no_graphs("tf.compat.v1.disable_v2_behavior"))


def no_graphs(where: str) -> str:
    """What to say of code that wants TensorFlow 1's graphs and sessions."""
    return (
        f"{where} expected TensorFlow 1's graph mode, which TapeFlow does not have: ops take effect when they "
        "are called. Remove the call, and use tf.function, tf.Variable and tf.GradientTape instead of graphs, "
        "placeholders and sessions."
    )
