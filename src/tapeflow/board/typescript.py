"""The schema as TypeScript: `python -m tapeflow.board.typescript > web/src/api/schema.ts`."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import types
import typing
from types import ModuleType
from typing import Any, Literal, NotRequired, get_args, get_origin, is_typeddict

from tapeflow.board import api, schema

_HEAD = (
    "// Generated from tapeflow.board.schema by `python -m tapeflow.board.typescript`. Do not edit.\n"
    "// What each thing means: docs/board-api.md.\n"
)
_PLAIN: dict[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Any: "unknown",
}


def schema_modules() -> list[ModuleType]:
    """The common schema, and those of the panels that have their own."""
    found = [schema]
    for panel in pkgutil.iter_modules(api.__path__):
        if panel.ispkg:
            package = importlib.import_module(f"{api.__name__}.{panel.name}")
            if any(m.name == "schema" for m in pkgutil.iter_modules(package.__path__)):
                found.append(importlib.import_module(f"{package.__name__}.schema"))
    return found


def declarations() -> str:
    """All types, as the text of a TypeScript module."""
    parts = [_HEAD]
    for module in schema_modules():
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", module.__name__) not in (
                module.__name__,
                "typing",
                "types",
            ):
                continue
            if is_typeddict(value):
                parts.append(_interface(value))
            elif get_origin(value) in (Literal, types.UnionType, typing.Union):
                parts.append(f"export type {name} = {_type(value)};\n")
    return "\n".join(parts)


def _interface(found: Any) -> str:
    lines = [f"/** {line}" if i == 0 else f" * {line}".rstrip() for i, line in enumerate(_doc(found))]
    lines[-1] += " */"
    lines.append(f"export interface {found.__name__} {{")
    for name, kind in typing.get_type_hints(found, include_extras=True).items():
        is_not_required = get_origin(kind) is NotRequired
        is_optional = is_not_required or name in found.__optional_keys__
        inner = get_args(kind)[0] if is_not_required else kind
        lines.append(f"  {name}{'?' if is_optional else ''}: {_type(inner)};")
    return "\n".join([*lines, "}\n"])


def _doc(found: Any) -> list[str]:
    return (inspect.getdoc(found) or "").splitlines()


def _type(kind: Any) -> str:
    if is_typeddict(kind):
        return kind.__name__
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in inner)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(dict.fromkeys(map(_type, inner)))
    if origin is list:
        text = _type(inner[0])
        return f"({text})[]" if " | " in text else f"{text}[]"
    if origin is dict:
        return f"Record<{_type(inner[0])}, {_type(inner[1])}>"
    raise TypeError(f"the board's schema has a type that TypeScript is not told: {kind!r}")


if __name__ == "__main__":
    sys.stdout.write(declarations())
