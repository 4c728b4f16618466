"""Reading what users say of a sliding window: strides, sizes, paddings and data formats.

`tf.nn` takes an int, a list with one entry a spatial axis, or a list with one entry an axis of the
tensor, and is particular about which error it raises; convolution and pooling agree on all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tapeflow.engine import errors
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.ops.host_args import invalid, read_array, read_ints
from tapeflow.ops.nn.window import Paddings, Sizes, Window, same_padding

_CHANNELS_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_CHANNELS_FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


@dataclass(frozen=True)
class Layout:
    """Where the channels are in a tensor with `spatial` axes for a window to slide over.

    Attributes:
        where: the public function, for messages.
        spatial: how many axes the window slides over.
        is_channels_first: whether the channels come before them.
    """

    where: str
    spatial: int
    is_channels_first: bool

    @property
    def rank(self) -> int:
        """Of a tensor with a batch and a channel axis."""
        return self.spatial + 2

    @property
    def data_format(self) -> str:
        """The layout in TensorFlow's letters."""
        return (_CHANNELS_FIRST if self.is_channels_first else _CHANNELS_LAST)[self.spatial]

    def spatial_part(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Of one value an axis, those of the spatial axes."""
        return values[2:] if self.is_channels_first else values[1:-1]

    def other_part(self, values: tuple[Any, ...]) -> tuple[Any, Any]:
        """Of one value an axis, those of the batch and of the channels."""
        return values[0], values[1 if self.is_channels_first else -1]


def read_layout(
    data_format: str | None, spatial: int, where: str, *, error: type[Exception] | None = None
) -> Layout:
    """The layout that `data_format` names; None is channels last."""
    last, first = _CHANNELS_LAST[spatial], _CHANNELS_FIRST[spatial]
    if data_format in (None, last):
        return Layout(where, spatial, False)
    if data_format == first:
        return Layout(where, spatial, True)
    message = (
        f"{where} expected data_format to be {last!r} or {first!r}; got "
        f"data_format={data_format!r}. Transpose the input if its axes are in another order."
    )
    raise invalid(message) if error is None else error(message)


def read_sizes(value: TensorLike, layout: Layout, name: str) -> Sizes:
    """One positive int a spatial axis, from an int or a list of length 1, `spatial` or `rank`."""
    where, spatial, rank = layout.where, layout.spatial, layout.rank
    given = read_ints(value, where, name, scalar=True, error=TypeError)
    if len(given) not in (1, spatial, rank):
        lengths = ", ".join(map(str, sorted({1, spatial})))
        raise ValueError(
            f"{where} expected {name} of length {lengths} or {rank}; got {name}={value!r} (length "
            f"{len(given)}). Pass an int to use it for every spatial axis."
        )
    if len(given) == rank:
        if layout.other_part(given) != (1, 1):
            raise errors.UnimplementedError(
                None,
                None,
                f"{where} expected {name} of 1 for the batch and the channels; got "
                f"{name}={list(given)} for data_format={layout.data_format!r}. The window slides "
                "over the spatial axes only.",
            )
        given = layout.spatial_part(given)
    if any(size < 1 for size in given):
        raise invalid(
            f"{where} expected {name} of at least 1; got {name}={value!r}. "
            "Use 1 for an axis that it shall leave alone."
        )
    return given if len(given) == spatial else given * spatial


def read_dilations(dilations: TensorLike | None, layout: Layout) -> Sizes:
    """The distance between the cells a window sees; None is 1."""
    return (1,) * layout.spatial if dilations is None else read_sizes(dilations, layout, "dilations")


def read_padding(padding: TensorLike, layout: Layout, *, allow_explicit: bool = True) -> str | Paddings:
    """`"SAME"`, `"VALID"`, or cells before and after each spatial axis."""
    where = layout.where
    if isinstance(padding, str):
        if padding in ("SAME", "VALID"):
            return padding
        if padding == "EXPLICIT" and allow_explicit:
            raise ValueError(
                f"{where} expected explicit padding as a list of pairs; got padding='EXPLICIT'. "
                f"Pass the list itself, one pair an axis of {layout.data_format}."
            )
        hint = (
            f"tf.nn is particular about case: use {padding.upper()!r}."
            if padding.upper() in ("SAME", "VALID")
            else "Pad with tf.pad, and use 'VALID', for anything else."
        )
        raise invalid(f"{where} expected padding to be 'SAME' or 'VALID'; got padding={padding!r}. {hint}")
    if not allow_explicit or not isinstance(padding, (list, tuple)):
        also = ", or a list of pairs" if allow_explicit else ""
        raise TypeError(
            f"{where} expected padding to be 'SAME' or 'VALID'{also}; got padding={padding!r}. "
            "Pass one of the strings."
        )
    return _read_pairs(padding, layout)


def _read_pairs(padding: str | Sequence[Any], layout: Layout) -> Paddings:
    where, rank = layout.where, layout.rank
    pairs = read_array(padding, where, "padding", error=TypeError)
    if pairs.shape != (rank, 2):
        raise ValueError(
            f"{where} expected explicit padding as {rank} pairs, one an axis of "
            f"{layout.data_format}; got padding={padding!r} (shape {list(pairs.shape)}). "
            "Give [0, 0] for the batch and the channels."
        )
    given = tuple((int(low), int(high)) for low, high in pairs)
    if layout.other_part(given) != ((0, 0), (0, 0)):
        raise invalid(
            f"{where} expected no padding of the batch and the channels; got padding={padding!r} "
            f"for data_format={layout.data_format!r}. Give [0, 0] for both."
        )
    if any(cells < 0 for pair in given for cells in pair):
        raise invalid(
            f"{where} expected padding of at least 0; got padding={padding!r}. "
            "Slice the input to make it smaller."
        )
    return layout.spatial_part(given)


def make_window(
    input: Sizes, size: Sizes, strides: Sizes, padding: str | Paddings, dilations: Sizes
) -> Window:
    """The window over an input whose size is known by now."""
    if padding == "SAME":
        padding = same_padding(input, size, strides, dilations)
    elif padding == "VALID":
        padding = ((0, 0),) * len(input)
    return Window(input, size, strides, padding, dilations)  # pyright: ignore[reportArgumentType]
