"""Reading TFRecord and event files by a loop, as TensorFlow 1 did."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from tapeflow.io.tfrecord import UNPACKING_ERRORS, compression_of, not_whole, open_to_read, read_record
from tapeflow.summary.protos.messages import message


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a TFRecord file; in new code, iterate over a `tf.data.TFRecordDataset`."""
    where, path = "tf.compat.v1.io.tf_record_iterator", os.fspath(path)
    with open_to_read(path, compression_of(options, where), where) as file:
        try:
            while (record := read_record(file, path)) is not None:
                yield record
        except UNPACKING_ERRORS as error:
            raise not_whole(path, error) from error


def summary_iterator(path: Any) -> Iterator[Any]:
    """The `Event` messages of an event file; `tf.summary.read` gives whole series of a folder instead."""
    return map(message("Event").FromString, tf_record_iterator(path))
