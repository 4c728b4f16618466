"""`tf.keras.tree`: nested lists, tuples and dicts by the names that Keras 3 has for the functions of `tf.nest`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine.values import nest
from tapeflow.engine.values.nest import flatten as flatten
from tapeflow.engine.values.nest import is_nested as is_nested
from tapeflow.engine.values.nest import map_structure as map_structure


def assert_same_structure(a: Any, b: Any) -> None:
    """Raise unless two structures are alike."""
    nest.assert_same_structure(a, b)


def pack_sequence_as(structure: object, flat_sequence: Any) -> Any:
    """The leaves of a flat list in a structure."""
    return nest.pack_sequence_as(structure, list(flat_sequence))


def flatten_with_path(structure: object) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves, each with the keys and numbers that lead to it.

    >>> tf.keras.tree.flatten_with_path({"a": [1, 2]})
    [(('a', 0), 1), (('a', 1), 2)]
    """
    if isinstance(structure, dict):
        parts = [(key, structure[key]) for key in sorted(structure)]
    elif isinstance(structure, (list, tuple)):
        parts = list(enumerate(structure))
    else:
        return [((), structure)]
    return [((key, *path), leaf) for key, part in parts for path, leaf in flatten_with_path(part)]


def map_structure_up_to(shallow_structure: Any, func: Callable[..., Any], *structures: Any) -> Any:
    """What a function gives for the parts of structures in the places of a shallower one's leaves."""
    if isinstance(shallow_structure, dict):
        return {
            key: map_structure_up_to(part, func, *(s[key] for s in structures))
            for key, part in shallow_structure.items()
        }
    if isinstance(shallow_structure, (list, tuple)):
        parts = [
            map_structure_up_to(part, func, *(s[i] for s in structures))
            for i, part in enumerate(shallow_structure)
        ]
        return parts if isinstance(shallow_structure, list) else tuple(parts)
    return func(*structures)


def traverse(func: Callable[[Any], Any], structure: object, top_down: bool = True) -> Any:
    """What a function makes of every part; None keeps a part, and top down only what is kept is looked into."""
    if top_down:
        found = func(structure)
        if found is not None:
            return found
    if isinstance(structure, dict):
        structure = type(structure)((key, traverse(func, part, top_down)) for key, part in structure.items())
    elif isinstance(structure, (list, tuple)):
        parts = [traverse(func, part, top_down) for part in structure]
        structure = parts if isinstance(structure, list) else tuple(parts)
    if top_down:
        return structure
    found = func(structure)
    return structure if found is None else found


def lists_to_tuples(structure: object) -> Any:
    """The same with tuples in the place of lists."""
    if isinstance(structure, dict):
        return {key: lists_to_tuples(part) for key, part in structure.items()}
    if isinstance(structure, (list, tuple)):
        return tuple(lists_to_tuples(part) for part in structure)
    return structure
