"""What ops of `tf.image`, `tf.signal` and the later ones of `tf.nn` and `tf.linalg` refuse, and how they say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

IMAGE = np.zeros((4, 5, 3), np.float32)
BATCH = IMAGE[None]
VECTOR = np.zeros(4, np.float32)
SCORES = np.zeros((3, 2, 4), np.float32)
Invalid = tf.errors.InvalidArgumentError

REFUSALS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tf.image.flip_left_right(VECTOR), ValueError, "expected images of 3 or 4 dimensions"),
    (lambda: tf.image.rgb_to_hsv(IMAGE[..., :2]), Invalid, "expected images with 3 channels"),
    (lambda: tf.image.convert_image_dtype(IMAGE, tf.string), AttributeError, "floating point or integer"),
    (lambda: tf.image.central_crop(IMAGE, 0), ValueError, r"within \(0, 1\]"),
    (lambda: tf.image.crop_to_bounding_box(IMAGE, 3, 0, 2, 2), ValueError, "expected a box inside the image"),
    (
        lambda: tf.image.pad_to_bounding_box(IMAGE, 1, 0, 4, 5),
        ValueError,
        "expected a frame around the image",
    ),
    (lambda: tf.image.resize_with_crop_or_pad(IMAGE, 0, 3), ValueError, "sizes above 0"),
    (lambda: tf.image.adjust_hue(IMAGE, 2.0), ValueError, r"expected delta in \[-1, 1\]"),
    (lambda: tf.image.adjust_gamma(IMAGE, -1.0), ValueError, "expected gamma of at least 0"),
    (lambda: tf.image.resize(IMAGE, [2, 2], "best"), ValueError, "expected method to be one of"),
    (lambda: tf.image.resize(IMAGE, [2]), ValueError, "1-D Tensor of 2 elements"),
    (lambda: tf.image.resize(IMAGE, [0, 2]), Invalid, "output dimensions must be positive"),
    (
        lambda: tf.image.crop_and_resize(BATCH, [[0.0, 0, 1]], [0], [2, 2]),
        Invalid,
        r"boxes of shape \[n, 4\]",
    ),
    (
        lambda: tf.image.crop_and_resize(BATCH, [[0.0, 0, 1, 1]], [0], [2, 2], "x"),
        ValueError,
        "'bilinear' or",
    ),
    (lambda: tf.image.crop_and_resize(BATCH, [[0.0, 0, 1, 1]], [1], [2, 2]), Invalid, "one of the 1 images"),
    (lambda: tf.image.extract_patches(IMAGE, [1] * 4, [1] * 4, [1] * 4, "SAME"), Invalid, "of 4 dimensions"),
    (lambda: tf.image.extract_patches(BATCH, [1] * 4, [1] * 4, [1] * 4, "X"), ValueError, "expected padding"),
    (
        lambda: tf.image.extract_patches(BATCH, [2] * 4, [1] * 4, [1] * 4, "SAME"),
        Invalid,
        "expected sizes of 4",
    ),
    (lambda: tf.image.psnr(IMAGE, IMAGE[1:], 1), ValueError, "two images of one shape"),
    (lambda: tf.image.ssim(IMAGE, IMAGE, 1), Invalid, "at least filter_size=11"),
    (lambda: tf.image.ssim_multiscale(IMAGE, IMAGE, 1, filter_size=2), Invalid, "after 4 halvings"),
    (lambda: tf.image.draw_bounding_boxes(BATCH, np.zeros((2, 1, 4)), None), Invalid, "boxes of shape"),
    (
        lambda: tf.image.draw_bounding_boxes(BATCH, np.zeros((1, 1, 4), np.float32), [[1.0]]),
        Invalid,
        "each of the 3 channels",
    ),
    (lambda: tf.image.non_max_suppression(np.zeros((2, 4)), [1.0], 1), Invalid, "incompatible shape"),
    (lambda: tf.image.non_max_suppression(np.zeros((1, 4)), [1.0], 1, 2.0), Invalid, r"must be in \[0, 1\]"),
    (
        lambda: tf.image.non_max_suppression_padded(np.zeros((1, 2, 4)), np.zeros((1, 2)), 1),
        ValueError,
        "must be True for batched input",
    ),
    (lambda: tf.image.combined_non_max_suppression(IMAGE, IMAGE, 1, 1), Invalid, "classes or 1, 4"),
    (lambda: tf.image.random_brightness(IMAGE, -1), ValueError, "must be non-negative"),
    (lambda: tf.image.random_hue(IMAGE, 0.6), ValueError, "must be <= 0.5"),
    (lambda: tf.image.random_contrast(IMAGE, 2, 1), ValueError, "upper must be > lower"),
    (lambda: tf.image.random_crop(IMAGE, [9, 1, 1]), Invalid, "Need value.shape >= size"),
    (lambda: tf.image.random_jpeg_quality(IMAGE, 50, 20), ValueError, "between 0 and 100"),
    (lambda: tf.image.adjust_jpeg_quality(IMAGE[..., :2], 50), Invalid, "1 or 3 channels"),
    (lambda: tf.image.adjust_jpeg_quality(IMAGE, 101), Invalid, r"quality must be in \[0,100\]"),
    (lambda: tf.signal.fft2d(tf.zeros([2], tf.complex64)), Invalid, "rank of at least 2"),
    (lambda: tf.signal.rfft(VECTOR, [2, 3]), ValueError, "fft_length of 1 numbers"),
    (lambda: tf.signal.dct(VECTOR, axis=0), NotImplementedError, "axis must be -1"),
    (lambda: tf.signal.dct(VECTOR, 5), ValueError, "Types I, II, III and IV"),
    (lambda: tf.signal.dct(VECTOR, norm="x"), ValueError, "Unknown normalization"),
    (lambda: tf.signal.dct(VECTOR, n=0), ValueError, "positive integer or None"),
    (lambda: tf.signal.dct(VECTOR, 1, norm="ortho"), ValueError, "Type-I DCT requires"),
    (lambda: tf.signal.hann_window(3, dtype=tf.int32), ValueError, "floating point type"),
    (lambda: tf.signal.frame(VECTOR, 0, 1), Invalid, "frame_length of at least 1"),
    (lambda: tf.signal.overlap_and_add(VECTOR, 1), ValueError, "at least 2 axes"),
    (lambda: tf.signal.mdct(VECTOR, 6), ValueError, "multiple of 4"),
    (lambda: tf.signal.linear_to_mel_weight_matrix(0), ValueError, "num_mel_bins must be positive"),
    (lambda: tf.nn.space_to_depth(BATCH, 2), Invalid, "divides height and width"),
    (lambda: tf.nn.depth_to_space(BATCH, 2), Invalid, "square divides the channels"),
    (lambda: tf.nn.depth_to_space(IMAGE, 2), Invalid, "4 dimensions"),
    (lambda: tf.nn.depth_to_space(BATCH, 2, "X"), ValueError, "'NHWC' or 'NCHW'"),
    (lambda: tf.space_to_batch(BATCH, [2, 2], [[0, 0], [0, 0]]), Invalid, "block_shape divides"),
    (lambda: tf.space_to_batch(BATCH, [2, 2], [[0, 0]]), Invalid, "a pair for each block axis"),
    (lambda: tf.batch_to_space(BATCH, [2, 2], [[0, 0], [0, 0]]), Invalid, "product of block_shape divides"),
    (lambda: tf.nn.dilation2d(BATCH, IMAGE, [1] * 4, "X", "NHWC", [1] * 4), ValueError, "expected padding"),
    (lambda: tf.nn.dilation2d(BATCH, IMAGE, [1] * 4, "SAME", "NCHW", [1] * 4), ValueError, "other than NHWC"),
    (lambda: tf.nn.dilation2d(IMAGE, IMAGE, [1] * 4, "SAME", "NHWC", [1] * 4), Invalid, "images of 4 dim"),
    (lambda: tf.nn.max_pool_with_argmax(BATCH, 2, 2, "SAME", "NCHW"), ValueError, "other than 'NHWC'"),
    (lambda: tf.nn.ctc_loss([[1]], VECTOR, [1], [1]), ValueError, "expected logits of shape"),
    (lambda: tf.nn.ctc_loss([[1]], SCORES, [1], [1]), ValueError, "expected labels of shape"),
    (
        lambda: tf.nn.ctc_loss([[1], [1]], SCORES, [1, 1], [3, 3], blank_index=9),
        ValueError,
        "less than the number",
    ),
    (
        lambda: tf.nn.ctc_loss(tf.sparse.from_dense([[1], [1]]), SCORES, None, [3, 3]),
        ValueError,
        "`blank_index` must be provided",
    ),
    (lambda: tf.nn.ctc_greedy_decoder(SCORES, [9, 9]), Invalid, "a sequence_length of at most time"),
    (lambda: tf.nn.ctc_beam_search_decoder(SCORES, [3, 3], 1, 2), Invalid, "at most beam_width"),
    (lambda: tf.nn.ctc_beam_search_decoder(SCORES[:0], [0, 0], 5, 2), Invalid, "enough different sequences"),
    (lambda: tf.nn.compute_average_loss(1.0), ValueError, "must be at least 1-D"),
    (lambda: tf.nn.compute_average_loss([1.0], global_batch_size=0), ValueError, "must be positive"),
    (lambda: tf.random.uniform_candidate_sampler([1], 1, 1, True, 3), Invalid, "must be a matrix"),
    (lambda: tf.random.uniform_candidate_sampler([[1]], 1, 4, True, 3), Invalid, "range is too small"),
    (
        lambda: tf.random.fixed_unigram_candidate_sampler([[1]], 1, 1, True, 3),
        ValueError,
        "expected unigrams",
    ),
    (lambda: tf.nn.nce_loss(IMAGE[0], VECTOR, [[0]], VECTOR, 1, 5), Invalid, "expected inputs of shape"),
    (lambda: tf.histogram_fixed_width(VECTOR, [1.0, 0.0]), Invalid, "the first below the second"),
    (lambda: tf.histogram_fixed_width(VECTOR, [0.0, 1.0], 0), Invalid, "nbins must be positive"),
    (lambda: tf.linalg.lu_solve(IMAGE[0], [0], VECTOR), Invalid, "row permutation returned by tf.linalg.lu"),
    (lambda: tf.linalg.lu_solve(np.eye(2), [0, 1], np.eye(3)), Invalid, "expected rhs of shape"),
    (lambda: tf.linalg.tridiagonal_solve(np.eye(3), VECTOR, "x"), ValueError, "diagonals_format"),
    (lambda: tf.linalg.logm(np.eye(2)), Invalid, "expected a complex tensor"),
]


@pytest.mark.parametrize(("wrong", "error", "text"), REFUSALS, ids=[text for _, _, text in REFUSALS])
def test_refusal(wrong: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        wrong()


def test_sparse_labels_are_dense_ones() -> None:
    scores = np.random.default_rng(0).normal(size=(5, 2, 4)).astype(np.float32)
    sparse = tf.sparse.from_dense([[1, 2], [3, 0]])
    dense = tf.nn.ctc_loss([[1, 2], [3, 0]], scores, [2, 1], [5, 4], blank_index=0)
    np.testing.assert_allclose(tf.nn.ctc_loss(sparse, scores, None, [5, 4], blank_index=0), dense, rtol=1e-6)


def test_random_images_keep_their_shape_and_seeds_decide() -> None:
    image = np.random.default_rng(0).uniform(size=(6, 6, 3)).astype(np.float32)
    for name, arguments in [
        ("flip_left_right", ()),
        ("flip_up_down", ()),
        ("brightness", (0.3,)),
        ("contrast", (0.5, 1.5)),
        ("saturation", (0.5, 1.5)),
        ("hue", (0.2,)),
        ("jpeg_quality", (20, 90)),
        ("crop", ([3, 4, 3],)),
    ]:
        stateless = getattr(tf.image, f"stateless_random_{name}")
        first = stateless(image, *arguments, seed=(1, 2)).numpy()
        np.testing.assert_allclose(first, stateless(image, *arguments, seed=(1, 2)).numpy(), rtol=1e-6)
        drawn = getattr(tf.image, f"random_{name}")(image, *arguments)
        assert drawn.dtype is tf.float32
        assert (
            drawn.numpy().shape == first.shape
        )  # nothing stays pending, so the next call runs by itself, too


def test_each_image_of_a_batch_is_flipped_by_itself() -> None:
    batch = np.arange(64 * 2, dtype=np.float32).reshape(64, 1, 2, 1)
    flipped = tf.image.stateless_random_flip_left_right(batch, (3, 4)).numpy()
    count = int((flipped[:, 0, 0, 0] > flipped[:, 0, 1, 0]).sum())
    assert 16 < count < 48


def test_candidates_are_drawn_and_expected() -> None:
    drawn, true, sampled = tf.random.log_uniform_candidate_sampler([[0, 5]], 2, 4, True, 10, seed=1)
    assert len(set(drawn.numpy().tolist())) == 4
    assert float(true[0, 0]) > float(true[0, 1])
    assert sampled.shape == (4,)
    again = tf.random.fixed_unigram_candidate_sampler(
        [[1]], 1, 3, False, 3, num_reserved_ids=1, unigrams=[1, 3], seed=1
    )
    assert set(again[0].numpy().tolist()) <= {1, 2}
    order = tf.random.experimental.index_shuffle(tf.range(5), (1, 2, 3), 4)
    assert sorted(order.numpy().tolist()) == [0, 1, 2, 3, 4]
    kept = tf.nn.experimental.general_dropout(
        tf.ones([4]), 0.5, lambda shape, dtype: tf.constant([0.1, 0.6, 0.5, 0.4])
    )
    np.testing.assert_allclose(kept, [0, 2, 2, 0])


def test_files_of_images_are_read_under_both_names() -> None:
    pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    np.testing.assert_array_equal(tf.image.decode_png(tf.io.encode_png(pixels)), pixels)
    assert tf.image.decode_jpeg is tf.io.decode_jpeg
