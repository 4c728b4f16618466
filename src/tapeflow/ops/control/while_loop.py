"""`while_loop`: repeat a body while a test holds.

Test and body are recorded once (`engine.body`) and become one compiled loop. What cannot be recorded
(a value is read, a shape or dtype changes from turn to turn) runs as plain Python, turn by turn, as TensorFlow
does in eager mode. Variables that the body assigns are carried by a loop that is part of a recorded function;
in eager code it runs as plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.body import Graph, carrying, checked_results
from tapeflow.engine.recording.node import Spec
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.sketch import NotSketchable, sketch
from tapeflow.engine.recording.trace import AssignsVariable, NeedsValue, state
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.control.loop_kernel import while_kernel
from tapeflow.ops.control.recorded_body import as_recorded, body_of, body_or_none, is_being_recorded
from tapeflow.ops.control.tensor_array import TensorArray
from tapeflow.ops.math.casting import cast

lax = jax.lax

# A bounded loop is a scan, which can be differentiated, as long as skipping the turns left is cheap.
_LONGEST_UNROLLED = 100_000


@op(name="While", same_dtype=False)
def _while_kernel(
    *inputs: jax.Array, test: Graph, body: Graph, carried: int, tested: int, limit: int | None
) -> tuple[jax.Array, ...]:
    """Turns of `body` while `test` holds; a turn whose check fails is the last one."""
    carry, rest = inputs[:carried], inputs[carried:]
    for_test, for_body = rest[:tested], rest[tested:]
    start = (jnp.zeros((), jnp.uint32), tuple(carry), jnp.zeros((3,), jnp.int64))

    def goes_on(loop: Any) -> jax.Array:
        iteration, values, report = loop
        is_on = test(iteration, *values, *for_test)[0].reshape(()) != 0
        if limit is not None:
            is_on = is_on & (iteration < limit)
        return is_on & (report[0] == 0)

    def turn(loop: Any) -> Any:
        iteration, values, report = loop
        results = body(iteration, *values, *for_body)
        after, extra = results[:carried], results[carried:]
        return iteration + jnp.uint32(1), tuple(after), extra[0] if extra else report

    if limit is None or limit > _LONGEST_UNROLLED:
        _, values, report = lax.while_loop(goes_on, turn, start)
    else:

        def step(loop: Any, _: object) -> Any:
            return lax.cond(goes_on(loop), turn, lambda same: same, loop), None

        (_, values, report), _ = lax.scan(step, start, None, length=limit)
    return (*values, report) if body.checked else tuple(values)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` holds.

    In eager code the result has the structure that `body` returns, in a function that of `loop_vars`.
    A tape goes back through it, whatever the number of turns; `maximum_iterations` makes that cheaper.

    >>> int(tf.while_loop(lambda i: i < 10, lambda i: [i + 3], [tf.constant(0)])[0])
    12
    """
    for argument, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise TypeError(f"tf.while_loop expected {argument} to be callable; got {argument}={function!r}.")
    if loop_vars is None or (nest.is_nested(loop_vars) and not nest.flatten(loop_vars)):
        raise ValueError(
            f"tf.while_loop expected at least one loop variable: 'loop_vars' must be provided; got "
            f"loop_vars={loop_vars!r}."
        )
    cond, body = as_recorded(cond), as_recorded(body)
    is_single = not isinstance(loop_vars, (list, tuple))
    variables = nest.map_structure(_loop_variable, [loop_vars] if is_single else loop_vars)
    limit = _read_limit(maximum_iterations)

    def turn(*values: Tensor) -> tuple[Tensor, ...]:
        after = body(*values)
        is_bare = len(values) == 1 and not isinstance(after, (list, tuple))
        return _checked_structure([after] if is_bare else after, variables)

    try:
        result = _recorded_with_arrays(cond, turn, variables, limit) if limit != 0 else variables
    except AssignsVariable:
        result = _recorded_with_variables(cond, turn, variables, limit) if is_being_recorded() else None
    if result is None:
        if state.recording is not None:
            state.recording.note_why(
                "tf.while_loop runs turn by turn: its functions read a value, print, or change a shape or dtype. "
                "Move that outside"
            )
        result = _while_in_python(cond, turn, variables, limit)
    if is_single:
        return result[0]
    return nest.pack_sequence_as(variables, nest.flatten(result)) if is_being_recorded() else result


def _read_limit(maximum_iterations: TensorLike | None) -> int | None:
    if maximum_iterations is None:
        return None
    tensor = convert_to_tensor(maximum_iterations)
    if tensor.spec.shape != ():
        raise ValueError(
            "tf.while_loop expected 'maximum_iterations' to be a scalar; got shape "
            f"{tensor.shape}. Give one number."
        )
    return max(0, int(tensor))


def _checked_structure(after: Any, variables: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """What `body` returned, which must have the structure of the loop variables; lists and tuples are one."""
    try:
        nest.assert_same_structure(list(variables), _listed(after), check_types=False)
    except (TypeError, ValueError):
        raise ValueError(
            "tf.while_loop expected body to return the structure of loop_vars: the two structures don't "
            f"have the same nested structure; got {_outline(after)} for {_outline(variables)}. Return one "
            "value for each loop variable."
        ) from None
    return after


def _listed(after: Any) -> list[Tensor]:
    return list(after) if isinstance(after, (list, tuple)) else after


def _outline(structure: TensorLike | None) -> str:
    """A structure with a dot for each leaf."""
    if not nest.is_nested(structure):
        return "None" if structure is None else "one value"
    return repr(nest.map_structure(lambda leaf: None if leaf is None else _DOT, structure))


class _Dot:
    def __repr__(self) -> str:
        return "."


_DOT = _Dot()


def _loop_variable(value: object) -> Any:
    return value if isinstance(value, TensorArray) else convert_to_tensor(value)


def _recorded_with_arrays(
    cond: Callable[..., Any], turn: Callable[..., Any], variables: tuple[Tensor, ...], limit: int | None
) -> Any:
    """The loop as one op that carries each `TensorArray` as a tensor of rows."""
    flat = nest.flatten(variables)
    arrays = {i: v for i, v in enumerate(flat) if isinstance(v, TensorArray)}
    if not arrays:
        return _recorded_while(cond, turn, variables, limit)
    rows = _rows_of(arrays, turn, variables)
    if rows is None:
        return None

    def opened(values: tuple[Tensor, ...]) -> Any:
        found = nest.flatten(values)
        given = [arrays[i].of_rows(v) if i in arrays else v for i, v in enumerate(found)]
        return nest.pack_sequence_as(variables, given)

    def turned(*values: Tensor) -> tuple[Tensor, ...]:
        after = turn(*opened(values))
        closed = [v.rows() if isinstance(v, TensorArray) else v for v in nest.flatten(after)]
        return nest.pack_sequence_as(after, closed)

    carried = nest.pack_sequence_as(variables, [rows.get(i, v) for i, v in enumerate(flat)])
    result = _recorded_while(lambda *values: cond(*opened(values)), turned, carried, limit)
    return None if result is None else opened(result)


def _rows_of(
    arrays: dict[int, TensorArray], turn: Callable[..., Any], variables: tuple[Any, ...]
) -> dict[int, Tensor] | None:
    """Each array as a tensor of rows; what a turn writes tells the shape of those that are empty."""
    shapes = {i: array.element_shape for i, array in arrays.items()}
    if not all(shape.is_fully_defined() for shape in shapes.values()):
        probes = {i: array.probe() for i, array in arrays.items()}
        flat = nest.flatten(variables)
        given = [v.spec if isinstance(v, Tensor) else probes[i] for i, v in enumerate(flat)]
        try:
            sketch(turn, *nest.pack_sequence_as(variables, given))
        except (NotSketchable, errors.OutOfRangeError):
            return None  # it reads a value, or an element of which nothing is known
        shapes = {i: probe.element_shape for i, probe in probes.items()}
    rows = {i: a.rows(shapes[i] if shapes[i].is_fully_defined() else None) for i, a in arrays.items()}
    return {i: r for i, r in rows.items() if r is not None} if None not in rows.values() else None


def _recorded_with_variables(
    cond: Callable[..., Any], turn: Callable[..., Any], variables: Any, limit: int | None
) -> Any:
    """The loop as one op that carries the Variables which the body assigns; None if it cannot."""
    written = _written_by(turn, variables)
    if not written:
        return None
    held = [v.value() for v in written]
    with_held, tested = carrying(turn, written), carrying(cond, written)
    result = _recorded_while(
        lambda *carried: tested(*carried)[0], with_held, (tuple(variables), held), limit, takes_writes=True
    )
    if result is None:
        return None
    result, last = result
    for variable, value in zip(written, last, strict=True):
        variable.assign(value)
    return result


def _written_by(turn: Callable[..., Any], variables: Any) -> list[Variable]:
    """The Variables that a turn assigns; none if that cannot be found out."""
    found: list[Variable] = []

    def watched(*values: Tensor) -> list[Tensor]:
        result = turn(*values)
        found.extend([w.variable for w in state.trace.writes.values()])
        return result

    if not all(isinstance(v, Tensor) for v in nest.flatten(variables)):
        return []
    try:
        sketch(watched, *nest.map_structure(lambda t: t.spec, list(variables)))
    except NotSketchable:
        return []
    return found


def _recorded_while(
    cond: Callable[..., Any],
    turn: Callable[..., Any],
    variables: Any,
    limit: int | None,
    takes_writes: bool = False,
) -> Any:
    """The loop as one op, or `None` if it has to run as Python."""
    flat = nest.flatten(variables)
    specs = nest.map_structure(lambda t: t.spec, list(variables))
    answers: list[Any] = []

    def tested(*values: Tensor) -> Tensor:
        answers.append(cond(*values))
        return answers[-1]

    test = body_or_none(tested, *specs, inputs=flat, takes_writes=takes_writes)
    if test is None or test.graph.checked:  # a loop's test has nowhere to report to
        return None
    is_python = not isinstance(answers[0], TensorBase)
    if is_python and (limit is None or not is_being_recorded()):
        return None  # Python's own answer, which may be another one at the next turn
    _check_answer(test.graph.specs)
    try:
        body = body_of(turn, *specs, inputs=flat, takes_writes=takes_writes)
    except AssignsVariable:
        raise
    except NeedsValue:
        return None
    if list(body.graph.specs) != [t.spec for t in flat]:
        return None
    inputs = [*flat, *test.captured, *body.captured]
    is_followed = any(token in t._node.tapes for token in state.tapes for t in inputs)
    if is_followed and (limit is None or limit > _LONGEST_UNROLLED):
        return None if is_python else _followed_while(cond, turn, variables, limit, takes_writes)
    results = _while_kernel(
        *inputs,
        test=test.graph,
        body=body.graph,
        carried=len(flat),
        tested=len(test.captured),
        limit=limit,
    )
    return nest.pack_sequence_as(body.structure, checked_results((body,), results))


def _followed_while(
    cond: Callable[..., Any],
    turn: Callable[..., Any],
    variables: Any,
    limit: int | None,
    takes_writes: bool,
) -> Any:
    """A loop that a tape goes back through, however many turns it takes; None if it has to run as Python."""
    flat: list[Tensor] = nest.flatten(variables)
    structures: list[Any] = []

    def tested(*values: Tensor) -> Tensor:
        return cast(reshape(convert_to_tensor(cond(*values)), ()), "bool")

    def turned(is_on: Tensor, values: list[Tensor]) -> Any:
        after = turn(*nest.pack_sequence_as(list(variables), values))
        structures.append(after)
        return tested(*after), nest.flatten(after)

    first = tested(*variables)
    specs = [first.spec, [t.spec for t in flat]]
    body = body_or_none(turned, *specs, inputs=flat, takes_writes=takes_writes)
    if body is None or list(body.graph.specs[1:]) != [t.spec for t in flat]:
        return None
    inputs = [first, *flat, *body.captured]
    results = while_kernel(*inputs, graph=body.graph, carried=1 + len(flat), has_count=False, limit=limit)
    return nest.pack_sequence_as(structures[-1], checked_results((body,), results)[1:])


def _check_answer(specs: tuple[Spec, ...]) -> None:
    if len(specs) != 1 or math.prod(specs[0].shape) != 1:
        got = ", ".join(map(repr, specs))
        raise ValueError(
            f"tf.while_loop expected cond to return one truth value; got {got}: that of more than one "
            "element is ambiguous. Use tf.reduce_any or tf.reduce_all."
        )


def _while_in_python(
    cond: Callable[..., Any], turn: Callable[..., Any], variables: tuple[Tensor, ...], limit: int | None
) -> tuple[Tensor, ...]:
    turns = 0
    while (limit is None or turns < limit) and bool(convert_to_tensor(cond(*variables))):
        variables = nest.map_structure(_loop_variable, turn(*variables))
        turns += 1
    return variables
