"""Reading what users say of a sliding window, and how long its result is: convolution and pooling agree on it."""

from __future__ import annotations

from typing import Any

from tapeflow.keras import config

Sizes = tuple[int, ...]
Shape = tuple[int | None, ...]
_FORMATS = ("channels_first", "channels_last")


def read_sizes(value: Any, count: int, name: str, *, allow_zero: bool = False) -> Sizes:
    """`count` ints, from one for all or a sequence."""
    text = f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
    if isinstance(value, int):
        given: Sizes = (value,) * count
    else:
        try:
            given = tuple(value)
        except TypeError:
            raise ValueError(text) from None
        if len(given) != count:
            raise ValueError(text)
        for single in given:
            try:
                int(single)
            except (TypeError, ValueError):
                raise ValueError(f"{text} including element {single} of type {type(single)}") from None
        given = tuple(int(single) for single in given)
    smallest = 0 if allow_zero else 1
    refused = {v for v in given if v < smallest}
    if refused:
        rule = ">= 0" if allow_zero else "> 0"
        raise ValueError(f"{text} including {refused} that does not satisfy the requirement `{rule}`.")
    return given


def read_data_format(value: str | None) -> str:
    """'channels_first' or 'channels_last', in any case; None is the global setting."""
    name = config.image_data_format() if value is None else value
    name = name.lower() if isinstance(name, str) else name
    if name not in _FORMATS:
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {value}'
        )
    return name


def read_padding(value: str, *, allow_causal: bool = True) -> str:
    """'valid', 'same' or, where time goes one way only, 'causal', in any case."""
    name = value.lower() if isinstance(value, str) else value
    if name not in ("valid", "same", "causal") or (name == "causal" and not allow_causal):
        raise ValueError(
            'The `padding` argument must be one of "valid", "same" (or "causal", only for `Conv1D`). '
            f"Received: {value}"
        )
    return name


def parts_of(shape: Any, rank: int, data_format: str) -> tuple[Shape, Shape, int | None]:
    """A shape as its leading axes, its `rank` spatial ones, and the channels."""
    dims = tuple(shape)
    split = len(dims) - rank - 1
    if data_format == "channels_first":
        return dims[:split], dims[split + 1 :], dims[split]
    return dims[:split], dims[split:-1], dims[-1]


def shape_from(leading: Shape, spatial: Shape, channels: int | None, data_format: str) -> Shape:
    """The other way round."""
    if data_format == "channels_first":
        return (*leading, channels, *spatial)
    return (*leading, *spatial, channels)


def slid_lengths(spatial: Shape, size: Sizes, strides: Sizes, padding: str, dilations: Sizes) -> Shape:
    """How many places a window takes along each axis; not a positive number where it does not fit."""
    return tuple(
        None
        if length is None
        else -(-(length if padding != "valid" else length - (n - 1) * spacing) // stride)
        for length, n, stride, spacing in zip(spatial, size, strides, dilations, strict=True)
    )


def transposed_lengths(
    spatial: Shape, size: Sizes, strides: Sizes, padding: str, dilations: Sizes, extra: Sizes | None
) -> Shape:
    """How long the input of a convolution was that gave `spatial`; `extra` settles what rounding lost."""
    lengths: list[int | None] = []
    for axis, length in enumerate(spatial):
        stride, extent = strides[axis], (size[axis] - 1) * dilations[axis] + 1
        if length is None:
            lengths.append(None)
        elif extra is not None:
            cut = 2 * (extent // 2) if padding == "same" else 0
            lengths.append((length - 1) * stride + extent - cut + extra[axis])
        else:
            lengths.append(length * stride + (max(extent - stride, 0) if padding == "valid" else 0))
    return tuple(lengths)
