"""`tensorflow.python.eager.context` and `tensorflow.python.tf2`: the global seed, and that this is TensorFlow 2."""

from tapeflow.engine.random import global_seed as global_seed
from tapeflow.engine.random import set_seed as set_global_seed

__all__ = ["enabled", "global_seed", "set_global_seed"]


def enabled() -> bool:
    """`tensorflow.python.tf2.enabled`: whether TensorFlow behaves as TensorFlow 2 does."""
    return True
