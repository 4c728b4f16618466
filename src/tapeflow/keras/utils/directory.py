"""The files of a folder and their labels, for `image_dataset_from_directory` and its kin."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeflow.data import AUTOTUNE, Dataset
from tapeflow.engine import errors
from tapeflow.keras.annotations import PathLike
from tapeflow.keras.utils.encoding import to_categorical
from tapeflow.keras.utils.messages import say

_MODES = ("int", "categorical", "binary", None)
Batched = Callable[[Dataset, int], Dataset]
_SUBSETS = ("training", "validation", "both", None)


@dataclass
class Listing:
    """Files, the number of each one's class, and the classes."""

    paths: list[str]
    labels: np.ndarray | None
    class_names: list[str]

    def part(self, share: float | None, subset: str | None) -> Listing:
        """The files for training (the first ones) or for validation."""
        if share is None or subset is None:
            return self
        held = int(share * len(self.paths))
        chosen = (
            slice(None, len(self.paths) - held)
            if subset == "training"
            else slice(len(self.paths) - held, None)
        )
        paths = self.paths[chosen]
        say(f"Using {len(paths)} files for {subset}.")
        return Listing(paths, None if self.labels is None else self.labels[chosen], self.class_names)


def check_arguments(
    where: str,
    labels: str | Sequence[Any],
    label_mode: Any,
    class_names: Any,
    share: float | None,
    subset: str | None,
    shuffle: bool,
    seed: int | None,
) -> None:
    """Raise unless the arguments that all functions share fit together."""
    if labels not in ("inferred", None) and not isinstance(labels, (list, tuple)):
        raise ValueError(
            f'{where} expected labels to be "inferred", None or a list of integers, one for each file; got '
            f"labels={labels!r}."
        )
    if labels != "inferred" and class_names:
        raise ValueError(f'{where} expected class_names only with labels="inferred"; got labels={labels!r}.')
    if label_mode not in _MODES:
        raise ValueError(
            f'{where} expected label_mode to be "int", "categorical", "binary" or None; got '
            f"label_mode={label_mode!r}."
        )
    if share is not None and not 0 < share < 1:
        raise ValueError(
            f"{where} expected validation_split between 0 and 1; got validation_split={share!r}."
        )
    if (share is None) != (subset is None):
        raise ValueError(
            f"{where} expected validation_split and subset together: if one is set, the other must be, too; got "
            f"validation_split={share!r}, subset={subset!r}."
        )
    if subset not in _SUBSETS:
        raise ValueError(
            f'{where} expected subset to be "training", "validation", "both" or None; got subset={subset!r}.'
        )
    if share and shuffle and seed is None:
        raise ValueError(
            f"{where} expected a seed with validation_split and shuffle, so that training and validation do not "
            "overlap; got seed=None. Pass seed=..., or shuffle=False."
        )


def listed(
    where: str,
    directory: PathLike,
    labels: str | Sequence[Any],
    formats: tuple[str, ...],
    class_names: Sequence[str] | None,
    shuffle: bool,
    seed: int,
    follow_links: bool,
) -> Listing:
    """The files of a folder; their order is Keras's, for the same seed too."""
    root = os.fspath(directory)
    if not os.path.isdir(root):
        raise errors.NotFoundError(
            None, None, f"{where} expected a folder; could not find directory={root!r}."
        )
    folders = [""]
    if labels == "inferred":
        names = sorted(os.listdir(root))
        folders = [n for n in names if os.path.isdir(os.path.join(root, n)) and not n.startswith(".")]
        if class_names and set(class_names) != set(folders):
            raise ValueError(
                f"{where} expected class_names to be the names of the folders in {root!r}: {folders}; got "
                f"class_names={list(class_names)}."
            )
    classes = list(class_names) if class_names else folders
    paths: list[str] = []
    numbers: list[int] = []
    for folder in folders:
        found = _files(os.path.join(root, folder) if folder else root, formats, follow_links)
        paths += found
        numbers += [classes.index(folder)] * len(found)
    known: Any = np.array(numbers, np.int32)
    if labels not in ("inferred", None):
        if len(labels) != len(paths):
            raise ValueError(
                f"{where} expected a label for each of {len(paths)} files in {root!r}; got {len(labels)} labels."
            )
        known, classes = _label_array(labels), sorted(set(labels))
    if labels is None:
        say(f"Found {len(paths)} files.")
        known = None
    else:
        say(f"Found {len(paths)} files belonging to {len(classes)} classes.")
    if shuffle:
        np.random.RandomState(seed).shuffle(paths)
        if known is not None:
            np.random.RandomState(seed).shuffle(known)
    return Listing(paths, known, classes)


def _files(folder: str, formats: tuple[str, ...], follow_links: bool) -> list[str]:
    walked = sorted(os.walk(folder, followlinks=follow_links), key=lambda found: found[0])
    return [
        os.path.join(root, name)
        for root, _, names in walked
        for name in sorted(names)
        if name.lower().endswith(formats)
    ]


def datasets_of(
    where: str,
    listing: Listing,
    load: Callable[[Any], Any],
    label_mode: str | None,
    batch_size: int | None,
    shuffle: bool,
    seed: int,
    share: float | None,
    subset: str | None,
    formats: tuple[str, ...],
    batched: Batched = Dataset.batch,
) -> Any:
    """A dataset of loaded files and labels; a list of two for `subset="both"`. `batched` puts files together."""
    if label_mode == "binary" and len(listing.class_names) != 2:
        raise ValueError(
            f'{where} expected two classes for label_mode="binary"; got class_names={listing.class_names}.'
        )
    if subset == "both":
        return [
            _dataset(
                where, listing.part(share, name), load, label_mode, batch_size, mixed, seed, formats, batched
            )
            for name, mixed in (("training", shuffle), ("validation", False))
        ]
    part = listing.part(share, subset)
    return _dataset(where, part, load, label_mode, batch_size, shuffle, seed, formats, batched)


def _dataset(
    where: str,
    part: Listing,
    load: Callable[[Any], Any],
    label_mode: str | None,
    batch_size: int | None,
    shuffle: bool,
    seed: int,
    formats: tuple[str, ...],
    batched: Batched,
) -> Dataset:
    if not part.paths:
        raise ValueError(f"{where} expected files: none found in the folder. Allowed formats: {formats}.")
    columns: Any = part.paths
    if label_mode is not None and part.labels is not None:
        columns = (part.paths, _labels(part.labels, label_mode, len(part.class_names)))
    dataset = Dataset.from_tensor_slices(columns)
    if shuffle:  # before files are read: what is shuffled is their names
        dataset = dataset.shuffle(1024 if batch_size is None else batch_size * 8, seed)
    if isinstance(columns, tuple):
        dataset = dataset.map(lambda path, label: (load(path), label), num_parallel_calls=AUTOTUNE)
    else:
        dataset = dataset.map(load, num_parallel_calls=AUTOTUNE)
    if batch_size is not None:
        dataset = batched(dataset, batch_size)
    dataset = dataset.prefetch(AUTOTUNE)
    dataset.class_names = part.class_names  # pyright: ignore[reportAttributeAccessIssue]
    dataset.file_paths = part.paths  # pyright: ignore[reportAttributeAccessIssue]
    return dataset


def _labels(labels: np.ndarray, mode: str, classes: int) -> np.ndarray:
    if mode == "categorical":
        return to_categorical(labels, classes).astype(np.float32)
    return labels.astype(np.float32)[:, None] if mode == "binary" else labels


def _label_array(labels: str | Sequence[Any]) -> np.ndarray:
    """Labels as TensorFlow takes a list: integers are of 32 bits."""
    known = np.asarray(labels)
    return known.astype(np.int32) if known.dtype == np.int64 else known
