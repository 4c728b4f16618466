"""`Run`: all that one `fit` depends on, so that another process can go on with it, bit by bit.

What is kept: every Variable the model leads to (weights, optimizer, loss scale, states of recurrent layers),
metrics in the middle of an epoch, random counters, where the data is, what callbacks remember, and the number
of the epoch and step. It is written as a checkpoint (`tapeflow.train`) with the rest as plain state beside the
tensors. Reading is ahead of training, so the data's place is counted from what training has used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.data.pipe import next_iteration, set_next_iteration
from tapeflow.engine.devices import placement
from tapeflow.engine.random import random_state, set_random_state
from tapeflow.engine.recording.node import Spec, spec_of_value
from tapeflow.engine.recording.sketch import NotSketchable, sketch
from tapeflow.engine.shapes.history import history, set_history
from tapeflow.engine.values import nest
from tapeflow.keras.callbacks.logs import plain_logs
from tapeflow.keras.layers.base.loss_owner import begin_outermost_call
from tapeflow.keras.training.sources.host_random import host_random, set_host_random
from tapeflow.ops.random.generator import global_state, set_global_state
from tapeflow.train.checkpoint import contents, held
from tapeflow.train.plain_state import packed, unpacked
from tapeflow.train.restoration import Restoration
from tapeflow.train.tensor_file import BrokenFile, TensorFile, write_tensors

if TYPE_CHECKING:
    from tapeflow.engine.programs.rows import Rows
    from tapeflow.keras.callbacks import CallbackList
    from tapeflow.keras.training.fitting import Validation
    from tapeflow.keras.training.loop import Loop
    from tapeflow.keras.training.sources import Group, Source
    from tapeflow.keras.training.steps import Steps

_PREFIX = ".TRAINING"
_KEY = "training"


class Capture:
    """A training state: nothing that happens later changes it. Values may still be computed.

    What a Variable holds is held on to, not copied: the engine gives a program that would overwrite it a copy.
    So taking a state waits for nothing; `write`, on another thread, does.

    Args:
        tensors: what Variables hold, by name.
        metadata: the graph of objects.
        state: everything else, as plain values.
        rows: the results of the last steps, if logs are to be read from them.
    """

    def __init__(
        self, tensors: dict[str, Any], metadata: dict[str, str], state: dict[str, Any], rows: Rows | None
    ) -> None:
        self._tensors, self._metadata, self._state, self._rows = tensors, metadata, state, rows

    def write(self, path: Path) -> None:
        """Write it to a file; what was there before stays until the new one is whole."""
        tensors = {name: np.array(value) for name, value in self._tensors.items()}
        self._tensors = {}  # training may overwrite them again
        state = self._state if self._rows is None else {**self._state, "logs": self._rows.fetched()}
        packed_state = json.dumps(packed(state, tensors, _PREFIX), separators=(",", ":"))
        write_tensors(path, tensors, {**self._metadata, _KEY: packed_state})


class Run:
    """One `fit`, or a loop of somebody's own that has a model and callbacks alone.

    Args:
        model: the model.
        callbacks: the `CallbackList`, if there is one.
        source: the batches to train on.
        validation: what to validate with.
    """

    def __init__(
        self,
        model: Steps,
        callbacks: CallbackList | None = None,
        source: Source | None = None,
        validation: Validation | None = None,
    ) -> None:
        self.model = model
        self.callbacks = callbacks
        self.source = source
        self.validation = validation
        self.loop: Loop | None = None
        self.epoch = 0
        self.step = 0
        self.is_epoch_open = False  # whether steps of `epoch` have run, or may have
        self._group: Group | None = None
        self._rows: Rows | None = None
        self._logs: dict[str, Any] = {}
        self.is_over = False
        self._start = (0, 0)
        self._restored: dict[str, Any] | None = None
        self._beginning: list[Any] = []
        self._file: TensorFile | None = None

    def track(self) -> None:
        """Say that places in the data will be asked for: sources then remember where they were."""
        for part in (self.source, self.validation):
            if part is not None:
                part.is_tracked = True

    # Going on

    def begin_epoch(self, epoch: int, start: int) -> None:
        """An epoch begins, with step `start`."""
        self.epoch, self.step, self.is_epoch_open = epoch, start, True
        if not start:
            self._rows = None
            self._logs = {}

    def advance(self, group: Group, rows: Rows) -> None:
        """The steps of a group of batches have run."""
        self._group, self._rows = group, rows
        self.step = group.step + group.count
        if self.source is not None:
            self.source.used = self.step

    @property
    def last_batch(self) -> Any:
        """The data of the step that ran last; None if none has, or if other processes have some of its rows."""
        group = self._group
        if group is None or placement.current_share() is not None:
            return None
        last = group if group.count == 1 else group.cut(group.count - 1)[1]
        return None if last is None else last.data

    def end_epoch(self, logs: dict[str, Any], is_over: bool) -> None:
        """An epoch is over, its validation and everybody's hooks too; perhaps training ends here."""
        self.is_epoch_open, self.is_over = False, bool(is_over)
        self._rows, self._logs = None, plain_logs(logs)
        self.epoch, self.step = self.epoch + 1, 0

    def logs(self) -> dict[str, Any]:
        """The logs of the last step of the epoch."""
        return dict(self._logs) if self._rows is None else self._rows.last()

    # Saving

    def capture(self) -> Capture:
        """The state now; only between steps."""
        tensors, metadata = contents(self._objects(), held)
        state = {
            "epoch": self.epoch,
            "step": self.step,
            "is_over": self.is_over,
            "sizes": history(),
            "random": random_state(),
            "generator": global_state(),
            "iterations": None,
            "host_random": host_random(),
            "logs": dict(self._logs),
            "source": None
            if self.source is None
            else self.source.state(self.step if self.is_epoch_open else None),
            "validation": None if self.validation is None else self.validation.state(),
            "callbacks": self._callback_states(),
            "loop": None if self.loop is None else (self.loop.size, self.loop.row_shapes),
        }
        state["iterations"] = next_iteration()  # sources may just have begun one
        return Capture(tensors, metadata, state, self._rows)

    def beginning(self) -> Capture:
        """What callbacks remember before the first step: what they log until the first backup may have to go."""
        return Capture({}, {}, {"beginning": self._callback_states()}, None)

    def _objects(self) -> dict[str, Any]:
        # In a loop of one's own nobody knows what makes the metrics.
        metrics = [] if self.source is None else list(self.model.metrics)
        return {"model": self.model, "metrics": metrics}

    def _callback_states(self) -> list[Any]:
        return [(type(c).__name__, c.get_training_state()) for c in self.callbacks or ()]

    # Restoring

    def read(self, path: Path) -> bool:
        """Restore the state in a file, except for callbacks; whether there is one."""
        try:
            self._file = TensorFile(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        try:
            saved = unpacked(json.loads(self._file.metadata[_KEY]), self._file.read)
            if "beginning" in saved:
                self._beginning = saved["beginning"]
                return False
            self._start = self.epoch, self.step = int(saved["epoch"]), int(saved["step"])
            self.is_over = bool(saved["is_over"])
        except (KeyError, TypeError, ValueError, RecursionError, IndexError, AttributeError) as error:
            raise BrokenFile(
                f"Resuming expected a training state; got {str(path)!r}, which contains none ({type(error).__name__}: "
                f"{error}). Delete it to begin anew."
            ) from error
        self._restored = saved
        self._build()
        self._apply()
        return True

    @property
    def is_resuming(self) -> bool:
        """Whether a state was read, and callbacks are yet to be told what they remember."""
        return self._restored is not None

    def start(self, epoch: int) -> int:
        """The step to begin an epoch with; 0 unless it is the one that was interrupted."""
        return self._start[1] if epoch == self._start[0] else 0

    def go_on(self, is_in_epoch: bool) -> None:
        """Restore everything that was read, if this is the place: before an epoch, or within one.

        Within one, callbacks have been told that it begins, and may have changed what must not change twice.
        """
        if self._restored is not None and bool(self._start[1]) == is_in_epoch:
            self._settle(self._restored)
            self._place(self._restored)
            self._restored = self._file = None
        elif not is_in_epoch:
            self._remind(self._beginning)

    def _settle(self, saved: dict[str, Any]) -> None:
        """Restore all objects once more: what callbacks did on the way here is undone, and they remember."""
        self._apply()
        self._remind(saved["callbacks"])

    def _remind(self, remembered: list[Any]) -> None:
        """Let callbacks remember what those of the same class did."""
        taken: dict[str, list[Any]] = {}
        for name, state in remembered:
            taken.setdefault(name, []).append(state)
        for callback in self.callbacks or ():
            states = taken.get(type(callback).__name__)
            state = states.pop(0) if states else None
            if state is not None:
                callback.set_training_state(state)

    def _place(self, saved: dict[str, Any]) -> None:
        """Put the data where it was; called once, last, since it may read from it."""
        self._logs = saved["logs"]
        if self.loop is not None and saved["loop"] is not None:
            self.loop.size, self.loop.row_shapes = saved["loop"]
        ran_again = False
        if self.source is not None and saved["source"] is not None:
            ran_again = self.source.restore(saved["source"], saved["epoch"], saved["step"])
        if self.validation is not None and saved["validation"] is not None:
            placed = host_random()  # where the source, which may have run again, has left them
            self.validation.restore(saved["validation"])
            set_host_random(placed)
        set_history(saved.get("sizes", ""))
        set_next_iteration(saved["iterations"])
        set_random_state(saved["random"])
        set_global_state(saved["generator"])
        if not ran_again:
            set_host_random(saved["host_random"])

    def _apply(self) -> None:
        if self._file is None or self._restored is None:
            return
        objects = self._objects()
        restoration = Restoration(self._file, objects)
        left, lacking = restoration.unmatched_values(), restoration.unmatched_objects()
        restoration.release()
        if left or lacking:
            raise ValueError(
                f"Resuming expected the state of this model and optimizer; got {str(self._file.path)!r}, which has no "
                f"place for {left[:5]} and nothing for {[getattr(x, 'name', x) for x in lacking[:5]]}. "
                "Give each training a folder of its own, or delete the old state."
            )
        set_random_state(self._restored["random"])
        set_global_state(self._restored["generator"])

    def _build(self) -> None:
        """Make all the Variables that a training step makes, without running one."""
        model, optimizer = self.model, getattr(self.model, "optimizer", None)
        if self.source is not None:
            model.make_train_function()  # from now on batches may differ in size
            batch = self.source.peek()
            specs = nest.map_structure(lambda a: None if a is None else _spec(a), batch)
            try:
                sketch(model.train_step, specs)
            except NotSketchable:
                model.train_step(batch)  # for real; what it changes is restored next
            begin_outermost_call(model)
        elif optimizer is not None and model.built:
            optimizer.build(model.trainable_variables)


def _spec(array: Any) -> Spec:
    return spec_of_value(np.asarray(array))
