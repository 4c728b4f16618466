"""Strings, which devices cannot hold: ops that only move elements move them on the host.

Each distinct string gets a number, the op's own kernel moves the numbers, and what comes out is looked
up again. So reshaping, indexing, joining and gathering work on strings as on anything else. Of the ops
that compute, only `+` takes strings: it puts them one behind the other. Only functions that are
written as TensorFlow's nodes record ops of strings (`Trace.keeps_strings`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax
from tapeflow.engine.programs.running import materialise
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import Node, host_node, spec_of, user_position
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.dtypes import int32, string

if TYPE_CHECKING:
    from tapeflow.engine.recording.op import Instance
    from tapeflow.engine.values.annotations import TensorLike


def moved_strings(instance: Instance, inputs: tuple[Node, ...]) -> Node:
    """The result of an op on string tensors, computed immediately."""
    if instance.op.name == "Add":
        return _joined(inputs)
    if not instance.op.moves:
        got = ", ".join(repr(n.spec) for n in inputs)
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{instance.op.name} expected numbers; got strings ({got}). Use tf.strings.to_number to make "
            "numbers of them.",
        )
    values = [np.asarray(materialise(n)) for n in inputs]
    if instance.op.check is not None:
        checked = Node(None)
        checked.code, checked.lasti = user_position(2)
        checks.check_now(checked, instance, values)
    are_strings = [n.spec.dtype is string for n in inputs]
    elements = [v.ravel() for v, is_string in zip(values, are_strings, strict=True) if is_string]
    known, numbers = np.unique(np.concatenate(elements).astype(object), return_inverse=True)
    ends = np.cumsum([e.size for e in elements])
    parts = iter(np.split(numbers.astype(np.int32), ends[:-1]))
    given = [next(parts).reshape(v.shape) if s else v for v, s in zip(values, are_strings, strict=True)]
    with jax.ensure_compile_time_eval():  # we may be inside a user's own jax.jit
        result = instance.run(*given)
    if not isinstance(result, (tuple, list)):
        return _looked_up(known, result)
    rows = [_looked_up(known, r) for r in result]
    return Node(tuple(n.spec for n in rows), tuple(n.value for n in rows))


def recorded_strings(instance: Instance, inputs: tuple[Node, ...]) -> Any:
    """The spec of an op's result that contains strings, if the op is recorded; None if it runs immediately."""
    if not (state.trace.keeps_strings and any(n.value is None for n in inputs)):
        return None
    if not (instance.op.moves or instance.op.name == "Add"):
        return None
    spec = instance.infer(
        tuple([spec_of(n.spec.shape, int32) if n.spec.dtype is string else n.spec for n in inputs])
    )
    if isinstance(spec, tuple):
        return tuple([spec_of(s.shape, string) for s in spec])
    return spec_of(spec.shape, string)


def _looked_up(known: np.ndarray, numbers: TensorLike) -> Node:
    places = np.asarray(numbers)
    out = np.empty(places.shape, object)
    if places.size:
        out[...] = known[places]
    return host_node(out, spec_of(places.shape, string))


def _joined(inputs: tuple[Node, ...]) -> Node:
    """`x + y`, element by element; shapes broadcast."""
    shapes = [n.spec.shape for n in inputs]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        said = " vs. ".join(f"[{','.join(map(str, s))}]" for s in shapes)
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Incompatible shapes: {said}. Add expected strings whose shapes broadcast. Reshape one of them.",
        ) from None
    out = np.empty(shape, object)
    out[...] = np.add(*[np.asarray(materialise(n), object) for n in inputs])
    return host_node(out, spec_of(shape, string))
