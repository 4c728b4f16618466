"""`tf.nest`: flatten, map and rebuild nested structures.

Lists, tuples, namedtuples, mappings, attrs classes and other sequences are structure; everything
else, None and strings included, is a leaf. A `CompositeTensor` is one, too, unless `expand_composites` is
asked for: then it is the structure of its components. Mappings are walked by sorted key, so that equal
structures flatten equally however they were filled, and rebuilt in their own key order.

This runs on every training step, so what a type is gets looked up once per type, not per value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MappingView,
    MutableMapping,
    Sequence,
)
from typing import Any

_LEAF, _SEQUENCE, _MAPPING, _FIELDS, _ATTRS, _COMPOSITE = range(6)
_MAX_KINDS = 4096


class _Kinds(dict[type, int]):
    """The kind of each type seen so far."""

    def __init__(self, expands_composites: bool = False) -> None:
        super().__init__()
        self.expands_composites = expands_composites

    def __missing__(self, cls: type) -> int:
        if len(self) >= _MAX_KINDS:  # classes made in a loop must not be kept alive for ever
            self.clear()
        if hasattr(cls, "_is_composite_tensor"):
            kind = _COMPOSITE if self.expands_composites else _LEAF
        else:
            kind = _classify(cls)
        self[cls] = kind
        return kind


_KINDS = _Kinds()
_EXPANDING = _Kinds(expands_composites=True)


def _classify(cls: type) -> int:
    if issubclass(cls, (str, bytes)):
        return _LEAF
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _FIELDS
    if issubclass(cls, Mapping):
        return _MAPPING
    if issubclass(cls, (Sequence, MappingView)):
        return _SEQUENCE
    return _ATTRS if hasattr(cls, "__attrs_attrs__") else _LEAF


def is_nested(seq: object) -> bool:
    """Whether `seq` is a structure rather than a leaf.

    >>> tf.nest.is_nested({"a": 1}), tf.nest.is_nested("a"), tf.nest.is_nested(None)
    (True, False, False)
    """
    return _KINDS[type(seq)] != _LEAF


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, as a list; for a single leaf, a list of one.

    With `expand_composites` a `CompositeTensor` gives the leaves of its components.

    >>> tf.nest.flatten({"b": [1, (2,)], "a": None})
    [None, 1, 2]
    """
    kinds = _EXPANDING if expand_composites else _KINDS
    kind = kinds[type(structure)]
    if kind == _LEAF:
        return [structure]
    leaves: list[Any] = []
    _flatten_into(structure, kind, leaves, kinds)
    return leaves


def _flatten_into(structure: Any, kind: int, leaves: list[Any], kinds: _Kinds) -> None:
    for child in structure if kind in (_SEQUENCE, _FIELDS) else _children(structure, kind):
        child_kind = kinds[type(child)]
        if child_kind == _LEAF:
            leaves.append(child)
        else:
            _flatten_into(child, child_kind, leaves, kinds)


def flatten_with_paths(structure: object) -> list[tuple[tuple[Any, ...], Any]]:
    """Pairs of path and leaf; a path is made of the keys, field names and indices on the way.

    >>> flatten_with_paths({"b": [1, 2]})
    [(('b', 0), 1), (('b', 1), 2)]
    """
    pairs: list[tuple[tuple[Any, ...], Any]] = []
    _flatten_paths_into((), structure, pairs)
    return pairs


def _flatten_paths_into(path: tuple[Any, ...], value: object, pairs: list[Any]) -> None:
    kind = _KINDS[type(value)]
    if kind == _LEAF:
        pairs.append((path, value))
        return
    for key, child in zip(_keys(value, kind), _children(value, kind), strict=True):
        _flatten_paths_into((*path, key), child, pairs)


def items_of(structure: object) -> list[tuple[Any, Any]]:
    """The keys, field names or indices of a structure and what is there, in walking order; not for leaves.

    >>> items_of({"b": [1], "a": 2})
    [('a', 2), ('b', [1])]
    """
    kind = _KINDS[type(structure)]
    return list(zip(_keys(structure, kind), _children(structure, kind), strict=True))


def skeleton(structure: object) -> Any:
    """The kinds, keys and places of leaves of a structure. Structures that agree in it can be rebuilt like one another.

    >>> skeleton({"a": [1, 2]}) == skeleton({"a": [3, 4]}), skeleton([[1], 2]) == skeleton([1, [2]])
    (True, False)
    """
    kind = _KINDS[type(structure)]
    if kind == _LEAF:
        return None
    keys = None if kind == _SEQUENCE else tuple(_keys(structure, kind))
    return (type(structure), keys, *map(skeleton, _children(structure, kind)))


def with_children(structure: object, children: list[Any]) -> Any:
    """A structure of the type and keys of another, holding `children` in walking order."""
    return _like(structure, _KINDS[type(structure)], children)


def _keys(structure: Any, kind: int) -> Iterable[Any]:
    if kind == _MAPPING:
        return _sorted_keys(structure)
    if kind == _FIELDS:
        return structure._fields
    if kind == _ATTRS:
        return [field.name for field in structure.__attrs_attrs__]
    return range(len(structure))


def _children(structure: Any, kind: int) -> Collection[Any]:
    if kind == _MAPPING:
        return [structure[key] for key in _sorted_keys(structure)]
    if kind == _ATTRS:
        return [getattr(structure, field.name) for field in structure.__attrs_attrs__]
    if kind == _COMPOSITE:
        return [structure._type_spec._to_components(structure)]
    return structure


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError as error:
        raise TypeError(
            "tf.nest expected a mapping whose keys can be sorted; "
            f"got keys={list(mapping)!r}. Use keys of one type."
        ) from error


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Apply `func` leaf by leaf to structures that match; the result has the first one's structure.

    Args:
        func: Called with one leaf of each structure.
        *structure: Structures that match in the sense of `assert_same_structure`.
        **kwargs: `check_types` and `expand_composites`, as in `assert_same_structure`.

    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    if not callable(func):
        raise TypeError(
            f"tf.nest.map_structure expected func to be callable; got func={func!r}. "
            "Pass the function first and the structures after it."
        )
    if not structure:
        raise ValueError(
            "tf.nest.map_structure expected at least one structure; got none. "
            "Pass the structures after the function."
        )
    check_types = kwargs.pop("check_types", True)
    expands = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "tf.nest.map_structure expected no keyword arguments but check_types and "
            f"expand_composites; got {sorted(kwargs)}. Bind others with functools.partial."
        )
    if len(structure) == 1:
        return _map_one(func, structure[0], _EXPANDING if expands else _KINDS)
    first = structure[0]
    for other in structure[1:]:
        assert_same_structure(first, other, check_types=check_types, expand_composites=expands)
    return _rebuild(first, map(func, *(flatten(nested, expands) for nested in structure)), expands)


def _map_one(func: Callable[[Any], Any], value: object, kinds: _Kinds) -> Any:
    kind = kinds[type(value)]
    if kind == _LEAF:
        return func(value)
    if type(value) is dict:
        mapped = {key: _map_one(func, value[key], kinds) for key in _sorted_keys(value)}
        return {key: mapped[key] for key in value}
    # The leaves are handled here rather than by recursion, which halves the time of a flat list.
    results = [
        func(child) if kinds[type(child)] == _LEAF else _map_one(func, child, kinds)
        for child in _children(value, kind)
    ]
    return _like(value, kind, results)


def map_structure_until(leaf: type, func: Callable[[Any], Any], structure: object) -> Any:
    """`map_structure` of one structure, without descending into what is a `leaf`."""
    kind = _KINDS[type(structure)]
    if kind == _LEAF or isinstance(structure, leaf):
        return func(structure)
    results = [map_structure_until(leaf, func, child) for child in _children(structure, kind)]
    return _like(structure, kind, results)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Rebuild `structure` with the leaves of `flat_sequence`, which are in the order of `flatten`.

    >>> tf.nest.pack_sequence_as({"b": 0, "a": [0]}, ["x", "y"])
    {'b': 'y', 'a': ['x']}
    """
    if _KINDS[type(flat_sequence)] not in (_SEQUENCE, _FIELDS):
        raise TypeError(
            "tf.nest.pack_sequence_as expected flat_sequence to be a list or tuple; "
            f"got flat_sequence={flat_sequence!r} of type {type(flat_sequence).__name__}. "
            "Pass a list of the leaves."
        )
    leaf_count = len(flatten(structure, expand_composites))
    if leaf_count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence: tf.nest.pack_sequence_as expected {leaf_count} leaves for "
            f"structure {_describe(structure)}; got {len(flat_sequence)}. "
            "Pass one value for each leaf of the structure."
        )
    return _rebuild(structure, iter(flat_sequence), expand_composites)


def _rebuild(structure: object, leaves: Iterator[Any], expand_composites: bool = False) -> Any:
    """Like `structure`, with each leaf replaced by the next of `leaves`."""
    return _map_one(lambda _: next(leaves), structure, _EXPANDING if expand_composites else _KINDS)


def _like(structure: Any, kind: int, children: list[Any]) -> Any:
    """A structure of the same type and keys as `structure`, holding `children` in walking order."""
    cls = type(structure)
    if cls is list:
        return children
    if cls is tuple:
        return tuple(children)
    if kind == _MAPPING:
        return _mapping_like(structure, dict(zip(_sorted_keys(structure), children, strict=True)))
    if kind == _FIELDS:
        return cls(*children)
    if kind == _COMPOSITE:
        return structure._type_spec._from_components(children[0])
    if kind == _ATTRS:
        return getattr(cls, "_from_fields", cls)(*children)  # an extension type is not constructed again
    if cls is range or issubclass(cls, MappingView):
        return children
    return cls(children)


def _mapping_like(structure: Any, by_key: dict[Any, Any]) -> Any:
    cls = type(structure)
    try:
        if not isinstance(structure, MutableMapping):
            return cls((key, by_key[key]) for key in structure)  # pyright: ignore[reportCallIssue]
        empty = cls(structure.default_factory) if isinstance(structure, defaultdict) else cls()
    except TypeError as error:
        raise TypeError(
            f"tf.nest expected {cls.__name__} to be constructible from key-value pairs, or empty "
            f"if it is mutable; got {error}. Use a dict, or give the class such a constructor."
        ) from error
    for key in structure:
        empty[key] = by_key[key]
    return empty


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless two structures have the same nesting.

    With `check_types` the types must agree too, except that any list matches any list, any mapping
    any mapping with the same keys, and namedtuples match by class name and fields.

    Raises:
        ValueError: The nesting, the lengths or the keys differ.
        TypeError: The types differ.
    """
    difference = _difference(nest1, nest2, check_types, _EXPANDING if expand_composites else _KINDS)
    if difference is None:
        return
    error, reason = difference
    raise error(
        "The two structures don't have the same nested structure: tf.nest.assert_same_structure "
        f"expected {reason}. The whole structures are {_describe(nest1)} and {_describe(nest2)}."
    )


def _difference(a: Any, b: Any, check_types: bool, kinds: _Kinds) -> tuple[type[Exception], str] | None:
    """The first difference, as the error to raise and the "rule; got" of its message."""
    kind_a, kind_b = kinds[type(a)], kinds[type(b)]
    if kind_a == _LEAF or kind_b == _LEAF:
        if kind_a == kind_b:
            return None
        return ValueError, f"two leaves or two structures; got {_describe(a)} and {_describe(b)}"
    if check_types:
        if not _types_match(a, b, kind_a, kind_b):
            return TypeError, f"equal structure types; got {_describe(a)} and {_describe(b)}"
        if kind_a == _MAPPING and a.keys() != b.keys():
            return ValueError, f"equal keys; got {list(a)!r} and {list(b)!r}"
    children_a, children_b = _children(a, kind_a), _children(b, kind_b)
    if len(children_a) != len(children_b):
        return ValueError, f"equal numbers of elements; got {_describe(a)} and {_describe(b)}"
    for child_a, child_b in zip(children_a, children_b, strict=True):
        if kinds[type(child_a)] == _LEAF == kinds[type(child_b)]:
            continue
        difference = _difference(child_a, child_b, check_types, kinds)
        if difference is not None:
            return difference
    return None


def _types_match(a: Any, b: Any, kind_a: int, kind_b: int) -> bool:
    if type(a) is type(b):
        return True
    if kind_a == _FIELDS and kind_b == _FIELDS:
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    if kind_a == _MAPPING and kind_b == _MAPPING:
        return True
    return isinstance(a, list) and isinstance(b, list)


def _describe(value: object) -> str:
    """The type and nesting of `value` for a message, with a dot for each leaf.

    Leaves are not printed: tensors could take pages, and would have to be computed for it.
    """
    name = type(value).__name__
    return f"{name} {_outline(value)}" if is_nested(value) else f"a leaf of type {name}"


def _outline(value: Any) -> str:
    kind = _KINDS[type(value)]
    if kind == _LEAF:
        return "."
    inner = [_outline(child) for child in _children(value, kind)]
    if kind == _MAPPING:
        keys = _sorted_keys(value)
        return f"{{{', '.join(f'{key!r}: {text}' for key, text in zip(keys, inner, strict=True))}}}"
    return f"({', '.join(inner)})" if isinstance(value, tuple) else f"[{', '.join(inner)}]"
