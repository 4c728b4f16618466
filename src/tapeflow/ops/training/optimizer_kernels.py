"""One op for a whole optimizer step: every variable, every slot and the counter, at once.

TensorFlow has one fused kernel a variable (`ResourceApplyAdam`); here it is one for all of them, so an
undecorated training loop records a step of Adam as a single op. Clipping, weight decay, moving averages,
accumulation of gradients and the skipping of a step are part of it: nothing in it reads a value, so it
stages like any other op. The arithmetic of each optimizer is in `optimizer_rules`, what is done around it in
`optimizer_options`.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.programs.steps import keep_bounded
from tapeflow.engine.recording.op import Instance, op
from tapeflow.engine.recording.recorder import items_of, record
from tapeflow.engine.recording.trace import FOREIGN, state
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.math.clip import common_norm, scale_within, within_norm
from tapeflow.ops.training.optimizer_options import Clip, accumulated, averaged, clipped, decay_of, is_due
from tapeflow.ops.training.optimizer_rules import RULES


@dataclass(frozen=True)
class Plan:
    """What a step does, apart from the numbers that change from step to step.

    Attributes:
        rule: the name of the arithmetic in `RULES`.
        statics: its hyperparameters.
        slot_counts: for each variable, how many slots it has.
        clipnorm: the largest norm of each gradient.
        global_clipnorm: the largest norm of all gradients together.
        clipvalue: the largest absolute value of an element.
        weight_decay: the share of a variable, times the learning rate, that is taken off first.
        decayed: for each variable, whether it decays.
        ema_momentum: of the moving averages of the variables, if they are kept.
        ema_overwrite_frequency: after so many steps the averages become the variables.
        accumulation: so many calls make one step, on the mean of their gradients.
        scale: what the loss was multiplied by.
        is_guarded: an input says whether the step is to count.
        counts: whether the counter moves; not for a single variable on its own.
        advances: whether what is shared moves; of single variables, only with the first.
    """

    rule: str
    statics: tuple[tuple[str, Any], ...]
    slot_counts: tuple[int, ...]
    clipnorm: float | None = None
    global_clipnorm: float | None = None
    clipvalue: float | None = None
    weight_decay: float | None = None
    decayed: tuple[bool, ...] = ()
    ema_momentum: float | None = None
    ema_overwrite_frequency: int | None = None
    accumulation: int | None = None
    scale: float | None = None
    is_guarded: bool = False
    counts: bool = True
    advances: bool = True


@op(name="OptimizerStep", same_dtype=False, differentiable=False)
def optimizer_step(iteration: jax.Array, rate: jax.Array, *inputs: jax.Array, plan: Plan) -> Any:
    """The counter, what is shared, the variables, slots, averages and accumulators after a step.

    Args:
        iteration: how many steps there have been.
        rate: the learning rate.
        inputs: whether to count the step (if guarded), the gradients, then all that comes out, as it was.
        plan: what to do.
    """
    given = iter(inputs)
    is_counted = next(given) if plan.is_guarded else None
    count = len(plan.slot_counts)
    gradients, rest = _taken(given, count), list(given)
    state = _State(plan, rest)
    _require_shapes(gradients, state.variables)
    gradients = [g.astype(w.dtype) for g, w in zip(gradients, state.variables, strict=True)]
    if plan.scale is not None:
        gradients = [g / plan.scale for g in gradients]
    moved, done = iteration, is_counted
    if plan.accumulation is not None:
        moved = iteration // plan.accumulation
        is_applied = is_due(iteration, plan.accumulation)
        pairs = zip(gradients, state.accumulators, strict=True)
        sums, gradients = zip(*[accumulated(g, a, plan.accumulation) for g, a in pairs], strict=True)
        kept = [jnp.where(is_applied, jnp.zeros_like(g), g) for g in sums]
        state.accumulators = kept if is_counted is None else _chosen(is_counted, kept, state.accumulators)
        done = is_applied if is_counted is None else is_applied & is_counted
    before = state.moving
    state.moving = _moved(state, plan, clipped(list(gradients), plan, _CLIP), rate, moved)
    if done is not None:
        state.moving = _chosen(done, state.moving, before)
    return (iteration + 1 if plan.counts else iteration, *state.moving, *state.accumulators)


class _State:
    """The values a step changes, by what they are."""

    def __init__(self, plan: Plan, values: Sequence[Any]) -> None:
        self._plan = plan
        count = len(plan.slot_counts)
        kept = count if plan.accumulation is not None else 0
        self.moving = list(values[: len(values) - kept])
        self.accumulators = list(values[len(values) - kept :])

    def parts(self) -> tuple[Any, list[Any], list[tuple[Any, ...]], list[Any]]:
        """What is shared, the variables, the slots of each, the averages."""
        plan = self._plan
        values = iter(self.moving)
        count = len(plan.slot_counts)
        shared = next(values) if RULES[plan.rule].advance is not None else None
        variables = _taken(values, count)
        slots = [tuple(_taken(values, n)) for n in plan.slot_counts]
        return shared, variables, slots, list(values)

    @property
    def variables(self) -> list[Any]:
        """The variables."""
        return self.parts()[1]


def _taken(values: Iterator[Any], count: int) -> list[Any]:
    return list(itertools.islice(values, count))


def _chosen(is_new: jax.Array, new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
    return [jnp.where(is_new, a, b) for a, b in zip(new, old, strict=True)]


def _require_shapes(gradients: Sequence[Any], variables: Sequence[Any]) -> None:
    for i, (g, w) in enumerate(zip(gradients, variables, strict=True)):
        if g.shape != w.shape:
            raise ValueError(
                f"An optimizer expected each gradient to have its variable's shape; got gradient {i} of shape "
                f"{g.shape} for a variable of shape {w.shape}. Check the order of the pairs."
            )


def _by_norm(gradient: Any, limit: float) -> Any:
    return within_norm(gradient, jnp.asarray(limit, gradient.dtype))


def _by_global_norm(gradients: list[Any], limit: float) -> list[Any]:
    wide = jnp.result_type(jnp.float32, *[g.dtype for g in gradients])
    norm = common_norm([g.astype(wide) for g in gradients])
    scale = scale_within(norm, jnp.asarray(limit, wide))
    return [g * scale.astype(g.dtype) for g in gradients]


def _by_value(gradient: Any, low: float, high: float) -> Any:
    return jnp.clip(gradient, *(jnp.asarray(bound, gradient.dtype) for bound in (low, high)))


_CLIP = Clip(_by_norm, _by_global_norm, _by_value)


def _moved(
    state: _State,
    plan: Plan,
    gradients: list[Any],
    rate: jax.Array | np.ndarray,
    moved: jax.Array | np.ndarray,
) -> list[Any]:
    """The shared value, variables, slots and averages after the rule has been applied."""
    shared, variables, slots, averages = state.parts()
    rule, statics = RULES[plan.rule], dict(plan.statics)
    extra = {}
    if rule.advance is not None:
        if plan.advances:
            shared = rule.advance(shared, (moved + 1).astype(shared.dtype), **statics)
        extra["shared"] = shared
    new_variables, new_slots = [], []
    for i, (g, w) in enumerate(zip(gradients, variables, strict=True)):
        # 16 bits cannot hold 0.999 or 1e-7: such variables are moved in 32.
        wide = jnp.promote_types(w.dtype, jnp.float32)
        g, w, lr, step, *kept = (x.astype(wide) for x in (g, w, rate, moved + 1, *slots[i]))
        if plan.weight_decay is not None and plan.decayed[i]:
            w = w - decay_of(w, plan.weight_decay, lr)
        w, changed = rule.update(g, w, tuple(kept), lr, step, **extra, **statics)
        new_variables.append(w.astype(variables[i].dtype))
        new_slots.extend(s.astype(variables[i].dtype) for s in changed)
    if plan.ema_momentum is not None:
        momentum, pairs = plan.ema_momentum, zip(averages, new_variables, strict=True)
        averages = [averaged(a, w, momentum) for a, w in pairs]
        if plan.ema_overwrite_frequency:
            is_overwritten = is_due(moved, plan.ema_overwrite_frequency)
            new_variables = _chosen(is_overwritten, averages, new_variables)
    return [*([] if shared is None else [shared]), *new_variables, *new_slots, *averages]


def step_of(plan: Plan) -> Instance:
    """The op for a plan, to be kept: looking it up hashes the whole plan."""
    return optimizer_step.instance({"plan": plan})


def update_variables(
    instance: Instance,
    iteration: Variable,
    rate: TensorLike,
    others: Sequence[Any],
    targets: Sequence[Variable],
) -> None:
    """Record a step and make the Variables hold its results.

    Args:
        instance: from `step_of`.
        iteration: the counter; it is the first result.
        rate: the learning rate.
        others: the guard, if there is one, and the gradients.
        targets: the Variables that the step changes, in the plan's order.
    """
    if state.trace.is_long:
        keep_bounded(state.trace)
    changed = [iteration, *targets]
    if state.recording is not None:
        for variable in changed:
            state.recording.note_variable(variable)
    # The Variables' own nodes, not reads of them: no tape follows an update.
    nodes = [iteration._current(), to_node(rate), *[to_node(x) for x in others]]
    node = record(instance, (*nodes, *[v._current() for v in targets]))
    for variable, item in zip(changed, items_of(node), strict=True):
        variable._replace(variable._own(item) if item.trace is FOREIGN else item)


@op(name="LossScaleUpdate", same_dtype=False, differentiable=False)
def _loss_scale_update(
    scale: jax.Array, counter: jax.Array, *gradients: jax.Array, growth_steps: int, multiplier: float
) -> tuple[jax.Array, jax.Array, jax.Array]:
    finite = [jnp.all(jnp.isfinite(g)) for g in gradients]
    is_finite = functools.reduce(operator.and_, finite, jnp.asarray(True))
    is_grown = counter + 1 >= growth_steps
    larger = scale * multiplier
    grown = jnp.where(is_grown & jnp.isfinite(larger), larger, scale)
    shrunk = jnp.maximum(scale / multiplier, jnp.ones((), scale.dtype))
    counted = jnp.where(is_finite & ~is_grown, counter + 1, jnp.zeros_like(counter))
    return is_finite, jnp.where(is_finite, grown, shrunk), counted


def loss_scale_update(
    scale: TensorLike, counter: TensorLike, gradients: Sequence[Any], growth_steps: int, multiplier: float
) -> tuple[Any, Any, Any]:
    """Whether all gradients are finite, the loss scale after them, and the count of good steps."""
    return _loss_scale_update(scale, counter, *gradients, growth_steps=growth_steps, multiplier=multiplier)
