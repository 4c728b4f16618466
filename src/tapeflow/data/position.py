"""What the passes to come over a pipeline depend on: seeds, and the passes and iterators that each step has had.

Streams keep where they are themselves; but a step that begins passes as it goes (`repeat`, `flat_map`) may have
none open just now, and the next one must still be the one that would have come.
"""

from __future__ import annotations

from tapeflow.data.functions.randomness import Seed
from tapeflow.data.pipe import Iteration, Pipe, State


def join_all(pipe: Pipe, iteration: Iteration) -> None:
    """Count an iterator over every step of a pipeline, before any thread begins to read."""
    for step in _steps(pipe):
        if "iterators" in vars(step):
            iteration.join(step)


def pipeline_state(pipe: Pipe, iteration: Iteration) -> State:
    """The numbers of an iterator over a pipeline, as plain values."""
    steps = []
    for step in _steps(pipe):
        held = vars(step)
        seed = held.get("seed")
        steps.append(
            (iteration.passes.get(step), held.get("iterators"), None if seed is None else tuple(seed))
        )
    return {"number": iteration.number, "steps": steps}


def set_pipeline_state(pipe: Pipe, iteration: Iteration, state: State) -> None:
    """Give an iterator over an equal pipeline those numbers."""
    iteration.number = state["number"]
    for step, (passes, begun, seed) in zip(_steps(pipe), state["steps"], strict=True):
        if passes is not None:
            iteration.passes[step] = passes
        if begun is not None:
            vars(step)["iterators"] = begun
        if seed is not None:
            vars(step)["seed"] = Seed(*seed)


def _steps(pipe: Pipe) -> list[Pipe]:
    """The steps of a pipeline, each once, in an order that is the same for equal pipelines."""
    found: dict[int, Pipe] = {}
    waiting = [pipe]
    while waiting:
        step = waiting.pop()
        if id(step) not in found:
            found[id(step)] = step
            waiting.extend(step.inputs)
    return list(found.values())
