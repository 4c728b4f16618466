"""Which scalars share a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError, Message

from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.tag_series import Series
from tapeflow.summary.protos import message

PLUGIN = "custom_scalars"
TAG = "custom_scalars__config__"


def layout_pb(layout: Any) -> Any:
    """A Summary message with a layout in it."""
    if not isinstance(layout, Message) or type(layout).__name__ != "Layout":
        raise TypeError(
            f"custom_scalar.summary expected a Layout message; got {layout!r} of type {type(layout).__name__}. "
            "Make one with custom_scalar.layout_pb2.Layout."
        )
    found = message("Summary")()
    value = found.value.add(tag=TAG)
    value.metadata.MergeFromString(encoding.metadata(PLUGIN))
    value.tensor.dtype = 7  # strings
    value.tensor.tensor_shape.SetInParent()
    value.tensor.string_val.append(layout.SerializeToString())
    return found


def read_layout(run: Mapping[str, Series]) -> Any:
    """The Layout message that a run logged last; None if it has none."""
    series = run.get(TAG)
    if series is None:
        return None
    try:
        return message("Layout").FromString(series.values[-1].item())
    except (DecodeError, TypeError, ValueError):
        return None
