"""From recorded entries to JAX: evaluates a trace's key on arrays or tracers.

Plain entries are evaluated in order. A *gradient* entry names, by slot, the nodes its tape crosses
and the points ("taps") whose derivative is asked for. Those nodes are evaluated inside one
`jax.vjp`, and their forward values leave through it too: XLA merges repeated arithmetic, but not a
repeated loop, so the forward pass must exist only once. Gradients whose nodes overlap share one
`vjp`; a gradient crossed by another (a higher order) is evaluated inside the outer one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.node import Spec
from tapeflow.engine.shapes.skeleton import Fixed, structured

Entry = tuple[Any, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Gradient:
    """The instance of a gradient entry. Its slots are those of the trace it is recorded in.

    Attributes:
        targets: slots of what is differentiated.
        taps: for each source, the slots where it enters (all reads of a Variable, or one tensor).
        crossed: the slots the tape goes through, ascending.
        seeds: slots of `output_gradients`, `None` for ones.
        mode: "gradient", "jacobian" or "batch_jacobian".
        specs: for each source, its spec.
    """

    targets: tuple[int, ...]
    taps: tuple[tuple[int, ...], ...]
    crossed: tuple[int, ...]
    seeds: tuple[int | None, ...]
    mode: str
    specs: tuple[Spec, ...]

    @classmethod
    def interned(cls, *fields: Any) -> Gradient:
        """The one instance with these fields, so that keys compare it by identity."""
        found = _GRADIENTS.get(fields)
        if found is None:
            found = _GRADIENTS.setdefault(fields, cls(*fields))
        return found

    def moved(self, place: Any) -> Gradient:
        """The same gradient with every slot mapped by `place`."""
        return Gradient.interned(
            tuple(place(s) for s in self.targets),
            tuple(tuple(place(s) for s in taps) for taps in self.taps),
            tuple(sorted(place(s) for s in self.crossed)),
            tuple(None if s is None else place(s) for s in self.seeds),
            self.mode,
            self.specs,
        )

    def __repr__(self) -> str:
        return "gradient"


structured[Gradient] = (
    lambda g: (Fixed((g.targets, g.taps, g.crossed, g.seeds, g.mode)), g.specs),
    lambda g, parts: replace(g, specs=parts[1]),
)

_GRADIENTS: WeakValueDictionary[tuple[Any, ...], Gradient] = WeakValueDictionary()


@jax.custom_jvp
def _tap(value: Any, offset: Any) -> Any:
    """`value`, with a place for a derivative to enter: as if `value + offset` at offset zero."""
    del offset
    return value


@_tap.defjvp
def _tap_jvp(primals: Any, tangents: Any) -> Any:
    return primals[0], tangents[0] + tangents[1]


class _Group:
    """Gradients that share one `vjp`."""

    def __init__(self, slot: int, gradient: Gradient) -> None:
        self.members = [(slot, gradient)]
        self.crossed = set(gradient.crossed)
        self.is_running = False


class Evaluation:
    """Values by slot, computed on demand. `parent` holds what lies outside the current `vjp`."""

    def __init__(
        self,
        entries: Sequence[Entry],
        leaves: Sequence[Any],
        parent: Evaluation | None = None,
        crossed: set[int] | None = None,
        taps: dict[int, list[Any]] | None = None,
    ) -> None:
        self.entries = entries
        self.leaves = leaves
        self.parent = parent
        self.values: dict[int, Any] = {}
        self.taps = taps or {}
        self.crossed = crossed
        self.groups: list[_Group] = []
        self.group_of: dict[int, _Group] = {}

    def run(self, outputs: Iterable[int]) -> list[Any]:
        """The values of `outputs`."""
        outputs = list(outputs)
        self.ensure(outputs)
        return [self.value(s) for s in outputs]

    def value(self, slot: int) -> Any:
        """A value that `ensure` has made available."""
        if slot in self.values:
            return self.values[slot]
        if slot < 0:
            value = self.leaves[~slot]
            for offset in self.taps.get(slot, ()):
                value = _tap(value, offset)
            self.values[slot] = value
            return value
        if self.parent is None:
            raise RuntimeError(f"the engine expected slot {slot} to be evaluated by now; it is not")
        return self.parent.value(slot)

    def ensure(self, slots: Iterable[int]) -> None:
        """Evaluate `slots` and what they need, in the order they were recorded."""
        needed = self._needed(slots)
        self._plan(needed)
        for slot in needed:
            if slot not in self.values:
                self._evaluate(slot)

    def _is_outside(self, slot: int) -> bool:
        return self.crossed is not None and slot not in self.crossed

    def _needed(self, slots: Iterable[int]) -> list[int]:
        found: set[int] = set()
        stack = [s for s in slots if s >= 0]
        while stack:
            slot = stack.pop()
            if slot in found or slot in self.values or self._is_outside(slot):
                continue
            found.add(slot)
            stack.extend(s for s in self.entries[slot][1] if s >= 0)
        return sorted(found)

    def _plan(self, needed: list[int]) -> None:
        """Put the gradients among `needed` into groups, outermost first."""
        for slot in reversed(needed):
            gradient = self.entries[slot][0]
            if not isinstance(gradient, Gradient) or slot in self.group_of:
                continue
            if any(slot in group.crossed for group in self.groups):
                continue  # a higher order: evaluated inside that group's vjp
            for group in self.groups:
                if not group.crossed.isdisjoint(gradient.crossed) and self._can_join(group, slot, gradient):
                    group.members.append((slot, gradient))
                    group.crossed.update(gradient.crossed)
                    break
            else:
                group = _Group(slot, gradient)
                self.groups.append(group)
            self.group_of[slot] = group
            for crossed in gradient.crossed:
                self.group_of.setdefault(crossed, group)

    def _can_join(self, group: _Group, slot: int, gradient: Gradient) -> bool:
        """Whether one forward pass serves both: no derivative may pass where its tape did not."""
        union = group.crossed | set(gradient.crossed)
        if slot in union or any(s in union for s, _ in group.members):
            return False
        for _, member in [*group.members, (slot, gradient)]:
            crossed = set(member.crossed)
            reached = {s for taps in member.taps for s in taps}
            for s in sorted(union):
                if s not in reached and any(i in reached for i in self.entries[s][1]):
                    if s not in crossed and self._leads_to(s, member.targets, union):
                        return False
                    reached.add(s)
        return True

    def _leads_to(self, slot: int, targets: Sequence[int], within: set[int]) -> bool:
        stack, seen = list(targets), set()
        while stack:
            s = stack.pop()
            if s == slot:
                return True
            if s in within and s not in seen:
                seen.add(s)
                stack.extend(self.entries[s][1])
        return False

    def _evaluate(self, slot: int) -> None:
        instance, inputs = self.entries[slot]
        group = self.group_of.get(slot)
        if group is not None and not group.is_running and slot not in self.values:
            self._run_group(group)
            if slot in self.values:
                return
        if isinstance(instance, Gradient):
            # Its group is being evaluated further out, so this one takes a pass of its own.
            self._run_group(_Group(slot, instance))
            return
        self.ensure(s for s in inputs if s >= 0 and s not in self.values)
        value = instance.fn(*[self.value(s) for s in inputs])
        for offset in self.taps.get(slot, ()):
            value = _tap(value, offset)
        self.values[slot] = value

    def _run_group(self, group: _Group) -> None:
        group.is_running = True
        self.ensure(self._outside(group.crossed))
        points = [(slot, i) for slot, g in group.members for i in range(len(g.specs))]
        offsets = [
            jnp.zeros(g.specs[i].shape, g.specs[i].np_dtype)
            for _, g in group.members
            for i in range(len(g.specs))
        ]
        gradients = dict(group.members)
        targets = [g.targets for _, g in group.members]

        def forward(offsets: list[Any]) -> Any:
            taps = {s: list(found) for s, found in self.taps.items()}
            for (slot, i), offset in zip(points, offsets, strict=True):
                for tapped in gradients[slot].taps[i]:
                    taps.setdefault(tapped, []).append(offset)
            inner = Evaluation(self.entries, self.leaves, self, group.crossed, taps)
            inner.ensure(group.crossed)
            results = [[inner.value(s) for s in slots] for slots in targets]
            values = {s: v for s, v in inner.values.items() if s >= 0 and s not in self.values}
            return results, values

        results, pull, values = jax.vjp(forward, offsets, has_aux=True)
        self.values.update(values)
        start = 0
        for k, (slot, gradient) in enumerate(group.members):
            stop = start + len(gradient.specs)
            seeds = self._seeds(gradient, results[k])
            self.values[slot] = _pull_back(gradient, results, k, seeds, pull, slice(start, stop))
            start = stop

    def _outside(self, crossed: set[int]) -> set[int]:
        """What the crossed nodes take from outside, those inside nested gradients included."""
        found: set[int] = set()
        stack = [(slot, crossed) for slot in crossed]
        while stack:
            slot, inside = stack.pop()
            instance, inputs = self.entries[slot]
            if isinstance(instance, Gradient):
                inside = inside | set(instance.crossed)
                stack.extend((s, inside) for s in instance.crossed)
            found.update(s for s in inputs if s >= 0 and s not in inside)
        return found

    def _seeds(self, gradient: Gradient, results: list[Any]) -> list[Any]:
        self.ensure(s for s in gradient.seeds if s is not None and s >= 0)
        seeds = []
        for slot, result in zip(gradient.seeds, results, strict=True):
            seed = jnp.ones_like(result) if slot is None else self.value(slot)
            seeds.append(jnp.broadcast_to(seed, result.shape).astype(result.dtype))
        return seeds


def _pull_back(
    gradient: Gradient, results: Any, member: int, seeds: list[Any], pull: Any, part: slice
) -> tuple[Any, ...]:
    """The derivative of one member of a group, in its mode."""
    zeros = [[jnp.zeros_like(r) for r in rows] for rows in results]

    def gradients_for(seeds: list[Any]) -> tuple[Any, ...]:
        rows = [*zeros[:member], [jnp.conj(s) for s in seeds], *zeros[member + 1 :]]
        return tuple(jnp.conj(g) for g in pull(rows)[0][part])

    if gradient.mode == "gradient":
        return gradients_for(seeds)
    (target,) = results[member]
    if gradient.mode == "jacobian":
        basis = jnp.eye(target.size, dtype=target.dtype).reshape((target.size, *target.shape))
        rows = jax.vmap(lambda seed: gradients_for([seed]))(basis)
        return tuple(r.reshape(target.shape + r.shape[1:]) for r in rows)
    # batch_jacobian: rows of a batch do not mix, so one seed per output position serves them all.
    batch, size = target.shape[0], target[0].size
    basis = jnp.eye(size, dtype=target.dtype).reshape((size, 1, *target.shape[1:]))
    rows = jax.vmap(lambda seed: gradients_for([jnp.broadcast_to(seed, target.shape)]))(basis)
    return tuple(jnp.moveaxis(r, 0, 1).reshape((batch, *target.shape[1:], *r.shape[2:])) for r in rows)
