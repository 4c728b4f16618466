"""`load_model` of a TensorFlow SavedModel: the Keras model that it was saved from, or what it computes as a model.

`keras_metadata.pb` has the config of each Keras object, and how the model was compiled; `variables/` the weights and
the state of the optimizer, which are matched by the names that lead to them, as those of checkpoints are.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.io.folder_part import part_of
from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.models.model import Model
from tapeflow.keras.saving.architecture import made_from_config
from tapeflow.keras.saving.registry import custom_object_scope
from tapeflow.keras.saving.training_state import compile_from
from tapeflow.saved_model.constants import ASSETS_DIRECTORY
from tapeflow.saved_model.reading.folder import SavedModelFolder, broken, read_message
from tapeflow.saved_model.reading.loader import load_saved_model, reading
from tapeflow.saved_model.reading.objects import CallableObject, LoadedResource, loaded_objects

METADATA = "keras_metadata.pb"
_GENERIC = frozenset({"Model", "Functional", "Sequential"})
_VECTORIZATION, _LOOKUPS = "TextVectorization", ("StringLookup", "IntegerLookup")


class ServedModel(Model):
    """A SavedModel as a Keras model, where its classes are not known: it is called, trained and evaluated.

    Args:
        served: the loaded object.
        name: the name of the model.
    """

    def __init__(self, served: Any, name: str | None = None) -> None:
        super().__init__(name=name)
        self._find_served = lambda: (
            served
        )  # of what it leads to, such as an optimizer, only the Variables are ours
        self._served_variables = list(served.variables)
        self.signatures = served.signatures

    @property
    def served(self) -> Any:
        """The loaded object."""
        return self._find_served()

    def call(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, inputs: Any, training: bool | None = None
    ) -> Any:
        """What the saved model computed."""
        parameters = self.served.__call__.__signature__.parameters
        if "training" not in parameters:
            return self.served(inputs)
        return self.served(inputs, training=bool(training))


def load_keras_saved_model(
    path: Path, custom_objects: CustomObjects = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """The model of a SavedModel.

    Args:
        path: the folder.
        custom_objects: classes and functions of your own, by name.
        compile: whether to compile the model as it was, with the state of its optimizer.
        safe_mode: whether ops that reach out of the program are refused.

    Raises:
        ValueError: the folder is damaged, or holds nothing that can be called.
    """
    described = _described(path)
    root = described.get(0)
    if root is not None and _has_config(root, custom_objects):
        model = _rebuilt(path, described, custom_objects, compile, safe_mode)
        if model is not None:
            return model
    served = load_saved_model(path, safe_mode=safe_mode)
    if not isinstance(served, CallableObject):
        raise ValueError(
            "load_model expected a SavedModel of a Keras model, or of an object that can be called; got "
            f"{str(path)!r}, which has the signatures {sorted(served.signatures)}. Load it with tf.saved_model.load."
        )
    model = ServedModel(served, (root or {}).get("name"))
    if compile and root is not None and root.get("training_config"):
        with custom_object_scope(custom_objects or {}):
            compile_from(model, root["training_config"], custom_objects)
    return model


def _described(path: Path) -> dict[int, dict[str, Any]]:
    """The metadata of the Keras objects, by the numbers of their nodes."""
    if not (path / METADATA).is_file():
        return {}
    found: dict[int, dict[str, Any]] = {}
    for node in read_message(path, METADATA, "SavedMetadata").nodes:
        try:
            values = _plain(json.loads(node.metadata))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise broken(path, f"{METADATA!r} holds no JSON for {node.node_path[:100]!r}: {error}") from error
        if isinstance(values, dict):
            found[node.node_id] = values
    return found


def _plain(value: object) -> Any:
    """A value as Keras 2 had it before it was JSON: it writes tuples and shapes as dicts."""
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if not isinstance(value, dict):
        return value
    if value.get("class_name") in ("__tuple__", "TensorShape") and "items" in value:
        return tuple(_plain(v) for v in value["items"])
    if value.get("class_name") == "__ellipsis__":
        return ...
    return {k: _plain(v) for k, v in value.items()}


def _has_config(root: dict[str, Any], custom_objects: CustomObjects) -> bool:
    """Whether a model can be made of the root's config: a class of its own must be known."""
    config, name = root.get("config"), str(root.get("class_name"))
    if not isinstance(config, dict) or root.get("must_restore_from_config") is None:
        return False
    if name in _GENERIC:
        return "layers" in config
    known = {**tf.keras.utils.get_custom_objects(), **(custom_objects or {})}
    return name in known or name.rpartition(">")[2] in known


def _rebuilt(
    path: Path,
    described: dict[int, dict[str, Any]],
    custom_objects: CustomObjects,
    compile: bool,
    safe_mode: bool,
) -> Any:
    """The model made of its config, with weights, vocabularies and the state of its optimizer.

    None, with a warning, if it has classes that are not known.
    """
    root = described[0]
    config = _with_assets(path, root["config"])
    with custom_object_scope(custom_objects or {}):
        try:
            model = made_from_config({"class_name": root["class_name"], "config": config}, custom_objects)
        except (ValueError, TypeError, NotImplementedError) as error:
            warnings.warn(
                f"The layers of {str(path)!r} are not rebuilt, and the model is loaded as what it computes: "
                f"{str(error)[:300]} Pass the classes in `custom_objects` for a model that has its layers.",
                stacklevel=5,
            )
            return None
        shape = root.get("build_input_shape")
        if not model.built and shape is not None:
            model.build(shape)
        if compile:
            compile_from(model, root.get("training_config"), custom_objects)
    folder = reading(path, lambda: SavedModelFolder(path, None, safe_mode))
    if folder.has_values():
        if model.built and compile and model.optimizer is not None and not model.optimizer.built:
            model.optimizer.build(model.trainable_variables)
        model.load_weights(path / "variables" / "variables.index")
    reading(path, lambda: _set_vocabularies(model, described, folder))
    return model


def _with_assets(path: Path, config: str | Mapping[str, Any]) -> Any:
    """A config with the terms of its vocabulary files, which are the ones in the folder, wherever they lay before."""
    if isinstance(config, (list, tuple)):
        return type(config)(_with_assets(path, v) for v in config)
    if not isinstance(config, dict):
        return config
    found = {k: _with_assets(path, v) for k, v in config.items()}
    if isinstance(found.get("vocabulary"), str):
        name = Path(found["vocabulary"]).name
        asset = part_of(path / ASSETS_DIRECTORY, name)
        if not name or not asset.is_file():
            raise broken(path, f"the vocabulary {found['vocabulary'][:100]!r} is not among its assets")
        terms = [line.rstrip("\r") for line in asset.read_text("utf-8").split("\n")]
        terms = terms[:-1] if not terms[-1] else terms
        is_number = (
            str(found.get("vocabulary_dtype", found.get("dtype"))).startswith("int") and "mask_value" in found
        )
        found["vocabulary"] = [int(t) for t in terms] if is_number else terms
    return found


def _set_vocabularies(model: Model, described: dict[int, dict[str, Any]], folder: SavedModelFolder) -> None:
    """Fill the lookup layers that had adapted to data: their terms are in tables that functions of the graph fill."""
    layers: dict[Any, Any] = {p.name: p for p in model.submodules if isinstance(p, tf.keras.layers.Layer)}
    adapted = [
        (number, layers[d["name"]], d["config"])
        for number, d in described.items()
        if d.get("class_name") in (_VECTORIZATION, *_LOOKUPS)
        and type(layers.get(d.get("name"))).__name__ == d["class_name"]
        and d.get("config", {}).get("vocabulary") is None
    ]
    if not adapted:
        return
    objects = loaded_objects(folder)
    for number, layer, config in adapted:
        saved = vars(objects[number]).get("_lookup_layer", objects[number])
        table = vars(saved).get("lookup_table")
        if not isinstance(table, LoadedResource):
            continue
        keys, values = (t.numpy() for t in table.handle.export())
        terms, places = (values, keys) if config.get("invert") else (keys, values)
        vocabulary = np.asarray(terms)[np.argsort(places)].tolist()
        words = [t.decode("utf-8") if isinstance(t, bytes) else t for t in vocabulary]
        weights = vars(saved).get("idf_weights")
        layer.set_vocabulary(
            words, **({} if weights is None else {"idf_weights": weights.numpy()[-len(words) :]})
        )
