"""`tf.summary.write`: any tensor, with any plugin's metadata."""

from __future__ import annotations

from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary import hooks
from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit


def write(
    tag: str,
    tensor: npt.ArrayLike,
    step: SupportsInt | None = None,
    metadata: Any = None,
    name: str | None = None,
) -> bool:
    """Write a tensor without a plugin's encoding.

    Args:
        tag: the tag, taken as it is, without the name scope.
        tensor: an array, a tensor, strings, or a function that gives one and is called if it is recorded.
        step: the step, unless there is a default one.
        metadata: a SummaryMetadata message, ours, TensorBoard's or TensorFlow's, or the bytes of one.
        name: ignored.

    Returns:
        Whether it was recorded.
    """
    writer = recording_writer()
    if writer is None:
        return False
    if metadata is None:
        metadata = b""
    elif not isinstance(metadata, bytes):
        metadata = metadata.SerializeToString()
    data = tensor() if callable(tensor) else tensor
    return emit(writer, tag, _as_tensor(data), step, metadata, np.asarray)


def _as_tensor(data: npt.ArrayLike) -> Any:
    """Python's numbers as the types TensorFlow gives them."""
    value = hooks.value(data)
    if isinstance(data, (int, float, list, tuple)) and isinstance(value, np.ndarray):
        if value.dtype == np.float64:
            return value.astype(np.float32)
        if value.dtype == np.int64 and (not value.size or np.abs(value).max() < 2**31):
            return value.astype(np.int32)
    return value
