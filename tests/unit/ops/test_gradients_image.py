"""One contract for every differentiable op of `tf.image` and `tf.signal`, and for ops on matrices and sequences.

Its gradient along a random direction agrees with a difference quotient; and with float32 inputs neither it
nor its gradient computes anything in float64. Some of these compute in float32 whatever they are given, so
the quotient is one of float32 numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.backend import jax, jnp

RNG = np.random.default_rng(4)
# All different, and far enough apart that a small step changes no order.
IMAGE = ((RNG.permutation(60) + 5) / 70).reshape(4, 5, 3).astype(np.float32)
BATCH = IMAGE[None]
LARGE = RNG.uniform(0.1, 0.9, (1, 12, 12, 1)).astype(np.float32)
SIGNAL = RNG.normal(size=(2, 12)).astype(np.float32)
MATRIX = (RNG.normal(size=(3, 3)) + 3 * np.eye(3)).astype(np.float32)
SYMMETRIC = MATRIX @ MATRIX.T
LOGITS = RNG.normal(size=(4, 2, 3)).astype(np.float32)
ROWS = RNG.normal(size=(5, 4)).astype(np.float32)
BIASES = RNG.normal(size=5).astype(np.float32)
POSITIVE = RNG.uniform(0.3, 1.5, 5).astype(np.float32)
BOXES = np.array([[0.1, 0.2, 0.8, 0.9], [0.05, 0.1, 0.5, 0.7]], np.float32)
DRAWN = (np.array([1, 4]), np.array([[0.5], [0.2]], np.float32), np.array([0.3, 0.4], np.float32))

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    **{
        f"resize {m}{' antialias' if a else ''}": (
            lambda x, m=m, a=a: tf.image.resize(x, [3, 7], m, antialias=a),
            (IMAGE,),
        )
        for m, a in [("bilinear", False), ("bicubic", True), ("area", False), ("nearest", False)]
    },
    "crop_and_resize": (
        lambda x, b: tf.image.crop_and_resize(x, b, [0, 0], [2, 3]),
        (BATCH, BOXES),
    ),
    "flip_left_right": (tf.image.flip_left_right, (IMAGE,)),
    "rot90": (tf.image.rot90, (IMAGE,)),
    "central_crop": (lambda x: tf.image.central_crop(x, 0.5), (IMAGE,)),
    "resize_with_crop_or_pad": (lambda x: tf.image.resize_with_crop_or_pad(x, 6, 3), (IMAGE,)),
    "rgb_to_hsv": (tf.image.rgb_to_hsv, (IMAGE,)),
    "hsv_to_rgb": (tf.image.hsv_to_rgb, (IMAGE,)),
    "rgb_to_grayscale": (tf.image.rgb_to_grayscale, (IMAGE,)),
    "rgb_to_yuv": (tf.image.rgb_to_yuv, (IMAGE,)),
    "adjust_hue": (lambda x: tf.image.adjust_hue(x, 0.2), (IMAGE,)),
    "adjust_saturation": (lambda x: tf.image.adjust_saturation(x, 0.6), (IMAGE,)),
    "adjust_contrast": (tf.image.adjust_contrast, (IMAGE, np.float32(1.5))),
    "adjust_gamma": (lambda x: tf.image.adjust_gamma(x, 2.0), (IMAGE,)),
    "per_image_standardization": (tf.image.per_image_standardization, (IMAGE,)),
    "psnr": (lambda x: tf.image.psnr(x, IMAGE[::-1], 1.0), (IMAGE,)),
    "ssim": (lambda x: tf.image.ssim(x, LARGE[:, ::-1], 1.0), (LARGE,)),
    "ssim_multiscale": (
        lambda x: tf.image.ssim_multiscale(x, LARGE * 0.9, 1.0, (0.4, 0.6), filter_size=5),
        (LARGE,),
    ),
    "total_variation": (tf.image.total_variation, (IMAGE,)),
    "sobel_edges": (tf.image.sobel_edges, (BATCH,)),
    "image_gradients": (lambda x: tf.image.image_gradients(x)[1], (BATCH,)),
    "extract_patches": (
        lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 2, 1], [1, 1, 1, 1], "SAME"),
        (BATCH,),
    ),
    "stateless_random_crop": (lambda x: tf.image.stateless_random_crop(x, [2, 3, 3], [1, 2]), (IMAGE,)),
    "stateless_random_flip": (lambda x: tf.image.stateless_random_flip_left_right(x, [1, 2]), (IMAGE,)),
    "rfft": (lambda x: tf.abs(tf.signal.rfft(x)), (SIGNAL,)),
    "irfft": (lambda x: tf.signal.irfft(tf.complex(x, x)), (SIGNAL,)),
    "fft2d": (lambda x: tf.math.real(tf.signal.fft2d(tf.complex(x, x * 2))), (SIGNAL,)),
    **{
        f"dct {k}": (lambda x, k=k: tf.signal.dct(x, k, norm=None if k == 1 else "ortho"), (SIGNAL,))
        for k in (1, 2, 3, 4)
    },
    "stft": (lambda x: tf.abs(tf.signal.stft(x, 6, 3)), (SIGNAL,)),
    "overlap_and_add": (lambda x: tf.signal.overlap_and_add(x, 5), (SIGNAL,)),
    "mdct": (lambda x: tf.signal.mdct(x, 8), (SIGNAL,)),
    "lu_solve": (lambda x: tf.linalg.lu_solve(*tf.linalg.lu(x), np.ones([3, 1], np.float32)), (MATRIX,)),
    "sqrtm": (tf.linalg.sqrtm, (SYMMETRIC,)),
    "tridiagonal_solve": (tf.linalg.tridiagonal_solve, (MATRIX.T.copy(), MATRIX)),
    "tridiagonal_matmul": (tf.linalg.tridiagonal_matmul, (MATRIX, MATRIX)),
    "space_to_depth": (lambda x: tf.nn.space_to_depth(x[:, :, :4], 2), (BATCH,)),
    "space_to_batch": (lambda x: tf.space_to_batch(x, [2, 2], [[0, 0], [1, 0]]), (BATCH,)),
    "dilation2d": (
        lambda x, f: tf.nn.dilation2d(x, f, [1] * 4, "SAME", "NHWC", [1] * 4),
        (BATCH, IMAGE[:2, :2] * 0.1),
    ),
    "max_pool_with_argmax": (lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0], (BATCH,)),
    "ctc_loss": (lambda x: tf.nn.ctc_loss([[1, 2], [2, 0]], x, [2, 1], [4, 3]), (LOGITS,)),
    "nce_loss": (
        lambda w, b, x: tf.nn.nce_loss(w, b, [[0], [3]], x, 2, 5, sampled_values=DRAWN),
        (ROWS, BIASES, ROWS[:2]),
    ),
    "sampled_softmax_loss": (
        lambda w, b, x: tf.nn.sampled_softmax_loss(w, b, [[0], [4]], x, 2, 5, sampled_values=DRAWN),
        (ROWS, BIASES, ROWS[:2]),
    ),
    **{
        f"special {f}": (lambda x, f=f: getattr(tf.math.special, f)(x), (POSITIVE,))
        for f in ("dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence")
    },
}


def weighted(function: Callable[..., Any], *inputs: Any) -> Any:
    result = function(*inputs)
    weights = np.random.default_rng(7).uniform(0.5, 1.5, result.shape).astype(np.float32)
    return tf.reduce_sum(result * weights)


@pytest.mark.parametrize("name", CASES)
def test_gradient_agrees_with_a_difference_quotient(name: str) -> None:
    function, inputs = CASES[name]
    directions = [RNG.uniform(-1, 1, x.shape).astype(np.float32) for x in inputs]
    step = np.float32(2e-3)
    forth, back = (
        float(
            weighted(
                function, *[tf.constant(x + s * step * d) for x, d in zip(inputs, directions, strict=True)]
            )
        )
        for s in (1, -1)
    )
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        value = weighted(function, *tensors)
    gradients = tape.gradient(value, tensors)
    found = sum(float(np.sum(g.numpy() * d)) for g, d in zip(gradients, directions, strict=True))
    assert found == pytest.approx((forth - back) / (2 * float(step)), rel=2e-2, abs=2e-2)


# Made of functions of JAX's that hold float64 scalars or empty arrays of their own; a crop rounds its places itself.
HOLD_FLOAT64 = (
    "crop_and_resize",
    "sqrtm",
    "special expint",
    "special fresnel_cos",
    "special fresnel_sin",
    "special spence",
)


@pytest.mark.parametrize("name", [name for name in CASES if name not in HOLD_FLOAT64])
def test_float32_stays_float32(name: str) -> None:
    function, inputs = CASES[name]

    def run(*given: Any) -> Any:
        return jnp.sum(function(*map(tf.convert_to_tensor, given)).__jax_array__())

    arrays = [jnp.asarray(x) for x in inputs]
    assert "f64" not in str(jax.make_jaxpr(run)(*arrays))
    places = tuple(range(len(arrays)))
    assert "f64" not in str(jax.make_jaxpr(jax.grad(run, places))(*arrays))
