"""`SidecarEvaluator`: evaluates the checkpoints of a training that runs in another process."""

from __future__ import annotations

import logging
import re
from typing import Any

import tapeflow as tf
from tapeflow.keras.annotations import CallbacksLike, PathLike

_TIMEOUT_S = 30
_log = logging.getLogger("tapeflow")


class SidecarEvaluator:
    """Waits for checkpoints in a folder and evaluates each; the newest if there are several.

    The training saves with `tf.train.CheckpointManager` of a `Checkpoint(model=model, optimizer=optimizer)`, or with
    `ModelCheckpoint(folder + "/ckpt-{epoch}", save_weights_only=True)`.

    Args:
        model: a model like the one that trains, compiled.
        data: what `model.evaluate` takes.
        checkpoint_dir: the folder.
        steps: how many batches make an evaluation; all unless given.
        max_evaluations: stop after the checkpoint with this number or a later one; never unless given.
        callbacks: for `model.evaluate`, a `TensorBoard` for one.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        checkpoint_dir: PathLike,
        steps: int | None = None,
        max_evaluations: int | None = None,
        callbacks: CallbacksLike = None,
    ) -> None:
        self.model = model
        self.data = data
        self.checkpoint_dir = checkpoint_dir
        self.steps = steps
        self.max_evaluations = max_evaluations
        self.callbacks = callbacks or []

    def start(self) -> None:
        """Evaluate until the last checkpoint has been seen."""
        for path in tf.train.checkpoints_iterator(
            self.checkpoint_dir, timeout=_TIMEOUT_S, timeout_fn=self._still_waiting
        ):
            try:
                self._load(path)
            except (tf.errors.OpError, OSError) as error:  # deleted meanwhile, or only half there
                _log.info("SidecarEvaluator could not load %s and waits for the next: %s", path, error)
                continue
            self.model.evaluate(self.data, steps=self.steps, callbacks=self.callbacks, verbose=2)
            if self.max_evaluations and _number(path) >= self.max_evaluations:
                return

    def _load(self, path: str) -> None:
        held = {name.split("/")[0] for name, _ in tf.train.list_variables(path)}
        if "model" in held:
            checkpoint = tf.train.Checkpoint(model=self.model, optimizer=self.model.optimizer)
            checkpoint.restore(path).expect_partial()
        else:
            self.model.load_weights(path)

    def _still_waiting(self) -> bool:
        _log.info(
            "SidecarEvaluator has found no new checkpoint in %s for %s seconds. Save with tf.train.CheckpointManager, "
            "or with ModelCheckpoint(save_weights_only=True).",
            self.checkpoint_dir,
            _TIMEOUT_S,
        )
        return False


def _number(path: str) -> int:
    found = re.search(r"-(\d+)$", str(path))
    if found is None:
        raise ValueError(
            f"SidecarEvaluator expected checkpoints whose names end in a number, as in ckpt-3; got {path!r}. Name them "
            "so, or leave max_evaluations out."
        )
    return int(found.group(1))
