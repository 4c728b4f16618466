"""`tensorflow.python.util.nest`: structures walked only as deep as another one goes, or with their paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tapeflow.engine.values.nest import (
    flatten,
    flatten_with_paths,
    is_nested,
    items_of,
    map_structure,
    pack_sequence_as,
    with_children,
)


def is_mapping(obj: Any) -> bool:
    """Whether a value is a mapping."""
    return isinstance(obj, Mapping)


def is_attrs(obj: Any) -> bool:
    """Whether a value is an instance of an attrs class."""
    return hasattr(type(obj), "__attrs_attrs__")


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Whether a value is a named tuple."""
    return isinstance(instance, tuple) and hasattr(instance, "_fields")


def sequence_like(instance: Any, args: Any) -> Any:
    """`args` in a structure of the type and keys of `instance`."""
    return with_children(instance, list(args))


def yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """The keys, fields or indices of a structure and what is there, in the order in which it is walked."""
    yield from items_of(iterable)


def yield_value(iterable: Any) -> Iterator[Any]:
    """What is in a structure, in the order in which it is walked."""
    for _, value in items_of(iterable):
        yield value


def list_to_tuple(structure: Any) -> Any:
    """A structure with tuples for lists."""
    if not is_nested(structure):
        return structure
    children = [list_to_tuple(child) for child in yield_value(structure)]
    return tuple(children) if isinstance(structure, list) else with_children(structure, children)


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless a structure goes at least as deep as a shallow one, everywhere.

    Raises:
        TypeError: there is a leaf, or another type, where the shallow one has a structure.
        ValueError: the lengths or the keys differ.
    """
    if not is_nested(shallow_tree):
        return
    where = "nest.assert_shallow_structure"
    if not is_nested(input_tree):
        raise TypeError(
            f"{where} expected a structure like the shallow one: If shallow structure is a sequence, input must also "
            f"be a sequence; got a {type(input_tree).__name__}. Give it the same nesting."
        )
    if check_types and not _are_alike(shallow_tree, input_tree):
        raise TypeError(
            f"{where} expected structures of one type: The two structures don't have the same sequence type; got "
            f"{type(input_tree).__name__} for {type(shallow_tree).__name__}. Give it the same nesting."
        )
    shallow, deep = list(items_of(shallow_tree)), list(items_of(input_tree))
    if len(shallow) != len(deep):
        raise ValueError(
            f"{where} expected structures of one length: The two structures don't have the same sequence length; got "
            f"{len(deep)} for {len(shallow)}. Give it the same nesting."
        )
    if is_mapping(shallow_tree) and [k for k, _ in shallow] != [k for k, _ in deep]:
        raise ValueError(
            f"{where} expected equal keys: The two structures don't have the same keys; got "
            f"{[k for k, _ in deep]!r} for {[k for k, _ in shallow]!r}. Give it the same nesting."
        )
    for (_, a), (_, b) in zip(shallow, deep, strict=True):
        assert_shallow_structure(a, b, check_types)


def _are_alike(a: Any, b: Any) -> bool:
    if is_namedtuple(a) and is_namedtuple(b):
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    if is_mapping(a) and is_mapping(b):
        return True
    return isinstance(b, type(a)) or isinstance(a, type(b))


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """What a structure has where a shallow one has its leaves."""
    return [v for _, v in flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types)]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """The same, each with the path to it."""
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    return list(_walk((), shallow_tree, input_tree))


def _walk(path: tuple[Any, ...], shallow: Any, deep: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not is_nested(shallow):
        yield path, deep
        return
    for (key, a), (_, b) in zip(items_of(shallow), items_of(deep), strict=True):
        yield from _walk((*path, key), a, b)


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Any:
    """`func` of what structures have where a shallow one has its leaves."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *values: func(*values), *inputs, **kwargs
    )


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """The same; `func` also gets the path, as its first argument."""
    if not inputs:
        raise ValueError(
            "nest.map_structure_up_to expected a structure to map; got none. Pass one after the function."
        )
    check_types, rest = kwargs.pop("check_types", True), kwargs
    rest.pop("expand_composites", None)
    for other in inputs:
        assert_shallow_structure(shallow_tree, other, check_types)
    flat = [list(_walk((), shallow_tree, other)) for other in inputs]
    results = [func(row[0][0], *[value for _, value in row], **rest) for row in zip(*flat, strict=True)]
    return pack_sequence_as(shallow_tree, results)


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """Pairs of path and leaf."""
    return flatten_with_paths(structure)


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Pairs of path, as text, and leaf."""
    return [(separator.join(map(str, path)), leaf) for path, leaf in flatten_with_paths(structure)]


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """The path to each leaf."""
    for path, _ in flatten_with_paths(nest):
        yield path


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` of the path to each leaf and the leaves there."""
    if not structure:
        raise ValueError(
            "nest.map_structure expected a structure to map; got none. Pass one after the function."
        )
    first = structure[0]
    kwargs.pop("expand_composites", None)
    check_types = kwargs.pop("check_types", True)
    if len(structure) > 1:  # which raises unless they are alike
        map_structure(lambda *_: None, *structure, check_types=check_types)
    leaves = zip(*(flatten(s) for s in structure), strict=True)
    results = [func(path, *row, **kwargs) for path, row in zip(yield_flat_paths(first), leaves, strict=True)]
    return pack_sequence_as(first, results)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The same, with each path as text: `"a/0"`."""
    return map_structure_with_tuple_paths(
        lambda path, *leaves, **more: func("/".join(map(str, path)), *leaves, **more), *structure, **kwargs
    )


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """A structure of booleans that goes as deep as `traverse_fn` says, which may answer child by child."""
    goes_on = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(goes_on, bool):
            raise TypeError(
                f"nest.get_traverse_shallow_structure expected traverse_fn to return bool for a leaf; got {goes_on!r}."
            )
        return goes_on
    if isinstance(goes_on, bool):
        if not goes_on:
            return False
        children = [get_traverse_shallow_structure(traverse_fn, child) for child in yield_value(structure)]
        return with_children(structure, children)
    assert_shallow_structure(goes_on, structure)
    pairs = zip(yield_value(goes_on), yield_value(structure), strict=True)
    found = [
        get_traverse_shallow_structure(traverse_fn, child) if wanted else False for wanted, child in pairs
    ]
    return with_children(structure, found)


_is_namedtuple, _sequence_like = is_namedtuple, sequence_like
_yield_sorted_items, _yield_value = yield_sorted_items, yield_value
