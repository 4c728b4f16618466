"""Single images, as arrays, moved, turned, brightened: what `ImageDataGenerator` does with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.keras.utils.images import array_to_img, img_to_array


def apply_affine_transform(
    x: np.ndarray,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> np.ndarray:
    """An image turned by `theta` degrees, moved, sheared and zoomed about its middle."""
    from scipy import ndimage  # optional

    if {row_axis, col_axis, channel_axis} != {0, 1, 2} or x.ndim != 3:
        raise ValueError(
            "apply_affine_transform expected an image of 3 axes, of which row_axis, col_axis and channel_axis are one "
            f"each; got an array of shape {x.shape} and axes {row_axis}, {col_axis}, {channel_axis}."
        )
    turn, lean = np.deg2rad(theta), np.deg2rad(shear)
    matrix = (
        np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
        @ np.array([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
        @ np.array([[1, -np.sin(lean), 0], [0, np.cos(lean), 0], [0, 0, 1]])
        @ np.diag([zx, zy, 1.0])
    )
    if np.array_equal(matrix, np.eye(3)):
        return x
    middle = [x.shape[row_axis] / 2 - 0.5, x.shape[col_axis] / 2 - 0.5]
    there, back = np.eye(3), np.eye(3)
    there[:2, 2], back[:2, 2] = middle, np.negative(middle)
    matrix = there @ matrix @ back
    if col_axis > row_axis:  # as Keras counts: the first coordinate is along the columns
        matrix = matrix[[1, 0, 2]][:, [1, 0, 2]]
    turned: Any = ndimage.affine_transform
    channels = [
        turned(plane, matrix[:2, :2], matrix[:2, 2], order=order, mode=fill_mode, cval=cval)
        for plane in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(channels), 0, channel_axis)


def apply_channel_shift(x: np.ndarray, intensity: float, channel_axis: int = 0) -> np.ndarray:
    """An image with a number added, kept between the values it had."""
    return np.clip(x + intensity, np.min(x), np.max(x))


def apply_brightness_shift(x: np.ndarray, brightness: float, scale: bool = True) -> np.ndarray:
    """An image with its brightness times a factor, by way of an 8-bit picture."""
    from PIL import ImageEnhance  # start-up

    low, high = np.min(x), np.max(x)
    is_outside = low < 0 or high > 255
    picture = ImageEnhance.Brightness(array_to_img(x, "channels_last", scale=bool(is_outside or scale)))
    found = img_to_array(picture.enhance(brightness), "channels_last")
    return found / 255 * (high - low) + low if is_outside and not scale else found


def flip_axis(x: np.ndarray, axis: int) -> np.ndarray:
    """An array backwards along an axis."""
    return np.flip(x, axis)


def _moved(
    x: np.ndarray, rows: int, columns: int, channels: int, fill: str, cval: float, order: int, **how: Any
) -> Any:
    return apply_affine_transform(
        x,
        row_axis=rows,
        col_axis=columns,
        channel_axis=channels,
        fill_mode=fill,
        cval=cval,
        order=order,
        **how,
    )


def random_rotation(
    x: np.ndarray,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image turned by up to `rg` degrees either way."""
    theta = np.random.uniform(-rg, rg)
    return _moved(x, row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order, theta=theta)


def random_shift(
    x: np.ndarray,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image moved by up to shares `wrg` of its width and `hrg` of its height."""
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return _moved(x, row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order, tx=tx, ty=ty)


def random_shear(
    x: np.ndarray,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image sheared by up to `intensity` degrees either way."""
    shear = np.random.uniform(-intensity, intensity)
    return _moved(x, row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order, shear=shear)


def random_zoom(
    x: np.ndarray,
    zoom_range: tuple[float, float],
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image zoomed by factors from a range, one for each direction."""
    if len(zoom_range) != 2:
        raise ValueError(f"`zoom_range` should be a tuple or list of two floats. Received: {zoom_range}")
    zx, zy = np.random.uniform(zoom_range[0], zoom_range[1], 2)
    return _moved(x, row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order, zx=zx, zy=zy)


def random_brightness(x: np.ndarray, brightness_range: tuple[float, float], scale: bool = True) -> np.ndarray:
    """An image with its brightness times a factor from a range."""
    if len(brightness_range) != 2:
        raise ValueError(
            f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}"
        )
    return apply_brightness_shift(x, np.random.uniform(*brightness_range), scale)


def random_channel_shift(x: np.ndarray, intensity_range: float, channel_axis: int = 0) -> np.ndarray:
    """An image with a number of up to `intensity_range` added or taken."""
    return apply_channel_shift(x, np.random.uniform(-intensity_range, intensity_range), channel_axis)
