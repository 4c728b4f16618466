"""`rnn`: any step function run over the timesteps of a sequence. Also `tf.keras.backend.rnn`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.recording.sketch import NotSketchable, sketch
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.control.recorded_scan import recorded_scan

Step = Callable[[Any, Any], tuple[Any, Any]]


def rnn(
    step_function: Step,
    inputs: TensorLike,
    initial_states: Sequence[Tensor],
    go_backwards: bool = False,
    mask: TensorLike | None = None,
    constants: Sequence[Any] | None = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> tuple[Any, Any, Any]:
    """Run a step over the time axis.

    A step that cannot be recorded (it reads a value, writes a Variable, prints) runs as Python, timestep
    by timestep; every other is one compiled loop.

    Args:
        step_function: `step(input, states + constants) -> (output, new_states)`.
        inputs: a tensor, or a structure of tensors, of shape (batch, time, ...).
        initial_states: the states before the first step, in a list or tuple.
        go_backwards: go from the last timestep to the first; outputs come in that order.
        mask: (batch, time): where it is False the states are carried over and the last output is repeated.
        constants: tensors that every step gets.
        unroll: a program without a loop.
        input_length: ignored; the length is known.
        time_major: inputs, mask and outputs are (time, batch, ...).
        zero_output_for_mask: give zeros for masked steps.
        return_all_outputs: give all outputs; otherwise only the last, as a sequence of one.

    Returns:
        The last output, the outputs, the last states.
    """
    inputs = nest.map_structure(tf.convert_to_tensor, inputs)
    rows = inputs if time_major else nest.map_structure(_swapped, inputs)
    for row in nest.flatten(rows):
        if len(row.shape) < 3:
            raise ValueError(f"rnn expected inputs with at least 3 dimensions; got shape {tuple(row.shape)}.")
    keeps = None
    if mask is not None:
        keeps = tf.cast(mask, tf.bool)
        keeps = keeps[..., None] if len(keeps.shape) == 2 else keeps
        keeps = keeps if time_major else _swapped(keeps)
    if go_backwards:
        rows = nest.map_structure(lambda x: tf.reverse(x, [0]), rows)
        keeps = None if keeps is None else tf.reverse(keeps, [0])
    step = _with_constants(step_function, tuple(constants or ()))
    states = nest.map_structure(tf.convert_to_tensor, tuple(initial_states))
    if keeps is None:
        outputs, states = _run(step, states, rows, unroll)
    else:
        outputs, states = _run_masked(step, states, rows, keeps, unroll, zero_output_for_mask)
    last = nest.map_structure(lambda o: o[-1], outputs)
    if not return_all_outputs:
        outputs = nest.map_structure(lambda o: o[None], last)
    if not time_major:
        outputs = nest.map_structure(_swapped, outputs)
    return last, outputs, states


def _with_constants(step: Step, constants: tuple[Any, ...]) -> Step:
    """The step with its new states in a tuple, as tensors."""

    def stepped(row: Tensor, states: tuple[Tensor, ...]) -> Any:
        output, new = step(row, (*states, *constants))
        new = tuple(new) if isinstance(new, (list, tuple)) else (new,)
        return nest.map_structure(tf.convert_to_tensor, output), nest.map_structure(tf.convert_to_tensor, new)

    return stepped


def _run(step: Step, states: tuple[Tensor, ...], rows: Any, unroll: bool) -> tuple[Any, Any]:
    flat = nest.flatten(states)

    def turn(carry: list[Tensor], row: Tensor) -> Any:
        output, new = step(row, nest.pack_sequence_as(states, carry))
        return nest.flatten(new), output

    last, outputs = _scanned(turn, flat, rows, unroll)
    return outputs, nest.pack_sequence_as(states, last)


def _run_masked(
    step: Step, states: Sequence[Tensor], rows: Any, keeps: Tensor, unroll: bool, zeroes: bool
) -> tuple[Any, Any]:
    flat = nest.flatten(states)
    zeros = [tf.zeros(s.shape, s.dtype) for s in _output_specs(step, states, rows)]

    def turn(carry: Any, row: Any) -> Any:
        before, previous = carry
        row, is_kept = row
        output, new = step(row, nest.pack_sequence_as(states, before))
        kept = [
            _chosen(is_kept, a, b)
            for a, b in zip(nest.flatten(output), zeros if zeroes else previous, strict=True)
        ]
        after = [_chosen(is_kept, a, b) for a, b in zip(nest.flatten(new), before, strict=True)]
        return (after, [] if zeroes else kept), nest.pack_sequence_as(output, kept)

    (last, _), outputs = _scanned(turn, (flat, [] if zeroes else zeros), (rows, keeps), unroll)
    return outputs, nest.pack_sequence_as(states, last)


def _output_specs(step: Step, states: Sequence[Tensor], rows: Tensor) -> list[Spec]:
    """What a step gives, found by sketching it, or by a step more if it reads values."""
    specs = nest.map_structure(lambda x: spec_of(x.spec.shape[1:], x.spec.dtype), rows)
    try:
        found, _ = sketch(step, specs, nest.map_structure(lambda t: t.spec, states))
    except NotSketchable:
        found, _ = step(nest.map_structure(lambda x: x[0], rows), states)
    return [output.spec for output in nest.flatten(found)]


def _scanned(turn: Callable[..., Any], carry: Sequence[Any], rows: Any, unroll: bool) -> tuple[Any, Any]:
    if not unroll:
        found = recorded_scan(turn, carry, rows)
        if found is not None:
            return found
    outputs = []
    for i in range(nest.flatten(rows)[0].shape[0]):
        carry, output = turn(carry, nest.map_structure(lambda x, i=i: x[i], rows))
        outputs.append(output)
    return carry, nest.map_structure(lambda *steps: tf.stack(steps), *outputs)


def _chosen(is_kept: Tensor, new: Tensor, old: Tensor) -> Tensor:
    return tf.where(tf.reshape(is_kept, (-1,) + (1,) * (len(new.shape) - 1)), new, old)


def _swapped(x: Tensor) -> Tensor:
    """Batch and time exchanged."""
    return tf.transpose(x, [1, 0, *range(2, len(x.shape))])
