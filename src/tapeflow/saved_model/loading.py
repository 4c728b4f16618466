"""`tf.saved_model.load`: run what `tf.saved_model.save` wrote, here or in TensorFlow."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.exporting.portable import PortableProgram
from tapeflow.engine.exporting.program_trial import Program, try_out
from tapeflow.engine.module import Module
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable
from tapeflow.io.folder_part import part_of
from tapeflow.saved_model.manifest import check_manifest
from tapeflow.saved_model.reading.folder import is_saved_model
from tapeflow.saved_model.reading.loader import load_saved_model
from tapeflow.saved_model.saving import FORMAT, MANIFEST, VARIABLES, input_specs, served
from tapeflow.train.tensor_file import TensorFile

_MAX_MANIFEST_BYTES = 1 << 26
_KERAS_FILE = "model.keras"  # in a folder that `model.save` wrote


class Mismatch(Exception):
    """A program does not take these arguments."""


class Saved:
    """One program of a loaded function, and how its arguments are called."""

    def __init__(self, program: PortableProgram, described: dict[str, Any]) -> None:
        self._program = program
        self._outputs = described["outputs"]
        self.writes = [int(i) for i in described["writes"]]
        self.arguments = {str(name): structure for name, structure in described["arguments"]}
        self.inputs = [TensorSpec(i["shape"], i["dtype"], name=i["name"]) for i in described["inputs"]]
        if len(_marks(self._outputs)) + len(self.writes) != len(program.output_specs):
            raise TypeError("a program has another number of results")

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any], casts: bool) -> list[Any]:
        """The inputs of the program among the arguments of a call.

        Raises:
            Mismatch: the arguments are others.
        """
        names = list(self.arguments)
        if len(args) > len(names) and len(names) == 1:
            args = (list(args),)
        if len(args) > len(names):
            raise Mismatch
        values = dict(zip(names, args, strict=False))
        found: list[Any] = [None] * len(self.inputs)
        by_input = {spec.name: i for i, spec in enumerate(self.inputs)}
        for name, value in kwargs.items():
            if name in names and name not in values:
                values[name] = value
            elif name in by_input and not args:
                found[by_input[name]] = self._fitted(by_input[name], value, casts)
            else:
                raise Mismatch
        for name, structure in self.arguments.items():
            if name in values:
                self._take(structure, values[name], found, casts)
        if any(part is None for part in found):
            raise Mismatch
        return found

    def _take(self, structure: dict[str, Any], value: Any, found: list[Any], casts: bool) -> None:
        [(kind, part)] = structure.items()
        if kind == "input":
            found[part] = self._fitted(part, value, casts)
        elif kind == "value":
            if isinstance(value, TensorBase) or type(value) is not type(part) or value != part:
                raise Mismatch
        else:
            parts = list(part.values()) if kind == "dict" else part
            given = nest.flatten(value) if kind == "dict" else value
            if not isinstance(given, (list, tuple)) or len(given) != len(parts):
                raise Mismatch
            for inner, item in zip(parts, given, strict=True):
                self._take(inner, item, found, casts)

    def _fitted(self, i: int, value: TensorLike, casts: bool) -> Tensor:
        spec = self.inputs[i]
        try:
            if casts:
                value = np.asarray(value, spec.dtype.as_numpy_dtype)
            tensor = convert_to_tensor(value, None if isinstance(value, TensorBase) else spec.dtype)
        except (TypeError, ValueError):
            raise Mismatch from None
        if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
            raise Mismatch
        return tensor

    def run(self, variables: list[Variable], inputs: list[Any]) -> Any:
        """The results; what the function assigned is assigned."""
        found = self._program(variables, *inputs)
        for i, value in zip(self.writes, found[len(found) - len(self.writes) :], strict=True):
            variables[i].assign(value)
        results = iter(found)
        return nest.map_structure(lambda mark: None if mark is None else next(results), self._outputs)

    @property
    def output_specs(self) -> Any:
        """What comes back, with a spec for each tensor."""
        specs = iter(self._program.output_specs)
        return nest.map_structure(lambda mark: None if mark is None else next(specs), self._outputs)


def _marks(outputs: Any) -> list[Any]:
    """One mark for each tensor among the results of a function."""
    return [mark for mark in nest.flatten(outputs) if mark is not None]


class Endpoint:
    """A loaded function: called as it was when it was saved, with tensors of the same kinds."""

    def __init__(self, name: str, programs: list[Saved], variables: list[Variable]) -> None:
        self.name = name
        self.programs = programs
        self._variables = variables

    @property
    def input_signature(self) -> list[TensorSpec]:
        """The specs of the inputs; of the first program, if there are several."""
        return self.programs[0].inputs

    @property
    def output_specs(self) -> Any:
        """What comes back, with a spec for each tensor; of the first program, if there are several."""
        return self.programs[0].output_specs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for casts in (False, True):
            for program in self.programs:
                try:
                    inputs = program.bound(args, kwargs, casts)
                except Mismatch:
                    continue
                return program.run(self._variables, inputs)
        raise self._refusal(args, kwargs)

    def _refusal(self, args: Any, kwargs: Any) -> Exception:
        count = len(self.input_signature)
        if len(self.programs) == 1 and len(nest.flatten((args, kwargs))) < count:
            return TypeError(
                f"{self.name} expected {count} inputs, {[s.name for s in self.input_signature]}; got {len(args)} and "
                f"{sorted(kwargs)}."
            )
        options = "; ".join(str([*p.inputs]) for p in self.programs)
        return ValueError(
            f"Could not find matching concrete function to call loaded from the SavedModel: {self.name} expected "
            f"{options}; got {args!r} {kwargs or ''}. Call the function on such arguments before it is saved."
        )


class ServedModel:
    """A Keras model called as the function of a signature: outputs come by their names."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.input_signature = input_specs(model)

    def __call__(self, *args: Tensor, **kwargs: Any) -> dict[str, Any]:
        given = [*args, *[kwargs[str(spec.name)] for spec in self.input_signature[len(args) :]]]
        return self._named(nest.flatten(served(self._model, tuple(given))))

    @property
    def output_specs(self) -> dict[str, TensorSpec]:
        """What comes back for one row, with its rows open."""
        rows = [tf.zeros([1, *spec.shape.as_list()[1:]], spec.dtype) for spec in self.input_signature]
        found = nest.flatten(served(self._model, tuple(rows)))
        return self._named([TensorSpec([None, *t.shape.as_list()[1:]], t.dtype) for t in found])

    def _named(self, found: list[Any]) -> dict[str, Any]:
        names = self._model.output_names or [f"output_{i + 1}" for i in range(len(found))]
        return dict(zip(names, found, strict=True))


class Signature:
    """A loaded function whose results come as a dict, as TensorFlow's signatures give them."""

    def __init__(self, endpoint: Endpoint | ServedModel) -> None:
        self._endpoint = endpoint
        self.structured_input_signature = ((), {s.name: s for s in endpoint.input_signature})

    @property
    def structured_outputs(self) -> dict[str, TensorSpec]:
        """The specs of the results, by name."""
        found = _by_name(self._endpoint.output_specs)
        return {name: TensorSpec(spec.shape, spec.dtype, name) for name, spec in found.items()}

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return _by_name(self._endpoint(*args, **kwargs))


def _by_name(found: object) -> dict[str, Any]:
    if isinstance(found, dict):
        return found
    return {f"output_{i}": part for i, part in enumerate(nest.flatten(found))}


class Part(Module):
    """A module inside a loaded one: it holds Variables."""


class LoadedModel(Module):
    """What was saved: its functions and Variables as attributes, `signatures` by name, and all its Variables."""

    def __init__(
        self,
        endpoints: dict[str, Endpoint],
        signatures: dict[str, str],
        variables: list[Variable],
        paths: list[list[str]],
    ) -> None:
        super().__init__()
        self._held_variables = variables
        self._endpoints = endpoints
        self.signatures = {name: Signature(endpoints[found]) for name, found in signatures.items()}
        for variable, path in zip(variables, paths, strict=True):
            owner: Any = self
            for name in path[:-1]:
                owner = vars(owner).setdefault(name, Part())
            if path and path[-1] not in vars(owner):
                setattr(owner, path[-1], variable)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found = vars(self).get("_endpoints", {}).get(name)
        if found is None:
            raise AttributeError(
                f"The loaded object has no function {name!r}. It has: {sorted(vars(self).get('_endpoints', {}))}."
            )
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the saved model computed."""
        endpoint = self._endpoints.get("serve") or self._endpoints.get("__call__")
        if endpoint is None:
            raise TypeError(
                f"The loaded object cannot be called. It has the functions {sorted(self._endpoints)}."
            )
        if all("training" not in program.arguments for program in endpoint.programs):
            kwargs.pop("training", None)
        return endpoint(*args, **kwargs)


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Load a folder that `tf.saved_model.save` or `model.export` wrote, here or in TensorFlow.

    One of TensorFlow's gives its objects, with their functions (`reading.objects`). A folder that `model.save` wrote
    gives the Keras model, with `signatures`.

    Args:
        export_dir: the folder.
        tags: those of the graph that is wanted, if TensorFlow wrote several.
        options: `tf.saved_model.LoadOptions(safe_mode=False)` runs the folder's programs unseen, and lets tables of
            TensorFlow's read files outside of the folder. Otherwise programs that were not exported on this machine are
            tried in another process first, once.

    Raises:
        OSError: there is no such folder.
        ValueError: it is damaged, or has programs that may do something else than compute.
        RuntimeError: no process could be started to try them.
    """
    safe_mode = bool(getattr(options, "safe_mode", True))
    path = Path(os.fspath(export_dir))
    if not (path / MANIFEST).is_file():
        if (path / _KERAS_FILE).is_file():
            model: Any = tf.keras.models.load_model(path)
            model.signatures = {"serving_default": Signature(ServedModel(model))}
            return model
        if is_saved_model(path):
            return load_saved_model(path, tags, safe_mode)
        raise OSError(f"SavedModel file does not exist at: {path}/{MANIFEST}")
    manifest = _manifest(path)
    if manifest.get("has_all") is False and is_saved_model(path):
        return load_saved_model(path, tags, safe_mode)  # it has functions that are no programs of ours
    try:
        with TensorFile(_checked(path, VARIABLES, manifest)) as file:
            variables = [
                Variable(
                    file.read(str(i)), trainable=bool(v["trainable"]), name=str(v["name"]).removesuffix(":0")
                )
                for i, v in enumerate(manifest["variables"])
            ]
        programs = _programs(path, manifest, safe_mode)
        try:
            return _assembled(manifest, programs, variables)
        except ValueError as error:
            raise _broken(path, str(error)) from error
    except (KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise _broken(path, f"{type(error).__name__}: {error}") from error


def _assembled(
    manifest: dict[str, Any], programs: dict[str, PortableProgram], variables: list[Variable]
) -> LoadedModel:
    endpoints = {
        name: Endpoint(name, [Saved(programs[d["file"]], d) for d in described], variables)
        for name, described in manifest["endpoints"].items()
    }
    paths = [[str(name) for name in v["path"]] for v in manifest["variables"]]
    return LoadedModel(endpoints, manifest["signatures"], variables, paths)


def _programs(path: Path, manifest: dict[str, Any], safe_mode: bool) -> dict[str, PortableProgram]:
    """The programs of a folder, by file. The bytes that are tried are the ones that run: they are read once."""
    names = {d["file"] for described in manifest["endpoints"].values() for d in described}
    found = {name: Program(str(path / name), _content(path, name, manifest)) for name in sorted(names)}
    if safe_mode:
        try_out(list(found.values()))
    return {name: PortableProgram(p.data, p.where, safe_mode) for name, p in found.items()}


def _manifest(path: Path) -> dict[str, Any]:
    try:
        file = part_of(path, MANIFEST)
        if file.stat().st_size > _MAX_MANIFEST_BYTES:
            raise ValueError(f"{MANIFEST} is not of a believable size")
        found = json.loads(file.read_bytes())
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"{MANIFEST} does not describe a saved model")
        check_manifest(found)
        for name in found["sha256"]:
            if Path(name).name == name:  # no other is opened
                part_of(path, name)
    except (ValueError, RecursionError) as error:
        raise _broken(path, str(error)) from error
    return found


def _checked(path: Path, name: str, manifest: dict[str, Any]) -> Path:
    """A file of the folder, after its checksum was found to be right; no path leads out of the folder."""
    file = _file(path, name, manifest)
    with file.open("rb") as opened:
        _check(path, name, manifest, hashlib.file_digest(opened, "sha256").hexdigest())
    return file


def _content(path: Path, name: str, manifest: dict[str, Any]) -> bytes:
    """The bytes of a file of the folder, which have the right checksum."""
    data = _file(path, name, manifest).read_bytes()
    _check(path, name, manifest, hashlib.sha256(data).hexdigest())
    return data


def _file(path: Path, name: str, manifest: dict[str, Any]) -> Path:
    if Path(name).name != name or name not in manifest["sha256"]:
        raise _broken(path, f"it names a file {name!r} that is none of its own")
    if not (path / name).is_file():
        raise _broken(path, f"{name!r} is missing")
    return path / name


def _check(path: Path, name: str, manifest: dict[str, Any], digest: str) -> None:
    if digest != manifest["sha256"][name]:
        raise _broken(path, f"{name!r} has changed since it was written")


def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder contains a saved model that `load` can read."""
    path = Path(os.fspath(export_dir))
    return (path / MANIFEST).is_file() or is_saved_model(path)


def _broken(path: Path, why: str) -> ValueError:
    return ValueError(
        f"tf.saved_model.load expected a whole saved model; got {str(path)!r}, which cannot be read: {why}. It may be "
        "truncated or damaged: use another copy."
    )
