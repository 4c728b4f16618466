"""Writing a layout of charts."""

from __future__ import annotations

from typing import Any

from tapeflow.summary.experimental import write_raw_pb
from tapeflow.summary.kinds.layouts import layout_pb

__all__ = ["op", "pb"]


def op(scalars_layout: Any, collections: object = None) -> bool:
    """Write a layout to the default writer.

    Args:
        scalars_layout: a `Layout` message, ours or TensorBoard's.
        collections: ignored: there are no graph collections.

    Returns:
        Whether it was recorded.
    """
    return write_raw_pb(pb(scalars_layout).SerializeToString(), step=0)


def pb(scalars_layout: Any) -> Any:
    """A Summary message with a layout in it."""
    return layout_pb(scalars_layout)
