"""`keras.utils.conv_utils`: the arithmetic of convolutions, for layers of others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow.keras.backend import image_data_format


def normalize_data_format(value: str | None) -> str:
    """`channels_last` or `channels_first`; None is what Keras is set to."""
    chosen = (image_data_format() if value is None else value).lower()
    if chosen not in ("channels_first", "channels_last"):
        raise ValueError(
            f"The `data_format` argument expected 'channels_first' or 'channels_last'; got data_format={value!r}. "
            "Use one of these."
        )
    return chosen


def normalize_padding(value: str) -> str:
    """`valid`, `same` or `causal`."""
    chosen = value.lower() if isinstance(value, str) else value
    if chosen not in ("valid", "same", "causal"):
        raise ValueError(
            f"The `padding` argument expected 'valid', 'same' or 'causal'; got padding={value!r}. Use one of these."
        )
    return chosen


def normalize_tuple(value: Any, n: int, name: str, allow_zero: bool = False) -> tuple[int, ...]:
    """`n` sizes, of one number or of as many."""
    sizes = (value,) * n if isinstance(value, int) else tuple(value) if isinstance(value, Iterable) else ()
    least = 0 if allow_zero else 1
    if len(sizes) != n or not all(isinstance(size, int) and size >= least for size in sizes):
        raise ValueError(
            f"The `{name}` argument expected a tuple of {n} integers of {least} or more; got {name}={value!r}. Give a "
            "number, or one for each axis."
        )
    return sizes


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """How long the result of a convolution is; None if the input's length is not known."""
    if input_length is None:
        return None
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    if padding == "valid":
        length = input_length - reach + 1
    elif padding == "full":
        length = input_length + reach - 1
    elif padding in ("same", "causal"):
        length = input_length
    else:
        raise ValueError(
            f"conv_output_length expected padding 'valid', 'same', 'causal' or 'full'; got padding={padding!r}. "
            "Use one of these."
        )
    return (length + stride - 1) // stride
