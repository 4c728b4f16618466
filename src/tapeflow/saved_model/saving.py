"""`tf.saved_model.save` and `model.export`."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tapeflow.engine import nest
from tapeflow.engine.function import Function
from tapeflow.engine.module import Module
from tapeflow.engine.portable import export_program
from tapeflow.engine.tensor import TensorLike
from tapeflow.engine.tensor_spec import TensorSpec
from tapeflow.engine.variable import Variable
from tapeflow.keras.models.model import Model
from tapeflow.train.checkpoint import snapshot
from tapeflow.train.tensor_file import write_tensors

MANIFEST, VARIABLES, ENDING = "saved_model.json", "variables.safetensors", ".stablehlo"
FORMAT = "tapeflow-saved-model"
SERVING = "serving_default"


class SaveOptions:
    """TensorFlow's options for saving; none of them changes anything here."""

    def __init__(self, **options: Any) -> None:
        self.options = options


class LoadOptions(SaveOptions):
    """TensorFlow's options for loading; none of them changes anything here."""


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Write what an object computes to a folder, as StableHLO programs.

    Args:
        obj: a Keras model, or a `tf.Module` with `@tf.function(input_signature=...)` methods.
        export_dir: the folder; it is replaced as a whole.
        signatures: a function, or a dict of them, to find under `signatures` after loading.
        options: ignored.

    Raises:
        ValueError: there is no function whose arguments are known.
    """
    endpoints = _endpoints(obj)
    named: dict[str, Any] = {SERVING: "serve"} if isinstance(obj, Model) else {}
    given = {SERVING: signatures} if callable(signatures) else dict(signatures or {})
    for name, function in given.items():
        found = next((k for k, e in endpoints.items() if e[0] is function), None)
        named[name] = found or f"signature_{name}"
        if found is None:
            endpoints[named[name]] = (function, _specs(name, function))
    if not endpoints:
        raise ValueError(
            f"tf.saved_model.save expected a Keras model or an object with functions whose arguments are known; got "
            f"{type(obj).__name__}. Decorate its methods with @tf.function(input_signature=[tf.TensorSpec(...)])."
        )
    _write(Path(os.fspath(export_dir)), endpoints, named, _variables(obj))


Endpoint = tuple[Callable[..., Any], Any]


def _variables(obj: Any) -> list[Variable]:
    found = obj.variables if isinstance(obj, Module) else []
    return list({id(v): v for v in found}.values())


def _endpoints(obj: Any) -> dict[str, Endpoint]:
    """The functions of an object that can be exported, with the specs of their arguments."""
    if isinstance(obj, Model):
        return {"serve": (lambda *inputs: served(obj, inputs), input_specs(obj))}
    found: dict[str, Endpoint] = {}
    for name in sorted({n for c in type(obj).__mro__ for n in vars(c)} | set(vars(obj))):
        value = inspect.getattr_static(obj, name)
        if isinstance(value, Function) and value.input_signature is not None:
            found[name] = (getattr(obj, name), _specs(name, value))
    return found


def served(model: Any, inputs: tuple[Any, ...]) -> Any:
    """What a Keras model gives for its inputs, one after the other."""
    packed = nest.pack_sequence_as(_input_structure(model), list(inputs))
    return model(packed, training=False)


def _input_structure(model: Any) -> Any:
    structure = getattr(model, "_nested_inputs", None)
    return vars(model).get("_export_inputs") if structure is None else structure


def input_specs(model: Any) -> list[TensorSpec]:
    """The specs of a Keras model's inputs, in their order."""
    structure = getattr(model, "_nested_inputs", None)
    if structure is None:
        shapes = vars(model).get("_build_input_shape")
        if not model.built or shapes is None:
            raise ValueError(
                f"Exporting expected a model that knows its inputs; got {model.name!r}, which has not been called. "
                "Call it on some data first."
            )
        shapes = [shapes] if _is_shape(shapes) else shapes
        specs = [TensorSpec((None, *shape[1:]), model.compute_dtype) for shape in shapes]
        vars(model)["_export_inputs"] = specs[0] if len(specs) == 1 else specs
        return specs
    return [TensorSpec(x.shape, x.dtype, name=x.name) for x in nest.flatten(structure)]


def _is_shape(value: Any) -> bool:
    return all(d is None or isinstance(d, int) for d in value)


def _specs(name: str, function: Any) -> list[TensorSpec]:
    signature = getattr(function, "input_signature", None)
    if signature is None:
        raise ValueError(
            f"tf.saved_model.save expected a function whose arguments are known for {name!r}; got {function!r}. "
            "Decorate it with @tf.function(input_signature=[tf.TensorSpec(...)])."
        )
    return nest.flatten(signature)


def _write(
    path: Path, endpoints: dict[str, Endpoint], named: dict[str, str], variables: list[Variable]
) -> None:
    """Write the folder beside its place, then put it there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        files: dict[str, str] = {}
        described = {}
        for name, (function, specs) in endpoints.items():
            described[name] = _export(folder, name, function, specs, variables, files)
        tensors = {str(i): snapshot(v) for i, v in enumerate(variables)}
        write_tensors(folder / VARIABLES, tensors)
        files[VARIABLES] = _digest((folder / VARIABLES).read_bytes())
        manifest = {
            "format": FORMAT,
            "version": 1,
            "endpoints": described,
            "signatures": named,
            "variables": [{"name": v.name, "trainable": v.trainable} for v in variables],
            "sha256": files,
        }
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=1))
        _put(folder, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _export(
    folder: Path, name: str, function: Any, specs: Any, variables: list[Variable], files: dict[str, str]
) -> Any:
    data = export_program(getattr(function, "python_function", function), variables, specs)
    file = f"{name}{ENDING}"
    (folder / file).write_bytes(data)
    files[file] = _digest(data)
    # Recording on zeros tells the structure of what comes back.
    zeros = [TensorSpec([1 if s is None else s for s in spec.shape], spec.dtype) for spec in specs]
    result = nest.map_structure(_marked, function(*[_zeros(spec) for spec in zeros]))
    return {
        "file": file,
        "inputs": [{"name": s.name, "shape": s.shape.as_list(), "dtype": s.dtype.name} for s in specs],
        "outputs": result,
    }


def _zeros(spec: TensorSpec) -> Any:
    import tapeflow as tf

    return tf.zeros(spec.shape, spec.dtype)


def _marked(value: Any) -> Any:
    """What stands for a result in the manifest; only tensors come back from a program."""
    if not isinstance(value, TensorLike):
        raise ValueError(
            f"Exporting expected a function that returns tensors; got {value!r} among its results."
        )
    return "tensor"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _put(folder: Path, path: Path) -> None:
    """Give a written folder its name; what had it before goes only when the new one is there."""
    old = None
    if path.exists():
        old = path.with_name(f".{path.name}.{folder.name}.old")
        path.rename(old)
    folder.chmod(0o755)
    folder.rename(path)
    if old is not None:
        shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink()
