"""Boxes in images: drawing them, and keeping the best of those that overlap.

How many boxes are kept depends on their values, so suppression reads them and runs on the host.
"""

from __future__ import annotations

import heapq
import math
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import constant, convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.host_args import describe, invalid, read_int, read_value
from tapeflow.ops.image.arguments import read_images

lax = jax.lax

_COLORS = [
    *([1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1]),
    *([0.5, 0.5, 0, 1], [0.5, 0, 0, 1], [0, 0, 0.5, 1], [0, 1, 1, 1], [1, 0, 1, 1]),
]


@op(name="DrawBoundingBoxes", same_dtype=False, differentiable=False)
def _draw_op(images: jax.Array, boxes: jax.Array, colors: jax.Array) -> jax.Array:
    """The edges of each box, one pixel wide, later boxes over earlier ones."""
    FLOATING.check("tf.image.draw_bounding_boxes", images=images)
    height, width, depth = images.shape[1:]
    row = jnp.arange(height, dtype=jnp.int32)[:, None]
    column = jnp.arange(width, dtype=jnp.int32)[None, :]

    def draw(image: jax.Array, box_and_color: Any) -> tuple[Any, None]:
        box, color = box_and_color
        top, left, bottom, right = (
            jnp.trunc(box[i] * (n - 1)).astype(jnp.int32)
            for i, n in enumerate((height, width, height, width))
        )
        in_rows, in_columns = (row >= top) & (row <= bottom), (column >= left) & (column <= right)
        is_edge = ((row == top) | (row == bottom)) & in_columns | (
            (column == left) | (column == right)
        ) & in_rows
        is_drawn = is_edge & (top <= bottom) & (left <= right)
        return jnp.where(is_drawn[..., None], color[:depth].astype(image.dtype), image), None

    count = boxes.shape[1]
    cycled = colors[np.arange(count) % max(colors.shape[0], 1)]
    return jax.vmap(lambda image, found: lax.scan(draw, image, (found, cycled))[0])(images, boxes)


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: Any, name: str | None = None
) -> Tensor:
    """Images with boxes drawn on them.

    Args:
        images: a batch of floating-point images of 1, 3 or 4 channels.
        boxes: shape (batch, boxes, 4): y1, x1, y2, x2 as shares of height and width.
        colors: a row for each colour, used by turns; None for TensorFlow's own.
    """
    where = "tf.image.draw_bounding_boxes"
    images = read_images(where, images, (4,))
    found = convert_to_tensor(boxes)
    if found.ndim != 3 or found.spec.shape[-1] != 4 or found.spec.shape[0] != images.spec.shape[0]:
        raise invalid(
            f"{where} expected boxes of shape [batch, boxes, 4] for the batch of images; got boxes "
            f"{describe(found)} and images {describe(images)}."
        )
    depth = images.spec.shape[-1]
    given = None if colors is None else np.atleast_2d(np.asarray(colors, np.float32))
    if given is None or given.size == 0:
        given = np.ones((1, 1), np.float32) if depth == 1 else np.array(_COLORS, np.float32)
    if given.shape[1] < depth:
        raise invalid(
            f"{where} expected a number for each of the {depth} channels in a colour; got colors of shape "
            f"{list(given.shape)}."
        )
    return _draw_op(images, found, given)


def _overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The shared area of a box and others, as a share of what both cover."""
    low, high = np.minimum(box[:2], box[2:]), np.maximum(box[:2], box[2:])
    lows, highs = np.minimum(others[:, :2], others[:, 2:]), np.maximum(others[:, :2], others[:, 2:])
    shared = np.prod(np.maximum(np.minimum(high, highs) - np.maximum(low, lows), 0), 1)
    area, areas = np.prod(high - low), np.prod(highs - lows, 1)
    whole = area + areas - shared
    is_real = (area > 0) & (areas > 0)
    return np.where(is_real, shared / np.where(whole > 0, whole, 1), 0)


def _selected(
    overlap: Any, scores: np.ndarray, most: int, limit: float, least: float, sigma: float = 0.0
) -> tuple[list[int], list[float]]:
    """The indices of the boxes to keep, best first, and their scores, which `sigma` lowers by overlaps.

    Args:
        overlap: a function of one index and several that gives their overlaps.
    """
    queue = [(-s, i, 0) for i, s in enumerate(scores.tolist()) if s > least]
    heapq.heapify(queue)
    kept: list[int] = []
    kept_scores: list[float] = []
    while queue and len(kept) < most:
        negative, index, seen = heapq.heappop(queue)
        score = before = -negative
        shares = overlap(index, kept[seen:])[::-1] if kept[seen:] else ()
        is_hidden = False
        for share in shares:
            score *= 0.0 if share > limit else math.exp(-0.5 / sigma * share * share) if sigma > 0 else 1.0
            is_hidden = is_hidden or (sigma <= 0 and share > limit)
            if is_hidden or score <= least:
                break
        if is_hidden:
            continue
        if score == before:
            kept.append(index)
            kept_scores.append(score)
        elif score > least:
            heapq.heappush(queue, (-score, index, len(kept)))
    return kept, kept_scores


def _read(where: str, boxes: Any, scores: Any) -> tuple[np.ndarray, np.ndarray]:
    corners, marks = convert_to_tensor(boxes), convert_to_tensor(scores)
    if corners.spec.shape[-1:] != (4,) or corners.spec.shape[:-1] != marks.spec.shape:
        raise invalid(
            f"{where} expected boxes of shape [n, 4] and a score for each: scores has incompatible shape; got "
            f"boxes {describe(corners)} and scores {describe(marks)}."
        )
    return read_value(corners), read_value(marks)


def _limit(where: str, value: Any) -> float:
    limit = float(value)
    if not 0 <= limit <= 1:
        raise invalid(
            f"{where} expected iou_threshold in [0, 1]: iou_threshold must be in [0, 1]; got {limit}."
        )
    return limit


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The boxes to keep and their scores; with `soft_nms_sigma` overlaps lower a score instead of removing a box."""
    where = "tf.image.non_max_suppression_with_scores"
    corners, marks = _read(where, boxes, scores)
    kept, found = _selected(
        lambda i, others: _overlap(corners[i], corners[others]),
        marks,
        read_int(max_output_size, where, "max_output_size"),
        _limit(where, iou_threshold),
        float(score_threshold),
        float(soft_nms_sigma),
    )
    return constant(np.array(kept, np.int32)), constant(np.array(found, marks.dtype))


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The indices of boxes to keep, best first: none overlaps a better one by more than `iou_threshold`."""
    return non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold, score_threshold)[0]


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The indices of boxes to keep, given how much each two of them overlap."""
    where = "tf.image.non_max_suppression_overlaps"
    shares, marks = read_value(convert_to_tensor(overlaps)), read_value(convert_to_tensor(scores))
    most = read_int(max_output_size, where, "max_output_size")
    kept, _ = _selected(
        lambda i, others: shares[i, others], marks, most, float(overlap_threshold), float(score_threshold)
    )
    return constant(np.array(kept, np.int32))


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """The indices of boxes to keep, filled up with zeros if wished, and how many there are.

    Batches of boxes are taken when the result is filled up, as their numbers differ.
    """
    where = "tf.image.non_max_suppression_padded"
    corners, marks = _read(where, boxes, scores)
    if corners.ndim > 2 and not pad_to_max_output_size:
        raise ValueError(
            f"{where} expected pad_to_max_output_size=True for batches: 'pad_to_max_output_size' must be True for "
            f"batched input; got boxes of shape {list(corners.shape)}."
        )
    most = read_int(max_output_size, where, "max_output_size")
    batch = corners.shape[:-2]
    rows = np.zeros((math.prod(batch), most), np.int32)
    counts = np.zeros(math.prod(batch), np.int32)
    for i, (found, values) in enumerate(
        zip(corners.reshape(-1, *corners.shape[-2:]), marks.reshape(-1, marks.shape[-1]), strict=True)
    ):
        kept = np.asarray(non_max_suppression(found, values, most, iou_threshold, score_threshold))
        rows[i, : len(kept)], counts[i] = kept, len(kept)
    if pad_to_max_output_size:
        return constant(rows.reshape(*batch, most)), constant(counts.reshape(batch))
    return constant(rows[0, : counts[0]]), constant(counts.reshape(batch))


class CombinedNonMaxSuppression(NamedTuple):
    """What `combined_non_max_suppression` returns."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: TensorLike = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """The best boxes of each image over all classes, suppressed class by class, filled up with zeros.

    Args:
        boxes: shape (batch, boxes, classes or 1, 4).
        scores: shape (batch, boxes, classes).
        max_output_size_per_class: the maximum number of boxes per class.
        max_total_size: the maximum number of boxes per image.
        pad_per_class: give no more than classes times boxes a class.
        clip_boxes: cut boxes at 0 and 1.
    """
    where = "tf.image.combined_non_max_suppression"
    corners, marks = read_value(convert_to_tensor(boxes)), read_value(convert_to_tensor(scores))
    if corners.ndim != 4 or marks.ndim != 3 or corners.shape[2] not in (1, marks.shape[2]):
        raise invalid(
            f"{where} expected boxes of shape [batch, n, classes or 1, 4] and scores of shape [batch, n, classes]; "
            f"got shapes {list(corners.shape)} and {list(marks.shape)}."
        )
    a_class = read_int(max_output_size_per_class, where, "max_output_size_per_class")
    total = read_int(max_total_size, where, "max_total_size")
    classes = marks.shape[2]
    size = min(total, a_class * classes) if pad_per_class else total
    batch = corners.shape[0]
    out_boxes = np.zeros((batch, size, 4), np.float32)
    out = np.zeros((2, batch, size), np.float32)
    counts = np.zeros(batch, np.int32)
    for b in range(batch):
        found: list[tuple[float, int, int]] = []
        for c in range(classes):
            own = corners[b, :, c if corners.shape[2] > 1 else 0]
            kept, values = _selected(
                lambda i, others, own=own: _overlap(own[i], own[others]),
                marks[b, :, c],
                a_class,
                _limit(where, iou_threshold),
                float(score_threshold),
            )
            found += [(value, c, i) for i, value in zip(kept, values, strict=True)]
        found = sorted(found, key=lambda f: -f[0])[:size]
        counts[b] = len(found)
        for k, (value, c, i) in enumerate(found):
            box = corners[b, i, c if corners.shape[2] > 1 else 0]
            out_boxes[b, k] = np.clip(box, 0, 1) if clip_boxes else box
            out[:, b, k] = value, c
    return CombinedNonMaxSuppression(
        constant(out_boxes), constant(out[0]), constant(out[1]), constant(counts)
    )
