"""`tf.compat.v1.io`: `tf.io`, and the records of a TFRecord file."""

from typing import Any

from tapeflow import io as _io
from tapeflow.compat.v1.records import tf_record_iterator as tf_record_iterator


def __getattr__(name: str) -> Any:
    return getattr(_io, name)
