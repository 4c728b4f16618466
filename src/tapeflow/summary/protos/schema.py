"""The text of a `.proto` file as the descriptor protobuf builds messages from.

Only what our own files use: proto3, messages, enums, oneofs, maps, repeated fields, imports. Anything else
is an error, so that a file is never half understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from google.protobuf import descriptor_pb2

_TOKEN = re.compile(r'"[^"]*"|[A-Za-z_.][\w.]*|-?\d+|[{}=;<>,\[\]]')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    kind.removeprefix("TYPE_").lower(): number
    for kind, number in _FIELD.Type.items()
    if kind not in ("TYPE_MESSAGE", "TYPE_ENUM", "TYPE_GROUP")
}


def parse(name: str, text: str) -> descriptor_pb2.FileDescriptorProto:
    """The descriptor of one file."""
    file = descriptor_pb2.FileDescriptorProto(name=name)
    reader = _Tokens(name, _COMMENT.sub(" ", text))
    for token in reader:
        if token == "syntax":
            reader.skip("=")
            file.syntax = reader.quoted()
            reader.skip(";")
        elif token == "package":
            file.package = next(reader)
            reader.skip(";")
        elif token == "import":
            file.dependency.append(reader.quoted())
            reader.skip(";")
        elif token == "message":
            _message(reader, file.message_type.add())
        elif token == "enum":
            _enum(reader, file.enum_type.add())
        elif token != ";":
            raise reader.error(token)
    return file


class _Tokens(Iterator[str]):
    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._tokens = iter(_TOKEN.findall(text))

    def __next__(self) -> str:
        return next(self._tokens)

    def skip(self, expected: str) -> None:
        """Take one token that must be there."""
        if (token := next(self, "the end")) != expected:
            raise self.error(token)

    def quoted(self) -> str:
        """Take a string."""
        return next(self).strip('"')

    def number(self) -> int:
        """Take the number after `=`, and the end of its statement."""
        self.skip("=")
        value = int(next(self))
        self.skip(";")
        return value

    def error(self, token: str) -> ValueError:
        """What to raise on a token that should not be here."""
        return ValueError(f"{self.name} expected the proto3 that schema.py reads; got {token!r}.")


def _message(reader: _Tokens, proto: Any) -> None:
    proto.name = next(reader)
    reader.skip("{")
    for token in reader:
        if token == "}":
            return
        if token == "message":
            _message(reader, proto.nested_type.add())
        elif token == "enum":
            _enum(reader, proto.enum_type.add())
        elif token == "oneof":
            proto.oneof_decl.add(name=next(reader))
            reader.skip("{")
            while (inner := next(reader)) != "}":
                field = _field(reader, proto, inner)
                field.oneof_index = len(proto.oneof_decl) - 1
        elif token == "map":
            _map(reader, proto)
        elif token == "repeated":
            _field(reader, proto, next(reader)).label = _FIELD.LABEL_REPEATED
        else:
            _field(reader, proto, token)
    raise reader.error("the end")


def _field(reader: _Tokens, proto: Any, kind: str) -> Any:
    field = proto.field.add(name=next(reader), label=_FIELD.LABEL_OPTIONAL)
    _set_type(field, kind)
    field.number = reader.number()
    return field


def _set_type(field: Any, kind: str) -> None:
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:  # a message or an enum: the pool finds out which, from the inside outwards
        field.type_name = kind


def _map(reader: _Tokens, proto: Any) -> None:
    reader.skip("<")
    key = next(reader)
    reader.skip(",")
    value = next(reader)
    reader.skip(">")
    name = next(reader)
    entry = proto.nested_type.add(name="".join(p.capitalize() for p in name.split("_")) + "Entry")
    entry.options.map_entry = True
    for number, (part, kind) in enumerate((("key", key), ("value", value)), 1):
        field = entry.field.add(name=part, number=number, label=_FIELD.LABEL_OPTIONAL)
        _set_type(field, kind)
    proto.field.add(
        name=name,
        number=reader.number(),
        label=_FIELD.LABEL_REPEATED,
        type=_FIELD.TYPE_MESSAGE,
        type_name=entry.name,
    )


def _enum(reader: _Tokens, proto: Any) -> None:
    proto.name = next(reader)
    reader.skip("{")
    while (name := next(reader)) != "}":
        proto.value.add(name=name, number=reader.number())
