"""`video`: frames, speed and size of the GIFs."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tapeflow import summary
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.videos import gif

CLIPS = np.random.default_rng(0).uniform(size=(4, 3, 6, 5, 3))


def test_a_gif_has_its_frames() -> None:
    pixels = np.zeros((3, 4, 4, 1), np.uint8)
    pixels[0], pixels[1], pixels[2] = 10, 100, 200
    clip: Any = Image.open(io.BytesIO(gif(pixels, fps=5)))
    assert (clip.n_frames, clip.info["duration"], clip.info["loop"]) == (3, 200, 0)
    for i in range(3):
        clip.seek(i)
        assert np.asarray(clip.convert("L"))[0, 0] == pixels[i, 0, 0, 0]


@pytest.mark.parametrize(("data", "count"), [(CLIPS, 2), (CLIPS[0], 1)], ids=["clips", "clip"])
def test_it_is_written_as_images(writer: FileWriter, data: np.ndarray, count: int) -> None:
    with writer.as_default():
        assert summary.video("v", data, step=1, max_outputs=2)
    series = summary.read(writer.logdir)["v"]
    width, height, *clips = series.values[0]
    assert (series.plugin, width, height, len(clips)) == ("images", b"5", b"6", count)
    assert all(clip.startswith(b"GIF89a") for clip in clips)


@pytest.mark.parametrize(
    ("data", "fps", "text"),
    [
        (CLIPS[0, 0], 4, r"shape \[k, frames, height, width, channels\].*got shape \(6, 5, 3\)"),
        (np.moveaxis(CLIPS, -1, 2), 4, r"Move the channels to the end"),
        (CLIPS, 0, r"frames a second; got fps=0"),
    ],
    ids=["rank", "channels", "fps"],
)
def test_wrong_arguments_raise(writer: FileWriter, data: np.ndarray, fps: float, text: str) -> None:
    with writer.as_default(), pytest.raises(ValueError, match=text):
        summary.video("v", data, step=0, fps=fps)
