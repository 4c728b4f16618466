"""Whether a function argument of a loop or branch can be recorded, or has to run as Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine import nest
from tapeflow.engine.body import Body, record_body
from tapeflow.engine.dtypes import string
from tapeflow.engine.tensor import Tensor
from tapeflow.engine.trace import NeedsValue, state


def is_being_recorded() -> bool:
    """Whether what is done now belongs to a record: that of a function, or of another body."""
    return state.recording is not None or state.trace.is_body


def body_or_none(function: Callable[..., Any], *arguments: Any, inputs: Sequence[Tensor] = ()) -> Body | None:
    """Record what `function` does, if it can be part of a program.

    It cannot if it reads a value, writes a Variable, prints, or has to do with strings, which no
    program computes with.

    Args:
        function: called with tensors in the structures of `arguments`.
        arguments: structures of `Spec`s.
        inputs: the tensors that the body is for.
    """
    if _hold_strings(t.spec for t in inputs):
        return None
    try:
        body = record_body(function, *arguments)
    except NeedsValue:
        return None
    if _hold_strings(t.spec for t in body.captured) or _hold_strings(body.graph.specs):
        return None
    return body


def _hold_strings(specs: Any) -> bool:
    return any(spec.dtype is string for spec in specs)


def packed_results(structure: Any, results: Sequence[Any]) -> Any:
    """Results in the structure that a body returned; where it had `None`, there is no result."""
    rest = iter(results)
    return nest.map_structure(lambda leaf: None if leaf is None else next(rest), structure)
