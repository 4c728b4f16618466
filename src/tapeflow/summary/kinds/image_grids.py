"""`tf.summary.image_grid`: many pictures as one, with what they show written below each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit_together, tag_of
from tapeflow.summary.event_files import encoding
from tapeflow.summary.kinds.drawing import INK, PAPER, RIGHT, WRONG, fitted, font
from tapeflow.summary.kinds.images import check_pictures, png, to_uint8
from tapeflow.summary.limits import first, output_limit

_LEAST = 64  # pixels of a side that small pictures are enlarged to, by a whole factor
_GAP, _LETTERS = 6, 12


def image_grid(
    name: str,
    images: npt.ArrayLike,
    labels: npt.ArrayLike | None = None,
    class_names: Sequence[str] | None = None,
    step: SupportsInt | None = None,
    *,
    predictions: npt.ArrayLike | None = None,
    columns: int | None = None,
    max_images: int = 64,
    description: str | None = None,
) -> bool:
    """Write images as a grid, with a label below each.

    Args:
        name: the tag; the name scope is put in front of it.
        images: pictures of shape `[k, height, width, channels]` or `[k, height, width]`: floats from 0 to 1, or
            uint8. Small ones are enlarged.
        labels: what each shows: class numbers, one-hot rows, or texts.
        class_names: the classes, in order; without them the numbers are written.
        step: the step, unless there is a default one.
        predictions: what each was taken for, in any form of `labels`, or a score for each class. Where it is not
            the label, it is written in red, with the label behind it.
        columns: how many pictures a row holds; about as many as there are rows unless given.
        max_images: how many of them to write; the rest are left out.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.

    >>> tf.summary.image_grid("digits", images[:25], labels[:25], step=epoch, predictions=model(images[:25]))
    """
    writer = recording_writer()
    if writer is None:
        return False
    most = output_limit("image_grid", max_images, "max_images")
    if columns is not None and columns < 1:
        raise ValueError(f"tf.summary.image_grid expected at least 1 column; got columns={columns!r}.")
    given = {"labels": labels, "predictions": predictions}
    kept = [key for key, value in given.items() if value is not None]
    names = None if class_names is None else list(class_names)
    encode = partial(_strings, most, columns, names, kept)
    meta = encoding.metadata("images", description=description)
    data = [first(images, most), *[first(given[key], most) for key in kept]]

    def check(pictures: Any, *texts: Any) -> None:
        shape = tuple(pictures.shape)
        check_pictures("image_grid", (*shape, 1) if len(shape) == 3 else shape, np.dtype(pictures.dtype))
        for key, text in zip(kept, texts, strict=True):
            if not text.shape or text.shape[0] < min(shape[0], most):
                raise ValueError(
                    f"tf.summary.image_grid expected {key} for each of {min(shape[0], most)} images; got {key} of "
                    f"shape {tuple(text.shape)}."
                )

    return emit_together(writer, tag_of(name, "image_grid"), data, step, meta, encode, check)


def _strings(
    most: int,
    columns: int | None,
    class_names: Sequence[str] | None,
    kept: list[str],
    images: np.ndarray,
    *texts: Any,
) -> np.ndarray:
    found = {key: texts_of(array, class_names) for key, array in zip(kept, texts, strict=True)}
    picture = grid_picture(images[:most], found.get("labels"), found.get("predictions"), columns)
    height, width, _ = picture.shape
    return np.array([str(width).encode(), str(height).encode(), png(picture)], dtype=object)


def texts_of(labels: np.ndarray, class_names: Sequence[str] | None = None) -> list[str]:
    """Labels as texts: names of class numbers and of one-hot rows, texts as they are."""
    if labels.ndim > 1:
        rows = labels.reshape(len(labels), -1)
        labels = rows.argmax(1) if rows.shape[1] > 1 else rows[:, 0]
    found = []
    for label in labels.tolist():
        if isinstance(label, bytes):
            found.append(label.decode("utf-8", "replace"))
        elif isinstance(label, str) or class_names is None:
            found.append(str(label))
        else:
            number = int(label)
            known = number == label and 0 <= number < len(class_names)
            found.append(str(class_names[number] if known else label))
    return found


def grid_picture(
    images: np.ndarray,
    labels: Sequence[str] | None = None,
    predictions: Sequence[str] | None = None,
    columns: int | None = None,
) -> np.ndarray:
    """Pixels of shape `[height, width, 3]`."""
    from PIL import Image, ImageDraw  # start-up

    pixels = _rgb(to_uint8(images if images.ndim == 4 else images[..., None]))
    count, height, width, _ = pixels.shape
    if not count or not height or not width:
        raise ValueError(f"tf.summary.image_grid expected pictures with pixels; got shape {images.shape}.")
    factor = -(-_LEAST // max(height, width))
    columns = min(columns or math.ceil(math.sqrt(count)), count)
    rows = -(-count // columns)
    across, down = max(width * factor, _LEAST), height * factor
    lines = 0 if labels is None and predictions is None else _LETTERS + _GAP
    size = columns * (across + _GAP) + _GAP, rows * (down + _GAP + lines) + _GAP
    picture = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(picture)
    large = pixels.repeat(factor, axis=1).repeat(factor, axis=2)
    for i in range(count):
        x = _GAP + i % columns * (across + _GAP)
        y = _GAP + i // columns * (down + _GAP + lines)
        picture.paste(Image.fromarray(large[i]), (x + (across - width * factor) // 2, y))
        label, prediction = (None if texts is None else texts[i] for texts in (labels, predictions))
        text, colour = _caption(label, prediction)
        text = fitted(text, _LETTERS, across + _GAP - 2)
        draw.text((x + across / 2, y + down + 2), text, colour, font(_LETTERS, text), anchor="ma")
    return np.asarray(picture)


def _caption(label: str | None, prediction: str | None) -> tuple[str, tuple[int, int, int]]:
    if prediction is None or label is None:
        return label or prediction or "", INK
    return (label, RIGHT) if prediction == label else (f"{prediction} ({label})", WRONG)


def _rgb(pixels: np.ndarray) -> np.ndarray:
    """Grey as colour; what is transparent on white."""
    channels = pixels.shape[-1]
    if channels in (2, 4):
        alpha = pixels[..., -1:].astype(np.uint16)
        pixels = ((pixels[..., :-1] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)
    return np.broadcast_to(pixels, (*pixels.shape[:3], 3))
