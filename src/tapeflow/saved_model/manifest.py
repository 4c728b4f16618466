"""What `saved_model.json` must look like: it is checked as a whole before anything is made of it."""

from __future__ import annotations

from typing import Any

_MOST_DIMENSIONS = 32


def check_manifest(manifest: Any) -> None:
    """Raise unless a manifest describes a saved model.

    Raises:
        ValueError: something in it is missing or of another kind.
    """
    _require(isinstance(manifest, dict), "manifest", manifest)
    for name, kind in {"endpoints": dict, "signatures": dict, "variables": list, "sha256": dict}.items():
        _require(isinstance(manifest.get(name), kind), name, manifest.get(name))
    variables = manifest["variables"]
    for variable in variables:
        _check_variable(variable)
    for described in manifest["endpoints"].values():
        _require(isinstance(described, list) and bool(described), "endpoints", described)
        for program in described:
            _check_program(program, len(variables))
    for name in manifest["signatures"].values():
        _require(isinstance(name, str) and name in manifest["endpoints"], "signatures", name)
    for digest in manifest["sha256"].values():
        _require(isinstance(digest, str), "sha256", digest)


def _check_variable(variable: Any) -> None:
    _require(isinstance(variable, dict), "variables", variable)
    _require(isinstance(variable.get("name"), str), "name", variable.get("name"))
    _require(isinstance(variable.get("trainable"), bool), "trainable", variable.get("trainable"))
    path = variable.get("path")
    is_sound = isinstance(path, list) and all(isinstance(n, str) and not n.startswith("__") for n in path)
    _require(is_sound, "path", path)


def _check_program(program: Any, variable_count: int) -> None:
    _require(isinstance(program, dict), "program", program)
    _require(isinstance(program.get("file"), str), "file", program.get("file"))
    _require("outputs" in program, "outputs", None)
    writes, inputs, arguments = (program.get(name) for name in ("writes", "inputs", "arguments"))
    _require(isinstance(writes, list) and all(_is_below(i, variable_count) for i in writes), "writes", writes)
    _require(isinstance(inputs, list), "inputs", inputs)
    for spec in inputs or ():
        _check_input(spec)
    _require(isinstance(arguments, list), "arguments", arguments)
    for argument in arguments or ():
        is_pair = isinstance(argument, list) and len(argument) == 2 and isinstance(argument[0], str)
        _require(is_pair, "arguments", argument)
        _check_argument(argument[1], len(inputs or ()))


def _check_input(spec: Any) -> None:
    _require(isinstance(spec, dict), "inputs", spec)
    _require(isinstance(spec.get("dtype"), str), "dtype", spec.get("dtype"))
    _require(spec.get("name") is None or isinstance(spec["name"], str), "name", spec.get("name"))
    shape = spec.get("shape")
    is_sound = isinstance(shape, list) and len(shape) <= _MOST_DIMENSIONS
    _require(is_sound and all(n is None or _is_below(n, 1 << 63) for n in shape or ()), "shape", shape)


def _check_argument(structure: Any, input_count: int) -> None:
    _require(isinstance(structure, dict) and len(structure) == 1, "arguments", structure)
    ((kind, part),) = structure.items()
    if kind == "input":
        _require(_is_below(part, input_count), "input", part)
    elif kind == "dict":
        _require(isinstance(part, dict), "dict", part)
        for inner in part.values():
            _check_argument(inner, input_count)
    elif kind == "list":
        _require(isinstance(part, list), "list", part)
        for inner in part:
            _check_argument(inner, input_count)
    else:
        _require(kind == "value", "arguments", structure)


def _is_below(value: int, limit: int) -> bool:
    return type(value) is int and 0 <= value < limit


def _require(is_sound: bool, name: str, value: object) -> None:
    if not is_sound:
        raise ValueError(f"its manifest has {name}={str(value)[:100]!r}")
