"""A whole recurrent layer as one op: simple, LSTM and GRU cells run over a sequence.

The input's part of the gates is computed in the loop too. One product for all timesteps before it looks
cheaper, but measured on CPU (LSTM, three sizes, CPU time of a training step on one core) it took 1.1 to 1.6
times the time and 1.9 times the temporary memory; with a derivative written by hand 0.90 to 0.98 times the
time, at 1.5 times the memory.

A masked step carries the states over and repeats the last output, as Keras does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op

lax = jax.lax
States = tuple[Any, ...]


def _hard_sigmoid(x: jax.Array) -> jax.Array:
    return jnp.clip(0.2 * x + 0.5, 0, 1).astype(x.dtype)


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "linear": lambda x: x,
    "relu": jax.nn.relu,
    "sigmoid": lax.logistic,
    "hard_sigmoid": _hard_sigmoid,
    "tanh": lax.tanh,
}
"""The activation functions a kernel knows, by the name Keras gives them."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """How a cell is run over a sequence: the op's one static.

    Attributes:
        cell: "simple", "lstm", "gru" or "gru_reset_before".
        activation, recurrent_activation: names in `ACTIVATIONS`.
        parts: what the op is given beside input, kernel and recurrent kernel, in order: "bias", "h", "c"
            (initial states; zeros otherwise), "mask", "input_drop" and "state_drop" (what is multiplied
            with input and state; with a leading axis, one for each gate).
        is_time_major: whether input, mask and output have time before batch.
        is_reversed: go from the last step to the first, and give outputs in that order.
        keeps_outputs: give the outputs of all steps, not only the last.
        zeroes_masked: give zeros for masked steps instead of the last output.
        is_unrolled: a program without a loop.
    """

    cell: str
    activation: str
    recurrent_activation: str
    parts: tuple[str, ...]
    is_time_major: bool = False
    is_reversed: bool = False
    keeps_outputs: bool = False
    zeroes_masked: bool = False
    is_unrolled: bool = False


def _gated_product(x: jax.Array, kernel: jax.Array, drop: Any) -> jax.Array:
    """`x @ kernel`, with `x` dropped out; by another mask for each gate if `drop` has a leading axis."""
    if drop is None:
        return x @ kernel
    if drop.ndim < 3:
        return (x * drop) @ kernel
    kernels = jnp.split(kernel, drop.shape[0], axis=1)
    return jnp.concatenate([(x * mask) @ part for mask, part in zip(drop, kernels, strict=True)], axis=-1)


def _simple(plan: Sequence, x: jax.Array, states: States, recur: Callable[..., Any]) -> States:
    return (ACTIVATIONS[plan.activation](x + recur(states[0])),)


def _lstm(plan: Sequence, x: jax.Array, states: States, recur: Callable[..., Any]) -> States:
    h, c = states
    act, gate = ACTIVATIONS[plan.activation], ACTIVATIONS[plan.recurrent_activation]
    i, f, new, o = jnp.split(x + recur(h), 4, axis=-1)
    c = gate(f) * c + gate(i) * act(new)
    return gate(o) * act(c), c


def _gru(plan: Sequence, x: jax.Array, states: States, recur: Callable[..., Any]) -> States:
    (h,) = states
    act, gate = ACTIVATIONS[plan.activation], ACTIVATIONS[plan.recurrent_activation]
    x_z, x_r, x_new = jnp.split(x, 3, axis=-1)
    h_z, h_r, h_new = jnp.split(recur(h), 3, axis=-1)
    z = gate(x_z + h_z)
    new = act(x_new + gate(x_r + h_r) * h_new)
    return (z * h + (1 - z) * new,)


def _gru_reset_before(plan: Sequence, x: jax.Array, states: States, recur: Callable[..., Any]) -> States:
    (h,) = states
    act, gate = ACTIVATIONS[plan.activation], ACTIVATIONS[plan.recurrent_activation]
    x_z, x_r, x_new = jnp.split(x, 3, axis=-1)
    h_z, h_r = jnp.split(recur(h, (0, 2)), 2, axis=-1)
    z = gate(x_z + h_z)
    new = act(x_new + recur(gate(x_r + h_r) * h, (2, 3)))
    return (z * h + (1 - z) * new,)


_STEPS: dict[str, Callable[..., States]] = {
    "simple": _simple,
    "lstm": _lstm,
    "gru": _gru,
    "gru_reset_before": _gru_reset_before,
}


@op(name="Recurrent", same_dtype=False)
def recurrent_op(
    x: jax.Array, kernel: jax.Array, recurrent: jax.Array, *rest: jax.Array, plan: Sequence
) -> tuple[Any, ...]:
    """The outputs (of all steps, or the last) and the last states."""
    given = dict(zip(plan.parts, rest, strict=True))
    bias, mask = given.get("bias"), given.get("mask")
    xs = x if plan.is_time_major else jnp.swapaxes(x, 0, 1)
    length, batch = xs.shape[:2]
    units = recurrent.shape[0]
    zeros = jnp.zeros((batch, units), x.dtype)
    states: States = tuple(given.get(n, zeros) for n in (("h", "c") if plan.cell == "lstm" else ("h",)))
    input_bias, state_bias = (bias[0], bias[1]) if plan.cell == "gru" and bias is not None else (bias, None)
    input_drop, drop = given.get("input_drop"), given.get("state_drop")

    def recur(h: jax.Array, gates: tuple[int, int] | None = None) -> jax.Array:
        if gates is None:
            found = _gated_product(h, recurrent, drop)
            return found if state_bias is None else found + state_bias
        first, last = gates
        part = recurrent[:, first * units : last * units]
        return _gated_product(h, part, drop if drop is None or drop.ndim < 3 else drop[first:last])

    step = _STEPS[plan.cell]
    keeps = None
    if mask is not None:
        keeps = (mask if plan.is_time_major else jnp.swapaxes(mask, 0, 1)).reshape((length, batch, 1)) != 0

    def turn(before: States, row: Any) -> Any:
        row_x, is_kept = row
        projected = _gated_product(row_x, kernel, input_drop)
        after = step(plan, projected if input_bias is None else projected + input_bias, before, recur)
        if is_kept is not None:
            after = tuple(jnp.where(is_kept, new, old) for new, old in zip(after, before, strict=True))
        return after, after[0] if plan.keeps_outputs else None

    unroll = max(length, 1) if plan.is_unrolled else 1
    last, outputs = lax.scan(turn, states, (xs, keeps), reverse=plan.is_reversed, unroll=unroll)
    if not plan.keeps_outputs:
        return (_seen(plan, last[0], keeps, "h" in given, only_last=True), *last)
    outputs = _seen(plan, outputs, keeps, "h" in given)
    if plan.is_reversed:
        outputs = jnp.flip(outputs, 0)
    return (outputs if plan.is_time_major else jnp.swapaxes(outputs, 0, 1), *last)


def _seen(
    plan: Sequence, outputs: jax.Array, keeps: jax.Array | None, has_states: bool, only_last: bool = False
) -> jax.Array:
    """Outputs with zeros for masked steps: all of them, or those before the first step that counts.

    The latter is where the last output, which a masked step repeats, is none; the state may be something.
    """
    if keeps is None or not (plan.zeroes_masked or has_states):
        return outputs
    if plan.zeroes_masked:
        counts = keeps[0 if plan.is_reversed else -1] if only_last else keeps
    elif only_last:
        counts = jnp.any(keeps, 0)
    else:
        counts = lax.cummax(keeps.astype(jnp.int32), 0, reverse=plan.is_reversed) > 0
    return jnp.where(counts, outputs, jnp.zeros((), outputs.dtype))
