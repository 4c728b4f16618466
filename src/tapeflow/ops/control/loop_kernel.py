"""Loops as single ops: one of a known number of turns, and one that a test ends.

Both can be differentiated. The first is a `lax.scan`. The second is a `lax.while_loop`, which JAX cannot go back
through; what it needs for that is computed again (`loop_gradient`), or, if a bound is known, kept by a scan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.body import Graph, first_report
from tapeflow.engine.recording.op import op
from tapeflow.ops.control.loop_gradient import float_parts, floats, is_float, pulled_back, replaced, with_gaps

lax = jax.lax

_LONGEST_SCAN = 100_000
"""A bounded loop that is differentiated is a scan, as long as skipping the turns left is cheap."""


@op(name="For", same_dtype=False)
def for_kernel(
    *inputs: Any, graph: Graph, carried: int, scanned: int
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Turns over rows: carry in, rows in, captured in; the last carry and the stacked results out."""
    carry, rows, captured = inputs[:carried], inputs[carried : carried + scanned], inputs[carried + scanned :]
    count = len(graph.results)

    def turn(before: tuple[jax.Array, jax.Array], row: Any) -> Any:
        iteration, xs = row
        results = graph(iteration, *before, *xs, *captured)
        return tuple(results[:carried]), (tuple(results[carried:count]), tuple(results[count:]))

    numbers = jnp.arange(rows[0].shape[0], dtype=jnp.uint32)
    last, (stacked, report) = lax.scan(turn, tuple(carry), (numbers, tuple(rows)))
    return (*last, *stacked, *(first_report(r) for r in report))


class Watcher:
    """Takes what the turns of a loop show, as it runs."""

    def __init__(self) -> None:
        self._rows: list[tuple[np.ndarray, ...]] = []

    def see(self, *values: jax.Array) -> None:
        """Keep the values of a turn."""
        self._rows.append(tuple([np.array(v) for v in values]))

    def last(self, turns: int) -> list[tuple[np.ndarray, ...]]:
        """The values of the last turns, of the run that has just ended: a gradient may have run the loop before."""
        found = self._rows[len(self._rows) - turns :]
        self._rows.clear()
        return found


@op(name="While", same_dtype=False)
def while_kernel(
    *inputs: jax.Array,
    graph: Graph,
    carried: int,
    has_count: bool,
    limit: int | None,
    watcher: Watcher | None = None,
) -> tuple[jax.Array, ...]:
    """Turns while the first of the carried values is true, at most `count` or `limit` of them.

    A turn whose check fails is the last one. Inputs are the count, if there is one, the carry, and what is captured.
    With a `watcher`, which sees the results of a turn after the carry, the number of turns is a result, too.
    """
    count = inputs[0] if has_count else None
    rest = inputs[1:] if has_count else inputs
    loop = _Loop(graph, carried, limit, watcher)
    most = jnp.asarray(np.iinfo(np.uint32).max if limit is None else limit, jnp.uint32)
    if count is not None:
        most = jnp.minimum(most, jnp.clip(count, 0).astype(jnp.uint32))
    values, report, turns = loop(most, tuple(rest[:carried]), tuple(rest[carried:]))
    seen = () if watcher is None else (turns,)
    return (*values, *seen, report) if graph.checked else (*values, *seen)


class _Loop:
    """A loop over a recorded body, with the derivative that JAX has not."""

    def __init__(self, graph: Graph, carried: int, limit: int | None, watcher: Watcher | None) -> None:
        self._graph, self._carried, self._limit, self._watcher = graph, carried, limit, watcher
        self._shown = len(graph.results) - carried

    def __call__(self, most: jax.Array, carry: tuple[jax.Array, ...], captured: tuple[jax.Array, ...]) -> Any:
        """The last carry, the report of the checks, and how many turns were made."""
        self._in_carry, self._in_captured = [is_float(v) for v in carry], [is_float(v) for v in captured]
        self._differentiable = jax.custom_vjp(self._run)
        self._differentiable.defvjp(self._forward, self._backward)
        return self._differentiable(most, carry, captured)

    def _turn(
        self, iteration: jax.Array, carry: tuple[jax.Array, ...], captured: tuple[jax.Array, ...]
    ) -> tuple[jax.Array, ...]:
        return self._checked_turn(iteration, carry, captured)[0]

    def _checked_turn(self, iteration: jax.Array, carry: Any, captured: tuple[jax.Array, ...]) -> Any:
        carried, _, extra = self._whole_turn(iteration, carry, captured)
        return carried, extra

    def _whole_turn(
        self, iteration: jax.Array, carry: tuple[jax.Array, ...], captured: tuple[jax.Array, ...]
    ) -> Any:
        """The carry after a turn, what it shows, and the report of its checks if it has some."""
        results = self._graph(iteration, *carry, *captured)
        end = self._carried + self._shown
        return tuple(results[: self._carried]), tuple(results[self._carried : end]), tuple(results[end:])

    def _run(self, most: jax.Array, carry: tuple[jax.Array, ...], captured: tuple[jax.Array, ...]) -> Any:
        """The last carry, the report, and how many turns were made."""

        def goes_on(loop: Any) -> jax.Array:
            values, report, iteration = loop
            return _is_true(values[0]) & (iteration < most) & (report[0] == 0)

        def turn(loop: Any) -> Any:
            values, report, iteration = loop
            after, shown, extra = self._whole_turn(iteration, values, captured)
            if self._watcher is not None:
                jax.debug.callback(self._watcher.see, *shown)
            return after, extra[0] if extra else report, iteration + jnp.uint32(1)

        start = (carry, jnp.zeros((3,), jnp.int64), jnp.zeros((), jnp.uint32))
        return lax.while_loop(goes_on, turn, start)

    def _scanned(self, most: Any, carry: Any, captured: Any) -> Any:
        """The same as a scan of `limit` turns, of which those after the last do nothing."""

        def step(loop: Any, iteration: Any) -> Any:
            values, report, turns = loop

            def turn(values: jax.Array) -> Any:
                after, extra = self._checked_turn(iteration, values, captured)
                return after, extra[0] if extra else report, turns + jnp.uint32(1)

            is_on = _is_true(values[0]) & (iteration < most) & (report[0] == 0)
            return lax.cond(is_on, turn, lambda same: (same, report, turns), values), None

        numbers = jnp.arange(self._limit or 0, dtype=jnp.uint32)
        return lax.scan(step, (carry, jnp.zeros((3,), jnp.int64), jnp.zeros((), jnp.uint32)), numbers)[0]

    @property
    def _is_scanned(self) -> bool:
        return self._watcher is None and self._limit is not None and self._limit <= _LONGEST_SCAN

    def _forward(self, most: jax.Array, carry: tuple[jax.Array, ...], captured: tuple[jax.Array, ...]) -> Any:
        if self._is_scanned:

            def scanned(parts: Any, more: Any) -> Any:
                return self._scanned(most, replaced(carry, parts), replaced(captured, more))

            return jax.vjp(scanned, floats(carry), floats(captured))
        # Itself, not `_run`: a derivative of the derivative goes through this call, too.
        result = self._differentiable(most, carry, captured)
        return result, (result[2], carry, captured)

    def _backward(self, kept: Any, cotangents: Any) -> Any:
        if self._is_scanned:
            into_carry, into_captured = kept(cotangents)
        else:
            turns, carry, captured = kept
            flowing = float_parts(carry, cotangents[0])
            into_carry, into_captured = pulled_back(self._turn, turns, carry, captured, flowing)
        return None, with_gaps(self._in_carry, into_carry), with_gaps(self._in_captured, into_captured)


def _is_true(value: jax.Array) -> jax.Array:
    return value.reshape(()) != 0
