"""Colours: between RGB, HSV, grey, YIQ and YUV; and hue, saturation, brightness, contrast and gamma changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float16, float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.rearranging import repeat
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.host_args import known_value
from tapeflow.ops.image.arguments import convert_image_dtype, in_floats, read_channels, read_images
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.power import pow

_GRAY = np.array([[0.2989], [0.587], [0.114]])
_YIQ = np.array(
    [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
)
_YIQ_BACK = np.array(
    [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
)
_YUV = np.array(
    [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
)
_YUV_BACK = np.array([[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]])


def _hsv(rgb: Any) -> jax.Array:
    """Hue as a share of the circle, saturation and value."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value = jnp.max(rgb, -1)
    spread = value - jnp.min(rgb, -1)
    is_gray, is_black = spread <= 0, value <= 0
    sixth = 1 / (6 * jnp.where(is_gray, jnp.ones_like(spread), spread))
    hue = jnp.where(
        red == value,
        sixth * (green - blue),
        jnp.where(green == value, sixth * (blue - red) + 2 / 6, sixth * (red - green) + 4 / 6),
    )
    hue = jnp.where(is_gray, jnp.zeros_like(hue), jnp.where(hue < 0, hue + 1, hue))
    saturation = spread / jnp.where(is_black, jnp.ones_like(value), value)
    return jnp.stack([hue, jnp.where(is_black, jnp.zeros_like(saturation), saturation), value], -1)


def _rgb(hsv: Any) -> jax.Array:
    hue, saturation, value = hsv[..., 0] * 6, hsv[..., 1], hsv[..., 2]
    shares = (jnp.abs(hue - 3) - 1, 2 - jnp.abs(hue - 2), 2 - jnp.abs(hue - 4))
    return jnp.stack([(1 - saturation + saturation * jnp.clip(s, 0, 1)) * value for s in shares], -1)


@op(name="RGBToHSV")
def _to_hsv_op(images: jax.Array) -> jax.Array:
    FLOATING.check("tf.image.rgb_to_hsv", images=images)
    return _hsv(images)


@op(name="HSVToRGB")
def _to_rgb_op(images: jax.Array) -> jax.Array:
    FLOATING.check("tf.image.hsv_to_rgb", images=images)
    return _rgb(images)


@op(name="MixChannels")
def _mix_op(images: jax.Array, *, by: np.ndarray) -> jax.Array:
    """Each pixel's channels times a matrix."""
    return jnp.tensordot(images, jnp.asarray(by, images.dtype), ((-1,), (0,)))


@op(name="AdjustHue")
def _hue_op(images: jax.Array, delta: jax.Array) -> jax.Array:
    wide = images.astype(jnp.float32)
    hsv = _hsv(wide)
    turned = jnp.mod(hsv[..., :1] + delta.astype(jnp.float32), 1)
    return _rgb(jnp.concatenate([turned, hsv[..., 1:]], -1)).astype(images.dtype)


@op(name="AdjustSaturation")
def _saturation_op(images: jax.Array, factor: jax.Array) -> jax.Array:
    hsv = _hsv(images.astype(jnp.float32))
    scaled = jnp.clip(hsv[..., 1:2] * factor.astype(jnp.float32), 0, 1)
    return _rgb(jnp.concatenate([hsv[..., :1], scaled, hsv[..., 2:]], -1)).astype(images.dtype)


@op(name="AdjustContrast")
def _contrast_op(images: jax.Array, factor: jax.Array) -> jax.Array:
    wide = images.astype(jnp.float32)
    middle = jnp.mean(wide, (-3, -2), keepdims=True)
    return ((wide - middle) * factor.astype(jnp.float32) + middle).astype(images.dtype)


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value, all from 0 to 1, of RGB images from 0 to 1."""
    return _to_hsv_op(read_channels("tf.image.rgb_to_hsv", images, 3))


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """RGB images of hue, saturation and value."""
    return _to_rgb_op(read_channels("tf.image.hsv_to_rgb", images, 3))


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert RGB images to grayscale images with one channel."""
    images = read_channels("tf.image.rgb_to_grayscale", images, 3)
    gray = _mix_op(convert_image_dtype(images, float32), by=_GRAY)
    return convert_image_dtype(gray, images.dtype)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Images of one channel with that channel three times."""
    return repeat(read_channels("tf.image.grayscale_to_rgb", images, 1), 3, axis=-1)


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Brightness and two colours, as NTSC television had them, of RGB images."""
    return _mix_op(read_channels("tf.image.rgb_to_yiq", images, 3), by=_YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """RGB images of YIQ ones."""
    return _mix_op(read_channels("tf.image.yiq_to_rgb", images, 3), by=_YIQ_BACK)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Brightness and two colours, as PAL television had them, of RGB images."""
    return _mix_op(read_channels("tf.image.rgb_to_yuv", images, 3), by=_YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """RGB images of YUV ones."""
    return _mix_op(read_channels("tf.image.yuv_to_rgb", images, 3), by=_YUV_BACK)


def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """RGB images with their hue turned by a share of the circle, from -1 to 1."""
    read_channels("tf.image.adjust_hue", image, 3)
    turn = convert_to_tensor(delta, dtype_hint=float32)
    known = known_value(turn)
    if known is not None and not -1 <= known <= 1:
        raise ValueError(
            f"tf.image.adjust_hue expected delta in [-1, 1]: delta must be in the interval [-1, 1]; got {known}."
        )
    return in_floats(lambda x: _hue_op(x, cast(turn, x.dtype)), image)


def adjust_saturation(image: TensorLike, saturation_factor: Any, name: str | None = None) -> Tensor:
    """RGB images with their saturation times a factor."""
    read_channels("tf.image.adjust_saturation", image, 3)
    factor = convert_to_tensor(saturation_factor, dtype_hint=float32)
    return in_floats(lambda x: _saturation_op(x, cast(factor, x.dtype)), image)


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Images with a number added to every pixel, counted from 0 to 1."""
    step = convert_to_tensor(delta, dtype_hint=float32)
    return in_floats(lambda x: x + cast(step, x.dtype), image, saturate=True)


def adjust_contrast(images: TensorLike, contrast_factor: Any) -> Tensor:
    """Images with every channel's distance from its mean times a factor."""
    tensor = convert_to_tensor(images)
    read_images("tf.image.adjust_contrast", tensor, tuple(range(3, max(4, tensor.ndim + 1))))
    factor = convert_to_tensor(contrast_factor, dtype_hint=float32)
    return in_floats(lambda x: _contrast_op(x, cast(factor, x.dtype)), tensor, saturate=True)


def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: Any = 1) -> Tensor:
    """`gain * image ** gamma`, of images counted from 0 to 1."""
    power = convert_to_tensor(gamma, dtype_hint=float32)
    known = known_value(power)
    if known is not None and known < 0:
        raise ValueError(
            f"tf.image.adjust_gamma expected gamma of at least 0: Gamma should be a non-negative real number; "
            f"got gamma={known}."
        )
    scale = convert_to_tensor(gain, dtype_hint=float32)
    return in_floats(lambda x: pow(x, cast(power, x.dtype)) * cast(scale, x.dtype), image, saturate=True)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image with mean 0 and variance 1; nearly uniform ones are not blown up."""
    tensor = read_images("tf.image.per_image_standardization", image)
    wide = tensor if tensor.dtype in (float16, float32) else cast(tensor, float32)
    return _standardize_op(wide)


@op(name="PerImageStandardization")
def _standardize_op(images: jax.Array) -> jax.Array:
    axes = (-3, -2, -1)
    count = images.shape[-1] * images.shape[-2] * images.shape[-3]
    middle = jnp.mean(images, axes, keepdims=True)
    variance = jnp.mean(jnp.square(images - middle), axes, keepdims=True)
    least = jnp.asarray(1 / np.sqrt(max(count, 1)), images.dtype)
    is_flat = variance < least * least
    spread = jnp.sqrt(jnp.where(is_flat, jnp.ones_like(variance), variance))
    return (images - middle) / jnp.where(is_flat, least, spread)
