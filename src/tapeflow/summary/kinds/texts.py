"""`tf.summary.text`."""

from __future__ import annotations

from typing import SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit, tag_of
from tapeflow.summary.event_files import encoding


def text(
    name: str, data: npt.ArrayLike, step: SupportsInt | None = None, description: str | None = None
) -> bool:
    """Write text; the board shows it as Markdown, an array of strings as a table.

    Args:
        name: the tag; the name scope is put in front of it.
        data: a string, or an array or a string tensor of them.
        step: the step, unless there is a default one.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.
    """
    writer = recording_writer()
    if writer is None:
        return False
    meta = encoding.metadata("text", description=description)
    return emit(writer, tag_of(name, "text_summary"), data, step, meta, np.asarray, _check)


def _check(shape: tuple[int, ...], dtype: np.dtype) -> None:
    if dtype.kind not in "SUO":
        raise TypeError(
            f"tf.summary.text expected strings; got data of dtype {dtype}. Convert it to strings, for "
            "example with str()."
        )
