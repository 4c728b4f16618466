"""`tensorflow.python.eager.context`: the global seed, which packages look at to put it back afterwards."""

from tapeflow.engine.random import global_seed as global_seed
from tapeflow.engine.random import set_seed as set_global_seed

__all__ = ["global_seed", "set_global_seed"]
