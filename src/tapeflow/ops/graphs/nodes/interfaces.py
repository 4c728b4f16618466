"""What TensorFlow's ops take and give: the names and types of arguments, results and attributes."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any, NamedTuple


class Argument(NamedTuple):
    """An argument or result of an op.

    Attributes:
        name: what it is called.
        kind: the attribute that says its type, or the number of a type.
        number: the attribute that says how many there are; "*" if `kind` lists their types; "" for one.
    """

    name: str
    kind: str | int
    number: str


class Interface(NamedTuple):
    """An op of TensorFlow's, by its public definition.

    Attributes:
        inputs, outputs: what it takes and gives.
        attributes: by name, the type and, if there is one, the default.
        is_stateful: whether it does more than compute.
    """

    inputs: list[Argument]
    outputs: list[Argument]
    attributes: dict[str, list[Any]]
    is_stateful: bool


@cache
def _all() -> dict[str, Interface]:
    text = resources.files(__package__ or __name__).joinpath("interfaces.json").read_text("utf-8")
    return {
        name: Interface(
            [Argument(*a) for a in found["inputs"]],
            [Argument(*a) for a in found["outputs"]],
            found["attrs"],
            found.get("stateful", False),
        )
        for name, found in json.loads(text).items()
    }


def interface(op: str) -> Interface:
    """The interface of an op."""
    return _all()[op]
