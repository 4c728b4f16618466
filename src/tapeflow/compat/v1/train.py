"""`tf.compat.v1.train`: `tf.train`, and the events of an event file."""

from typing import Any

from tapeflow import train as _train
from tapeflow.compat.v1.records import summary_iterator as summary_iterator


def __getattr__(name: str) -> Any:
    return getattr(_train, name)
