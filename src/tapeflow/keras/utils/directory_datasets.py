"""`image_dataset_from_directory` and its kin for texts and sounds: datasets of the files of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.data import Dataset
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import PathLike
from tapeflow.keras.utils import directory as folders

_IMAGES = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
_CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}


def image_dataset_from_directory(
    directory: PathLike,
    labels: str | Sequence[Any] = "inferred",
    label_mode: str | None = "int",
    class_names: Sequence[str] | None = None,
    color_mode: str = "rgb",
    batch_size: int | None = 32,
    image_size: tuple[int, int] = (256, 256),
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    interpolation: str = "bilinear",
    follow_links: bool = False,
    crop_to_aspect_ratio: bool = False,
    **kwargs: Any,
) -> Any:
    """Batches of the images of a folder, float32 from 0 to 255, and their labels.

    Args:
        directory: the folder; with inferred labels it has a folder for each class.
        labels: "inferred", None, or a list of integers, one for each file in order.
        label_mode: "int", "categorical" (one-hot), "binary" (0 or 1, float32) or None.
        class_names: the classes in another order than the alphabet's.
        color_mode: "rgb", "rgba" or "grayscale".
        batch_size: how many images a batch has; single images if it is None.
        image_size: height and width that images are resized to.
        shuffle: whether to shuffle; else files are in the order of the alphabet.
        seed: for the same order again.
        validation_split: the share of files held for validation.
        subset: "training", "validation", or "both" for a list of two datasets.
        interpolation: as in `tf.image.resize`.
        follow_links: whether to follow links to folders.
        crop_to_aspect_ratio: whether to cut images to the wanted proportions instead of stretching them.
        **kwargs: `smart_resize`, the older name of the last.

    Returns:
        A dataset with the attributes `class_names` and `file_paths`.
    """
    where = "tf.keras.utils.image_dataset_from_directory"
    crops = kwargs.pop("smart_resize", crop_to_aspect_ratio)
    if kwargs:
        raise TypeError(
            f"{where} expected no other arguments: unknown keyword argument(s); got {tuple(kwargs)}."
        )
    if color_mode not in _CHANNELS:
        raise ValueError(f"{where} expected color_mode to be one of {list(_CHANNELS)}; got {color_mode!r}.")
    channels = _CHANNELS[color_mode]
    size = tuple(int(n) for n in image_size)

    def load(path: Any) -> Tensor:
        from tapeflow import io  # start-up
        from tapeflow.image import resize

        image = io.decode_image(io.read_file(path), channels=channels, expand_animations=False)
        if crops:
            image = _cropped(image, size)
        return resize(image, size, method=interpolation)

    return _from_directory(
        where, directory, labels, label_mode, class_names, batch_size, shuffle, seed, validation_split, subset,
        follow_links, load, _IMAGES,
    )  # fmt: skip


def _cropped(image: Tensor, size: tuple[int, ...]) -> Tensor:
    """The largest part, in the middle, with the proportions of `size`."""
    height, width = image.spec.shape[:2]
    crop_height = min(height, int(float(width * size[0]) / size[1]))
    crop_width = min(width, int(float(height * size[1]) / size[0]))
    top, left = int((height - crop_height) / 2), int((width - crop_width) / 2)
    return image[top : top + crop_height, left : left + crop_width]


def text_dataset_from_directory(
    directory: PathLike,
    labels: str | Sequence[Any] = "inferred",
    label_mode: str | None = "int",
    class_names: Sequence[str] | None = None,
    batch_size: int | None = 32,
    max_length: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
) -> Any:
    """Batches of the .txt files of a folder, as strings, and their labels.

    Arguments are those of `image_dataset_from_directory`; `max_length` cuts longer texts off.
    """
    where = "tf.keras.utils.text_dataset_from_directory"

    def load(path: Any) -> Tensor:
        from tapeflow import io, strings  # start-up

        text = io.read_file(path)
        return text if max_length is None else strings.substr(text, 0, max_length)

    return _from_directory(
        where, directory, labels, label_mode, class_names, batch_size, shuffle, seed, validation_split, subset,
        follow_links, load, (".txt",),
    )  # fmt: skip


def audio_dataset_from_directory(
    directory: PathLike,
    labels: str | Sequence[Any] = "inferred",
    label_mode: str | None = "int",
    class_names: Sequence[str] | None = None,
    batch_size: int | None = 32,
    sampling_rate: int | None = None,
    output_sequence_length: int | None = None,
    ragged: bool = False,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
) -> Any:
    """Batches of the .wav files of a folder, (samples, 1) from -1 to 1 each, and their labels.

    Arguments are those of `image_dataset_from_directory`, and:

    Args:
        sampling_rate: must be None: sounds are not resampled.
        output_sequence_length: the samples of each sound: longer ones are cut, zeros added to shorter ones. Without
            it, as many as the longest of a batch has.
        ragged: leave sounds as long as they are, in ragged batches.
    """
    where = "tf.keras.utils.audio_dataset_from_directory"
    if ragged and output_sequence_length is not None:
        raise ValueError(
            f"{where} expected only one of them: Cannot set both `ragged` and `output_sequence_length`; got "
            f"output_sequence_length={output_sequence_length!r}."
        )
    if sampling_rate is not None:
        raise ValueError(
            f"{where} expected sampling_rate=None; got sampling_rate={sampling_rate!r}. Sounds are not resampled here: "
            "bring the files to one rate first."
        )

    def load(path: Any) -> Tensor:
        from tapeflow import audio, io  # start-up

        return audio.decode_wav(io.read_file(path), 1, output_sequence_length or -1).audio

    batched = Dataset.batch
    if output_sequence_length is None:
        batched = Dataset.ragged_batch if ragged else Dataset.padded_batch
    return _from_directory(
        where, directory, labels, label_mode, class_names, batch_size, shuffle, seed, validation_split, subset,
        follow_links, load, (".wav",), batched,
    )  # fmt: skip


def _from_directory(
    where: str,
    directory: Any,
    labels: Any,
    label_mode: str | None,
    class_names: Sequence[str] | None,
    batch_size: int | None,
    shuffle: bool,
    seed: int | None,
    share: float | None,
    subset: str | None,
    follow_links: bool,
    load: Any,
    formats: tuple[str, ...],
    batched: folders.Batched = Dataset.batch,
) -> Any:
    folders.check_arguments(where, labels, label_mode, class_names, share, subset, shuffle, seed)
    if labels is None or label_mode is None:
        labels = label_mode = None
    number = int(np.random.randint(1_000_000)) if seed is None else int(seed)
    listing = folders.listed(where, directory, labels, formats, class_names, shuffle, number, follow_links)
    return folders.datasets_of(
        where, listing, load, label_mode, batch_size, shuffle, number, share, subset, formats, batched
    )
