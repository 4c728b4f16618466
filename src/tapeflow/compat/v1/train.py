"""`tf.compat.v1.train`: `tf.train`, the events of an event file, optimizers and the counter of steps."""

from typing import Any

from tapeflow import train as _train
from tapeflow.compat.v1.global_step import cosine_decay as cosine_decay
from tapeflow.compat.v1.global_step import create_global_step as create_global_step
from tapeflow.compat.v1.global_step import exponential_decay as exponential_decay
from tapeflow.compat.v1.global_step import get_global_step as get_global_step
from tapeflow.compat.v1.global_step import get_or_create_global_step as get_or_create_global_step
from tapeflow.compat.v1.global_step import inverse_time_decay as inverse_time_decay
from tapeflow.compat.v1.global_step import piecewise_constant as piecewise_constant
from tapeflow.compat.v1.global_step import polynomial_decay as polynomial_decay
from tapeflow.compat.v1.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from tapeflow.compat.v1.optimizers import AdagradOptimizer as AdagradOptimizer
from tapeflow.compat.v1.optimizers import AdamOptimizer as AdamOptimizer
from tapeflow.compat.v1.optimizers import FtrlOptimizer as FtrlOptimizer
from tapeflow.compat.v1.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from tapeflow.compat.v1.optimizers import MomentumOptimizer as MomentumOptimizer
from tapeflow.compat.v1.optimizers import Optimizer as Optimizer
from tapeflow.compat.v1.optimizers import RMSPropOptimizer as RMSPropOptimizer
from tapeflow.compat.v1.records import summary_iterator as summary_iterator
from tapeflow.engine.absent import absent as _absent

_NO_SESSIONS = "There are no sessions: train with tf.keras.Model.fit, or in a loop with tf.GradientTape."
# Classes of sessions that packages derive from or mention.
_OF_SESSIONS = ("MonitoredSession", "MonitoredTrainingSession", "Saver", "Scaffold", "SessionRunHook")


def __getattr__(name: str) -> Any:
    if name in _OF_SESSIONS:
        return _absent(f"tf.compat.v1.train.{name}", _NO_SESSIONS)
    return getattr(_train, name)
