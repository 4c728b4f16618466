"""`tf.summary.figure`."""

from __future__ import annotations

import io
import struct
from typing import Any, SupportsInt

import numpy as np

from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit, tag_of
from tapeflow.summary.event_files import encoding


def figure(
    name: str,
    figure: Any,
    step: SupportsInt | None = None,
    close: bool = False,
    description: str | None = None,
) -> bool:
    """Write a Matplotlib figure as an image.

    It is drawn at once, so it may be changed or closed the next line.

    Args:
        name: the tag; the name scope is put in front of it.
        figure: the figure, or a list of them.
        step: the step, unless there is a default one.
        close: whether to close it, so that a training loop does not gather figures.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.

    >>> fig, axes = plt.subplots()
    >>> axes.plot(losses)
    >>> tf.summary.figure("losses", fig, step=epoch, close=True)
    """
    figures = list(figure) if isinstance(figure, (list, tuple)) else [figure]
    for found in figures:
        if not callable(getattr(found, "savefig", None)):
            raise TypeError(
                f"tf.summary.figure expected a Matplotlib figure; got {found!r} of type {type(found).__name__}. "
                "Pass what plt.figure() or plt.gcf() gives, or the .figure of an Axes."
            )
    writer = recording_writer()
    if writer is not None:
        drawn = [_png(found) for found in figures]
        width, height = struct.unpack(">II", drawn[0][16:24]) if drawn else (0, 0)
        strings = np.array([str(width).encode(), str(height).encode(), *drawn], dtype=object)
        meta = encoding.metadata("images", description=description)
        emit(writer, tag_of(name, "figure"), strings, step, meta, np.asarray)
    if close:
        from matplotlib import pyplot  # optional

        for found in figures:
            pyplot.close(found)
    return writer is not None


def _png(figure: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
