"""The long tail of ops: what is random, what is refused, and gradients; results are in tests/parity."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

IMAGES = np.random.default_rng(1).normal(size=(1, 7, 7, 2)).astype(np.float32)
BOX = np.array([[[0.2, 0.2, 0.7, 0.8]]], np.float32)


@pytest.mark.parametrize(("pseudo_random", "overlapping"), [(False, False), (True, True)])
def test_windows_of_a_fractional_pool(pseudo_random: bool, overlapping: bool) -> None:
    for pool, reduce in ((tf.nn.fractional_max_pool, np.max), (tf.nn.fractional_avg_pool, np.mean)):
        found = pool(IMAGES, 1.5, pseudo_random, overlapping, seed=4)
        rows, columns = (s.numpy() for s in found[1:])
        assert rows[0] == columns[0] == 0
        assert rows[-1] == columns[-1] == 7
        assert set(np.diff(rows)) | set(np.diff(columns)) <= {1, 2}
        extra = int(overlapping)
        wanted = [
            [reduce(IMAGES[0, a : b + extra, c : d + extra], (0, 1)) for c, d in itertools.pairwise(columns)]
            for a, b in itertools.pairwise(rows)
        ]
        np.testing.assert_allclose(found.output[0], wanted, rtol=1e-5, atol=1e-6)


def test_a_part_of_an_image_shows_enough_of_the_object() -> None:
    tf.random.set_seed(5)
    for _ in range(5):
        begin, size, box = tf.image.sample_distorted_bounding_box(
            [40, 60, 3], BOX, min_object_covered=0.5, area_range=[0.3, 0.9]
        )
        (top, left, _), (height, width, rest) = begin.numpy(), size.numpy()
        assert rest == -1
        assert 0.74 < width / height < 1.34
        assert 0.28 < height * width / 2400 < 0.92
        shared = np.minimum([top + height, left + width], [28, 48]) - np.maximum([top, left], [8, 12])
        assert np.prod(shared) >= 0.5 * 20 * 36 - 1e-3
        np.testing.assert_allclose(
            box[0, 0], [top / 40, left / 60, (top + height) / 40, (left + width) / 60], rtol=1e-6
        )
    same = [
        tf.image.stateless_sample_distorted_bounding_box([40, 60, 3], BOX, [1, 2]).begin.numpy() for _ in "ab"
    ]
    np.testing.assert_array_equal(*same)


def test_noise_of_a_glimpse_lies_within_the_image() -> None:
    for noise in ("uniform", "gaussian"):
        found = tf.image.extract_glimpse(IMAGES, [4, 4], [[1.0, 1.0]], noise=noise).numpy()
        np.testing.assert_array_equal(found[0, :2, :2], IMAGES[0, 5:, 5:])
        outside = found[0, 2:]
        assert len(np.unique(outside)) == outside.size
        assert noise == "gaussian" or (outside.min() >= IMAGES.min() and outside.max() <= IMAGES.max())


REFUSALS: dict[str, tuple[Callable[[], object], str]] = {
    "pool rank": (
        lambda: tf.nn.fractional_max_pool(tf.ones([3, 3]), 1.5),
        r"\[batch, height, width, channels\]",
    ),
    "pool ratio": (lambda: tf.nn.fractional_max_pool(IMAGES, 0.5), "should be >= 1.0; got pooling_ratio=0.5"),
    "pool size": (lambda: tf.nn.fractional_max_pool(IMAGES, 9.0), "leave at least one cell"),
    "sobol": (lambda: tf.math.sobol_sample(0, 2), "dim from 1 to 2048.*got dim=0"),
    "banded": (
        lambda: tf.linalg.banded_triangular_solve(tf.ones([3, 2]), tf.ones([2, 1])),
        "no more diagonals than size",
    ),
    "tridiagonal": (lambda: tf.linalg.eigh_tridiagonal([1.0], [1.0]), "one shorter than alpha"),
    "select": (lambda: tf.linalg.eigh_tridiagonal([1.0], [], select="v"), "select_range of two numbers"),
    "one matrix": (
        lambda: tf.linalg.eigh_tridiagonal([[1.0]], tf.ones([1, 0]), select="v", select_range=(0, 1)),
        "one matrix for select='v'",
    ),
    "glimpse": (lambda: tf.image.extract_glimpse(IMAGES, [3], [[0.0, 0.0]]), "a size of two numbers"),
    "noise": (lambda: tf.image.extract_glimpse(IMAGES, [3, 3], [[0.0, 0.0]], noise="x"), "got noise='x'"),
    "boxes": (
        lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], tf.ones([2, 4])),
        r"\[batch, boxes, 4\]",
    ),
    "no boxes": (
        lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], tf.ones([0, 0, 4])),
        "No bounding boxes provided",
    ),
    "attempts": (
        lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], BOX, max_attempts=0),
        "got max_attempts=0",
    ),
    "areas": (
        lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], BOX, area_range=[0.5, 2.0]),
        "got area_range",
    ),
    "classes": (lambda: tf.nn.compute_accidental_hits([[1]], [1], 2), r"got true_classes of shape \[1, 1\]"),
    "candidates": (lambda: tf.random.all_candidate_sampler([[1]], 1, 0, True), "got num_sampled=0"),
    "fingerprint": (lambda: tf.fingerprint(1), "at least one dimension"),
    "method": (lambda: tf.fingerprint([1], "md5"), "unsupported fingerprint method; got method='md5'"),
    "no_gradient": (lambda: tf.no_gradient(3), "op_type must be a string; got 3"),  # pyright: ignore[reportArgumentType]
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str) -> None:
    call, text = REFUSALS[name]
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=text):
        call()


def test_small_names() -> None:
    assert tf.parallel_stack([[1, 2], [3, 4]]).shape == (2, 2)
    assert tf.convert_to_tensor([tf.constant("a"), tf.constant("b")]).numpy().tolist() == [b"a", b"b"]
    tf.no_gradient("Add")


def gradient_along(
    function: Callable[[Any], Any], x: np.ndarray, direction: np.ndarray
) -> tuple[float, float]:
    """The derivative by the tape and by a difference."""
    with tf.GradientTape() as tape:
        point = tf.constant(x)
        tape.watch(point)
        total = tf.reduce_sum(function(point) * np.cos(np.arange(1.0)))
    step = 1e-6
    ends = [float(tf.reduce_sum(function(tf.constant(x + s * direction)))) for s in (step, -step)]
    return float(np.sum(tape.gradient(total, point).numpy() * direction)), (ends[0] - ends[1]) / (2 * step)


NUMBERS = np.array([0.4, 1.7, 2.6, 9.0])
MATRIX = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.1, 0.2, 1.2]])
GRADIENTS: dict[str, tuple[Callable[[Any], Any], np.ndarray]] = {
    **{
        f"bessel_{n}": (getattr(tf.math.special, f"bessel_{n}"), NUMBERS)
        for n in ("j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e")
    },
    "isotonic_regression": (lambda x: tf.nn.isotonic_regression(x)[0] ** 2, np.array([3.0, 1.0, 2.5, 0.5])),
    "banded_triangular_solve": (lambda x: tf.linalg.banded_triangular_solve(x, MATRIX), MATRIX[:2]),
    "eigh_tridiagonal": (
        lambda x: tf.linalg.eigh_tridiagonal(x, tf.constant([0.3, 0.2], tf.float64)) ** 2,
        MATRIX[0],
    ),
    "fractional_avg_pool": (
        lambda x: tf.nn.fractional_avg_pool(x, 2.0).output ** 2,
        np.arange(16.0).reshape(1, 4, 4, 1) / 10,
    ),
    "depthwise backprop": (
        lambda x: (
            tf.nn.depthwise_conv2d_backprop_filter(
                x, [2, 2, 1, 1], tf.ones([1, 3, 3, 1], tf.float64), [1, 1, 1, 1], "VALID"
            )
            ** 2
        ),
        np.arange(16.0).reshape(1, 4, 4, 1) / 10,
    ),
}


SLOW = (
    "fractional_avg_pool",
    "isotonic_regression",
    *[f"bessel_{n}" for n in ("j0", "y0", "k0", "k1", "k1e")],
)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in GRADIENTS])
def test_gradients_agree_with_differences(name: str) -> None:
    function, x = GRADIENTS[name]
    direction = np.sin(np.arange(1.0, x.size + 1)).reshape(x.shape)
    found, wanted = gradient_along(function, x, direction)
    assert found == pytest.approx(wanted, rel=1e-5, abs=1e-7)


def test_bessel_functions_are_exact_where_the_formulas_meet() -> None:
    from scipy import special

    x = np.concatenate([np.linspace(1.9, 2.1, 21), np.geomspace(1e-6, 1e3, 40)])
    for name in ("j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e"):
        found = getattr(tf.math.special, f"bessel_{name}")(tf.constant(x)).numpy()
        np.testing.assert_allclose(found, getattr(special, name)(x), rtol=2e-12, atol=1e-13, err_msg=name)
    np.testing.assert_array_equal(tf.math.special.bessel_j1([-1.0]), -tf.math.special.bessel_j1([1.0]))
    assert float(tf.math.special.bessel_j0(np.inf)) == float(tf.math.special.bessel_k1(np.inf)) == 0
