"""Whether a function argument of a loop or branch can be recorded, or has to run as Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.autograph.callees import converted
from tapeflow.engine.recording.body import Body, record_body
from tapeflow.engine.recording.trace import NeedsValue, state
from tapeflow.engine.values import nest
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor


def is_being_recorded() -> bool:
    """Whether what is done now belongs to a record: that of a function, or of another body."""
    return state.recording is not None or state.trace.is_body


def as_recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A user's function with its control flow converted, if what it does belongs to a record.

    In eager code it runs as it is, as in TensorFlow: Python in it may be there to happen in every turn.
    """
    return converted(function) if is_being_recorded() else function


def body_or_none(
    function: Callable[..., Any], *arguments: Any, inputs: Sequence[Tensor] = (), takes_writes: bool = False
) -> Body | None:
    """Record what `function` does, if it can be part of a program; see `body_of`, whose arguments these are."""
    try:
        return body_of(function, *arguments, inputs=inputs, takes_writes=takes_writes)
    except NeedsValue:
        return None


def body_of(
    function: Callable[..., Any],
    *arguments: Any,
    inputs: Sequence[Tensor] = (),
    takes_writes: bool = False,
    takes_effects: bool = False,
) -> Body:
    """Record what `function` does, as a part of a program.

    Args:
        function: called with tensors in the structures of `arguments`.
        arguments: structures of `Spec`s.
        inputs: the tensors that the body is for.
        takes_writes: whether it may assign Variables.
        takes_effects: whether it may print or log.

    Raises:
        NeedsValue: it reads a value, prints, has to do with strings, which no program computes with, or writes a
            Variable although it may not.
    """
    if _hold_strings(t.spec for t in inputs):
        raise NeedsValue(_STRINGS)
    body = record_body(function, *arguments, takes_writes=takes_writes, takes_effects=takes_effects)
    shown = {id(n) for _, nodes in body.effects for n in nodes}
    if _hold_strings(t.spec for t in body.captured if id(t._node) not in shown) or _hold_strings(
        body.graph.specs
    ):
        raise NeedsValue(_STRINGS)
    return body


def note_why(where: str, error: NeedsValue) -> None:
    """Remember, for a warning, what keeps an op's function out of the program that is being recorded."""
    if state.recording is not None:
        why = f"{where} runs a function that cannot be part of a program: {error}"
        state.recording.note_why(f"{why}. {error.instead}")


_STRINGS = "it has to do with strings"


def _hold_strings(specs: Any) -> bool:
    return any(spec.dtype is string for spec in specs)


def packed_results(structure: object, results: Sequence[Any]) -> Any:
    """Results in the structure that a body returned; where it had `None`, there is no result."""
    rest = iter(results)
    return nest.map_structure(lambda leaf: None if leaf is None else next(rest), structure)
