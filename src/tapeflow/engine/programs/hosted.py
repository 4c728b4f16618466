"""Long rows of small ops, such as the steps of a decoder or a search, on the host instead of in a program.

A program of a hundred small ops takes a second to compile and no time to run, which pays only where it runs thousands
of times. With numpy they take a few microseconds each, less than it takes to record them, so a script that never comes
back to what it did before waits for nothing, and one that does takes at most about twice as long.

Whether a trace runs on the host follows from its key alone: it assigns no Variable, has no gradient of a gradient, and
each op is small and known to `host`. So a process that goes on with a training gets the bits of the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax
from tapeflow.engine.devices import placement
from tapeflow.engine.programs.host import HostFunction
from tapeflow.engine.programs.lowering import Gradient
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import Node, Spec, Value
from tapeflow.engine.recording.trace import Trace
from tapeflow.engine.settings import settings

Values = list[Any]
"""By slot: first those of the nodes, then those of the leaves, whose slots count from the end."""


class Call(NamedTuple):
    """An op, with its function."""

    slot: int
    function: Any
    inputs: tuple[int, ...]
    is_tuple: bool


class Hosted(NamedTuple):
    """What a trace does, as calls of numpy functions; `leaves` are those it needs."""

    calls: list[Call]
    leaves: list[int]


def hosted(trace: Trace, needed: set[int]) -> Hosted | None:
    """What computes these slots of a trace on the host; None if a program has to."""
    if placement.current is not None or jax.default_backend() != "cpu":
        return None
    calls, leaves, elements = [], set(), 0
    for slot in sorted(needed):
        node = trace.nodes[slot]
        if isinstance(node.instance, Gradient):
            function = Pullback.of(trace, node.instance)
        elif node.instance.op.is_spread:
            return None
        else:
            function = node.instance.on_host(tuple([n.spec for n in node.inputs]))
        if function is None:
            return None
        elements += getattr(function, "elements", 0)
        run = function.run if type(function) is HostFunction else function
        calls.append(Call(slot, run, node.slots, type(node.spec) is tuple))
        leaves.update(~s for s in node.slots if s < 0)
    return Hosted(calls, sorted(leaves)) if elements <= settings.hosted_elements * len(calls) else None


class _Pull(NamedTuple):
    """How cotangents go back through an op: those of its result to those of some inputs.

    One without a function is of an op that takes a part of a tuple.
    """

    slot: int
    function: Callable[..., list[Any]] | None
    inputs: tuple[int, ...]
    wanted: tuple[int, ...]
    specs: tuple[Spec, ...]
    part: int


class Pullback:
    """A gradient as calls of numpy functions, op by op from its targets back."""

    def __init__(self, gradient: Gradient, pulls: list[_Pull], elements: int) -> None:
        self._gradient, self._pulls, self.elements = gradient, pulls, elements

    @classmethod
    def of(cls, trace: Trace, gradient: Gradient) -> Pullback | None:
        """A gradient of this trace; None if a program has to compute it."""
        if gradient.mode != "gradient":
            return None
        moving = {slot for taps in gradient.taps for slot in taps}
        pulls, elements = [], 0
        for slot in gradient.crossed:
            node = trace.nodes[slot]
            if isinstance(node.instance, Gradient):
                return None  # a higher order
            are_wanted = tuple([s in moving for s in node.slots])
            if not any(are_wanted):
                continue
            moving.add(slot)
            wanted = tuple([s for s in node.slots if s in moving])
            if type(node.inputs[0].spec) is tuple:  # it takes a part
                pulls.append(_Pull(slot, None, node.slots, wanted, (), node.instance.index))
                continue
            function = node.instance.on_host(tuple([n.spec for n in node.inputs]), are_wanted)
            if function is None:
                return None
            elements += function.elements
            specs = node.spec if type(node.spec) is tuple else (node.spec,)
            pulls.append(_Pull(slot, function.run, node.slots, wanted, specs, 0))
        return cls(gradient, pulls[::-1], elements)

    def run(self, values: Values) -> list[np.ndarray]:
        """The derivatives, once what the gradient crosses is known."""
        gradient = self._gradient
        found: dict[int, Any] = {}
        for target, seed in zip(gradient.targets, gradient.seeds, strict=True):
            value = values[target]
            if seed is None:
                given = np.ones_like(value)
            else:
                given = np.broadcast_to(values[seed], value.shape).astype(value.dtype)
            _add(found, target, given)
        for slot, function, inputs, wanted, specs, part in self._pulls:
            given = found.get(slot)
            if given is None:
                continue
            if function is None:
                _add(found.setdefault(inputs[0], {}), part, given)
                continue
            if type(given) is dict:
                parts = [
                    given[i] if i in given else np.zeros(s.shape, s.np_dtype) for i, s in enumerate(specs)
                ]
            else:
                parts = [given]
            for s, one in zip(wanted, function(*[values[s] for s in inputs], *parts), strict=True):
                _add(found, s, one)
        return [
            _total([found[s] for s in taps if s in found], spec)
            for taps, spec in zip(gradient.taps, gradient.specs, strict=True)
        ]


def _add(found: dict[int, Any], key: int, value: Any) -> None:
    found[key] = found[key] + value if key in found else value


def _total(parts: list[np.ndarray], spec: Spec) -> np.ndarray:
    return sum(parts[1:], parts[0]) if parts else np.zeros(spec.shape, spec.np_dtype)


def run_hosted(trace: Trace, found: Hosted, outputs: Sequence[int]) -> None:
    """Give these nodes of a trace their values.

    An op whose check fails, and what comes of it, gets the error instead, which is raised as that of a program is.
    """
    nodes, checked = trace.nodes, set(trace.checks)
    values: list[Any] = [None] * (
        len(nodes) + len(trace.leaves)
    )  # by slot: those of leaves count from the end
    for leaf in found.leaves:
        values[~leaf] = _on_host(trace.leaves[leaf])
    failed: dict[int, errors.InvalidArgumentError] = {}
    with np.errstate(all="ignore"):
        for slot, function, inputs, is_tuple in found.calls:
            if checked or failed:
                _look(nodes[slot], checked, failed, [values[s] for s in inputs])
                if slot in failed:
                    continue
            if type(function) is Pullback:
                results = function.run(values)
            else:
                results = function(*[values[s] for s in inputs])
            values[slot] = results if is_tuple else results[0]
    for slot in outputs:
        nodes[slot].value = _nothing(nodes[slot].spec) if slot in failed else values[slot]
    if failed:
        checks.raise_later({slot: nodes[slot] for slot in outputs}, failed)


def _nothing(spec: Any) -> Value:
    """What stands for a value that could not be computed; nobody gets to see it."""
    if type(spec) is tuple:
        return [_nothing(part) for part in spec]
    return np.zeros(spec.shape, spec.np_dtype)


def _on_host(leaf: Node) -> Value:
    """A leaf's value; a copy of what a Variable holds, which may be overwritten."""
    value = leaf.array()
    return value if isinstance(value, np.ndarray) else np.array(value)


def _look(
    node: Node, checked: set[int], failed: dict[int, errors.InvalidArgumentError], inputs: list[Any]
) -> None:
    """Note the error of a node that cannot be computed."""
    for s in node.slots:
        if s in failed:
            failed[node.slot] = failed[s]
            return
    if node.slot in checked:
        try:
            checks.check_now(node, node.instance, inputs)
        except errors.InvalidArgumentError as error:
            failed[node.slot] = error
