"""`tf.saved_model.save` and `model.export`."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.exporting.portable import export_program
from tapeflow.engine.functions.concrete_function import ConcreteFunction
from tapeflow.engine.functions.function import Function
from tapeflow.engine.module import Module
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable
from tapeflow.io.replaced_folder import ReplacedFolder, manifest_of
from tapeflow.io.temporary import naming
from tapeflow.keras.models.kinds import AnyModel
from tapeflow.ops.graphs.nodes.lowering import CannotWrite
from tapeflow.saved_model.constants import GRAPH_FILES
from tapeflow.saved_model.model_inputs import input_specs, input_structure, served
from tapeflow.train.checkpoint import snapshot
from tapeflow.train.tensor_file import write_tensors
from tapeflow.train.trackable import Trackable, children

MANIFEST, VARIABLES, ENDING = "saved_model.json", "variables.safetensors", ".stablehlo"
FORMAT = "tapeflow-saved-model"
SERVING = "serving_default"


FORMATS = ("tensorflow", "stablehlo")


class SaveOptions:
    """Options for saving; TensorFlow's own change nothing here.

    Args:
        format: "tensorflow" for a SavedModel that TensorFlow loads too; "stablehlo" for our programs alone.
        options: TensorFlow's.

    Raises:
        ValueError: `format` is another one.
    """

    def __init__(self, *, format: str = "tensorflow", **options: Any) -> None:
        if format not in FORMATS:
            raise ValueError(
                f"tf.saved_model.SaveOptions expected format to be one of {FORMATS}; got format={format!r}. Leave it "
                "out for a folder that TensorFlow loads too."
            )
        vars(self).update(options, format=format)


class LoadOptions:
    """Options for loading; TensorFlow's own change nothing here.

    Args:
        safe_mode: `False` runs programs without trying them in another process or looking at what they do. That is
            for folders you trust.
        options: TensorFlow's.
    """

    def __init__(self, *, safe_mode: bool = True, **options: Any) -> None:
        vars(self).update(options, safe_mode=safe_mode)


class Call(NamedTuple):
    """A way to call a function: with tensors like `specs`, at their places among the `arguments`.

    `wider` are specs that the program is made for if it can be: the same, with any number of rows.
    """

    function: Callable[..., Any]
    specs: list[TensorSpec]
    arguments: list[Any]
    wider: list[TensorSpec] | None = None


def save(obj: object, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None) -> None:
    """Write what an object computes to a folder: as a SavedModel that TensorFlow loads, and as StableHLO programs.

    Args:
        obj: a Keras model, or a `tf.Module` or `tf.train.Checkpoint` with `@tf.function`s. One without an
            `input_signature` is written for each kind of call that it has met; a model's has to have one. A function
            of strings that TensorFlow's ops cannot do is left out, with a warning.
        export_dir: the folder; one that holds an earlier export, and nothing else, is replaced as a whole.
        signatures: a function, or a dict of them, to find under `signatures` after loading.
        options: a `SaveOptions`.

    Raises:
        FileExistsError: there are other things in the folder; they stay.
        ValueError: there is no function whose arguments are known, or one cannot be exported.
    """
    save_object(obj, export_dir, signatures, getattr(options, "format", "tensorflow"))


def save_object(
    obj: object, export_dir: Any, signatures: Any = None, format: str = "tensorflow", training: Any = None
) -> None:
    """`save`, in one of the `FORMATS`; `training` is how a Keras model was compiled."""
    folder = ReplacedFolder(os.fsdecode(export_dir), MANIFEST, _written, "tf.saved_model.save")
    is_model = isinstance(obj, AnyModel)
    if not isinstance(obj, (Module, Trackable)):
        raise ValueError(
            f"tf.saved_model.save expected a Keras model, a tf.Module or a tf.train.Checkpoint; got obj={obj!r}. Put "
            "what is to be saved into a tf.Module."
        )
    functions = _functions(obj)
    if is_model:
        functions = {name: f for name, f in functions.items() if f.input_signature is not None}
    variables = _variables(obj)
    calls = {name: found for name, f in functions.items() if (found := _calls(f))}
    if is_model and (signatures is None or obj.built):
        calls["serve"] = [_served_call(obj)]
    given = {SERVING: signatures} if callable(signatures) else dict(signatures or {})
    if is_model:
        named = {} if given else {SERVING: "serve"}
    else:
        named = _only_signature({n: f for n, f in functions.items() if n in calls}, signatures)
    for name, function in given.items():
        found = next((k for k, f in functions.items() if f is function and k in calls), None)
        named[name] = found or f"signature_{name}"
        if found is None:
            calls[named[name]] = _signature_calls(name, function)
    if not calls and not variables:
        raise ValueError(
            f"tf.saved_model.save expected a Keras model or an object with functions whose arguments are known; got "
            f"{type(obj).__name__}. Decorate its methods with @tf.function(input_signature=[tf.TensorSpec(...)]), or "
            "call them before saving."
        )
    graph = None
    if format == "tensorflow":
        graph = _graph_model(obj, functions, calls, given, named, training)
    endpoints = _of_numbers(calls, named, graph is not None)
    call_count = sum(map(len, calls.values()))
    _write(folder, endpoints, named, variables, _paths(obj), call_count, graph)


def _graph_model(
    obj: Any, functions: dict[str, Function], calls: Any, given: dict[str, Any], named: Any, training: Any
) -> Any:
    """The SavedModel as TensorFlow has it."""
    from tapeflow.saved_model.graph_saving import graph_model  # start-up

    written = {name: f for name, f in functions.items() if name in calls}
    signatures = dict(given)
    if not isinstance(obj, AnyModel):
        signatures |= {key: functions[name] for key, name in named.items() if name in functions}
    try:
        return graph_model(obj, written, signatures, training)
    except CannotWrite as error:
        raise CannotWrite(
            f'{error} Save it with options=tf.saved_model.SaveOptions(format="stablehlo"), for TapeFlow alone, or '
            "write it with other ops."
        ) from error


def _of_numbers(
    calls: dict[str, list[Call]], named: dict[str, str], has_graph: bool
) -> dict[str, list[Call]]:
    """The calls that programs of ours can make: those without strings. The others are in the graph, if there is one.

    Raises:
        ValueError: there is no graph, and a signature takes strings.
    """
    found: dict[str, list[Call]] = {}
    for name, each in calls.items():
        kept = [call for call in each if not _takes_strings(call)]
        if kept:
            found[name] = kept
        if len(kept) == len(each) or has_graph:
            continue
        if name in named.values():
            raise ValueError(
                f"tf.saved_model.save expected a function of numbers for {name!r}; got one that takes strings, with "
                'which no StableHLO program computes. Leave out format="stablehlo", or save what comes after looking '
                "the strings up."
            )
        warnings.warn(
            f"tf.saved_model.save leaves out {name!r}, which takes strings: StableHLO programs compute with numbers "
            "alone. Save what comes after looking the strings up.",
            stacklevel=4,
        )
    return found


def _takes_strings(call: Call) -> bool:
    return any(spec.dtype.name == "string" for spec in call.specs)


def _only_signature(functions: dict[str, Function], signatures: Any) -> dict[str, Any]:
    """Without signatures, the one function that says what it takes is the one to serve."""
    found = [n for n, f in functions.items() if f.input_signature is not None]
    return {SERVING: found[0]} if signatures is None and len(found) == 1 else {}


def _variables(obj: object) -> list[Variable]:
    found = (
        obj.variables if isinstance(obj, Module) else [v for v in _reached(obj) if isinstance(v, Variable)]
    )
    return list({id(v): v for v in found}.values())


def _reached(obj: Any) -> Iterator[Any]:
    """All that an object leads to."""
    return (value for _, value in _walk(obj))


def _walk(obj: object) -> Iterator[tuple[tuple[str, ...], Any]]:
    seen: set[int] = set()
    waiting: list[tuple[tuple[str, ...], Any]] = [((), obj)]
    for path, value in waiting:
        if id(value) not in seen:
            seen.add(id(value))
            yield path, value
            waiting += [((*path, name), child) for name, child in children(value).items()]


def _paths(obj: object) -> dict[int, list[str]]:
    """The names that lead to each Variable of a module; a Keras model's are found by their layers alone."""
    if isinstance(obj, AnyModel):
        return {}
    return {id(value): list(path) for path, value in _walk(obj) if isinstance(value, Variable)}


def _functions(obj: object) -> dict[str, Function]:
    """The `@tf.function`s of an object, by name."""
    names = sorted({n for c in type(obj).__mro__ for n in vars(c)} | set(vars(obj)))
    return {n: getattr(obj, n) for n in names if isinstance(inspect.getattr_static(obj, n), Function)}


def _calls(function: Function) -> list[Call]:
    """How a function may be called: as its signature says, or as it has been."""
    if function.input_signature is not None and _has_sizes(function.input_signature):
        return [_call(function.get_concrete_function())]
    met = {str(c._arguments): c for c in function.called() if _has_sizes(c.inputs) and _is_plain(c)}
    if not met and function.input_signature is not None:
        return [_call(function.get_concrete_function(*s)) for s in _guesses(function.input_signature)]
    calls = [_call(concrete) for concrete in met.values()]
    if function.input_signature is None:
        return calls
    asked = nest.flatten(function.input_signature)
    widened = [c._replace(wider=[_widened(s, a) for s, a in zip(c.specs, asked, strict=True)]) for c in calls]
    return list({str(c.wider): c for c in widened}.values())


def _widened(spec: TensorSpec, asked: TensorSpec) -> TensorSpec:
    """A spec met in a call, with its rows open if the signature has them so."""
    sizes = spec.shape.as_list()
    is_open = bool(sizes) and (asked.shape.rank is None or asked.shape.as_list()[0] is None)
    return TensorSpec([None, *sizes[1:]], spec.dtype, spec.name) if is_open else spec


def _has_sizes(signature: Sequence[TensorSpec]) -> bool:
    shapes = [s.shape for s in nest.flatten(signature)]
    return all(s.rank is not None and None not in s.as_list()[1:] for s in shapes)


def _guesses(signature: Any) -> list[Any]:
    """A number and a row of them, for arguments of any rank; other open sizes are for exporting to refuse."""
    if any(s.shape.rank is not None for s in nest.flatten(signature)):
        return [signature]
    return [
        nest.map_structure(lambda s, shape=shape: TensorSpec(shape, s.dtype, s.name), signature)
        for shape in ([], [None])
    ]


def _is_plain(concrete: ConcreteFunction) -> bool:
    """Whether what is settled of a call's arguments can be written down."""
    return all(
        isinstance(v, (TensorSpec, bool, int, float, str, type(None)))
        for v in nest.flatten(list(concrete._arguments.values()))
    )


def _call(concrete: ConcreteFunction) -> Call:
    values = list(concrete._arguments.values())

    def called(*tensors: Tensor) -> Any:
        given = iter(tensors)
        return concrete._called(
            nest.map_structure(lambda v: next(given) if isinstance(v, TensorSpec) else v, values)
        )

    places = iter(range(len(concrete.inputs)))
    described = [[n, _encoded(v, places)] for n, v in concrete._arguments.items()]
    return Call(called, concrete.inputs, described)


def _encoded(value: object, places: Iterator[int]) -> dict[str, Any]:
    """An argument as the manifest has it: which input, a list or dict of them, or a settled value."""
    if isinstance(value, TensorSpec):
        return {"input": next(places)}
    if isinstance(value, dict):
        return {"dict": {str(k): _encoded(value[k], places) for k in sorted(value)}}
    if isinstance(value, (list, tuple)):
        return {"list": [_encoded(v, places) for v in value]}
    return {"value": value}


def _served_call(model: Any) -> Call:
    specs = input_specs(model)
    places = nest.pack_sequence_as(input_structure(model), specs)
    return Call(
        lambda *inputs: served(model, inputs), specs, [["inputs", _encoded(places, iter(range(len(specs))))]]
    )


def _signature_calls(name: str, function: Callable[..., Any]) -> list[Call]:
    if isinstance(function, ConcreteFunction):
        call = _call(function)
        is_sized = _has_sizes(call.specs)
        found = [call] if is_sized else [call._replace(specs=s) for s in _guesses(call.specs)]
    else:
        found = _calls(function) if isinstance(function, Function) else []
    if not found:
        raise ValueError(
            f"tf.saved_model.save expected a function whose arguments are known for {name!r}; got {function!r}. "
            "Decorate it with @tf.function(input_signature=[tf.TensorSpec(...)])."
        )
    return found


def _written(folder: Path) -> list[str]:
    """The files of an earlier export in a folder; none if it holds no export."""
    manifest = manifest_of(folder, MANIFEST)
    files = manifest.get("sha256")
    if manifest.get("format") != FORMAT or not isinstance(files, dict):
        return []
    others = manifest.get("tensorflow")
    graph = [str(name) for name in others if name in GRAPH_FILES] if isinstance(others, list) else []
    return [MANIFEST, VARIABLES, *(name for name in files if name.endswith(ENDING)), *graph]


def _write(
    place: ReplacedFolder,
    endpoints: dict[str, list[Call]],
    named: dict[str, str],
    variables: list[Variable],
    paths: dict[int, list[str]],
    call_count: int,
    graph: Any = None,
) -> None:
    folder = place.open()
    try:
        with naming(place.path):
            _fill(folder, endpoints, named, variables, paths, call_count, graph)
            if graph is not None:
                graph.write(folder)
            place.commit()
    finally:
        place.discard()


def _whole(variable: Variable) -> np.ndarray:
    value = snapshot(variable)
    if not isinstance(value, np.ndarray):
        raise ValueError(
            f"Saving a model expected Variables that this process holds whole; got {variable.name}, which is split "
            "over several processes. Write a tf.train.Checkpoint, which each process saves its part of."
        )
    return value


def _fill(
    folder: Path,
    endpoints: dict[str, list[Call]],
    named: dict[str, str],
    variables: list[Variable],
    paths: dict[int, list[str]],
    call_count: int,
    graph: Any = None,
) -> None:
    files: dict[str, str] = {}
    described: dict[str, Any] = {}
    for name, calls in endpoints.items():
        try:
            described[name] = [_export(folder, name, i, c, variables, files) for i, c in enumerate(calls)]
        except ValueError:
            if graph is None:
                raise  # otherwise TensorFlow's ops have it
    named = {key: name for key, name in named.items() if name in described}
    tensors = {str(i): _whole(v) for i, v in enumerate(variables)}
    write_tensors(folder / VARIABLES, tensors)
    files[VARIABLES] = _digest((folder / VARIABLES).read_bytes())
    manifest = {
        "format": FORMAT,
        "version": 2,
        "endpoints": described,
        "signatures": named,
        "variables": [
            {"name": v.name, "trainable": v.trainable, "path": paths.get(id(v), [])} for v in variables
        ],
        "sha256": files,
        "tensorflow": [] if graph is None else graph.names,
        # Otherwise the SavedModel is loaded, which has the calls that are no programs.
        "has_all": sum(map(len, described.values())) == call_count,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1))


def _export(
    folder: Path, name: str, number: int, call: Call, variables: list[Variable], files: dict[str, str]
) -> dict[str, Any]:
    file, specs = f"{name}-{number}{ENDING}", call.specs
    exported = None
    if call.wider is not None:
        try:
            exported = export_program(call.function, variables, call.wider)
            specs = call.wider
        except ValueError:  # its rows are not treated each by itself
            exported = None
    try:
        exported = exported or export_program(call.function, variables, specs)
    except TypeError as error:
        raise ValueError(
            f"tf.saved_model.save expected functions that can be programs, of numbers alone; got {name!r}: {error}"
        ) from error
    (folder / file).write_bytes(exported.data)
    files[file] = _digest(exported.data)
    return {
        "file": file,
        "arguments": call.arguments,
        "inputs": [{"name": s.name, "shape": s.shape.as_list(), "dtype": s.dtype.name} for s in specs],
        "outputs": exported.outputs,
        "writes": exported.writes,
    }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
