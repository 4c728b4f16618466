"""`TensorBoard`: a training run as event files, for the board."""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.devices import processes
from tapeflow.engine.programs.repeat import Repeater
from tapeflow.keras.callbacks.batch_gradients import batch_gradients
from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.callbacks.embedding_points import check_metadata, write_embeddings, write_keras_config
from tapeflow.keras.callbacks.event_positions import EventPositions
from tapeflow.keras.callbacks.profiled_batches import ProfiledBatches
from tapeflow.keras.callbacks.tensor_board_arguments import (
    check_old_arguments,
    check_remote_log_dir,
    checked_frequency,
    checked_profile_batch,
)
from tapeflow.keras.callbacks.weight_pictures import is_drawable, weight_picture
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow.ops.graphs.graph_export import graph_of_record
from tapeflow.summary import hooks
from tapeflow.summary.captured.capture import Capture, checked_kinds
from tapeflow.summary.event_files import encoding
from tapeflow.summary.files import FileWriter
from tapeflow.summary.remote import is_remote
from tapeflow.summary.writer import Prepared

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model
    from tapeflow.keras.optimizers.optimizer import Optimizer

_log = logging.getLogger("tapeflow.keras")
_SCALAR = encoding.metadata("scalars")
_KERAS_GRAPH = encoding.metadata("graph_keras_model", b"1")


class TensorBoard(Callback):
    """Logs metrics, weights, graphs and profiles to `log_dir/train` and `log_dir/validation`.

    At the end of every epoch: `epoch_loss`, `epoch_<metric>` and `epoch_learning_rate`, with the epoch as
    step; after every validation and `evaluate`, `evaluation_<metric>_vs_iterations`, with the optimizer's
    iterations. Batch scalars (`batch_loss`, ...) do not make training wait: their values are taken by the
    writer's thread. They are written whatever `verbose` is (Keras 2 leaves them out unless it is 1).

    With batch scalars, `tf.summary` calls in the model or in `train_step` go to the same files every
    `update_freq` steps, with the optimizer's iterations as the default step. A second `fit` adds a file.

    Args:
        log_dir: the folder, or its address (`s3://bucket/run`), where `profile_batch` and `embeddings_freq` must be 0.
        histogram_freq: write histograms of all weights every so many epochs; 0 for never.
        write_graph: whether to write the model as a graph (functional and sequential models) and the ops
            of the staged training step.
        write_images: whether to write weights as pictures too, together with their histograms.
        write_steps_per_second: whether to write `epoch_steps_per_second`, and, with batch scalars,
            `batch_steps_per_second`: of steps that run as one program, the mean.
        update_freq: `'epoch'`, or every how many batches to write batch scalars; `'batch'` means 1.
        profile_batch: the batch to profile, or a pair of the first and the last one, counted from 1 in every `fit`;
            0 for none. The profile goes to `log_dir/plugins/profile`: `tf.summary.profile.read(log_dir)`.
        embeddings_freq: write the weights of `Embedding` layers, for the projector, every so many epochs; 0 for never.
            `log_dir/projector_config.pbtxt` names them, and `log_dir/train/keras_embedding.ckpt-<epoch>` holds all the
            model's weights.
        embeddings_metadata: the file of their labels, relative to `log_dir`, a line for each index; or a dict with a
            file for the name of each layer.
        capture: what is written about the run by itself, into `train`: some of "facts", "code", "system" and "console";
            True for all, False for none. See `tf.summary.capture`. Of several processes, the first writes it; the
            others write "system" alone, each into `process1`, `process2` and so on.
        **kwargs: `write_grads=True` of old Keras writes histograms of gradients together with those of the weights:
            of the loss of the last batch, the model being in inference. `batch_size`, `embeddings_layer_names` and
            `embeddings_data` are ignored with a warning.

    Raises:
        ValueError: an argument is unknown or wrong.

    >>> history = model.fit(x, y, epochs=5, callbacks=[tf.keras.callbacks.TensorBoard("logs")], verbose=0)
    """

    supports_fused_steps = True

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: Any = "epoch",
        profile_batch: int | str | Sequence[int] = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: Any = None,
        capture: bool | Iterable[str] = True,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self._writes_gradients = bool(kwargs.pop("write_grads", False))
        check_old_arguments(kwargs)
        self.log_dir = os.fspath(log_dir)
        check_remote_log_dir(self.log_dir, profile_batch, embeddings_freq)
        self._profiled = ProfiledBatches(self.log_dir, *checked_profile_batch(profile_batch))
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = checked_frequency(update_freq)
        self.embeddings_freq = embeddings_freq
        self.embeddings_metadata = embeddings_metadata
        self._captured_kinds = checked_kinds(capture)
        self._capture: Capture | None = None
        self._writers: dict[str, FileWriter] = {}
        self._elsewhere: TemporaryDirectory[str] | None = None
        self._positions = self._new_positions()
        self._defaults: list[ExitStack] = []  # what makes our writers the default ones
        self._is_training = False
        # Until then nothing is written: it may be in the files of an interrupted training.
        self._has_begun = False
        self._lacks_step_graph = False
        self._train_step = 0
        self._iterations_before = 0
        self._epoch_began = self._last_steps_ended = 0.0

    # Writers

    @property
    def _folder(self) -> str:
        """Where to write: of several processes, the first has the folder, and what the others write is dropped."""
        return self.log_dir if self._elsewhere is None else self._elsewhere.name

    def set_model(self, model: Model) -> None:
        """Take the model, begin new files, and write the model's graph."""
        self._close()
        if not processes.is_first() and self._elsewhere is None:
            self._elsewhere = TemporaryDirectory(prefix="tapeflow-logs-")
        self.model = model
        if self.embeddings_freq:
            check_metadata(self.embeddings_metadata, model)
        self._has_begun, self._lacks_step_graph = False, self.write_graph
        self._positions = self._new_positions()
        if self.write_graph:
            self._write_model_graph()

    def _new_positions(self) -> EventPositions:
        if is_remote(self.log_dir):
            return EventPositions([])
        folders = [Path(self._folder, run).expanduser().absolute() for run in ("train", "validation")]
        return EventPositions(folders)

    def _begin(self) -> None:
        """Write what was held back until it was clear whether this training goes on with an interrupted one."""
        self._has_begun = True
        for writer in self._writers.values():
            writer.release()
        if self._is_training and self._capture is None:
            self._begin_capture()

    def _begin_capture(self) -> None:
        """Write what is written by itself; of other processes than the first that is what their machine does."""
        is_first = self._elsewhere is None
        kinds = self._captured_kinds if is_first else self._captured_kinds & {"system"}
        if not kinds:
            return
        if is_first:
            writer = self._made_writer("train")
        else:
            writer = FileWriter(os.path.join(self.log_dir, f"process{processes.index()}"))
            self._writers["machine"] = writer
        self._capture = Capture(writer, kinds)
        self._capture.start()

    def _writer(self, run: str) -> FileWriter:
        """The writer of `train` or `validation`, for what happens in training."""
        self._begin()
        return self._made_writer(run)

    def _made_writer(self, run: str) -> FileWriter:
        """The writer of `train` or `validation`, made when first used."""
        found = self._writers.get(run)
        if found is None:
            folder = os.path.join(self._folder, run)
            found = FileWriter(folder, is_held=not self._has_begun, on_new_file=self._positions.note)
            self._writers[run] = found
        return found

    def _close(self) -> None:
        while self._defaults:  # more than what ended belongs to a `fit` that was interrupted
            self._defaults.pop().close()
        if self._capture is not None:
            self._capture.finish(sys.exception() if self._is_training else None)
            self._capture = None
        for writer in self._writers.values():
            if self._is_training:  # it ends before it has begun, perhaps one that was to be resumed
                writer.discard()
            writer.close()
        self._writers = {}

    def _push_default(self, run: str) -> None:
        """Have the model's own summaries written to a run, unless they are none of our business."""
        if self.update_freq == "epoch":
            return
        iterations = _iterations(self.model)
        every = self.update_freq
        stack = ExitStack()
        stack.enter_context(self._made_writer(run).as_default(0 if iterations is None else iterations))
        is_rare = run == "train" and every > 1 and iterations is not None
        stack.enter_context(
            tf.summary.record_if((lambda: tf.equal(iterations % every, 0)) if is_rare else True)
        )
        self._defaults.append(stack)

    def _pop_default(self) -> None:
        if self._defaults:
            self._defaults.pop().close()

    # Going on with an interrupted training

    def get_training_state(self) -> Any:
        """The number of the step, how long the event files are, and what is in them once for each training."""
        for writer in self._writers.values():
            writer.flush()
        return {
            "train_step": self._train_step,
            "batches_run": self._profiled.run,
            "has_begun": self._has_begun,
            "has_step_graph": not self._lacks_step_graph,
            "files": self._positions.state(),
        }

    def set_training_state(self, state: Any) -> None:
        """Go on counting; what was written after that state is taken out of the files."""
        self._train_step, self._profiled.run = state["train_step"], state.get("batches_run", 0)
        if self._positions.restore(state["files"]) and state.get("has_begun"):
            self._lacks_step_graph &= not state["has_step_graph"]
            for writer in self._writers.values():
                writer.discard()
        run = getattr(self.model, "_run", None)
        if run is not None and run.is_epoch_open:
            self._begin()

    # Hooks

    def _implements_train_batch_hooks(self) -> bool:
        return self.update_freq != "epoch"

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._is_training = True
        self._train_step = self._profiled.run = 0
        self._push_default("train")

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self._is_training = False
        self._close()

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._push_default("validation")

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        iterations = _iterations(self.model)
        if logs and iterations is not None:
            step = int(iterations)
            for name, value in logs.items():
                self._write_scalar("validation", f"evaluation_{name}_vs_iterations", value, step)
        self._pop_default()
        if not self._is_training:  # nobody says when an `evaluate` is over
            for writer in self._writers.values():
                writer.flush()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._epoch_began = self._last_steps_ended = time.perf_counter()
        run = getattr(self.model, "_run", None)
        if run is None or not run.is_resuming:
            self._begin()
        if self.write_steps_per_second:
            self._iterations_before = int(_iterations(self.model) or 0)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._write_step_graph()
        found = dict(logs or {})
        if found:
            rate = _learning_rate(self.model.optimizer)
            if rate is not None:
                found["learning_rate"] = rate
            if self.write_steps_per_second:
                steps = int(_iterations(self.model) or 0) - self._iterations_before
                found["steps_per_second"] = steps / max(time.perf_counter() - self._epoch_began, 1e-9)
        for name, value in found.items():
            if name.startswith("val_"):
                self._write_scalar("validation", f"epoch_{name.removeprefix('val_')}", value, epoch)
            else:
                self._write_scalar("train", f"epoch_{name}", value, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_weights(epoch)
            if self._writes_gradients:
                self._write_gradients(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            self._write_embeddings(epoch)

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if self.update_freq == "epoch":
            return
        self._train_step += 1
        took_s = self._time_since_last()
        if self._train_step % self.update_freq:
            return
        writer, step = self._writer("train"), self._train_step
        if self.write_steps_per_second:
            writer.add("batch_steps_per_second", 1 / took_s, step, _SCALAR)
        for name in logs or ():
            writer.add(f"batch_{name}", Prepared(_logged, logs, name), step, _SCALAR)

    def _on_train_steps_end(self, first: int, logs: Mapping[str, Any], count: int) -> None:
        before, self._train_step = self._train_step, self._train_step + count
        each_s = self._time_since_last() / count
        start = -(before + 1) % self.update_freq  # the first of these steps that is written
        if start >= count:
            return
        chosen = range(start, count, self.update_freq)
        steps = [before + 1 + i for i in chosen]
        times = [time.time() - each_s * (count - 1 - i) for i in chosen]
        columns: dict[str, Any] = {}
        if self.write_steps_per_second:
            columns["batch_steps_per_second"] = [1 / each_s] * len(steps)
        # The last group of an epoch may have rows to spare behind its steps.
        rows = slice(start, count, self.update_freq)
        writer = self._writer("train")
        for name, column in logs.items():
            chosen = {f"batch_{name}": Prepared(_chosen, column, rows)}
            if np.ndim(column) == 1:
                columns.update(chosen)
            else:  # no scalars: it is reported, and the others are written
                writer.add_columns(chosen, steps, times, _SCALAR)
        writer.add_columns(columns, steps, times, _SCALAR)

    def _time_since_last(self) -> float:
        """The seconds since the last step ended, or the last group of steps."""
        before, self._last_steps_ended = self._last_steps_ended, time.perf_counter()
        return max(self._last_steps_ended - before, 1e-9)

    def _before_steps(self, count: int) -> int:
        return self._profiled.before(count)

    def _after_steps(self, count: int) -> None:
        self._profiled.after(count)
        self._write_step_graph()

    def _release(self) -> None:
        self._profiled.stop()
        self._close()

    # What is written

    def _write_scalar(self, run: str, tag: str, value: object, step: int) -> None:
        if type(value) is float:
            self._writer(run).add(tag, value, step, _SCALAR)
            return
        with self._writer(run).as_default(), tf.summary.record_if(True):
            tf.summary.scalar(tag, value, step=step)

    def _write_model_graph(self) -> None:
        """The layers, as the board's graph view of a Keras model wants them: the model's JSON."""
        writer = self._made_writer("train")
        if not isinstance(self.model, (tf.keras.models.Functional, tf.keras.models.Sequential)):
            return
        try:
            described = self.model.to_json()
        except Exception as error:  # noqa: BLE001 - a user's get_config may raise anything; training goes on
            warnings.warn(f"Model failed to serialize as JSON. Ignoring... {error}", stacklevel=2)
            return
        writer.add("keras", described, 0, _KERAS_GRAPH)

    def _write_step_graph(self) -> None:
        """The ops of the training step, once it has been staged."""
        if not self._lacks_step_graph:
            return
        function = self.model.make_train_function()
        records = function.records if isinstance(function, Repeater) else []
        self._lacks_step_graph = isinstance(function, Repeater) and not records
        if records:
            graph = graph_of_record("train_step", records[0])
            self._writer("train").add_graph(graph.SerializeToString())

    def _write_weights(self, epoch: int) -> None:
        writer = self._writer("train")
        pictures = encoding.metadata("images")
        with writer.as_default(), tf.summary.record_if(True):
            for layer in self.model.layers:
                for weight in layer.weights:
                    name = weight.name.replace(":", "_")
                    tf.summary.histogram(f"{name}/histogram", weight, step=epoch)
                    if self.write_images and is_drawable(weight.shape):
                        value = Prepared(weight_picture, hooks.value(weight))
                        writer.add(f"{name}/image", value, epoch, pictures)

    def _write_embeddings(self, epoch: int) -> None:
        """The points, and as in TensorFlow a configuration that names them and a checkpoint that holds them."""
        writer = self._writer("train")
        with writer.as_default(), tf.summary.record_if(True):
            write_embeddings(self.model, self._folder, self.embeddings_metadata, epoch)
        writer.flush()
        try:
            write_keras_config(self.model, self._folder, "train", self.embeddings_metadata)
            self.model.save_weights(os.path.join(self._folder, "train", f"keras_embedding.ckpt-{epoch}"))
        except (OSError, ValueError) as error:  # no reason not to train
            _log.error("TensorBoard could not write the projector's configuration or checkpoint: %s", error)

    def _write_gradients(self, epoch: int) -> None:
        run = self.model._run
        data = None if run is None else run.last_batch
        if data is None:
            return  # a loop of the user's own, whose batches we do not see
        with self._writer("train").as_default(), tf.summary.record_if(True):
            for weight, gradient in batch_gradients(self.model, data):
                tf.summary.histogram(f"{weight.name.replace(':', '_')}/gradient", gradient, step=epoch)


def _chosen(column: Any, rows: slice) -> np.ndarray:
    """Some rows of a column, which waits for the steps: the writer's thread calls it."""
    return np.asarray(column)[rows]


def _logged(logs: dict[str, Any], name: str) -> float:
    """A value of a step's logs, which waits for the step: the writer's thread calls it."""
    return float(logs[name])


def _iterations(model: Model) -> Any:
    """The optimizer's count of steps; None without one."""
    return getattr(getattr(model, "optimizer", None), "iterations", None)


def _learning_rate(optimizer: Optimizer) -> float | None:
    """The rate of the step that comes next."""
    if isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer):
        optimizer = optimizer.inner_optimizer
    schedule = getattr(optimizer, "_learning_rate", None)
    if isinstance(schedule, LearningRateSchedule):
        return float(schedule(optimizer.iterations))
    rate = getattr(optimizer, "learning_rate", None)
    return None if rate is None else float(rate)
