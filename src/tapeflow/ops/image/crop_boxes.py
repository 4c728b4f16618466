"""`tf.image.sample_distorted_bounding_box`: a random part of an image that shows enough of an object.

All attempts are drawn at once, and the first that will do is taken, so nothing is read from the device.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.random import next_key, stateless_key
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.host_args import describe, index_tensor, invalid

Range = tuple[float, float]


class DistortedBoundingBox(NamedTuple):
    """What `tf.slice` takes, begin and size, and the same as a box of fractions."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


@op(name="SampleDistortedBoundingBox", same_dtype=False, differentiable=False)
def _sample_op(
    image_size: jax.Array,
    boxes: jax.Array,
    covered: jax.Array,
    key: jax.Array,
    *,
    ratios: Range,
    areas: Range,
    attempts: int,
) -> Any:
    height, width = (image_size[i].astype(jnp.float64) for i in (0, 1))
    draws = jax.random.uniform(jax.random.wrap_key_data(key, impl="threefry2x32"), (4, attempts), jnp.float64)
    ratio = ratios[0] + draws[0] * (ratios[1] - ratios[0])
    least, most = areas[0] * height * width, areas[1] * height * width
    # Heights that keep area and ratio; one of them at random, and the width that goes with it.
    low, high = jnp.rint(jnp.sqrt(least / ratio)), jnp.rint(jnp.sqrt(most / ratio))
    high = jnp.minimum(jnp.minimum(high, jnp.floor((width + 0.5 - 1e-7) / ratio)), height)
    low = jnp.minimum(low, high)
    rows = low + jnp.floor(draws[1] * (high - low + 1))
    rows = jnp.where(jnp.rint(rows * ratio) * rows < least, rows + 1, rows)
    rows = jnp.where(jnp.rint(rows * ratio) * rows > most, rows - 1, rows)
    columns = jnp.rint(rows * ratio)
    area = rows * columns
    is_good = (
        (area >= least) & (area <= most) & (rows <= height) & (columns <= width) & (rows > 0) & (columns > 0)
    )
    top = jnp.floor(draws[2] * (height - rows))
    left = jnp.floor(draws[3] * (width - columns))
    found = jnp.stack([top, left, top + rows, left + columns], 1)
    corners = boxes.astype(jnp.float64) * jnp.stack([height, width, height, width])
    both = jnp.minimum(found[:, None, 2:], corners[:, 2:]) - jnp.maximum(found[:, None, :2], corners[:, :2])
    shared = jnp.prod(jnp.maximum(both, 0), -1)
    sizes = jnp.prod(corners[:, 2:] - corners[:, :2], -1)
    is_good &= jnp.any((sizes > 0) & (shared >= covered * sizes), 1)
    whole = jnp.stack([jnp.zeros((), jnp.float64), jnp.zeros((), jnp.float64), height, width])
    box = jnp.where(jnp.any(is_good), found[jnp.argmax(is_good)], whole)
    begin = jnp.stack([box[0], box[1], jnp.zeros((), jnp.float64)])
    size = jnp.stack([box[2] - box[0], box[3] - box[1], -jnp.ones((), jnp.float64)])
    fractions = box / jnp.stack([height, width, height, width])
    kind = image_size.dtype
    return begin.astype(kind), size.astype(kind), fractions.astype(jnp.float32)[None, None]


def _pair(where: str, name: str, given: Any, default: Range, most: float) -> Range:
    low, high = (float(v) for v in (default if given is None else given))
    if not 0 < low <= high <= most:
        raise invalid(
            f"{where} expected {name} to be two numbers in order, above 0 and at most {most}; got {name}={given!r}."
        )
    return low, high


def _sampled(
    where: str,
    image_size: Any,
    bounding_boxes: Any,
    key: Any,
    min_object_covered: Any,
    aspect_ratio_range: Any,
    area_range: Any,
    max_attempts: int | None,
    use_image: bool | None,
) -> DistortedBoundingBox:
    size, boxes = index_tensor(image_size, where, "image_size"), convert_to_tensor(bounding_boxes, float32)
    if size.spec.shape != (3,) or boxes.ndim != 3 or boxes.spec.shape[-1] != 4:
        raise invalid(
            f"{where} expected image_size [height, width, channels] and bounding_boxes of shape [batch, boxes, 4]; got "
            f"image_size {describe(size)} and bounding_boxes {describe(boxes)}."
        )
    if not np.prod(boxes.spec.shape):
        if not use_image:
            raise invalid(
                f"{where} expected a bounding box: No bounding boxes provided as input. Use "
                "use_image_if_no_bounding_boxes=True for one that is the whole image."
            )
        boxes = convert_to_tensor(np.array([[[0, 0, 1, 1]]], np.float32))
    attempts = 100 if max_attempts is None else int(max_attempts)
    if attempts < 1:
        raise invalid(f"{where} expected max_attempts of at least 1; got max_attempts={max_attempts}.")
    ratios = _pair(where, "aspect_ratio_range", aspect_ratio_range, (0.75, 1.33), float("inf"))
    areas = _pair(where, "area_range", area_range, (0.05, 1.0), 1.0)
    flat = reshape(boxes, [-1, 4])
    found = _sample_op(size, flat, min_object_covered, key(), ratios=ratios, areas=areas, attempts=attempts)
    return DistortedBoundingBox(*found)


def sample_distorted_bounding_box(
    image_size: ShapeLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None,
    area_range: TensorLike | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBoundingBox:
    """A random crop that shows enough of one of the image's objects; the whole image if there is none.

    Args:
        image_size: height, width and channels.
        bounding_boxes: the objects, shape (batch, boxes, 4), as fractions of the image.
        seed: not 0 for numbers of its own.
        min_object_covered: how much of one object at least must be inside.
        aspect_ratio_range: width over height, 0.75 to 1.33 if not given.
        area_range: fractions of the image's area, 0.05 to 1 if not given.
        max_attempts: how often to try, 100 times if not given.
        use_image_if_no_bounding_boxes: take the image for the object if there is none, instead of raising.
    """
    return _sampled(
        "tf.image.sample_distorted_bounding_box",
        image_size,
        bounding_boxes,
        lambda: next_key(seed or None),
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )


def stateless_sample_distorted_bounding_box(
    image_size: ShapeLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None,
    area_range: TensorLike | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBoundingBox:
    """As `sample_distorted_bounding_box`, the same for the same seed of two numbers."""
    where = "tf.image.stateless_sample_distorted_bounding_box"
    return _sampled(
        where,
        image_size,
        bounding_boxes,
        lambda: stateless_key(seed),
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )
