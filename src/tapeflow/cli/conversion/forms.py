"""Forms that models and weights are kept in: what a path holds, and what a path is to hold."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import NamedTuple

import tapeflow as tf
from tapeflow.cli.failure import Failure
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.model_file import FOLDER_FILE
from tapeflow.saved_model.reading.folder import is_saved_model
from tapeflow.train.restoration import is_checkpoint
from tapeflow.train.tensor_file import ENDING as TENSORS
from tapeflow.train.tensor_file import TensorFile

INDEX = ".index"


class Form(NamedTuple):
    """A form.

    Attributes:
        name: as `--to` takes it.
        title: what it is.
        holds: which of `PARTS` it keeps.
    """

    name: str
    title: str
    holds: frozenset[str]

    @property
    def is_model(self) -> bool:
        """Whether it says what is computed, or holds values alone."""
        return "predictions" in self.holds


PARTS = {
    "predictions": "what the model computes",
    "weights": "weights",
    "layers": "layers and their configs",
    "compile": "loss, metrics, optimizer",
    "state": "state of the optimizer",
}
_ALL = frozenset(PARTS)
_VALUES = frozenset({"weights", "state"})
FORMS = {
    form.name: form
    for form in (
        Form("keras", "a Keras 3 file", _ALL),
        Form("h5", "a Keras 2 file", _ALL),
        Form("saved-model", "a SavedModel", _ALL),
        Form("onnx", "an ONNX model", frozenset({"predictions", "weights"})),
        Form("weights", "weights as Keras 3 has them", _VALUES),
        Form("h5-weights", "weights as Keras 2 has them", frozenset({"weights"})),
        Form("safetensors", "weights by name", frozenset({"weights"})),
        Form("checkpoint", "a checkpoint", _VALUES),
        Form("tensorflow-checkpoint", "a TensorFlow checkpoint", _VALUES),
    )
}
_ENDINGS = {
    ".weights.h5": "weights",
    ".h5": "h5",
    ".hdf5": "h5",
    ".keras": "keras",
    ".onnx": "onnx",
    TENSORS: "safetensors",
    INDEX: "tensorflow-checkpoint",
}


def target_form(path: Path, name: str | None) -> Form:
    """What a path is to hold: as the user says, or as its ending does.

    Raises:
        Failure: the ending says nothing.
    """
    if name is not None:
        return FORMS[name]
    for ending, found in _ENDINGS.items():
        if path.name.endswith(ending):
            return FORMS[found]
    if path.suffix:
        raise Failure(
            f"expected a target that ends in {', '.join(_ENDINGS)}, or has no ending, for a SavedModel folder; got "
            f"{str(path)!r}. Name the format with --to.",
            2,
        )
    return FORMS["saved-model"]


def source_form(path: Path) -> tuple[Form, Path]:
    """What a path holds, by its content, and where: of a folder of checkpoints the latest.

    Raises:
        Failure: it is not there, or nothing that is known.
    """
    if path.is_dir():
        return _in_folder(path)
    if not path.is_file():
        for ending, name in ((INDEX, "tensorflow-checkpoint"), (TENSORS, "checkpoint")):
            if Path(f"{path}{ending}").is_file():
                return FORMS[name], path
        raise Failure(f"expected a source that exists; got {str(path)!r}. Check the path.")
    if path.suffix == INDEX:
        return FORMS["tensorflow-checkpoint"], path.with_suffix("")
    if path.suffix == TENSORS:
        with TensorFile(path) as file:
            if is_checkpoint(file):
                return FORMS["checkpoint"], path.with_suffix("")
        return FORMS["safetensors"], path
    if zipfile.is_zipfile(path):
        return FORMS["keras"], path
    if hdf5.is_hdf5(path):
        return FORMS[_kind_of_hdf5(path)], path
    if path.suffix == ".onnx":
        raise Failure(
            f"expected a source that can be read; got {str(path)!r}. ONNX models can only be written."
        )
    raise Failure(
        f"expected a model, weights or a checkpoint; got {str(path)!r}, which is none of them. It may be damaged: use "
        "another copy."
    )


def _in_folder(path: Path) -> tuple[Form, Path]:
    if is_saved_model(path) or (path / FOLDER_FILE).is_file():
        return FORMS["saved-model"], path
    if (path / "config.json").is_file():
        return FORMS["keras"], path  # Keras 3's file, unpacked
    latest = tf.train.latest_checkpoint(str(path))
    if latest is not None:
        return source_form(Path(latest))
    raise Failure(f"expected a folder with a SavedModel, a Keras model or checkpoints; got {str(path)!r}.")


def _kind_of_hdf5(path: Path) -> str:
    with hdf5.opened(path) as file:
        if hdf5.read_text(file, "model_config") is not None:
            return "h5"
        return "h5-weights" if hdf5.read_names(file, "layer_names") else "weights"
