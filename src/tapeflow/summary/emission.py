"""From a summary call to the writer: tag, step, and the value as an array or as one still being computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary import hooks
from tapeflow.summary.context import step_or_default
from tapeflow.summary.hooks import Pending
from tapeflow.summary.writer import Prepared, SummaryWriter

_LITTLE = 64  # bytes: what is not worth a detour through the writer's thread


def tag_of(name: str | None, default: str = "summary") -> str:
    """The tag of a summary: its name below the current name scope."""
    return hooks.bridge.scope() + (name or default)


def emit(
    writer: SummaryWriter,
    tag: str,
    data: npt.ArrayLike,
    step: Any,
    metadata: bytes,
    encode: Callable[[Any], Any],
    check: Callable[[tuple[int, ...], np.dtype], None] | None = None,
) -> bool:
    """Write `encode(data)`, which the writer's thread calls once the value is there.

    In a function that is being recorded, that is done at every run of it.

    Args:
        writer: where to.
        tag: the whole tag.
        data: what the user passed.
        step: what the user passed, or None for the default one.
        metadata: a serialised SummaryMetadata.
        encode: makes what `writer.add` takes, of an array.
        check: is called here and now with shape and dtype, and raises what the user did wrong.

    Returns:
        True, which is what a summary that is recorded returns.
    """
    step, value = hooks.step(step_or_default(step)), hooks.value(data)
    if check is not None:
        check(tuple(value.shape), np.dtype(value.dtype))
    hooks.bridge.call(partial(_add, writer, tag, metadata, encode), value, step)
    return True


def _add(
    writer: SummaryWriter,
    tag: str,
    metadata: bytes,
    encode: Callable[..., Any],
    value: Any,
    step: SupportsInt,
    condition: Any = None,
) -> None:
    if condition is not None:
        writer.add(tag, Prepared(partial(encode_if, encode), value, condition), step, metadata)
    elif isinstance(value, Pending) or value.nbytes > _LITTLE:
        writer.add(tag, Prepared(encode, value), step, metadata)
    else:
        writer.add(tag, encode(value), step, metadata)


def encode_if(encode: Callable[..., Any], *values_and_condition: Any) -> Any:
    """`encode(*values)`, or None, which is not written, if the condition, which comes last, does not hold."""
    *values, condition = values_and_condition
    return encode(*values) if bool(condition) else None


def emit_together(
    writer: SummaryWriter,
    tag: str,
    data: Sequence[Any],
    step: Any,
    metadata: bytes,
    encode: Callable[..., Any],
    check: Callable[..., None] | None = None,
    takes_step: bool = False,
) -> bool:
    """Write `encode(*data)`: `emit` for what is made of several values, such as labels and predictions.

    Args:
        writer: where to.
        tag: the whole tag.
        data: what the user passed.
        step: what the user passed, or None for the default one.
        metadata: a serialised SummaryMetadata.
        encode: makes what `writer.add` takes, of arrays; None if there is nothing to write.
        check: is called here and now with the values, arrays or `Pending`, and raises what the user did wrong.
        takes_step: whether `encode` takes the step, an int, as its first argument.

    Returns:
        True, which is what a summary that is recorded returns.
    """
    step, values = hooks.step(step_or_default(step)), [hooks.value(d) for d in data]
    if check is not None:
        check(*values)

    def add(step: Any, *given: Any) -> None:
        # A tensor given to `record_if` comes behind the values.
        function = encode if len(given) == len(values) else partial(encode_if, encode)
        writer.add(tag, Prepared(function, *((step,) if takes_step else ()), *given), step, metadata)

    hooks.bridge.call(add, step, *values)
    return True
