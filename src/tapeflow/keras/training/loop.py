"""The loop under `fit`, `evaluate` and `predict`: batches in, programs run, callbacks called."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.devices import placement
from tapeflow.engine.devices.placement import Share
from tapeflow.engine.functions.staging import reading
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.compiling import Announced
from tapeflow.engine.programs.rows import Rows
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.values import nest
from tapeflow.keras.annotations import CallbacksLike, DataLike
from tapeflow.keras.callbacks import CallbackList
from tapeflow.keras.training.fusion import fused_steps
from tapeflow.keras.training.mode import PREDICT, TEST, TRAIN, Mode
from tapeflow.keras.training.resume import Run
from tapeflow.keras.training.running import prepare_steps, run_steps
from tapeflow.keras.training.sources import Group, Source, ahead, warn_ran_out
from tapeflow.keras.training.sources.composites import has_composites, with_batch_axis
from tapeflow.keras.training.steps import Steps


class Loop:
    """Runs a staged step over epochs of a source, several steps in one program where callbacks allow it.

    Args:
        model: the model.
        mode: whether to train, evaluate or predict.
        source: the batches.
        callbacks: whom to tell.
    """

    def __init__(self, model: Steps, mode: Mode, source: Source, callbacks: CallbackList) -> None:
        self.model = model
        self.mode = mode
        self.source = source
        self.callbacks = callbacks
        # The shapes of a group's batches, which say whether a few more of them run in the same program.
        self.row_shapes: list[Any] = []
        self.size = 0  # how many steps a program of this epoch runs
        self.run: Run | None = None
        self._steps_run = 0

    def epoch(self, number: int, start: int = 0) -> Iterator[tuple[Group, Rows]]:
        """Run an epoch. Gives each group of batches with what its steps gave, once the hooks were called."""
        function = self.mode.function_of(self.model)
        # An epoch that is gone on with runs its steps as it began; its first batch may not be read again.
        size = self.size = self.size if start and self.size else self._group_size()
        groups_read = self.source.epoch(number, group=size, start=start)
        with nullcontext(groups_read) if self.source.is_in_step else ahead(groups_read) as groups:
            for group in self._cut(groups):
                with phases.Step(self.mode.name, self._steps_run, group.count):
                    if size == 1:
                        with phases.during("callbacks"):
                            self.mode.begin_batch(self.callbacks, group.step)
                    with Announced(self._show_compiling):
                        rows = run_steps(self.model, function, self._stacked(group, size), group.count)
                    phases.wait()
                    phases.note_source(self.source.description)
                    self._warn_of_read(function, group)
                    with phases.during("callbacks"):
                        self._call_back(group, rows, size)
                if not self._steps_run:
                    self._prepare_last(function, group)
                self._steps_run += group.count
                if self.run is not None:
                    self.run.advance(group, rows)
                self.callbacks.after_steps(self.mode.name, group.count)
                yield group, rows
                if self.mode is TRAIN and self.model.stop_training:
                    return

    def _show_compiling(self, seconds: float) -> None:
        self.callbacks.show_compiling(self.mode.name, seconds)

    def _prepare_last(self, function: Callable[..., Any], group: Group) -> None:
        """Let the program of a smaller last batch be compiled while the others run, if some are left."""
        rows = self.source.last_rows()
        if (
            rows is None
            or has_composites(group.data)
            or group.step + group.count + 1 >= (self.source.steps or 0)
        ):
            return
        first = nest.map_structure(
            lambda a: None if a is None else np.asarray(a)[None, :rows], self.source.peek()
        )
        prepare_steps(self.model, function, first)

    def _cut(self, groups: Iterable[Group]) -> Iterator[Group]:
        """The groups, cut in two where a callback wants to act between two steps."""
        for group in groups:
            rest: Group | None = group
            while rest is not None:
                count = self.callbacks.before_steps(self.mode.name, rest.count)
                part, rest = rest.cut(count)
                if part is not group:  # the program of whole groups runs a single batch, too
                    leaves = nest.flatten(group.data)
                    self.row_shapes = [None if a is None else np.shape(a)[1:] for a in leaves]
                yield part

    def _group_size(self) -> int:
        """How many steps a program runs: what the user said, or what suits the model; one for batch hooks."""
        is_allowed = self.mode.allows_fusion(self.callbacks)
        if not is_allowed or self.model.run_eagerly or has_composites(self.source.peek()):
            return 1
        given = self.model._steps_per_execution
        size = int(given) if given else fused_steps(self.model, self.source, self.mode.name)
        return max(1, min(size, self.source.steps or size))

    def _stacked(self, group: Group, size: int) -> Any:
        """The batches with a leading axis; too few of them, but of the usual shape, in the first rows of it.

        So the batches that do not fill a group run in the program that there is; how many rows count is
        told to it.
        """
        if has_composites(group.data):  # one batch
            return with_batch_axis(group.data)
        arrays = [None if a is None else np.asarray(a) for a in nest.flatten(group.data)]
        if group.count == 1:
            arrays = [None if a is None else a[None] for a in arrays]
        shapes = [None if a is None else a.shape[1:] for a in arrays]
        if group.count > 1:
            self.row_shapes = shapes
        if group.count < size and shapes == self.row_shapes:
            arrays = [None if a is None else _in_first_rows(a, size) for a in arrays]
        return nest.pack_sequence_as(group.data, arrays)

    def _call_back(self, group: Group, rows: Rows, size: int) -> None:
        if self.mode.gives_logs and not isinstance(rows.structure, dict):
            raise ValueError(
                f"{type(self.model).__name__}.{self.mode.name}_step expected to return a dict of logs, such as "
                f"{{'loss': loss}}; got {rows[0]!r}. Return {{m.name: m.result() for m in self.metrics}}."
            )
        logs = rows[0] if size == 1 else rows.stacked()
        if not self.mode.gives_logs:
            logs = {"outputs": logs}
        if size == 1:
            self.mode.end_batch(self.callbacks, group.step, logs)
        else:
            self.callbacks.on_steps_end(self.mode.name, group.step, logs, group.count)

    def _warn_of_read(self, function: Any, group: Group) -> None:
        if function.read_at is not None and not _has_strings(group.data):  # strings are looked up in Python
            warnings.warn(
                f"{type(self.model).__name__}.{self.mode.name}_step is run as plain Python, which is slow: "
                f"{reading(function.read_at, function.why)}.",
                stacklevel=2,
            )
            function.read_at = None


def _has_strings(data: DataLike) -> bool:
    return any(a is not None and np.asarray(a).dtype.kind in "OSU" for a in nest.flatten(data))


def _in_first_rows(array: np.ndarray, size: int) -> np.ndarray:
    rows = np.zeros((size, *array.shape[1:]), array.dtype)
    rows[: len(array)] = array
    return rows


def share_of(model: Steps) -> Share | None:
    """The rows of each batch that this process computes; None for all, as Python that runs every step may read them."""
    return None if model.run_eagerly else placement.current_share()


def evaluate(model: Steps, source: Source, callbacks: CallbackList) -> dict[str, Any]:
    """The logs of one pass over a source."""
    source.rewind()
    callbacks.on_test_begin()
    model.reset_metrics()
    rows = None
    for _, rows in Loop(model, TEST, source, callbacks).epoch(0):  # noqa: B007 - the last one is wanted
        pass
    if rows is None:
        raise ValueError(
            "Model.evaluate expected at least one batch: Unexpected result of `test_function` (Empty Logs). Check "
            "that the data is not empty and that a generator has not been used up."
        )
    if source.ran_out:
        warn_ran_out(source.steps or 0)
    logs = rows.last()
    callbacks.on_test_end(logs)
    return logs


def predict(model: Steps, source: Source, callbacks: CallbackList) -> Any:
    """The outputs of one pass over a source, joined."""
    callbacks.on_predict_begin()
    parts: list[list[tuple[Any, int]]] = []
    structure = None
    for group, rows in Loop(model, PREDICT, source, callbacks).epoch(0):
        structure = rows.structure
        parts.append([(column, group.count) for column in rows.columns])
    if not parts:
        raise ValueError(
            "Model.predict expected at least one batch: Unexpected result of `predict_function` (Empty batch_outputs)."
            " Check that the data is not empty and that a generator has not been used up."
        )
    if source.ran_out:
        warn_ran_out(source.steps or 0)
    callbacks.on_predict_end()
    joined = [_joined([_joined_rows(*part) for part in column]) for column in zip(*parts, strict=True)]
    return nest.pack_sequence_as(structure, joined)


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], DispatchTarget):
        return tf.concat(parts, 0) if isinstance(parts[0], tf.RaggedTensor) else tf.sparse.concat(0, parts)
    return np.concatenate(parts)


def _joined_rows(column: Any, count: int) -> Any:
    """The first `count` rows, each a batch, as one batch on the host, where nothing is compiled for it."""
    if isinstance(column, list):
        if isinstance(column[0], DispatchTarget):
            return column[0]
        return np.concatenate([np.atleast_1d(np.asarray(c)) for c in column[:count]])
    rows = np.asarray(column)[:count]
    return rows if rows.ndim < 2 else rows.reshape((-1, *rows.shape[2:]))


def as_callbacks(callbacks: CallbacksLike, model: Steps, verbose: str | int, **params: Any) -> CallbackList:
    """What the user gave as callbacks, with a history and, unless silent, a progress bar."""
    if isinstance(callbacks, CallbackList):
        return callbacks
    level = 1 if verbose in ("auto", True) else int(verbose)
    return CallbackList(
        callbacks, add_history=True, add_progbar=level != 0, model=model, verbose=level, **params
    )
