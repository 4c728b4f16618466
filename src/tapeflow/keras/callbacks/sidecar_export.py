"""`SidecarEvaluatorModelExport`: the best of the models that a `SidecarEvaluator` evaluates."""

from __future__ import annotations

import re
from typing import Any

from tapeflow.keras.annotations import PathLike
from tapeflow.keras.callbacks.model_checkpoint import ModelCheckpoint, matches, newest
from tapeflow.train.tensor_file import ENDING


class SidecarEvaluatorModelExport(ModelCheckpoint):
    """Saves the model when an evaluation is the best so far; for `SidecarEvaluator`.

    Args:
        export_filepath: where to. `{epoch}` in it is the number of the checkpoint.
        checkpoint_filepath: the `filepath` that the training's `ModelCheckpoint` has.
        **kwargs: those of `ModelCheckpoint`; `save_freq` may be "eval", which is what is done in any case.
    """

    def __init__(self, export_filepath: PathLike, checkpoint_filepath: PathLike, **kwargs: Any) -> None:
        kwargs.pop("save_freq", None)
        super().__init__(export_filepath, save_best_only=True, **kwargs)
        self._checkpoint_filepath = str(checkpoint_filepath)
        self._number = 0

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        latest = newest(matches(self._checkpoint_filepath + ENDING))
        numbers = [] if latest is None else re.findall(r"\d+", latest.stem)
        self._number = int(numbers[-1]) if numbers else 1

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        self._save_model(self._number - 1, None, logs or {})
        self._writer.wait()
