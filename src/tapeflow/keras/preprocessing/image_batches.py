"""The endless batches that `ImageDataGenerator.flow` and its kin give, from arrays or from files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras.utils.images import array_to_img, img_to_array, load_img
from tapeflow.keras.utils.sequence import Sequence

if TYPE_CHECKING:
    from tapeflow.keras.preprocessing.image_data_generator import ImageDataGenerator


class ImageBatches(Sequence):
    """Batches of changed images. As a sequence it has one epoch; iterated over, it does not end.

    Args:
        count: how many images there are.
        batch_size: images a batch.
        shuffle: take them in another order every epoch.
        seed: decides the order and the changes.
        changes: the generator whose changes to make.
    """

    def __init__(
        self, count: int, batch_size: int, shuffle: bool, seed: int | None, changes: ImageDataGenerator
    ) -> None:
        super().__init__()
        self.n = self.samples = count
        self.batch_size, self.shuffle, self.seed = batch_size, shuffle, seed
        self.image_data_generator = changes
        self.total_batches_seen = 0
        self.index_array: np.ndarray | None = None
        self._place = 0
        self._saving: tuple[str, str, str] | None = None

    def save_to(self, folder: str | None, prefix: str, form: str) -> None:
        """Also write every changed image to a folder."""
        self._saving = None if folder is None else (folder, prefix, form)

    def _order(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < len(self):
            raise ValueError(f"Asked to retrieve element {index}, but the Sequence has length {len(self)}")
        self._seed()
        if self.index_array is None:
            self._order()
        return self._part(index)

    def _seed(self) -> None:
        """Make what follows depend on the seed and on how many batches there were."""
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)
        self.total_batches_seen += 1

    def _part(self, index: int) -> Any:
        order = np.arange(self.n) if self.index_array is None else self.index_array
        return self._batch(order[index * self.batch_size : (index + 1) * self.batch_size])

    def on_epoch_end(self) -> None:
        self._order()

    def reset(self) -> None:
        """Begin again at the first batch."""
        self._place = 0

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield next(self)

    def __next__(self) -> Any:
        self._seed()
        if self._place == 0:
            self._order()
        index, self._place = self._place, (self._place + 1) % max(len(self), 1)
        return self._part(index)

    next = __next__

    def _changed(self, image: np.ndarray) -> np.ndarray:
        generator = self.image_data_generator
        moved = generator.apply_transform(image, generator.get_random_transform(image.shape))
        return generator.standardize(moved)

    def _save(self, images: np.ndarray, rows: np.ndarray) -> None:
        if self._saving is None:
            return
        folder, prefix, form = self._saving
        for image, row in zip(images, rows, strict=True):
            name = f"{prefix}_{row}_{np.random.randint(10**7)}.{form}"
            array_to_img(image, self.image_data_generator.data_format, scale=True).save(Path(folder) / name)

    def _batch(self, rows: np.ndarray) -> Any:
        raise NotImplementedError


class ArrayBatches(ImageBatches):
    """Batches of images from arrays; see `ImageDataGenerator.flow`."""

    def __init__(
        self, x: Any, y: Any, sample_weight: TensorLike | None, changes: ImageDataGenerator, **order: Any
    ) -> None:
        images, *others = x if isinstance(x, (tuple, list)) else (x,)
        self.x = np.asarray(images, changes.dtype)
        self.x_misc = [np.asarray(other) for other in others]
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        if self.x.ndim != 4:
            raise ValueError(
                "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape "
                f"{self.x.shape}"
            )
        for name, other in (("labels", self.y), ("sample weights", self.sample_weight)):
            if other is not None and len(other) != len(self.x):
                raise ValueError(
                    f"`x` (images tensor) and `{name}` should have the same length. Found: x.shape = {self.x.shape}, "
                    f"{name}.shape = {other.shape}"
                )
        super().__init__(len(self.x), changes=changes, **order)

    def part(self, share: float, subset: str | None) -> None:
        """Keep the first share of the images for validation, or the others for training."""
        if subset is None:
            return
        if subset not in ("training", "validation"):
            raise ValueError(f"Invalid subset name: {subset}; expected 'training' or 'validation'.")
        cut = int(len(self.x) * share)
        kept = slice(0, cut) if subset == "validation" else slice(cut, None)
        self.x, self.x_misc = self.x[kept], [m[kept] for m in self.x_misc]
        self.y = None if self.y is None else self.y[kept]
        self.n = self.samples = len(self.x)

    def _batch(self, rows: np.ndarray) -> Any:
        images = np.stack([self._changed(self.x[row].copy()) for row in rows])
        self._save(images, rows)
        inputs = [images, *[m[rows] for m in self.x_misc]] if self.x_misc else images
        if self.y is None:
            return inputs
        if self.sample_weight is None:
            return inputs, self.y[rows]
        return inputs, self.y[rows], self.sample_weight[rows]


class FileBatches(ImageBatches):
    """Batches of images from files; see `ImageDataGenerator.flow_from_directory`."""

    def __init__(
        self,
        files: list[str],
        labels: Any,
        class_indices: dict[str, int],
        class_mode: str | None,
        target_size: tuple[int, int],
        color_mode: str,
        interpolation: str,
        keep_aspect_ratio: bool,
        changes: ImageDataGenerator,
        **order: Any,
    ) -> None:
        self.filepaths, self.class_indices, self.class_mode = files, class_indices, class_mode
        self.filenames = files  # below the folder that they were looked for in
        self.sample_weight: np.ndarray | None = None
        self.classes = labels
        self.num_classes = len(class_indices)
        self.target_size, self.color_mode = (target_size[0], target_size[1]), color_mode
        self.interpolation, self.keep_aspect_ratio = interpolation, keep_aspect_ratio
        depth = {"grayscale": 1, "rgb": 3, "rgba": 4}[color_mode]
        is_first = changes.data_format == "channels_first"
        self.image_shape = (depth, *self.target_size) if is_first else (*self.target_size, depth)
        super().__init__(len(files), changes=changes, **order)

    @property
    def labels(self) -> Any:
        """What each file is labelled."""
        return self.classes

    def _read(self, path: str) -> np.ndarray:
        picture = load_img(
            path,
            color_mode=self.color_mode,
            target_size=self.target_size,
            interpolation=self.interpolation,
            keep_aspect_ratio=self.keep_aspect_ratio,
        )
        return img_to_array(picture, self.image_data_generator.data_format, self.image_data_generator.dtype)

    def _batch(self, rows: np.ndarray) -> Any:
        dtype = self.image_data_generator.dtype
        images = np.stack([self._changed(self._read(self.filepaths[row])) for row in rows]).astype(dtype)
        self._save(images, rows)
        if self.class_mode is None:
            return images
        labels = self._labels(rows, images)
        return (images, labels) if self.sample_weight is None else (images, labels, self.sample_weight[rows])

    def _labels(self, rows: np.ndarray, images: np.ndarray) -> Any:
        if self.class_mode == "input":
            return images.copy()
        if self.class_mode == "multi_output":
            return [column[rows] for column in self.classes]
        chosen = np.asarray(self.classes)[rows]
        if self.class_mode in ("binary", "sparse"):
            return chosen.astype(images.dtype)
        if self.class_mode == "categorical":
            return (
                np.eye(self.num_classes, dtype=images.dtype)[chosen]
                if chosen.ndim == 1
                else chosen.astype(images.dtype)
            )
        return chosen
