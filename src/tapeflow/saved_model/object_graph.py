"""The objects of a SavedModel: what leads to what, as `SavedObjectGraph` and as the graph of its checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tapeflow.engine.values.variable import Variable
from tapeflow.ops.graphs.nodes.function_body import kind_of, shape_message
from tapeflow.summary.protos import message


class Written(NamedTuple):
    """A concrete function that has been written.

    Attributes:
        name: in the library.
        bound: what its captured arguments are: Variables and resources.
        inputs: the structure of its arguments with specs: positional ones, and those by keyword.
        outputs: the structure of its results with specs.
    """

    name: str
    bound: Sequence[Any]
    inputs: tuple[tuple[Any, ...], dict[str, Any]]
    outputs: Any


class ObjectGraph:
    """Collects the objects of a SavedModel, each with a number.

    Args:
        children: gives what an object leads to, by name.
        identify: gives the identifier of an object that is no Variable.
    """

    def __init__(self, children: Callable[[Any], dict[str, Any]], identify: Callable[[Any], str]) -> None:
        self.message = message("SavedObjectGraph")()
        self.tensors: dict[str, Variable] = {}
        self.checkpoint = message("TrackableObjectGraph")()
        self._children, self._identify = children, identify
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []
        self._paths: dict[int, str] = {}

    def number(self, value: object) -> int | None:
        """The number of an object, if it is there."""
        return self._numbers.get(id(value))

    def path(self, number: int) -> str:
        """The names that lead to an object."""
        return self._paths[number]

    def numbered(self) -> Iterator[tuple[int, Any]]:
        """The objects with their numbers."""
        return ((i, value) for i, value in enumerate(self._kept) if value is not None)

    def add_all(self, root: Any) -> None:
        """Add an object and what it leads to."""
        waiting = [self._add(root, "")]
        for number in waiting:
            owner = self._kept[number]
            if isinstance(owner, Variable):
                continue
            for name, child in self._children(owner).items():
                found = self.number(child)
                if found is None:
                    found = self._add(child, f"{self._paths[number]}/{_spelled(name)}".lstrip("/"))
                    waiting.append(found)
                self.link(number, name, found)

    def add_child(self, owner: int, name: str, child: Any) -> int:
        """Let an object lead to one under a name of its own; returns the number of that one."""
        found = self.number(child)
        if found is None:
            found = self._add(child, f"{self._paths[owner]}/{_spelled(name)}".lstrip("/"))
        self.link(owner, name, found)
        return found

    def _add(self, value: object, path: str) -> int:
        number = self.new(path)
        self._numbers[id(value)] = number
        self._kept.append(value)
        node = self.message.nodes[number]
        if isinstance(value, Variable):
            self._describe(node, value, path)
            return number
        node.user_object.identifier = self._identify(value)
        node.user_object.version.producer = node.user_object.version.min_consumer = 1
        return number

    def add_plain(self, path: str, identifier: str) -> int:
        """Add a node without an object, that only leads to others."""
        number = self.new(path)
        self._kept.append(None)
        if not identifier:  # a function, which is described by whoever adds it
            return number
        node = self.message.nodes[number]
        node.user_object.identifier = identifier
        node.user_object.version.producer = node.user_object.version.min_consumer = 1
        return number

    def new(self, path: str) -> int:
        """Add a node without an object."""
        self.message.nodes.add()
        self.checkpoint.nodes.add()
        number = len(self.message.nodes) - 1
        self._paths[number] = path
        return number

    def link(self, number: int, name: str, child: int) -> None:
        """Let an object lead to another one."""
        self.message.nodes[number].children.add(node_id=child, local_name=name)
        self.checkpoint.nodes[number].children.add(node_id=child, local_name=name)

    def _describe(self, node: Any, variable: Variable, path: str) -> None:
        node.variable.dtype = kind_of(variable.dtype)
        node.variable.shape.CopyFrom(shape_message(variable.shape.as_list()))
        node.variable.trainable = variable.trainable
        node.variable.name = variable.name.removesuffix(":0")
        key = f"{path}/.ATTRIBUTES/VARIABLE_VALUE"
        self.tensors[key] = variable
        attribute = self.checkpoint.nodes[len(self.message.nodes) - 1].attributes.add()
        attribute.name, attribute.full_name, attribute.checkpoint_key = (
            "VARIABLE_VALUE",
            node.variable.name,
            key,
        )


def _spelled(name: str) -> str:
    """A name as a part of a checkpoint's keys."""
    return name.replace(".", "..").replace("/", ".S")
