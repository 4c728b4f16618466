"""`tf.saved_model.load`: run what `tf.saved_model.save` wrote."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tapeflow as tf
from tapeflow.engine import nest
from tapeflow.engine.module import Module
from tapeflow.engine.portable import PortableProgram
from tapeflow.engine.tensor_spec import TensorSpec
from tapeflow.engine.variable import Variable
from tapeflow.saved_model.saving import FORMAT, MANIFEST, VARIABLES, input_specs, served
from tapeflow.train.tensor_file import TensorFile

_MAX_MANIFEST_BYTES = 1 << 26
_KERAS_FILE = "model.keras"  # in a folder that `model.save` wrote


class Endpoint:
    """A loaded function: called with tensors in order, or by the names of its inputs."""

    def __init__(
        self, name: str, program: PortableProgram, described: Any, variables: list[Variable]
    ) -> None:
        self.name = name
        self._program = program
        self._outputs = described["outputs"]
        self._variables = variables
        self.input_signature = [
            TensorSpec(i["shape"], i["dtype"], name=i["name"]) for i in described["inputs"]
        ]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # A list may be one tensor or several inputs; a dict is always several.
        is_nested = len(args) != len(self.input_signature) or any(isinstance(a, dict) for a in args)
        given = nest.flatten(list(args)) if is_nested and args else list(args)
        for spec in self.input_signature[len(given) :]:
            if spec.name not in kwargs:
                raise TypeError(
                    f"{self.name} expected {len(self.input_signature)} inputs, "
                    f"{[s.name for s in self.input_signature]}; got {len(given)} and {sorted(kwargs)}."
                )
            given.append(kwargs.pop(spec.name))
        found = self._program([v.numpy() for v in self._variables], *given)
        return nest.pack_sequence_as(self._outputs, found)


class ServedModel:
    """A Keras model called as the function of a signature: outputs come by their names."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.input_signature = input_specs(model)

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        given = [*args, *[kwargs[str(spec.name)] for spec in self.input_signature[len(args) :]]]
        found = nest.flatten(served(self._model, tuple(given)))
        names = self._model.output_names or [f"output_{i + 1}" for i in range(len(found))]
        return dict(zip(names, found, strict=True))


class Signature:
    """A loaded function whose results come as a dict, as TensorFlow's signatures give them."""

    def __init__(self, endpoint: Endpoint | ServedModel) -> None:
        self._endpoint = endpoint
        self.structured_input_signature = ((), {s.name: s for s in endpoint.input_signature})

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        found = self._endpoint(*args, **kwargs)
        if isinstance(found, dict):
            return found
        return {f"output_{i}": part for i, part in enumerate(nest.flatten(found))}


class LoadedModel(Module):
    """What was saved: its functions as attributes, `signatures` by name, and its Variables."""

    def __init__(
        self, endpoints: dict[str, Endpoint], signatures: dict[str, str], variables: list[Variable]
    ) -> None:
        super().__init__()
        self._held_variables = variables
        self._endpoints = endpoints
        self.signatures = {name: Signature(endpoints[found]) for name, found in signatures.items()}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found = vars(self).get("_endpoints", {}).get(name)
        if found is None:
            raise AttributeError(
                f"The loaded object has no function {name!r}. It has: {sorted(vars(self).get('_endpoints', {}))}."
            )
        return found

    def __call__(self, *args: Any, training: Any = None, **kwargs: Any) -> Any:
        """What the saved model computed."""
        name = "serve" if "serve" in self._endpoints else "__call__"
        return getattr(self, name)(*args, **kwargs)


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Load a folder that `tf.saved_model.save` or `model.export` wrote: a `LoadedModel`.

    A folder that `model.save` wrote gives the Keras model, with `signatures`.

    Args:
        export_dir: the folder.
        tags, options: ignored.

    Raises:
        OSError: there is no such folder.
        ValueError: it is damaged, or one of TensorFlow's.
    """
    path = Path(os.fspath(export_dir))
    if not (path / MANIFEST).is_file():
        if (path / _KERAS_FILE).is_file():
            model: Any = tf.keras.models.load_model(path)
            model.signatures = {"serving_default": Signature(ServedModel(model))}
            return model
        if (path / "saved_model.pb").is_file() or (path / "saved_model.pbtxt").is_file():
            raise ValueError(
                f"tf.saved_model.load expected a folder that TapeFlow wrote; got {str(path)!r}, a TensorFlow "
                "SavedModel, which only TensorFlow can run. Load it there and save the model as `.keras` or `.h5`."
            )
        raise OSError(f"SavedModel file does not exist at: {path}/{MANIFEST}")
    manifest = _manifest(path)
    try:
        with TensorFile(_checked(path, VARIABLES, manifest)) as file:
            variables = [
                Variable(
                    file.read(str(i)), trainable=bool(v["trainable"]), name=str(v["name"]).removesuffix(":0")
                )
                for i, v in enumerate(manifest["variables"])
            ]
        endpoints = {}
        for name, described in manifest["endpoints"].items():
            file = _checked(path, described["file"], manifest)
            endpoints[name] = Endpoint(
                name, PortableProgram(file.read_bytes(), str(file)), described, variables
            )
        return LoadedModel(endpoints, manifest["signatures"], variables)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _broken(path, f"{type(error).__name__}: {error}") from error


def _manifest(path: Path) -> Any:
    file = path / MANIFEST
    if file.stat().st_size > _MAX_MANIFEST_BYTES:
        raise _broken(path, f"{MANIFEST} is not of a believable size")
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise _broken(path, str(error)) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _broken(path, f"{MANIFEST} does not describe a saved model")
    return found


def _checked(path: Path, name: str, manifest: Any) -> Path:
    """A file of the folder, after its checksum was found to be right; no path leads out of the folder."""
    if Path(name).name != name or name not in manifest["sha256"]:
        raise _broken(path, f"it names a file {name!r} that is none of its own")
    file = path / name
    if not file.is_file():
        raise _broken(path, f"{name!r} is missing")
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != manifest["sha256"][name]:
        raise _broken(path, f"{name!r} has changed since it was written")
    return file


def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder holds a saved model that `load` reads."""
    return Path(os.fspath(export_dir), MANIFEST).is_file()


def _broken(path: Path, why: str) -> ValueError:
    return ValueError(
        f"tf.saved_model.load expected a whole saved model; got {str(path)!r}, which cannot be read: {why}. It may be "
        "truncated or damaged: use another copy."
    )
