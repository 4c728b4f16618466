"""A checkpoint being matched with objects, as far as these are made; and the status that tells of it.

Names lead from a root object to others, in the file and in Python; what both have is matched. Where the file
has more, the object remembers the restoration (`_deferred`) and comes back when it gets new attributes, so
that weights made later have the restored values from the start. When every value has gone to an object, all of
them forget it.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from tapeflow.engine.devices.placement import assembled
from tapeflow.engine.module import Module
from tapeflow.engine.recording.sketch import init_scope
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.layers.base.seed import SeedGenerator
from tapeflow.keras.optimizers.optimizer import Optimizer
from tapeflow.train.growing import GrowingDict, GrowingList, growing, plain_container
from tapeflow.train.parts import SplitFile
from tapeflow.train.plain_state import unpacked
from tapeflow.train.tensor_bundle import FORMAT as TENSORFLOW
from tapeflow.train.tensor_bundle import TensorBundle
from tapeflow.train.tensor_file import BrokenFile, TensorFile
from tapeflow.train.trackable import Trackable, children, has_state, set_state

FORMAT = "tapeflow-checkpoint"
CheckpointFile = TensorFile | TensorBundle | SplitFile
_VALUES = frozenset({"tensor", "state", "strings", "foreign"})
_SHOWN_OBJECTS = 10
# What optimizers before Keras 2.11 called what belongs to a Variable, where it was something else.
_OLD_SLOTS = {
    "m": "momentum",
    "u": "v",
    "velocity": "rms",
    "average_gradient": "mg",
    "accumulated_grad": "accum_grad",
    "accumulated_delta_var": "accum_var",
}
_OWNERS = (Module, Optimizer, Trackable, GrowingList, GrowingDict)  # that tell what they get


def is_checkpoint(file: CheckpointFile) -> bool:
    """Whether a file has a graph of objects."""
    return file.metadata.get("format") in (FORMAT, TENSORFLOW)


def graph_of(file: CheckpointFile) -> list[dict[str, Any]]:
    """The nodes of a checkpoint's graph of objects: `children`, and `tensor` or `state` where there is one."""
    try:
        nodes = json.loads(file.metadata["graph"]) if is_checkpoint(file) else None
    except (ValueError, KeyError, RecursionError) as error:
        raise BrokenFile(f"{_unfit(file)} its graph cannot be read ({error}).") from error
    if nodes is None:
        raise BrokenFile(
            f"{_unfit(file)} it holds tensors, but no graph of objects. Is it a file of weights, or a checkpoint of "
            "TensorFlow 1? tf.train.load_checkpoint gives its tensors by name."
        )
    if not isinstance(nodes, list) or not nodes or not all(_is_sound(n, len(nodes), file) for n in nodes):
        raise BrokenFile(f"{_unfit(file)} its graph is not sound.")
    return nodes


def _is_sound(node: Any, count: int, file: CheckpointFile) -> bool:
    if not isinstance(node, dict) or not isinstance(node.get("children"), dict):
        return False
    if not all(type(i) is int and 0 <= i < count for i in node["children"].values()):
        return False
    return (
        isinstance(node.get("name"), str)
        and ("tensor" not in node or (isinstance(node["tensor"], str) and node["tensor"] in file))
        and _are_slots(node.get("slots", []), count)
    )


def _are_slots(slots: Any, count: int) -> bool:
    """Whether these say which nodes belong to which, and what for."""
    if not isinstance(slots, list) or not all(isinstance(s, list) and len(s) == 3 for s in slots):
        return False
    return all(
        isinstance(name, str) and all(type(i) is int and 0 <= i < count for i in (variable, slot))
        for variable, name, slot in slots
    )


def _unfit(file: CheckpointFile) -> str:
    return f"Restoring expected a checkpoint; got {str(file.path)!r}:"


class Restoration:
    """What a file holds, and the objects that have been given their part of it.

    Args:
        file: the checkpoint.
        root: the object to begin with.
    """

    def __init__(self, file: CheckpointFile, root: object) -> None:
        self.file = file
        self.nodes = graph_of(file)
        self.root = root
        self._valued = {i for i, node in enumerate(self.nodes) if _VALUES & node.keys()}
        self.taken: set[int] = set()  # nodes whose values some object has
        # By id, with their nodes: objects that have a value, which are kept alive, and optimizers whose nodes name
        # what belongs to Variables.
        self._matched: dict[int, tuple[Any, int]] = {}
        self._slotted: dict[int, tuple[Any, int]] = {}
        self._partial: dict[int, tuple[Any, int]] = {}  # by id: an object that waits for more, and its node
        self.take(root, 0)

    def __deepcopy__(self, memo: dict[int, Any]) -> Restoration:
        return self

    def take(self, owner: object, node: int | None = None) -> None:
        """Match an object, and what it leads to, as far as that is there now."""
        found = self._node_of(owner) if node is None else node
        if found is not None:
            self._give(owner, found)

    def take_below(self, owner: object, names: tuple[str, ...], value: object) -> None:
        """Match what an object that waits for more has got, and that these names lead to."""
        node = self._node_of(owner)
        for name in names:
            node = None if node is None else self.nodes[node]["children"].get(name)
        if node is not None:
            self._give(self._grown(owner, names[0], value, node) if len(names) == 1 else value, node)
        elif id(owner) in self._slotted:
            self.take(owner)

    def _node_of(self, owner: object) -> int | None:
        found = self._partial.get(id(owner))
        return None if found is None else found[1]

    def _give(self, owner: object, node: int) -> None:
        assignments: list[tuple[Any, Any]] = []
        self._match(owner, node, assignments, set())
        self._match_slots(assignments)
        for target, value in assignments:
            if isinstance(target, Variable):
                with init_scope():
                    target.assign(value)
            else:
                self._set_state(target, value)
        if len(self.taken) == len(self._valued):
            self.release()

    def _match(self, owner: object, node: int, assignments: list[tuple[Any, Any]], seen: set[Any]) -> None:
        if (id(owner), node) in seen:
            return
        seen.add((id(owner), node))
        held = self.nodes[node]
        is_new = id(owner) not in self._matched
        if is_new and node in self.taken:
            return  # another object has the value; this one may have taken its place since
        if is_new and isinstance(owner, Variable):
            if "tensor" in held or "strings" in held:
                assignments.append((owner, self._value_for(owner, held)))
                self._note(owner, node)
            return
        if is_new and has_state(owner):
            if "state" in held:
                assignments.append((owner, self._unpacked(held["state"])))
                self._note(owner, node)
            elif "foreign" in held:
                warnings.warn(
                    f"{held['name']!r} in {str(self.file.path)!r} is the state of an object of TensorFlow's, which "
                    f"cannot be restored: the {type(owner).__name__} stays as it is.",
                    stacklevel=2,
                )
            return
        if "slots" in held and isinstance(owner, Optimizer):
            self._slotted[id(owner)] = owner, node
        wanted = held["children"]
        there = children(owner)
        for name, number in wanted.items():
            child = there.get(name)
            if child is None and isinstance(owner, _OWNERS):
                child = plain_container(owner, name)  # with nothing in it yet
            if child is not None:
                self._match(self._grown(owner, name, child, number), number, assignments, seen)
        if isinstance(owner, _OWNERS):
            self._partial[id(owner)] = owner, node
            object.__setattr__(owner, "_deferred", self)

    def _match_slots(self, assignments: list[tuple[Any, Any]]) -> None:
        """Match what optimizers remember of Variables that are matched, where the file has it by Variable and name."""
        for optimizer, node in self._slotted.values():
            slots = {(variable, name): slot for variable, name, slot in self.nodes[node]["slots"]}
            for place, (reference, kind) in optimizer._belongings.items():
                _, variable = self._matched.get(id(reference), (None, None))
                found = slots.get((variable, kind), slots.get((variable, _OLD_SLOTS.get(kind))))
                if found is not None:
                    self._match(optimizer._variables[place], found, assignments, set())

    def _grown(self, owner: object, name: str, child: object, node: int) -> Any:
        """What an object has under a name; a list or dict that lacks something has been replaced by one that tells."""
        lacks = isinstance(child, (list, dict)) and self.nodes[node]["children"].keys() - children(child)
        return growing(owner, name, child) if lacks else child

    def _note(self, target: object, node: int) -> None:
        self._matched[id(target)] = target, node
        self.taken.add(node)

    def _value_for(self, variable: Variable, held: dict[str, Any]) -> Any:
        if "strings" in held:
            return self._unpacked(held["strings"])
        name = held["tensor"]
        shape, dtype = self.file.shape(name), self.file.dtype(name)
        if not variable.shape.is_compatible_with(shape):
            raise ValueError(
                f"Received incompatible tensor with shape {shape} when attempting to restore variable with shape "
                f"{tuple(variable.shape)} and name {variable.name}. It is {name!r} in {str(self.file.path)!r}: restore "
                "it into objects like those that were saved."
            )
        if np.dtype(variable.dtype.as_numpy_dtype) != dtype:
            raise ValueError(
                f"Restoring expected a tensor of dtype {variable.dtype.name} for variable {variable.name}; got {dtype} "
                f"in {str(self.file.path)!r}. Restore into objects like those that were saved."
            )
        layout, file = variable._layout, self.file
        if layout is not None and isinstance(file, SplitFile) and file.is_split(name):
            return assembled(layout, shape, lambda region: file.read_region(name, region))
        return file.read(name)

    def _unpacked(self, packed: Any) -> Any:
        try:
            return unpacked(packed, self.file.read)
        except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            raise BrokenFile(
                f"{_unfit(self.file)} a state in it cannot be read ({type(error).__name__}: {error})."
            ) from error

    def _set_state(self, target: object, state: Any) -> None:
        try:
            set_state(target, state)
        except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
            raise ValueError(
                f"Restoring expected the state of a {type(target).__name__} like this one; got {str(self.file.path)!r} "
                f"with another ({type(error).__name__}: {error}). Is the dataset the one that was saved?"
            ) from error

    def release(self) -> None:
        """Let go of the objects: what they get from now on is not restored."""
        for owner, _ in self._partial.values():
            if vars(owner).get("_deferred") is self:
                object.__delattr__(owner, "_deferred")
        self._partial.clear()

    def unmatched_objects(self) -> list[Any]:
        """The Variables and stateful objects below the root that have no value from the file."""
        self.take(self.root, 0)
        found: list[Any] = []
        seen: set[int] = set()
        waiting = [self.root]
        while waiting:
            owner = waiting.pop(0)
            if id(owner) in seen:
                continue
            seen.add(id(owner))
            if self._could_hold(owner):
                found += [] if id(owner) in self._matched else [owner]
            waiting += children(owner).values()
        return found

    def _could_hold(self, owner: object) -> bool:
        """Whether the file could have a value for an object; TensorFlow's layers have no counters of random numbers."""
        is_ours_alone = isinstance(owner, SeedGenerator) and isinstance(self.file, TensorBundle)
        return (isinstance(owner, Variable) or has_state(owner)) and not is_ours_alone

    def unmatched_values(self) -> list[str]:
        """The names of values in the file that no object has."""
        return [self.nodes[i]["name"] for i in sorted(self._valued - self.taken)]


class CheckpointLoadStatus:
    """Tells how far a checkpoint and the objects it was restored into match.

    What is in the file for objects that are not made yet is kept for them; asking again later counts those
    that have been made meanwhile.
    """

    def __init__(self, restoration: Restoration) -> None:
        self._restoration = restoration

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Raise unless everything in the file has an object and every object has a value."""
        self.assert_existing_objects_matched()
        left = self._restoration.unmatched_values()
        if left:
            raise AssertionError(
                f"Unresolved object in checkpoint: {len(left)} values of the checkpoint have no object to go to, such "
                f"as {left[:_SHOWN_OBJECTS]}. If that is meant, use expect_partial() instead."
            )
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Raise unless every object that is made by now has a value from the file."""
        left = self._restoration.unmatched_objects()
        # The count of saves is the Checkpoint's own; `read` and `write` leave it out.
        left = [x for x in left if not (isinstance(x, Variable) and x.name == "save_counter:0")]
        if left:
            raise AssertionError(
                f"Found {len(left)} Python objects that were not bound to checkpointed values, likely due to changes "
                f"in the Python program. Showing {min(len(left), _SHOWN_OBJECTS)} of {len(left)} unmatched objects: "
                f"{left[:_SHOWN_OBJECTS]}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Raise if nothing but the root object was matched."""
        self._restoration.take(self._restoration.root, 0)
        if not self._restoration.taken:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the "
                f"checkpoint {str(self._restoration.file.path)!r} does not fit the Python program. The following "
                f"values were not used: {self._restoration.unmatched_values()[:_SHOWN_OBJECTS]}"
            )
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        """Nothing to silence: what has no object to go to is not warned of."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing to do: what can be restored has been."""

    run_restore_ops = initialize_or_restore


class InitializationOnlyStatus:
    """The status of `restore(None)`: there was no checkpoint."""

    def _nothing(self) -> AssertionError:
        return AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self) -> InitializationOnlyStatus:
        """Raise: nothing was restored."""
        raise self._nothing()

    def assert_existing_objects_matched(self) -> InitializationOnlyStatus:
        """Raise: nothing was restored."""
        raise self._nothing()

    def assert_nontrivial_match(self) -> InitializationOnlyStatus:
        """Raise: nothing was restored."""
        raise self._nothing()

    def expect_partial(self) -> InitializationOnlyStatus:
        """Nothing to silence."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing to do: Variables have values from the start."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Raise: nothing can be restored."""
        raise self._nothing()
