"""`ImageDataGenerator`: endless batches of images, changed at random, from arrays, folders or tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import config
from tapeflow.keras.annotations import PathLike
from tapeflow.keras.preprocessing.image_batches import ArrayBatches, FileBatches
from tapeflow.keras.preprocessing.image_changes import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
)
from tapeflow.keras.preprocessing.image_table import ImageTable

_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".ppm", ".tif", ".tiff", ".gif", ".webp")


class ImageDataGenerator:
    """Changes images at random and standardises them, batch by batch.

    Args:
        featurewise_center, featurewise_std_normalization: by the mean and deviation of all data; call `fit`.
        samplewise_center, samplewise_std_normalization: by those of each image.
        zca_whitening, zca_epsilon: make pixels independent; call `fit`.
        rotation_range: degrees to turn by, either way.
        width_shift_range, height_shift_range: how far to move: a share below 1, pixels, or a list to choose from.
        brightness_range: factors from and to.
        shear_range: degrees to shear by, either way.
        zoom_range: a share either way, or factors from and to.
        channel_shift_range: how much to add, either way.
        fill_mode, cval: what lies outside: "constant" (`cval`), "nearest", "reflect" or "wrap".
        horizontal_flip, vertical_flip: mirror with a chance of one half.
        rescale: a factor for every pixel.
        preprocessing_function: applied to each image after the changes.
        data_format: "channels_last" or "channels_first".
        validation_split: the share of images that `subset="validation"` gives.
        interpolation_order: of the splines that move images.
        dtype: of the images.
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Callable[[np.ndarray], np.ndarray] | None = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        interpolation_order: int = 1,
        dtype: Any = None,
    ) -> None:
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                f"`validation_split` must be strictly between 0 and 1.  Received: {validation_split}"
            )
        if brightness_range is not None and len(brightness_range) != 2:
            raise ValueError(
                f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}"
            )
        if not isinstance(zoom_range, (int, float)) and len(zoom_range) != 2:
            raise ValueError(
                f"`zoom_range` should be a float or a tuple or list of two floats. Received: {zoom_range}"
            )
        is_number = isinstance(zoom_range, (int, float))
        self.zoom_range = [1 - zoom_range, 1 + zoom_range] if is_number else list(zoom_range)
        self.featurewise_center = featurewise_center or featurewise_std_normalization or zca_whitening
        self.featurewise_std_normalization = featurewise_std_normalization and not zca_whitening
        self.samplewise_center = samplewise_center or samplewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening, self.zca_epsilon = zca_whitening, zca_epsilon
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.brightness_range, self.channel_shift_range = brightness_range, channel_shift_range
        self.fill_mode, self.cval, self.interpolation_order = fill_mode, cval, interpolation_order
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.data_format = config.read_data_format(data_format)
        is_first = self.data_format == "channels_first"
        self.channel_axis, self.row_axis, self.col_axis = (1, 2, 3) if is_first else (3, 1, 2)
        self.dtype = config.floatx() if dtype is None else dtype
        self._validation_split = validation_split
        self.mean: np.ndarray | None = None
        self.std: np.ndarray | None = None
        self.zca_whitening_matrix: np.ndarray | None = None

    # -- sources ----------------------------------------------------------------------------------

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: TensorLike | None = None,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        ignore_class_split: bool = False,
        subset: str | None = None,
    ) -> ArrayBatches:
        """Batches of images from an array, with their labels if there are any."""
        batches = ArrayBatches(x, y, sample_weight, self, batch_size=batch_size, shuffle=shuffle, seed=seed)
        batches.part(self._validation_split, subset)
        batches.save_to(save_to_dir, save_prefix, save_format)
        return batches

    def flow_from_directory(
        self,
        directory: PathLike,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: list[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
    ) -> FileBatches:
        """Batches of images from a folder with a folder for each class."""
        root = Path(directory)
        if not root.is_dir():
            raise FileNotFoundError(
                f"flow_from_directory expected a folder with a folder for each class; got directory={str(root)!r}, "
                "which is none."
            )
        names = classes or sorted(path.name for path in root.iterdir() if path.is_dir())
        files: list[str] = []
        labels: list[int] = []
        for number, name in enumerate(names):
            paths = sorted(str(p) for p in (root / name).rglob("*") if p.suffix.lower() in _SUFFIXES)
            paths = self._part(paths, subset)
            files += paths
            labels += [number] * len(paths)
        print(f"Found {len(files)} images belonging to {len(names)} classes.")  # noqa: T201 - as Keras does
        batches = self._from_files(
            files,
            np.array(labels, np.int32),
            {name: i for i, name in enumerate(names)},
            class_mode,
            target_size,
            color_mode,
            interpolation,
            keep_aspect_ratio,
            (save_to_dir, save_prefix, save_format),
            batch_size=batch_size,
            shuffle=shuffle,
            seed=seed,
        )
        batches.filenames = [str(Path(path).relative_to(root)) for path in files]
        return batches

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: str | None = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: list[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
    ) -> FileBatches:
        """Batches of images from the files that a table of pandas names, labelled by another column, or several."""
        table = ImageTable(
            dataframe, directory, x_col, y_col, weight_col, classes, class_mode, validate_filenames
        )
        rows = self._part(table.rows, subset)
        batches = self._from_files(
            [table.paths[row] for row in rows],
            table.labels(rows),
            table.indices,
            class_mode,
            target_size,
            color_mode,
            interpolation,
            False,
            (save_to_dir, save_prefix, save_format),
            batch_size=batch_size,
            shuffle=shuffle,
            seed=seed,
        )
        batches.filenames = [table.names[row] for row in rows]
        batches.sample_weight = table.weights(rows)
        return batches

    def _from_files(
        self,
        files: list[str],
        labels: Any,
        indices: dict[str, int],
        class_mode: str | None,
        target_size: tuple[int, int],
        color_mode: str,
        interpolation: str,
        keep_aspect_ratio: bool,
        saving: tuple[str | None, str, str],
        **order: Any,
    ) -> FileBatches:
        if class_mode not in ("categorical", "binary", "sparse", "input", "raw", "multi_output", None):
            raise ValueError(
                f"Invalid class_mode: {class_mode}; expected one of 'categorical', 'binary', 'sparse', 'input', "
                "'raw', 'multi_output' or None."
            )
        batches = FileBatches(
            files,
            labels,
            indices,
            class_mode,
            target_size,
            color_mode,
            interpolation,
            keep_aspect_ratio,
            self,
            **order,
        )
        batches.save_to(*saving)
        return batches

    def _part(self, items: list[Any], subset: str | None) -> list[Any]:
        if subset is None:
            return items
        if subset not in ("training", "validation"):
            raise ValueError(f"Invalid subset name: {subset}; expected 'training' or 'validation'.")
        cut = int(len(items) * self._validation_split)
        return items[:cut] if subset == "validation" else items[cut:]

    # -- changes ----------------------------------------------------------------------------------

    def get_random_transform(self, img_shape: tuple[int, ...], seed: int | None = None) -> dict[str, Any]:
        """Draw random transformation parameters for an image of a shape; for `apply_transform`."""
        if seed is not None:
            np.random.seed(seed)
        draw = np.random.uniform
        theta = draw(-self.rotation_range, self.rotation_range) if self.rotation_range else 0
        tx = _shift(self.height_shift_range, img_shape[self.row_axis - 1])
        ty = _shift(self.width_shift_range, img_shape[self.col_axis - 1])
        shear = draw(-self.shear_range, self.shear_range) if self.shear_range else 0
        low, high = self.zoom_range
        zx, zy = (1, 1) if low == high == 1 else draw(low, high, 2)
        flips = [(np.random.random() < 0.5) * bool(f) for f in (self.horizontal_flip, self.vertical_flip)]
        channel = self.channel_shift_range
        return {
            "theta": theta,
            "tx": tx,
            "ty": ty,
            "shear": shear,
            "zx": zx,
            "zy": zy,
            "flip_horizontal": flips[0],
            "flip_vertical": flips[1],
            "channel_shift_intensity": draw(-channel, channel) if channel else None,
            "brightness": None if self.brightness_range is None else draw(*self.brightness_range),
        }

    def apply_transform(self, x: np.ndarray, transform_parameters: dict[str, Any]) -> np.ndarray:
        """An image changed as the parameters say."""
        changes = transform_parameters
        x = apply_affine_transform(
            x,
            *(changes.get(k, 0) for k in ("theta", "tx", "ty", "shear")),
            *(changes.get(k, 1) for k in ("zx", "zy")),
            row_axis=self.row_axis - 1,
            col_axis=self.col_axis - 1,
            channel_axis=self.channel_axis - 1,
            fill_mode=self.fill_mode,
            cval=self.cval,
            order=self.interpolation_order,
        )
        if changes.get("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, changes["channel_shift_intensity"], self.channel_axis - 1)
        if changes.get("flip_horizontal"):
            x = np.flip(x, self.col_axis - 1)
        if changes.get("flip_vertical"):
            x = np.flip(x, self.row_axis - 1)
        if changes.get("brightness") is not None:
            x = apply_brightness_shift(x, changes["brightness"], scale=False)
        return x

    def random_transform(self, x: np.ndarray, seed: int | None = None) -> np.ndarray:
        """An image changed at random."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def standardize(self, x: np.ndarray) -> np.ndarray:
        """An image brought to the scale that was asked for."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x = x * self.rescale
        if self.samplewise_center:
            x = x - np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x = x / (np.std(x, keepdims=True) + 1e-6)
        if self.featurewise_center:
            x = x - self._fitted("featurewise_center", self.mean, 0)
        if self.featurewise_std_normalization:
            x = x / (self._fitted("featurewise_std_normalization", self.std, 1) + 1e-6)
        if self.zca_whitening:
            matrix = self._fitted("zca_whitening", self.zca_whitening_matrix, None)
            x = x if matrix is None else (x.reshape(-1, x.size) @ matrix).reshape(x.shape)
        return np.asarray(x, self.dtype)

    def _fitted(self, name: str, found: object, otherwise: object) -> Any:
        if found is not None:
            return found
        warnings.warn(
            f"This ImageDataGenerator specifies `{name}`, but it hasn't been fit on any training data. Fit it first "
            "by calling `.fit(numpy_data)`.",
            stacklevel=3,
        )
        return otherwise

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Learn the mean, deviation and whitening of images.

        Args:
            augment: learn from images changed at random, each `rounds` times.
        """
        images = np.array(x, self.dtype)
        if images.ndim != 4:
            raise ValueError(f"Input to `.fit()` should have rank 4. Got array with shape: {images.shape}")
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            images = images * self.rescale
        if augment:
            images = np.stack([self.random_transform(image) for _ in range(rounds) for image in images])
        axes = (0, self.row_axis, self.col_axis)
        if self.featurewise_center:
            mean = self.mean = np.mean(images, axes, keepdims=True)[0]
            images = images - mean
        if self.featurewise_std_normalization:
            std = self.std = np.std(images, axes, keepdims=True)[0]
            images = images / (std + 1e-6)
        if self.zca_whitening:
            count = len(images)
            u, s, _ = np.linalg.svd(images.reshape(count, -1).T, full_matrices=False)
            self.zca_whitening_matrix = (u * (np.sqrt(count) / (s + self.zca_epsilon))) @ u.T


def _shift(by: Any, size: int) -> float:
    """How far to move along an axis: chosen from a list, or drawn from a range, as a share if below 1."""
    if not np.any(by):
        return 0
    if isinstance(by, (list, tuple, np.ndarray)):
        shift = float(np.random.choice(by) * np.random.choice([-1, 1]))
    elif isinstance(by, int):
        shift = float(np.random.choice(by) * np.random.choice([-1, 1]))  # whole pixels below it
    else:
        shift = float(np.random.uniform(-by, by))
    return shift * size if np.max(by) < 1 else shift
