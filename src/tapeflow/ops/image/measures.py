"""Measures of images: how alike two are (PSNR, SSIM), how rough one is, where its edges are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.host_args import describe, invalid
from tapeflow.ops.image.arguments import convert_image_dtype, read_images
from tapeflow.ops.math.casting import cast

lax = jax.lax

_MULTISCALE = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
_SOBEL = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]], float)


@op(name="PSNR")
def _psnr_op(a: jax.Array, b: jax.Array, most: jax.Array) -> jax.Array:
    error = jnp.mean(jnp.square(a - b), (-3, -2, -1))
    ten = jnp.log(jnp.asarray(10, a.dtype))
    return 20 * jnp.log(most) / ten - 10 / ten * jnp.log(error)


def _compared(where: str, a: TensorLike, b: TensorLike, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Two images or batches and the largest value they may have, in floats."""
    first, second = convert_to_tensor(a), convert_to_tensor(b)
    one, two = first.spec.shape, second.spec.shape
    if len(one) < 3 or len(two) < 3 or one[-3:] != two[-3:]:
        raise ValueError(
            f"{where} expected two images of one shape (height, width, channels), or batches of such; got "
            f"{describe(first)} and {describe(second)}."
        )
    most = convert_image_dtype(cast(max_val, first.dtype), float32)
    return convert_image_dtype(first, float32), convert_image_dtype(second, float32), most


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The ratio of the largest signal to the error between two images, in decibels."""
    return _psnr_op(*_compared("tf.image.psnr", a, b, max_val))


def _blurred(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """Each channel of images weighted over windows that lie inside."""
    flat = x.reshape((-1, *x.shape[-3:]))
    channels = flat.shape[-1]
    weights = jnp.tile(jnp.asarray(kernel, x.dtype)[:, :, None, None], (1, 1, 1, channels))
    out = lax.conv_general_dilated(
        flat,
        weights,
        (1, 1),
        "VALID",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=channels,
    )
    return out.reshape((*x.shape[:-3], *out.shape[1:]))


def _gauss(size: int, sigma: float) -> np.ndarray:
    exponents = -0.5 * np.square(np.arange(size) - (size - 1) / 2) / sigma**2
    weights = np.exp(exponents[:, None] + exponents)
    return weights / weights.sum()


def _likeness(x: Any, y: Any, most: Any, kernel: Any, k1: float, k2: float) -> tuple[Any, Any]:
    """How alike two images are about each pixel: the whole index, and its part without brightness."""
    c1, c2 = (k1 * most) ** 2, (k2 * most) ** 2
    mean_x, mean_y = _blurred(x, kernel), _blurred(y, kernel)
    product, squares = mean_x * mean_y * 2, mean_x**2 + mean_y**2
    brightness = (product + c1) / (squares + c1)
    structure = (_blurred(x * y, kernel) * 2 - product + c2) / (
        _blurred(x * x + y * y, kernel) - squares + c2
    )
    return brightness * structure, structure


@op(name="SSIM")
def _ssim_op(
    x: jax.Array,
    y: jax.Array,
    most: jax.Array,
    *,
    size: int,
    sigma: float,
    k1: float,
    k2: float,
    as_map: bool,
) -> jax.Array:
    index, _ = _likeness(x, y, most, _gauss(size, sigma), k1, k2)
    return jnp.mean(index, -1) if as_map else jnp.mean(index, (-3, -2, -1))


@op(name="MultiscaleSSIM")
def _multiscale_op(
    x: jax.Array,
    y: jax.Array,
    most: jax.Array,
    *,
    powers: tuple[float, ...],
    size: int,
    sigma: float,
    k1: float,
    k2: float,
) -> jax.Array:
    kernel = _gauss(size, sigma)
    total: Any = None
    for scale, power in enumerate(powers):
        if scale:
            x, y = _halved(x), _halved(y)
        whole, structure = _likeness(x, y, most, kernel, k1, k2)
        part = jnp.mean(whole if scale == len(powers) - 1 else structure, (-3, -2))
        factor = jnp.maximum(part, 0) ** jnp.asarray(power, x.dtype)
        total = factor if total is None else total * factor
    return jnp.mean(total, -1)


def _halved(x: jax.Array) -> jax.Array:
    """Images at half the size, by means of two by two pixels; an odd row or column is doubled."""
    width = [(0, 0)] * (x.ndim - 3) + [(0, x.shape[-3] % 2), (0, x.shape[-2] % 2), (0, 0)]
    x = jnp.pad(x, width, mode="symmetric")
    height, breadth, channels = x.shape[-3:]
    return x.reshape((*x.shape[:-3], height // 2, 2, breadth // 2, 2, channels)).mean((-4, -2))


def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of two images, at most 1; with `return_index_map`, around each pixel."""
    where = "tf.image.ssim"
    first, second, most = _compared(where, img1, img2, max_val)
    _check_window(where, first, filter_size, 0)
    return _ssim_op(
        first,
        second,
        most,
        size=int(filter_size),
        sigma=float(filter_sigma),
        k1=float(k1),
        k2=float(k2),
        as_map=bool(return_index_map),
    )


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence[float] = _MULTISCALE,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural likeness of two images at several sizes, each half the one before."""
    where = "tf.image.ssim_multiscale"
    first, second, most = _compared(where, img1, img2, max_val)
    _check_window(where, first, filter_size, len(power_factors) - 1)
    return _multiscale_op(
        first,
        second,
        most,
        powers=tuple(float(p) for p in power_factors),
        size=int(filter_size),
        sigma=float(filter_sigma),
        k1=float(k1),
        k2=float(k2),
    )


def _check_window(where: str, images: Tensor, size: int, halvings: int) -> None:
    smallest = min(images.spec.shape[-3:-1])
    for _ in range(halvings):
        smallest = -(-smallest // 2)
    if smallest < size:
        raise invalid(
            f"{where} expected images of at least filter_size={size} pixels a side"
            f"{f' after {halvings} halvings' if halvings else ''}; got images {describe(images)}. Give a smaller "
            "filter_size."
        )


@op(name="TotalVariation")
def _variation_op(images: jax.Array) -> Any:
    down = jnp.abs(images[..., 1:, :, :] - images[..., :-1, :, :])
    right = jnp.abs(images[..., 1:, :] - images[..., :-1, :])
    return sum(jnp.sum(d, (-3, -2, -1), dtype=images.dtype) for d in (down, right))


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the differences between neighbouring pixels, of each image."""
    return _variation_op(read_images("tf.image.total_variation", images))


@op(name="SobelEdges")
def _sobel_op(images: jax.Array) -> jax.Array:
    FLOATING.check("tf.image.sobel_edges", images=images)
    padded = jnp.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")
    return jnp.stack([_blurred(padded, kernel) for kernel in _SOBEL], -1)


def sobel_edges(image: TensorLike) -> Tensor:
    """Sobel gradients of images, vertical and horizontal, as a new last axis of size two."""
    return _sobel_op(read_images("tf.image.sobel_edges", image, (4,)))


@op(name="ImageGradients")
def _gradients_op(images: jax.Array) -> Any:
    def step(axis: int) -> Any:
        width = [(0, 0)] * 4
        width[axis] = (0, 1)
        return jnp.pad(jnp.diff(images, axis=axis), width)

    return step(1), step(2)


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """The differences to the pixel below and to the pixel on the right, 0 at the border."""
    return _gradients_op(read_images("tf.image.image_gradients", image, (4,)))
