"""`tf.train.Checkpoint`: the values of objects, saved and restored by structure."""

from __future__ import annotations

import contextlib
import json
import os
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.devices import placement
from tapeflow.engine.functions.function import Function
from tapeflow.engine.programs.running import materialise
from tapeflow.engine.programs.steps import run_between_steps
from tapeflow.engine.recording.sketch import init_scope
from tapeflow.engine.shapes.history import history, set_history
from tapeflow.engine.values.dtypes import int64
from tapeflow.engine.values.dtypes import string as string_dtype
from tapeflow.engine.values.variable import Variable
from tapeflow.train.background import BackgroundWriter
from tapeflow.train.bundle_writer import write_checkpoint
from tapeflow.train.checkpoint_state import check_state_file, file_of, update_checkpoint_state
from tapeflow.train.parts import SplitSave, SplitTensor, delete_parts, has_parts, split_snapshot, with_parts
from tapeflow.train.plain_state import packed
from tapeflow.train.restoration import (
    FORMAT,
    CheckpointFile,
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    Restoration,
)
from tapeflow.train.tensor_bundle import TensorBundle
from tapeflow.train.tensor_file import BrokenFile, TensorFile, write_tensors
from tapeflow.train.trackable import Trackable, children, has_state, is_trackable, state_of

FORMATS = ("safetensors", "tensorflow")
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_COUNTER = "save_counter"


class CheckpointOptions:
    """Options for writing checkpoints.

    Args:
        enable_async: write on a thread of its own: `save` returns when the values have been copied.
        experimental_enable_async_checkpoint: the older name of it.
        experimental_write_callbacks: functions to call with the path once a checkpoint is written.
        experimental_io_device, experimental_skip_slot_variables, experimental_sharding_callback: TensorFlow's;
            they change nothing here.
        format: "safetensors", which is ours, or "tensorflow", which TensorFlow restores. A training goes on from either
            with the same bits.

    Raises:
        ValueError: `format` is neither.
    """

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
        *,
        format: str = "safetensors",
    ) -> None:
        if format not in FORMATS:
            raise ValueError(
                f"CheckpointOptions expected format to be one of {FORMATS}; got format={format!r}. Leave it out for a "
                "file that any safetensors library reads."
            )
        self.format = format
        self.experimental_io_device = experimental_io_device
        self.enable_async = bool(enable_async or experimental_enable_async_checkpoint)
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


class Checkpoint(Trackable):
    """Saves and restores the values of the given objects, and of everything they refer to.

    Args:
        root: an object whose attributes are saved as if they were the checkpoint's own.
        **kwargs: objects by name: Variables, layers, models, optimizers, metrics, `tf.Module`s, iterators over
            datasets, `tf.random.Generator`s, other Checkpoints, and lists and dicts of them.

    >>> checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    >>> path = checkpoint.save("folder/ckpt")
    >>> checkpoint.restore(path).assert_consumed()
    """

    def __init__(self, root: object = None, **kwargs: Any) -> None:
        self._save_counter: Variable | None = None
        self._writer = BackgroundWriter("checkpoint")
        self._root = _checked("root", root) if root is not None else None
        of_root = {} if root is None else children(root)
        for name, value in sorted(kwargs.items()):
            if of_root.get(name, value) is not value:
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists. Give "
                    "one of them another name."
                )
            setattr(self, name, _checked(name, value))

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        if self._deferred is not None:
            self._deferred.take_below(self, (name,), value)

    def _trackable_children(self) -> dict[str, Any]:
        found = {} if self._root is None else dict(children(self._root))
        found.update({k: v for k, v in vars(self).items() if not k.startswith("_") and is_trackable(v)})
        if self._save_counter is not None:
            found[_COUNTER] = self._save_counter
        return found

    @property
    def save_counter(self) -> Variable:
        """How often `save` has been called, over all runs; an int64 Variable."""
        if self._save_counter is None:
            with init_scope():
                self._save_counter = Variable(0, dtype=int64, trainable=False, name=_COUNTER)
            if self._deferred is not None:
                self._deferred.take_below(self, (_COUNTER,), self._save_counter)
        return self._save_counter

    def save(self, file_prefix: str | os.PathLike[str], options: CheckpointOptions | None = None) -> str:
        """Save under `file_prefix` and a number that grows, and note it as the folder's latest.

        Returns:
            The path to give to `restore`: `folder/ckpt-1`.
        """
        check_state_file(os.path.dirname(os.fspath(file_prefix)))
        self.save_counter.assign_add(1)
        path = f"{os.fspath(file_prefix)}-{int(self.save_counter)}"

        def written() -> None:
            update_checkpoint_state(os.path.dirname(path), path, [path])

        return self._write(path, options, written)

    def write(self, file_prefix: str | os.PathLike[str], options: CheckpointOptions | None = None) -> str:
        """Save under exactly this path, without counting and without noting it."""
        return self._write(os.fspath(file_prefix), options, None)

    def _write(self, path: str, options: CheckpointOptions | None, then: Any) -> str:
        options = options or CheckpointOptions()
        tensors, metadata = contents(self)
        metadata["sizes"] = history()
        split = None
        if any(isinstance(tensor, SplitTensor) for tensor in tensors.values()):
            if options.format == "tensorflow":
                raise ValueError(
                    "CheckpointOptions expected format='safetensors' for Variables that lie on several processes; got "
                    "format='tensorflow'. Restore the checkpoint in one process and write it from there."
                )
            split = SplitSave(file_of(path), tensors, metadata)

        def work() -> None:
            if split is not None:
                split.write()
            elif options.format == "tensorflow":
                write_checkpoint(path, tensors, metadata)
                forget_ours(path)
            else:
                had_parts = has_parts(file_of(path))
                write_tensors(file_of(path), tensors, metadata)
                if had_parts:
                    delete_parts(file_of(path))
            if then is not None:
                then()
            for callback in options.experimental_write_callbacks or ():
                callback(path)

        if options.enable_async:
            self._writer.wait()  # every checkpoint is written, in order
            self._writer.start(work)
        else:
            self._writer.run(work)
        return path

    def sync(self) -> None:
        """Wait until what `enable_async` writes is on disk; raises what went wrong there."""
        self._writer.wait()

    def restore(self, save_path: str | os.PathLike[str], options: Any = None) -> Any:
        """Give the objects the values of a checkpoint; what is not made yet gets them when it is.

        Args:
            save_path: what `save` or `tf.train.latest_checkpoint` gave; None restores nothing.
            options: ignored.

        Returns:
            A status with `assert_consumed`, `assert_existing_objects_matched`, `assert_nontrivial_match` and
            `expect_partial`.

        Raises:
            tf.errors.NotFoundError: there is no such checkpoint.
            ValueError: it is damaged, or its values do not fit.
        """
        status = self.read(save_path, options)
        if isinstance(status, CheckpointLoadStatus) and self._save_counter is None:
            _ = self.save_counter  # it goes on counting where the saved one was
        return status

    def read(self, save_path: str | os.PathLike[str], options: Any = None) -> Any:
        """`restore`, for what `write` wrote: the count of saves is left alone."""
        self._writer.wait()
        if save_path is None:
            return InitializationOnlyStatus()
        file = opened(save_path)
        set_history(file.metadata.get("sizes", ""))
        restoration = Restoration(file, self)
        if self._root is not None:
            restoration.take(self._root, 0)  # it waits, too, for what is not made yet
        run_between_steps()  # as `contents` does
        return CheckpointLoadStatus(restoration)


def forget_ours(prefix: str) -> None:
    """Remove our checkpoint of this name, in whose place there is now one in TensorFlow's format."""
    file = file_of(prefix)
    if file.is_symlink() or not file.is_file():
        return
    with contextlib.suppress(BrokenFile, FileNotFoundError), TensorFile(file) as tensors:
        if tensors.metadata.get("format") == FORMAT:
            file.unlink(missing_ok=True)


def opened(save_path: str | os.PathLike[str]) -> CheckpointFile:
    """The file of a checkpoint, ours or TensorFlow's.

    Raises:
        tf.errors.NotFoundError: there is none.
    """
    prefix = os.fspath(save_path)
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return with_parts(TensorFile(file_of(prefix)))
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return TensorBundle(prefix)
    raise errors.NotFoundError(
        None,
        None,
        f"Error when restoring from checkpoint at {prefix}: no file {str(file_of(prefix))!r}, nor TensorFlow's "
        f"{prefix + '.index'!r}. Please double-check that the path is correct. You may be missing the checkpoint "
        "suffix (e.g. the '-1' in 'path/to/ckpt-1').",
    )


def _checked(name: str, value: object) -> Any:
    may_be_empty = (list, tuple, dict, Function)
    if not isinstance(value, may_be_empty) and not is_trackable(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (a Variable, layer, model, optimizer, metric, "
            f"tf.Module, iterator, generator, or a list or dict of them), got {value!r}. Make it a tf.Variable."
        )
    return value


def contents(
    root: object, take: Callable[[Variable], Any] | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """The tensors of all that an object leads to, and the graph of objects as metadata.

    Args:
        root: the object.
        take: gives what to keep of a Variable; a copy of its value unless given.
    """
    run_between_steps()
    taken = take or snapshot
    nodes: list[dict[str, Any]] = []
    numbers: dict[int, int] = {}
    held: list[Any] = []  # keeps ids unique while we go
    tensors: dict[str, Any] = {}
    waiting: deque[Any] = deque()

    def number(value: object, name: str) -> int:
        found = numbers.get(id(value))
        if found is None:
            found = numbers[id(value)] = len(nodes)
            held.append(value)
            nodes.append({"name": name, "children": {}})
            waiting.append(value)
        return found

    number(root, "")
    while waiting:
        owner = waiting.popleft()
        node = nodes[numbers[id(owner)]]
        path = node["name"]
        if isinstance(owner, Variable):
            if owner.dtype is string_dtype:
                node["strings"] = packed(owner.numpy(), tensors, path)
            else:
                node["tensor"] = f"{path}{_VALUE}"
                tensors[node["tensor"]] = taken(owner)
        elif has_state(owner):
            node["state"] = packed(state_of(owner), tensors, f"{path}/.STATE")
        else:
            for name, child in children(owner).items():
                # As TensorFlow does: keys of dicts may look like paths.
                spelled = name.replace(".", "..").replace("/", ".S")
                node["children"][name] = number(child, f"{path}/{spelled}" if path else spelled)
    return tensors, {"format": FORMAT, "version": "1", "graph": json.dumps(nodes, separators=(",", ":"))}


def held(variable: Variable) -> Any:
    """What a Variable holds now, perhaps still being computed: not a copy, and yet nothing overwrites it."""
    return materialise(variable._current())


def snapshot(variable: Variable) -> np.ndarray | SplitTensor:
    """A Variable's value as an array of its own (`numpy` copies it: buffers of Variables are overwritten).

    Of one that lies on several processes, a copy of the parts that are here.
    """
    value = held(variable)
    if not placement.is_readable(value):
        return split_snapshot(value)
    return np.asarray(variable.numpy())
