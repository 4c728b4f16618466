"""How tensors get into summaries: the bridge between the engine and `tapeflow.summary`.

A pending tensor goes to the writer as it is; the writer's thread takes its value once the program that gives
it has been dispatched, so logging makes no training step wait. While a function is recorded, a summary is one
of its effects: it is written at every run, with the values of the day.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.functions.function import watchers
from tapeflow.engine.functions.staging import Record
from tapeflow.engine.programs.rows import Cell
from tapeflow.engine.programs.running import materialise
from tapeflow.engine.random import global_seed
from tapeflow.engine.recording import name_scope
from tapeflow.engine.recording.recorder import Patient, effect, tensor_of
from tapeflow.engine.recording.trace import NeedsValue, is_staging, live_trace, state
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.summary import context, hooks
from tapeflow.summary.hooks import Bridge, Pending, Profiler


class TensorValue(Pending):
    """The value of a tensor, pending or not; holding the tensor keeps its value wanted."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.shape = tensor.spec.shape
        self.dtype = np.dtype(tensor.spec.np_dtype)

    def is_ready(self) -> bool:
        node = self.tensor._node
        return node.value is not None or node.error is not None

    def get(self) -> np.ndarray:
        node = self.tensor._node
        # A value that is there is taken as it is: whether checks have failed is for the training thread to find.
        return np.asarray(materialise(node) if node.value is None else node.array())


class ArrayValue(Pending):
    """A JAX array, or a row of one, that may still be computed; nobody changes it."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = tuple(array.shape)
        self.dtype = np.dtype(array.dtype)

    def is_ready(self) -> bool:
        return True

    def get(self) -> np.ndarray:
        return np.asarray(self.array)


class EngineBridge(Bridge):
    """What `tapeflow.summary` knows of tensors, recorded functions and name scopes."""

    def __init__(self) -> None:
        self._graphs: dict[int, tuple[str, Record]] = {}

    def start_graphs(self) -> None:
        watchers.append(self._note)

    def stop_graphs(self) -> list[Any]:
        if self._note in watchers:
            watchers.remove(self._note)
        from tapeflow.ops.graphs.graph_export import (
            graph_of_record,
        )  # brings protobuf, which most programs do not need

        found, self._graphs = self._graphs, {}
        return [graph_of_record(name, record) for name, record in found.values()]

    def _note(self, name: str, record: Record) -> None:
        self._graphs[id(record)] = (name, record)

    def pending(self, value: object) -> Pending | None:
        if isinstance(value, Variable):
            value = value.value() if state.recording is not None else tensor_of(value._current())
        elif isinstance(value, (list, tuple)) and any(isinstance(v, TensorBase) for v in value):
            value = convert_to_tensor(value)
        if isinstance(value, Tensor):
            return None if value._node.host or value.dtype is string else TensorValue(value)
        return ArrayValue(value) if isinstance(value, jax.Array) else None

    def scope(self) -> str:
        return name_scope.current_name_scope()

    def inside(self, scope: str) -> AbstractContextManager[Any]:
        return name_scope.name_scope(scope)

    def seed(self) -> int | None:
        return global_seed()

    def truth(self, condition: TensorLike) -> bool:
        if isinstance(condition, TensorBase) and not self.is_now():
            return True  # `call` decides, at every run
        return bool(condition)

    def is_now(self) -> bool:
        if is_staging():
            return False
        trace = live_trace()
        return not trace.is_body

    def call(self, write: Callable[..., None], *values: Any) -> None:
        if live_trace().is_sketch:
            return
        if live_trace().is_body and not live_trace().takes_effects:
            raise NeedsValue("it prints, logs or calls Python")
        if self.is_now():
            write(*values)
            return
        condition = context.current.condition
        if callable(condition):
            condition = condition()
        given = [*values, hooks.value(condition)] if isinstance(condition, TensorBase) else list(values)
        places = [i for i, v in enumerate(given) if isinstance(v, TensorValue)]

        def run(*found: Any) -> None:
            now = list(given)
            for i, array in zip(places, found, strict=True):
                now[i] = ArrayValue(array) if isinstance(array, (jax.Array, Cell)) else np.asarray(array)
            write(*now)

        effect(Patient(run), *[given[i].tensor for i in places])


class EngineProfiler(Profiler):
    """`trace_on(profiler=True)` takes a profile as `tf.profiler.experimental.start` does."""

    def start(self, folder: str | None) -> None:
        from tapeflow.profiler import session  # start-up

        session.begin(folder)

    def stop(self, folder: str | None) -> None:
        from tapeflow.profiler import session  # start-up

        if session.is_running():
            session.finish(folder)


def install() -> None:
    """Have summaries take tensors, and profiles."""
    hooks.install(EngineBridge())
    hooks.profiler = EngineProfiler()
