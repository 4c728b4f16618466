"""The loops of `fit`, `evaluate` and `predict`: batches in, programs run, callbacks called."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
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
from tapeflow.engine.recording.symbolic import CallTaker
from tapeflow.engine.values import nest
from tapeflow.keras.callbacks import CallbackList
from tapeflow.keras.training.fusion import fused_steps
from tapeflow.keras.training.mode import PREDICT, TEST, TRAIN, Mode
from tapeflow.keras.training.resume import Run
from tapeflow.keras.training.sources import Group, Source, ahead, make_source, split_validation, warn_ran_out
from tapeflow.keras.training.sources.composites import has_composites, with_batch_axis
from tapeflow.keras.training.staged_steps import prepare_steps, run_steps
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight


class Loop:
    """Runs a staged step over epochs of a source, several steps in one program where callbacks allow it.

    Args:
        model: the model.
        mode: whether to train, evaluate or predict.
        source: the batches.
        callbacks: whom to tell.
    """

    def __init__(self, model: Any, mode: Mode, source: Source, callbacks: CallbackList) -> None:
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

    def _prepare_last(self, function: Any, group: Group) -> None:
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


def _has_strings(data: Any) -> bool:
    return any(a is not None and np.asarray(a).dtype.kind in "OSU" for a in nest.flatten(data))


def _in_first_rows(array: np.ndarray, size: int) -> np.ndarray:
    rows = np.zeros((size, *array.shape[1:]), array.dtype)
    rows[: len(array)] = array
    return rows


def fit(
    model: Any,
    x: Any,
    y: Any,
    sample_weight: Any,
    *,
    batch_size: int | None,
    epochs: int,
    verbose: Any,
    callbacks: Any,
    validation: Validation,
    validation_split: float,
    shuffle: Any,
    class_weight: Any,
    initial_epoch: int,
    steps_per_epoch: int | None,
    reading: dict[str, Any],
) -> Any:
    """Train `model`; the arguments are those of `Model.fit`."""
    if validation_split and validation.data is None:
        (x, y, sample_weight), held_out = split_validation(x, y, sample_weight, validation_split)
        validation.data = held_out
    source = make_source(
        x,
        y,
        sample_weight,
        batch_size=batch_size,
        shuffle=shuffle,
        steps=steps_per_epoch,
        epochs=epochs - initial_epoch,
        class_weight=class_weight,
        share=share_of(model),
        **reading,
    )
    listeners = as_callbacks(callbacks, model, verbose, epochs=epochs, steps=source.steps)
    model.stop_training = False
    model._initial_epoch = initial_epoch
    model._run = run = Run(model, listeners, source, validation)
    try:
        listeners.on_train_begin()
        run.loop = loop = Loop(model, TRAIN, source, listeners)
        loop.run = run
        run.go_on(is_in_epoch=False)
        listeners.after_begin()
        logs: dict[str, Any] = run.logs()
        # A callback that restores a backup moves the first epoch, and perhaps its first step.
        for epoch in range(epochs if run.is_over else model._initial_epoch, epochs):
            start = run.start(epoch)
            if not start:
                model.reset_metrics()
            with phases.hook("on_epoch_begin"):
                listeners.on_epoch_begin(epoch)
            run.begin_epoch(epoch, start)
            run.go_on(is_in_epoch=True)
            rows = None
            for _, rows in loop.epoch(epoch, start):  # noqa: B007 - the last one is wanted
                pass
            if rows is None and not start:
                raise ValueError(
                    "Model.fit expected at least one batch in an epoch: Unexpected result of `train_function` (Empty "
                    "Logs). Check that the data is not empty and that a generator has not been used up."
                )
            logs = run.logs()
            if source.ran_out:
                warn_ran_out(epochs * (source.steps or 0))
            source.on_epoch_end()
            if validation.is_due(epoch):
                found = validation.run(model, listeners)
                logs.update({f"val_{name}": value for name, value in found.items()})
            with phases.hook("on_epoch_end"):
                listeners.on_epoch_end(epoch, logs)
            run.end_epoch(logs, is_over=model.stop_training or source.ran_out)
            listeners.after_epoch()
            if run.is_over:
                break
        for optimizer in nest.flatten(model.optimizer):
            optimizer.finalize_variable_values(model.trainable_variables)
        listeners.on_train_end(logs)
    finally:
        listeners.release()
        model._run = run.loop = None  # or the two would keep one another, and the callbacks, alive
        source.close()
        validation.close()
    return model.history


def share_of(model: Any) -> Share | None:
    """The rows of each batch that this process computes; None for all, as Python that runs every step may read them."""
    return None if model.run_eagerly else placement.current_share()


class Validation:
    """The data `fit` validates with, read anew after each epoch that is due.

    Args:
        data: `validation_data`.
        frequency: every so many epochs, or a list of epochs, counted from 1.
        batch_size, steps, reading: as for `evaluate`.
    """

    def __init__(
        self, data: Any, frequency: Any, batch_size: int | None, steps: int | None, reading: dict[str, Any]
    ) -> None:
        if not isinstance(frequency, (int, list, tuple, set)) or frequency == 0:
            raise ValueError(
                "Model.fit expected validation_freq to be a positive integer or a list of epochs; got "
                f"validation_freq={frequency!r}."
            )
        self.data = data
        self._frequency = frequency
        self._batch_size = batch_size
        self._steps = steps
        self._reading = reading
        self._source: Source | None = None
        self.is_tracked = False

    def is_due(self, epoch: int) -> bool:
        """Whether to validate after this epoch."""
        if self.data is None:
            return False
        if isinstance(self._frequency, int):
            return (epoch + 1) % self._frequency == 0
        return epoch + 1 in self._frequency

    def run(self, model: Any, callbacks: CallbackList) -> dict[str, Any]:
        """The logs of an evaluation."""
        return evaluate(model, self._made(share_of(model)), callbacks)

    def _made(self, share: Share | None) -> Source:
        if self._source is None:
            x, y, weight = _unpacked(self.data)
            self._source = make_source(
                x, y, weight, batch_size=self._batch_size, steps=self._steps, share=share, **self._reading
            )
            self._source.is_tracked = self.is_tracked
        return self._source

    def state(self) -> Any:
        """Where the next validation begins; None if there has been none yet."""
        return None if self._source is None else self._source.state(None)

    def restore(self, state: Any) -> None:
        """Begin the next validation where another process would have."""
        self._made(placement.current_share()).restore(state, 0, 0)

    def close(self) -> None:
        """Let go of the source."""
        if self._source is not None:
            self._source.close()


def _unpacked(data: Any) -> tuple[Any, Any, Any]:
    """`validation_data` as x, y and weights; only a tuple or list of arrays is taken apart."""
    if isinstance(data, (tuple, list)):
        return unpack_x_y_sample_weight(tuple(data))
    return data, None, None


def evaluate(model: Any, source: Source, callbacks: CallbackList) -> dict[str, Any]:
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


def predict(model: Any, source: Source, callbacks: CallbackList) -> Any:
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
    if isinstance(parts[0], CallTaker):
        return tf.concat(parts, 0) if isinstance(parts[0], tf.RaggedTensor) else tf.sparse.concat(0, parts)
    return np.concatenate(parts)


def _joined_rows(column: Any, count: int) -> Any:
    """The first `count` rows, each a batch, as one batch on the host, where nothing is compiled for it."""
    if isinstance(column, list):
        if isinstance(column[0], CallTaker):
            return column[0]
        return np.concatenate([np.atleast_1d(np.asarray(c)) for c in column[:count]])
    rows = np.asarray(column)[:count]
    return rows if rows.ndim < 2 else rows.reshape((-1, *rows.shape[2:]))


def as_callbacks(callbacks: Any, model: Any, verbose: Any, **params: Any) -> CallbackList:
    """What the user gave as callbacks, with a history and, unless silent, a progress bar."""
    if isinstance(callbacks, CallbackList):
        return callbacks
    level = 1 if verbose in ("auto", True) else int(verbose)
    return CallbackList(
        callbacks, add_history=True, add_progbar=level != 0, model=model, verbose=level, **params
    )
