"""`save_model`: whole models in files, in the format that the path means. `model_loading` loads them."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tapeflow.keras.annotations import PathLike
from tapeflow.keras.models.kinds import AnyFunctional
from tapeflow.keras.saving.archive import write_archive
from tapeflow.keras.saving.destination import as_path, may_write
from tapeflow.keras.saving.draft import Draft, write_draft
from tapeflow.keras.saving.keras3_form import as_json, keras3_calls, to_keras3
from tapeflow.keras.saving.layer_groups import (
    BACKEND,
    KERAS_VERSION,
    save_groups,
    save_variables,
)
from tapeflow.keras.saving.registry import serialize_keras_object
from tapeflow.keras.saving.training_state import keras2_optimizer
from tapeflow.keras.saving.weight_tree import save_tree
from tapeflow.saved_model.constants import GRAPH_FILES
from tapeflow.saved_model.keras_metadata import training_config

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

_HDF5_ENDINGS = (".h5", ".hdf5")
_FORMATS = {
    "keras": "keras",
    "keras_v3": "keras",
    "h5": "h5",
    "hdf5": "h5",
    "tf": "folder",
    "tensorflow": "folder",
}
FOLDER_FILE = "model.keras"
# What Keras 3 takes for None in arguments of `compile`.
_COMPILED = {"run_eagerly": False, "steps_per_execution": 1, "jit_compile": "auto"}


def save_model(
    model: Any,
    filepath: PathLike,
    overwrite: bool = True,
    save_format: str | None = None,
    include_optimizer: bool = True,
    signatures: Any = None,
    options: Any = None,
    save_traces: bool = True,
    zipped: bool | None = None,
    **kwargs: Any,
) -> None:
    """Save a model: its architecture, weights, how it was compiled and the state of its optimizer.

    The file is written whole beside its place and then renamed.

    Args:
        model: a model with weights.
        filepath: where to; `.keras` gives Keras 3's file, `.h5` and `.hdf5` Keras 2's, a path without either a
            folder: a SavedModel that TensorFlow and Keras 2 load, with a file `model.keras` in it, which we load.
        overwrite: whether to replace what is there; without it the user is asked, on a terminal.
        save_format: `'keras'`, `'h5'` or `'tf'` (a folder), where the path does not say it.
        include_optimizer: whether the optimizer's state is saved too.
        signatures, options, save_traces, zipped: of TensorFlow's format, ignored.

    Raises:
        ValueError: with `save_format='tf'`, the model has an op that TensorFlow's ops cannot do. Without it there is a
            warning, and the folder holds `model.keras` alone.
    """
    model_writer(model, filepath, overwrite, save_format, include_optimizer, **kwargs)()


def model_writer(
    model: Model,
    filepath: PathLike,
    overwrite: bool = True,
    save_format: str | None = None,
    include_optimizer: bool = True,
    **kwargs: Any,
) -> Callable[[], None]:
    """What writes a model as it is now, whenever it is called; the arguments are those of `save_model`."""
    if kwargs:
        raise TypeError(f"save_model expected no argument {', '.join(map(repr, kwargs))}.")
    path = as_path(filepath, "save_model")
    form = _format(path, save_format)
    if not model.built:
        raise ValueError(
            f"Model {model.name!r} cannot be saved because it has not been built: it has no weights yet. Call it on "
            "some data, or call build(input_shape), first."
        )
    if not may_write(path, overwrite):
        return lambda: None
    if form == "h5":
        return _hdf5_writer(model, path, include_optimizer)
    if form == "folder":
        if path.is_file():
            raise FileExistsError(
                f"save_model expected a folder for a path without an extension; got {str(path)!r}, which is a file. "
                "Choose another path, or end it in `.keras`."
            )
        folder, path = path, path / FOLDER_FILE
        others = [name for name in GRAPH_FILES if (folder / name).exists()]
        if others and not path.exists():
            raise FileExistsError(
                f"save_model expected a new folder, or one that it wrote; got {str(folder)!r}, which "
                f"holds {others[0]!r} of something else. Nothing was changed: choose another folder, or move it away."
            )
        if path.exists() and not zipfile.is_zipfile(path):
            raise FileExistsError(
                f"save_model expected to write {str(path)!r}; got a file there that is no saved model. Nothing was "
                "changed: choose another folder, or move this file away."
            )
    elif path.is_dir():
        raise IsADirectoryError(
            f"save_model expected a path for a file; got {str(path)!r}, which is a directory."
        )
    config, weights = as_json(_keras3_config(model, include_optimizer)), Draft()
    save_tree(model, weights, include_optimizer)
    graph = _graph(model, include_optimizer, save_format is not None) if form == "folder" else None

    def write() -> None:
        write_archive(path, config, weights)
        if graph is not None:
            graph.write(path.parent)

    return write


def _graph(model: Model, include_optimizer: bool, is_asked_for: bool) -> Any:
    """The SavedModel of a model, ready to be written; None, with a warning, if it cannot be."""
    from tapeflow.saved_model.graph_saving import graph_model  # start-up

    compiled = _compile_config(model) if include_optimizer else None
    try:
        return graph_model(model, {}, {}, None if compiled is None else training_config(model, compiled))
    except Exception as error:
        if is_asked_for:
            raise
        warnings.warn(
            f"The folder holds model.keras alone, which TapeFlow and Keras 3 load, and no SavedModel: {error}",
            stacklevel=5,
        )
        return None


def _format(path: Path, save_format: str | None) -> str:
    is_hdf5 = path.suffix in _HDF5_ENDINGS
    if save_format is None:
        return "keras" if path.suffix == ".keras" else "h5" if is_hdf5 else "folder"
    form = _FORMATS.get(str(save_format).lower())
    if form is None:
        raise ValueError(
            f"Unknown `save_format` argument. Expected one of 'keras', 'tf', or 'h5'. Received: {save_format}."
        )
    if form == "keras" and path.suffix != ".keras":
        raise ValueError(
            "The filename must end in `.keras` when save_format='keras' is used. Received: "
            f"filepath={str(path)!r}."
        )
    if form == "folder" and (is_hdf5 or path.suffix == ".keras"):
        raise ValueError(
            f"save_model expected a path without an extension for save_format={save_format!r}; got "
            f"filepath={str(path)!r}. Leave save_format out, or choose another path."
        )
    return form


def _keras3_config(model: Model, include_optimizer: bool) -> dict[str, Any]:
    with keras3_calls():
        config = to_keras3(serialize_keras_object(model))
    shape = vars(model).get("_build_input_shape")
    if shape is not None:
        config["build_config"] = {"input_shape": shape}
    compiled = _compile_config(model) if include_optimizer else None
    if compiled is not None:
        compiled = {**compiled, **{k: v for k, v in _COMPILED.items() if compiled.get(k) is None}}
        config["compile_config"] = to_keras3(compiled)
    return config


def _compile_config(model: Model) -> dict[str, Any] | None:
    """How the model was compiled; None, with a warning, if a part of it has no config."""
    try:
        return model.get_compile_config()
    except NotImplementedError as error:
        warnings.warn(
            f"The model is saved without its optimizer, loss and metrics: {error} Call compile() after loading it.",
            stacklevel=6,
        )
        return None


def _hdf5_writer(model: Model, path: Path, include_optimizer: bool) -> Callable[[], None]:
    if path.is_dir():
        raise IsADirectoryError(
            f"save_model expected a path for a file; got {str(path)!r}, which is a directory."
        )
    if not isinstance(model, AnyFunctional):
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a Sequential model. It "
            "does not work for subclassed models, because such models are defined via the body of a Python method, "
            "which isn't safely serializable. Save it as `.keras`, or save its weights with `save_weights`."
        )
    file = Draft()
    file.attrs["keras_version"] = KERAS_VERSION
    file.attrs["backend"] = BACKEND
    file.attrs["model_config"] = as_json(serialize_keras_object(model))
    save_groups(model, file.create_group("model_weights"))
    compiled = _compile_config(model) if include_optimizer else None
    if compiled is not None:
        compiled["optimizer_config"] = keras2_optimizer(compiled.pop("optimizer"), model.optimizer)
        file.attrs["training_config"] = as_json(compiled)
        if model.optimizer.built:
            save_variables(file.create_group("optimizer_weights"), list(model.optimizer.variables))
    return lambda: write_draft(path, file)
