"""Message classes by name, from the `.proto` files of this folder."""

from __future__ import annotations

import threading
from functools import cache
from importlib import resources
from typing import Any

from google.protobuf import descriptor_pool, message_factory

from tapeflow.summary.protos.schema import parse

_PACKAGE = "tapeflow"
_MAKING = threading.Lock()  # threads that ask first together must not get classes of two pools


@cache
def _pool() -> Any:
    folder = resources.files(__package__ or __name__)
    texts = {f.name: f.read_text("utf-8") for f in folder.iterdir() if f.name.endswith(".proto")}
    files = {name: parse(name, text) for name, text in texts.items()}
    pool = descriptor_pool.DescriptorPool()
    added: set[str] = set()

    def add(name: str) -> None:
        if name in added:
            return
        added.add(name)
        for needed in files[name].dependency:
            add(needed)
        pool.AddSerializedFile(files[name].SerializeToString())

    for name in sorted(files):
        add(name)
    return pool


@cache
def message(name: str) -> Any:
    """The class of a message: `message("Event")`, `message("Summary.Value")`.

    Its package is `tapeflow` unless the name says otherwise with a leading dot.
    """
    full = name[1:] if name.startswith(".") else f"{_PACKAGE}.{name}"
    with _MAKING:
        return message_factory.GetMessageClass(_pool().FindMessageTypeByName(full))
