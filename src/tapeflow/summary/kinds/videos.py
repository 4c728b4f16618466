"""`tf.summary.video`."""

from __future__ import annotations

import io
from functools import partial
from typing import SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit, tag_of
from tapeflow.summary.event_files import encoding
from tapeflow.summary.kinds.images import check_pictures, to_uint8
from tapeflow.summary.limits import output_limit


def video(
    name: str,
    data: np.ndarray,
    step: SupportsInt | None = None,
    fps: float = 4,
    max_outputs: npt.ArrayLike = 3,
    description: str | None = None,
) -> bool:
    """Write videos, as animated GIFs, which TensorBoard shows among the images.

    Args:
        name: the tag; the name scope is put in front of it.
        data: clips of shape `[k, frames, height, width, channels]`, or one clip without the first dimension, with
            1 or 3 channels: floats from 0 to 1, or uint8.
        step: the step, unless there is a default one.
        fps: frames a second; a GIF counts in hundredths of a second.
        max_outputs: how many clips to write; the rest are left out.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.
    """
    writer = recording_writer()
    if writer is None:
        return False
    if not 0 < fps <= 100:
        raise ValueError(f"tf.summary.video expected from above 0 to 100 frames a second; got fps={fps!r}.")
    most = output_limit("video", max_outputs)
    meta = encoding.metadata("images", description=description)
    encode = partial(video_strings, fps=fps, most=most)
    return emit(writer, tag_of(name, "video"), data, step, meta, encode, _check)


def _check(shape: tuple[int, ...], dtype: np.dtype) -> None:
    if len(shape) not in (4, 5) or shape[-1] not in (1, 3):
        raise ValueError(
            "tf.summary.video expected data of shape [k, frames, height, width, channels] with 1 or 3 channels; "
            f"got shape {shape}. Move the channels to the end first."
        )
    check_pictures("video", shape[-4:], dtype)


def video_strings(clips: np.ndarray, fps: float = 4, most: int = 3) -> np.ndarray:
    """What an image summary of clips holds: width and height as text, then each clip as a GIF."""
    clips = clips[None] if clips.ndim == 4 else clips
    _, frames, height, width, _ = clips.shape
    if not frames or not height or not width:
        raise ValueError(f"tf.summary.video expected clips with frames and pixels; got shape {clips.shape}.")
    made = [gif(to_uint8(clip), fps) for clip in clips[:most]]
    return np.array([str(width).encode(), str(height).encode(), *made], dtype=object)


def gif(clip: np.ndarray, fps: float) -> bytes:
    """A clip of shape `[frames, height, width, channels]`, uint8, as a GIF that goes on for ever."""
    from PIL import Image  # start-up

    frames = [Image.fromarray(frame[..., 0] if frame.shape[-1] == 1 else frame) for frame in clip]
    file = io.BytesIO()
    frames[0].save(
        file, "GIF", save_all=True, append_images=frames[1:], duration=round(100 / fps) * 10, loop=0
    )
    return file.getvalue()
