"""What an object is made of: the names that lead from it to others, and the state that it holds itself.

Names are TensorFlow's where it has them: attributes, places in lists, keys of dicts, `layer_with_weights-0` and
`layer-0` for the layers of a model, `_variables/1` for what an optimizer remembers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.data.iterator import ArrayIterator
from tapeflow.data.iterator import Iterator as DataIterator
from tapeflow.engine.module import Module
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.layers.base.seed import SeedGenerator
from tapeflow.keras.layers.base.weight_owner import WeightOwner
from tapeflow.keras.mixed_precision.loss_scale_optimizer import LossScaleOptimizer
from tapeflow.keras.models.kinds import AnyFunctional
from tapeflow.keras.optimizers.optimizer import Optimizer
from tapeflow.ops.random.generator import Generator
from tapeflow.train.python_state import PythonState

_CONTAINERS = (list, tuple, dict)
# Where models and layers keep what other names lead to.
_BOOKKEEPING = frozenset({"_graph_layers", "_stack", "_plan", "_held", "_deferred"})
# Hidden from `weights`, but part of what a layer or model holds.
_SHOWN = ("optimizer", "_states")


class Trackable:
    """The base class of objects that say themselves what they are made of."""

    # The restored checkpoint that has values for attributes which are not there yet.
    _deferred: Any = None

    def _trackable_children(self) -> dict[str, Any]:
        raise NotImplementedError


def is_trackable(value: object) -> bool:
    """Whether a value holds state, or leads to something that may."""
    if isinstance(value, _CONTAINERS):
        return bool(_in_container(value))
    return isinstance(value, (Module, Variable, Optimizer, Trackable)) or has_state(value)


def has_state(value: object) -> bool:
    """Whether a value holds state that is not a Variable's."""
    return isinstance(value, (DataIterator, ArrayIterator, Generator, SeedGenerator, PythonState))


def state_of(value: Any) -> Any:
    """The plain state that a value holds."""
    if isinstance(value, (DataIterator, ArrayIterator)):
        return value.state()
    if isinstance(value, Generator):
        return np.asarray(value.state)
    if isinstance(value, PythonState):
        text = value.serialize()
        return text.encode() if isinstance(text, str) else bytes(text)
    return {"seed": value.counter.seed, "count": value.counter.count}


def set_state(value: Any, state: Any) -> None:
    """Give a value the state that another one like it had."""
    if isinstance(value, (DataIterator, ArrayIterator)):
        value.restore(state)
    elif isinstance(value, Generator):
        value.reset(state)
    elif isinstance(value, PythonState):
        value.deserialize(state)
    else:
        value.counter.reset(int(state["seed"]), int(state["count"]))


def children(owner: object) -> dict[str, Any]:
    """What an object leads to, by name; only what is trackable."""
    if isinstance(owner, Trackable):
        return owner._trackable_children()
    if isinstance(owner, _CONTAINERS):
        return _in_container(owner)
    if isinstance(owner, LossScaleOptimizer):
        found = {"inner_optimizer": owner.inner_optimizer}
        own = {"dynamic_scale": owner.dynamic_scale, "dynamic_counter": owner.dynamic_counter}
        return {**found, **{k: v for k, v in own.items() if v is not None}}
    if isinstance(owner, Optimizer):
        return dict(_of_optimizer(owner))
    if isinstance(owner, WeightOwner):
        return dict(_of_layer(owner))
    if isinstance(owner, Module):
        ignored = owner._TF_MODULE_IGNORED_PROPERTIES
        items = sorted(vars(owner).items())
        return {k: v for k, v in items if k not in ignored and k not in _BOOKKEEPING and is_trackable(v)}
    return {}


def _in_container(container: Any) -> dict[str, Any]:
    items = container.items() if isinstance(container, dict) else enumerate(container)
    return {str(k): v for k, v in items if is_trackable(v)}


def _of_optimizer(optimizer: Any) -> Iterator[tuple[str, Any]]:
    yield "_iterations", optimizer._iterations
    if isinstance(optimizer._learning_rate, Variable):
        yield "_learning_rate", optimizer._learning_rate
    yield "_variables", list(optimizer._variables)


def _of_layer(owner: WeightOwner) -> Iterator[tuple[str, Any]]:
    reached: set[int] = set()
    if isinstance(owner, AnyFunctional):  # other models know their layers by attributes
        weighted = 0
        for i, layer in enumerate(owner.layers):
            if _has_weights(layer):
                yield f"layer_with_weights-{weighted}", layer
                weighted += 1
            yield f"layer-{i}", layer
    for name, value in sorted(vars(owner).items()):
        is_shown = name not in _BOOKKEEPING and (name not in owner._hidden or name in _SHOWN)
        if is_shown and is_trackable(value):
            yield name, value
            reached.update(_variables_in(value))
    for i, weight in enumerate(owner._own_weights):
        if id(weight) not in reached:
            yield f"_own_weights-{i}", weight
            name = weight.name.removesuffix(":0").rpartition("/")[2]
            if not hasattr(owner, name):
                yield name, weight


def _has_weights(layer: Any) -> bool:
    try:
        return bool(layer.weights)
    except ValueError:  # a model that is not built, and cannot know
        return False


def _variables_in(value: object) -> set[int]:
    if isinstance(value, Variable):
        return {id(value)}
    if not isinstance(value, _CONTAINERS):
        return set()
    return {i for item in _in_container(value).values() for i in _variables_in(item)}
