"""Weights as Keras 3 keeps them: `layers/dense_1/vars/0`, by the attributes that lead to an object.

A layer in a list goes by its class and its place among those of the class, not by its name: names differ
from one run to the next. Keras 2's `.keras` and `.weights.h5` files have the same layout.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from tapeflow.engine.module import Module
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.graph.op_layer import TFOpLambda
from tapeflow.keras.layers.base.weight_owner import WeightOwner
from tapeflow.keras.models.kinds import AnyFunctional
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.draft import Draft
from tapeflow.keras.saving.mismatch import WeightMismatch
from tapeflow.keras.saving.training_state import load_optimizer, save_optimizer

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

_VALUES = "vars"
# Where a functional model keeps the layers that `layers` names.
_BOOKKEEPING = ("_graph_layers", "_stack", "_plan", "_held")


def placed(model: Model) -> Iterator[tuple[str, Any]]:
    """The objects with weights that a model holds, itself first, each once, and the paths that lead to them."""
    visited: set[int] = set()

    def visit(owner: object, path: str) -> Iterator[tuple[str, Any]]:
        if id(owner) in visited:
            return
        visited.add(id(owner))
        yield path, owner
        for name, part in _parts(owner):
            yield from visit(part, f"{path}/{name}" if path else name)

    return visit(model, "")


def save_tree(model: Model, root: Draft, include_optimizer: bool = True) -> None:
    """Put down the weights of a model, and the state of its optimizer."""
    for path, owner in placed(model):
        if isinstance(owner, TFOpLambda):
            continue
        group = root.create_group(f"{path}/{_VALUES}" if path else _VALUES)
        group.attrs["name"] = str(owner.name)
        store: dict[str, Any] = {}
        _saver(owner)(store)
        for key, value in store.items():
            group.put(str(key), value)
    if include_optimizer and model.optimizer is not None and model.optimizer.built:
        save_optimizer(model.optimizer, root.create_group("optimizer"))


def load_tree(model: Model, root: h5py.Group, skip_mismatch: bool = False) -> None:
    """Give a model the weights of an HDF5 group that `save_tree` or Keras wrote.

    Nothing is changed before all weights have been found to fit.

    Raises:
        ValueError: the file does not fit, unless `skip_mismatch`.
    """
    loads: list[Callable[[], None]] = []
    problems: list[str] = []
    visited: set[int] = set()

    def plan(owner: object, group: Any) -> None:
        if id(owner) in visited:
            return
        visited.add(id(owner))
        values = None if group is None else hdf5.child(group, _VALUES)
        try:
            loads.extend(_loads(owner, values))
        except ValueError as error:
            problems.append(str(error))
        for name, part in _parts(owner):
            plan(part, None if group is None else _found(group, name))

    plan(model, root)
    if problems:
        text = problems[0] if len(problems) == 1 else f"{problems[0]} ({len(problems) - 1} more do not fit.)"
        if not skip_mismatch:
            raise WeightMismatch(text)
        for problem in problems:
            warnings.warn(f"Skipping weights that do not fit: {problem}", stacklevel=4)
    for load in loads:
        load()
    state = hdf5.child(root, "optimizer")
    if state is not None and model.optimizer is not None:
        load_optimizer(model.optimizer, state, model.trainable_variables)


def _found(group: h5py.Group, name: str) -> Any:
    """The group of a part. Keras 3 may know a private attribute by its public name, Keras 2 does not."""
    attribute, _, rest = name.partition("/")
    for spelled in (attribute, attribute.lstrip("_"), f"_{attribute}"):
        found = hdf5.child(group, f"{spelled}/{rest}" if rest else spelled)
        if found is not None:
            return found
    return None


def _parts(owner: object) -> Iterator[tuple[str, Any]]:
    """The objects with weights that an object holds, and what leads to them, public attributes first."""
    is_graph = isinstance(owner, AnyFunctional)
    if is_graph:
        yield from _items("layers", [x for x in owner.layers if not isinstance(x, TFOpLambda)])
    hidden = getattr(owner, "_hidden", frozenset())
    for name, value in sorted(vars(owner).items(), key=lambda pair: (pair[0].startswith("_"), pair[0])):
        if name in hidden or name in _BOOKKEEPING:
            continue
        if isinstance(value, Module):
            yield name, value
        elif isinstance(value, (list, tuple, dict)):
            yield from _items(name, value)


def _items(prefix: str, container: Any) -> Iterator[tuple[str, Any]]:
    taken: dict[str, int] = {}

    def numbered(name: str) -> str:
        count = taken.get(name, 0)
        taken[name] = count + 1
        return f"{prefix}/{name}_{count}" if count else f"{prefix}/{name}"

    for item in container.values() if isinstance(container, dict) else container:
        if isinstance(item, Module):
            yield numbered(_spelled(type(item).__name__)), item
        elif isinstance(item, (list, tuple, dict)):
            yield from _items(numbered("container"), item)


def _spelled(class_name: str) -> str:
    """`ConvLSTM2D` -> `conv_lstm2d`, as Keras 3 has it; Keras 2 called such a layer `conv_lst_m2d`."""
    spaced = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", class_name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", spaced).lower()


def own_variables(owner: Any) -> list[Variable]:
    """An object's variables without those of its parts, the trainable ones first."""
    if not isinstance(owner, WeightOwner):
        return list(owner.variables)
    return sorted(owner._own_weights, key=lambda w: not w.trainable)


def _saver(owner: object) -> Callable[[dict[str, Any]], Any]:
    written = getattr(owner, "save_own_variables", None)
    if written is not None:
        return written

    def save(store: dict[str, Any]) -> None:
        for i, variable in enumerate(own_variables(owner)):
            store[str(i)] = variable

    return save


def _loads(owner: Any, values: Any) -> list[Callable[[], None]]:
    """What is to be done to load an object's variables; nothing is done yet."""
    written = getattr(owner, "load_own_variables", None)
    if written is not None:
        return [lambda: written(_Store(values))]
    variables = own_variables(owner)
    count = hdf5.count(values)
    if values is None or count != len(variables):
        if isinstance(owner, TFOpLambda) or (not variables and not count):
            return []
        raise ValueError(
            f"Layer '{owner.name}' expected {len(variables)} variables, but received {count} variables during "
            f"loading. Expected: {[v.name for v in variables]}"
        )
    loads = []
    for i, variable in enumerate(variables):
        found = hdf5.dataset(values, str(i))
        if found.shape != tuple(variable.shape):
            raise ValueError(
                f"Layer '{owner.name}' expected a variable '{variable.name}' of shape {tuple(variable.shape)}; the "
                f"file has one of shape {found.shape}."
            )
        loads.append(_assigner(variable, found))
    return loads


def _assigner(variable: Variable, found: h5py.Dataset) -> Callable[[], None]:
    return lambda: assign(variable, hdf5.read(found, tuple(variable.shape)))


def assign(variable: Variable, value: np.ndarray) -> None:
    """Give a variable a value of perhaps another dtype."""
    variable.assign(value.astype(variable.dtype.as_numpy_dtype, copy=False))


class _Store(Mapping[str, np.ndarray]):
    """The arrays of a group, for a `load_own_variables` of the user's."""

    def __init__(self, group: h5py.Group | None) -> None:
        self._group = group

    def __getitem__(self, key: str) -> np.ndarray:
        if self._group is None or hdf5.child(self._group, key) is None:
            raise KeyError(key)
        return hdf5.read(hdf5.dataset(self._group, key))

    def __iter__(self) -> Iterator[str]:
        return iter([] if self._group is None else [str(k) for k in self._group])

    def __len__(self) -> int:
        return hdf5.count(self._group)
