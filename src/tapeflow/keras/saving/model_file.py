"""`save_model` and `load_model`: whole models in files, in the format that the path means."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py

from tapeflow.io.folder_part import part_of
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.architecture import made_from_config
from tapeflow.keras.saving.archive import CONFIG, Archive, as_dict, parsed, write_archive
from tapeflow.keras.saving.destination import as_path, may_write
from tapeflow.keras.saving.draft import Draft, write_draft
from tapeflow.keras.saving.family import script_classes
from tapeflow.keras.saving.function_body import code_allowed
from tapeflow.keras.saving.keras3_form import as_json, keras3_calls, to_keras3
from tapeflow.keras.saving.layer_groups import (
    BACKEND,
    KERAS_VERSION,
    load_groups,
    load_variables,
    save_groups,
    save_variables,
)
from tapeflow.keras.saving.load_budget import LoadBudget, load_budget
from tapeflow.keras.saving.mismatch import telling_file
from tapeflow.keras.saving.registry import custom_object_scope, serialize_keras_object
from tapeflow.keras.saving.saved_model_file import load_keras_saved_model
from tapeflow.keras.saving.training_state import compile_from, load_optimizer_values
from tapeflow.keras.saving.weight_tree import save_tree
from tapeflow.saved_model.constants import GRAPH_FILES
from tapeflow.saved_model.reading.folder import is_saved_model
from tapeflow.train.background import settle

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
    filepath: Any,
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
    model: Any,
    filepath: Any,
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


def _graph(model: Any, include_optimizer: bool, is_asked_for: bool) -> Any:
    """The SavedModel of a model, ready to be written; None, with a warning, if it cannot be."""
    from tapeflow.saved_model.graph_saving import graph_model
    from tapeflow.saved_model.keras_metadata import training_config

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


def _keras3_config(model: Any, include_optimizer: bool) -> dict[str, Any]:
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


def _compile_config(model: Any) -> dict[str, Any] | None:
    """How the model was compiled; None, with a warning, if a part of it has no config."""
    try:
        return model.get_compile_config()
    except NotImplementedError as error:
        warnings.warn(
            f"The model is saved without its optimizer, loss and metrics: {error} Call compile() after loading it.",
            stacklevel=6,
        )
        return None


def _hdf5_writer(model: Any, path: Path, include_optimizer: bool) -> Callable[[], None]:
    from tapeflow.keras.models.functional import Functional

    if path.is_dir():
        raise IsADirectoryError(
            f"save_model expected a path for a file; got {str(path)!r}, which is a directory."
        )
    if not isinstance(model, Functional):
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


def keras2_optimizer(config: dict[str, Any], optimizer: Any) -> dict[str, Any]:
    """The config as Keras 2 has it in `.h5` files, where its own optimizers bear a package's name."""
    is_keras_own = type(optimizer).__module__.startswith("tapeflow.keras.optimizers.")
    return {**config, "class_name": f"Custom>{config['class_name']}"} if is_keras_own else config


def load_model(
    filepath: Any,
    custom_objects: Any = None,
    compile: bool = True,
    safe_mode: bool = True,
    options: Any = None,
    **kwargs: Any,
) -> Any:
    """Load a model that `save_model`, Keras 2 or Keras 3 saved as `.keras`, `.h5`, a folder or a TensorFlow SavedModel.

    By default no code from the file is run: your own functions and classes are found by name. A file that would need
    far more memory than its size suggests is refused.

    Args:
        filepath: the file or folder; the format is detected from its content.
        custom_objects: classes and functions of your own, by name. Classes of the script that runs are found without
            it, but in `.h5` files.
        compile: whether to compile the model as it was, with the state of its optimizer.
        safe_mode: False runs the code of lambdas that the file holds, imports the modules that it names, and sets no
            limit to what it may cost. Do so if you trust who wrote it. A load that runs inside a safe one is safe,
            whatever it asks for.
        options: ignored.
    """
    if kwargs:
        raise TypeError(f"load_model expected no argument {', '.join(map(repr, kwargs))}.")
    path = as_path(filepath, "load_model")
    settle()
    if not path.exists():
        raise OSError(f"No file or directory found at {path}.")
    with code_allowed(not safe_mode), load_budget(path, is_trusted=not safe_mode) as budget:
        if is_saved_model(path) and not (path / FOLDER_FILE).is_file():
            return load_keras_saved_model(path, custom_objects, compile, safe_mode)
        if path.is_dir():
            return _load_archive(_in_folder(path), budget, custom_objects, compile)
        if zipfile.is_zipfile(path):
            return _load_archive(path, budget, custom_objects, compile)
        if hdf5.is_hdf5(path):
            with hdf5.opened(path) as file:
                return _load_hdf5(file, path, custom_objects, compile)
    raise ValueError(
        f"load_model expected a `.keras` file, an HDF5 file or a folder; got {str(path)!r}, which is none of them. It "
        "may be truncated or damaged: use another copy."
    )


def _in_folder(path: Path) -> Path:
    """What holds the model in a folder: our file, or the parts of Keras 3's."""
    if (path / FOLDER_FILE).is_file():
        return part_of(path, FOLDER_FILE)
    if part_of(path, CONFIG).is_file():
        return path
    if (path / "saved_model.json").is_file():
        raise ValueError(
            f"load_model expected a saved model; got {str(path)!r}, an exported program, which has no layers. Load it "
            "with tf.saved_model.load."
        )
    raise ValueError(f"load_model expected a folder with {FOLDER_FILE!r} in it; got {str(path)!r}.")


def _load_archive(path: Path, budget: LoadBudget, custom_objects: Any, compile: bool) -> Any:
    archive = Archive(path, budget)
    config = archive.config()
    with custom_object_scope(script_classes(), custom_objects or {}):
        model = made_from_config(config, custom_objects)
        if compile:
            compile_from(model, config.get("compile_config"), custom_objects)
        with telling_file(path):
            archive.load_weights(model)
    return model


def _load_hdf5(file: h5py.File, path: Path, custom_objects: Any, compile: bool) -> Any:
    text = hdf5.read_text(file, "model_config")
    weights = hdf5.child(file, "model_weights")
    if text is None or not isinstance(weights, h5py.Group):
        raise ValueError(
            f"No model config found in the file at {path}: it holds weights only. Make the model, and call "
            "load_weights."
        )
    with custom_object_scope(custom_objects or {}):
        model = made_from_config(parsed(text, str(path)), custom_objects)
        with telling_file(path):
            load_groups(model, weights)
        trained = hdf5.read_text(file, "training_config") if compile else None
        if trained is not None:
            compile_from(model, as_dict(trained, str(path)), custom_objects)
            state = hdf5.child(file, "optimizer_weights")
            if isinstance(state, h5py.Group) and model.optimizer is not None:
                load_optimizer_values(model.optimizer, load_variables(state), model.trainable_variables)
        elif compile:
            warnings.warn(
                "No training configuration found in the save file, so the model was *not* compiled. Compile it "
                "manually.",
                stacklevel=3,
            )
    return model
