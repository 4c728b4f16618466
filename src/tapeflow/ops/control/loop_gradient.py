"""Going back through a loop whose number of turns only the program knows.

JAX keeps what each turn of a `lax.scan` needs for its derivative, and so must know how many there are. Here the state
of the loop is kept at 64 turns, evenly apart; the turns between two of them are made again and kept in the same way,
and those between two of these, if there are more than 4096 turns, are made again for each. So memory does not depend
on the number of turns, and up to 4096 of them each is made four times at most.

All loops in here are made by `counted`, which has a derivative itself: derivatives of any order exist. For a higher
order nothing is kept, as a program that did would take half a minute to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine.backend import jax, jnp

lax = jax.lax

Values = tuple[Any, ...]
Turn = Callable[[Any, Values, Values], Values]
"""What makes a turn: takes its number, what is carried, and what all turns are given; gives what is carried on."""

_CHECKPOINTS = 64
_LEVELS = 2


def counted(turn: Turn, count: jax.Array, carry: Values, given: Values) -> Values:
    """What is carried after `count` turns. `turn` may refer to no array but through its arguments."""

    def run(count: jax.Array, carry: Values, given: Values) -> Values:
        return lax.fori_loop(jnp.zeros_like(count), count, lambda k, c: turn(k, c, given), carry)

    def forward(count: jax.Array, carry: Values, given: Values) -> Any:
        return differentiable(count, carry, given), (count, carry, given)

    def backward(kept: Any, cotangents: Values) -> Any:
        count, carry, given = kept
        found = pulled_back(turn, count, carry, given, float_parts(carry, cotangents), levels=0)
        return None, *[
            with_gaps([is_float(v) for v in values], parts)
            for values, parts in zip((carry, given), found, strict=True)
        ]

    differentiable = jax.custom_vjp(run)
    differentiable.defvjp(forward, backward)
    return differentiable(count, carry, given)


def pulled_back(
    turn: Turn, turns: jax.Array, carry: Values, given: Values, flowing: Sequence[Any], levels: int = _LEVELS
) -> tuple[Values, Values]:
    """The derivatives by the floats of `carry` and of `given`, from those by what is carried after all turns."""
    empty = tuple([jnp.zeros_like(v) for v in floats(given)])
    found = _back(turn, levels, jnp.zeros_like(turns), turns, carry, given, (*flowing, *empty))
    count = len(flowing)
    return found[:count], found[count:]


def _back_one(turn: Turn, number: jax.Array, carry: Values, given: Values, flowing: Values) -> Values:
    """The derivatives before a turn, from those after it; those by `given` are added to what there is."""

    def differentiated(parts: Values, more: Values) -> Values:
        return floats(turn(number, replaced(carry, parts), replaced(given, more)))

    after, pull = jax.vjp(differentiated, floats(carry), floats(given))
    before, more = pull(tuple(flowing[: len(after)]))
    return (*before, *[a + b for a, b in zip(flowing[len(after) :], more, strict=True)])


def _back(
    turn: Turn, level: int, first: jax.Array, turns: jax.Array, carry: Values, given: Values, flowing: Values
) -> Values:
    """The derivatives before `turns` turns that begin with the `first`, on `carry`."""
    width = len(carry)

    def from_first(k: jax.Array, values: Values, rest: Values) -> Values:
        return turn(rest[0] + k, values, rest[1:])

    if level == 0:

        def last_left(k: jax.Array, flowing: Values, rest: Values) -> Values:
            first, turns, carry, given = rest[0], rest[1], rest[2 : 2 + width], rest[2 + width :]
            ahead = turns - 1 - k
            values = counted(from_first, ahead, carry, (first, *given))
            return _back_one(turn, first + ahead, values, given, flowing)

        return counted(last_left, turns, flowing, (first, turns, *carry, *given))

    stride = jnp.maximum((turns + (_CHECKPOINTS - 1)) // _CHECKPOINTS, 1).astype(turns.dtype)
    pieces = (turns + stride - 1) // stride

    def keep(k: jax.Array, loop: Values, rest: Values) -> Values:
        first, stride, given = rest[0], rest[1], rest[2:]
        values, kept = loop[:width], loop[width:]
        kept = tuple([_put(b, v, k) for b, v in zip(kept, values, strict=True)])
        return (*counted(from_first, stride, values, (first + k * stride, *given)), *kept)

    last = jnp.maximum(pieces, 1) - 1
    empty = [jnp.zeros((_CHECKPOINTS, *v.shape), v.dtype) for v in carry]
    found = counted(keep, last, (*carry, *empty), (first, stride, *given))
    kept = [_put(b, v, last) for b, v in zip(found[width:], found[:width], strict=True)]

    def piece(j: jax.Array, flowing: Values, rest: Values) -> Values:
        (first, stride, pieces, turns), rest = rest[:4], rest[4:]
        kept, given = rest[:width], rest[width:]
        k = pieces - 1 - j
        values = tuple([lax.dynamic_index_in_dim(b, k, 0, keepdims=False) for b in kept])
        count = jnp.minimum(stride, turns - k * stride)
        start = first + k * stride
        return lax.cond(
            count == 1,
            lambda f: _back_one(turn, start, values, given, f),
            lambda f: _back(turn, level - 1, start, count, values, given, f),
            flowing,
        )

    return counted(piece, pieces, flowing, (first, stride, pieces, turns, *kept, *given))


def _put(rows: jax.Array, row: jax.Array, at: jax.Array) -> jax.Array:
    return lax.dynamic_update_index_in_dim(rows, row, at, 0)


def is_float(value: jax.Array) -> bool:
    """Whether there are derivatives by an array."""
    return jnp.issubdtype(value.dtype, jnp.inexact)


def floats(values: Sequence[Any]) -> Values:
    """Those of some arrays that there are derivatives by."""
    return tuple([v for v in values if is_float(v)])


def replaced(values: Sequence[Any], parts: Sequence[Any]) -> Values:
    """Arrays with the `floats` of them replaced."""
    rest = iter(parts)
    return tuple([next(rest) if is_float(v) else v for v in values])


def float_parts(values: Sequence[Any], others: Sequence[Any]) -> Values:
    """Those of other arrays that stand at the place of `floats` in some."""
    return tuple([o for v, o in zip(values, others, strict=True) if is_float(v)])


def with_gaps(are_floats: Sequence[bool], parts: Sequence[Any]) -> Values:
    """Derivatives by all arrays, with None by those that there are none by."""
    rest = iter(parts)
    return tuple([next(rest) if f else None for f in are_floats])
