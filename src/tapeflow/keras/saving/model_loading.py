"""`load_model`: whole models from files, in the format that their content says."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path
from typing import Any

import h5py

from tapeflow.io.folder_part import part_of
from tapeflow.keras.annotations import CustomObjects, PathLike
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.architecture import made_from_config
from tapeflow.keras.saving.archive import CONFIG, Archive, as_dict, parsed
from tapeflow.keras.saving.destination import as_path
from tapeflow.keras.saving.family import script_classes
from tapeflow.keras.saving.function_body import code_allowed
from tapeflow.keras.saving.layer_groups import load_groups, load_variables
from tapeflow.keras.saving.load_budget import LoadBudget, load_budget
from tapeflow.keras.saving.mismatch import telling_file
from tapeflow.keras.saving.model_file import FOLDER_FILE
from tapeflow.keras.saving.registry import custom_object_scope
from tapeflow.keras.saving.saved_model_file import load_keras_saved_model
from tapeflow.keras.saving.training_state import compile_from, load_optimizer_values
from tapeflow.saved_model.reading.folder import is_saved_model
from tapeflow.train.background import settle


def load_model(
    filepath: PathLike,
    custom_objects: CustomObjects = None,
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


def _load_archive(path: Path, budget: LoadBudget, custom_objects: CustomObjects, compile: bool) -> Any:
    archive = Archive(path, budget)
    config = archive.config()
    with custom_object_scope(script_classes(), custom_objects or {}):
        model = made_from_config(config, custom_objects)
        if compile:
            compile_from(model, config.get("compile_config"), custom_objects)
        with telling_file(path):
            archive.load_weights(model)
    return model


def _load_hdf5(file: h5py.File, path: Path, custom_objects: CustomObjects, compile: bool) -> Any:
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
