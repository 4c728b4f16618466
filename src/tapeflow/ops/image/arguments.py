"""Images as arguments: read, checked for their rank, and counted in numbers from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float16, float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import identity
from tapeflow.ops.host_args import describe, invalid
from tapeflow.ops.math.casting import cast, saturate_cast
from tapeflow.ops.math.division import floordiv


def read_images(where: str, images: TensorLike, ranks: tuple[int, ...] = (3, 4)) -> Tensor:
    """Images as a tensor: (height, width, channels), or a batch of such."""
    tensor = convert_to_tensor(images)
    if len(tensor.spec.shape) not in ranks:
        wanted = " or ".join(str(r) for r in ranks)
        raise ValueError(
            f"{where} expected images of {wanted} dimensions, (height, width, channels) after the batch if there "
            f"is one; got images {describe(tensor)}. Add a channel or batch axis with tf.expand_dims."
        )
    return tensor


def read_channels(where: str, images: TensorLike, count: int) -> Tensor:
    """Images of any rank with so many channels last."""
    tensor = convert_to_tensor(images)
    shape = tensor.spec.shape
    if not shape or shape[-1] != count:
        raise invalid(
            f"{where} expected images with {count} channels as their last dimension; got images "
            f"{describe(tensor)}."
        )
    return tensor


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Images in another dtype, their values scaled with it: 0 to 1 for floats, 0 to the largest for integers.

    Args:
        saturate: clip what does not fit instead of letting it wrap.
    """
    image, wanted = convert_to_tensor(image), as_dtype(dtype)
    have = image.dtype
    convert = saturate_cast if saturate else cast
    if not wanted.is_floating and not wanted.is_integer:
        raise AttributeError(
            "tf.image.convert_image_dtype expected a floating-point or integer dtype: dtype must be either "
            f"floating point or integer; got dtype={wanted.name}."
        )
    if wanted is have:
        return identity(image)
    if have.is_floating and wanted.is_floating:
        return cast(image, wanted)
    if have.is_floating:
        return convert(
            image * (wanted.max + 0.5), wanted
        )  # the half keeps 1.0 from falling below the largest
    if wanted.is_floating:
        return cast(image, wanted) * (1.0 / have.max)
    if have.max > wanted.max:
        return convert(floordiv(image, (int(have.max) + 1) // (int(wanted.max) + 1)), wanted)
    return convert(image, wanted) * ((int(wanted.max) + 1) // (int(have.max) + 1))


def in_floats(change: Callable[[Tensor], Tensor], image: TensorLike, saturate: bool = False) -> Tensor:
    """`change` applied to images as float16 or float32 numbers, given back in their own dtype."""
    tensor = convert_to_tensor(image)
    dtype: DType = tensor.dtype
    is_ready = dtype is float16 or dtype is float32
    changed = change(tensor if is_ready else convert_image_dtype(tensor, float32))
    return changed if is_ready else convert_image_dtype(changed, dtype, saturate=saturate)
