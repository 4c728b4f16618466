"""`tf.experimental.ExtensionType`: classes of one's own that ops, functions and datasets take.

An extension type is structure: `tf.nest` looks into it, so functions, tapes and pipelines carry its tensors and put it
together again. Ops hand their calls over to what `extension_dispatch` has registered for it.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, NoReturn

from tapeflow.engine.recording.symbolic import DispatchTarget, dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.type_spec import TypeSpec
from tapeflow.ops.linalg import products
from tapeflow.ops.math import arithmetic, comparison, division, power, reduction

_RESERVED = ("Spec", "keep_call", "numpy")

_OF_EVERY_CLASS = ("__dict__", "__weakref__", "__doc__")


class Field(NamedTuple):
    """A field of an extension type; `tf.nest` knows structure by such."""

    name: str


def bound(
    signature: inspect.Signature, where: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Arguments by the names of fields, with defaults."""
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{where} expected the fields {list(signature.parameters)}; {error}.") from None
    given.apply_defaults()
    return dict(given.arguments)


class _Constructed(type):
    """Makes instances: after a constructor of one's own the fields are converted, looked at and closed."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        made._close()
        return made


class ExtensionType(DispatchTarget, metaclass=_Constructed):
    """The base class of immutable types with typed fields, which ops can be extended to accept.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> Masked([1, 2], [True, False]).mask.dtype
    tf.bool

    Fields are annotated as `tf.Tensor`, a number, a string, another class, `tuple[X, ...]`, `Mapping[str, X]` or a
    union. A `__validate__` method may raise; a constructor of one's own sets the fields. A class `Spec` inside adds
    to the spec: a constructor, properties, a `__repr__`.
    """

    _hints: ClassVar[dict[str, Any]] = {}
    _fields: ClassVar[tuple[str, ...]] = ()
    _signature: ClassVar[inspect.Signature] = inspect.Signature()
    __attrs_attrs__: ClassVar[tuple[Field, ...]] = ()
    Spec: ClassVar[type[ExtensionTypeSpec]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = _own_hints(cls, sys._getframe(1))
        taken = [n for n in own if n in _RESERVED]
        if taken:
            raise ValueError(
                f"{cls.__name__} expected fields with other names: {taken} are reserved. Use other names."
            )
        cls._hints = {**cls._hints, **own}
        cls._fields = tuple(cls._hints)
        cls.__attrs_attrs__ = tuple(Field(n) for n in cls._fields)
        parameters = [
            _parameter(n, cls.__dict__.get(n, getattr(cls, n, inspect.Parameter.empty))) for n in cls._fields
        ]
        cls._signature = inspect.Signature(parameters)
        written = vars(vars(cls)["Spec"]) if "Spec" in vars(cls) else {}  # a plain class: what stands in it
        members = {n: m for n, m in written.items() if n not in _OF_EVERY_CLASS}
        members |= {"value_type": cls, "__qualname__": f"{cls.__qualname__}.Spec"}
        cls.Spec = type("Spec", (ExtensionTypeSpec,), members)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        vars(self).update(bound(self._signature, type(self).__name__, args, kwargs))

    @classmethod
    def _from_fields(cls, *values: Any) -> ExtensionType:
        """An instance of values as they are, whatever they are: what `tf.nest` makes."""
        made = object.__new__(cls)
        fields = dict(zip(cls._fields, values, strict=True))
        for name in _plain_fields(cls):
            if isinstance(fields[name], Tensor):  # a function has made a tensor of what it returned
                value = fields[name].numpy()
                fields[name] = value.decode() if isinstance(value, bytes) else value.item()
        vars(made).update(fields, _is_closed=True)
        return made

    def _close(self) -> None:
        name = type(self).__name__
        missing = [f for f in self._fields if f not in vars(self)]
        if missing:
            raise TypeError(f"{name} expected its constructor to set every field; got none for {missing}.")
        hints = self._hints
        for field in self._fields:
            vars(self)[field] = _converted(hints[field], vars(self)[field], f"{name}.{field}")
        vars(self)["_is_closed"] = True
        self.__validate__()

    def __validate__(self) -> None:
        """Raise if the fields do not go together; for subclasses."""

    def __setattr__(self, name: str, value: object) -> None:
        if "_is_closed" in vars(self) or name not in self._fields:
            _refuse(self, name)
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        _refuse(self, name)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, ExtensionType) or type(other) is not type(self):
            return False
        found = [_are_equal(getattr(self, f), getattr(other, f)) for f in self._fields]
        return (
            reduction.reduce_all([convert_to_tensor(f) for f in found]) if found else convert_to_tensor(True)
        )

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return comparison.logical_not(equal) if isinstance(equal, Tensor) else not equal

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in self._fields)})"

    @property
    def _type_spec(self) -> ExtensionTypeSpec:
        return type(self).Spec._from_fields({f: _spec_of(getattr(self, f)) for f in self._fields})

    def keep_call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from tapeflow.ops.types.extension_dispatch import dispatched  # cycle

        return dispatched(self, function, args, kwargs)

    def _why_no_array(self) -> str:
        return (
            f"A tensor was expected; got a {type(self).__name__}, which is none. Use one of its fields, or teach the "
            "op with tf.experimental.dispatch_for_api."
        )


def _own_hints(cls: type, frame: types.FrameType) -> dict[str, Any]:
    """The annotations of a class, evaluated where it is defined, which may be in a function."""
    known = {**frame.f_locals, cls.__name__: cls}
    alone = type(
        cls.__name__, (), {"__annotations__": inspect.get_annotations(cls)}
    )  # without those of its bases
    try:
        found = typing.get_type_hints(alone, frame.f_globals, known)
    except NameError as error:
        raise TypeError(
            f"{cls.__name__} expected annotations with names that are known where it is defined; got one that is not: "
            f"{error}. Define what it names first."
        ) from None
    return {n: h for n, h in found.items() if typing.get_origin(h) is not ClassVar and h is not ClassVar}


@functools.cache
def _plain_fields(cls: type[ExtensionType]) -> list[str]:
    """The fields that are Python's numbers and strings."""
    return [f for f, hint in cls._hints.items() if hint in (bool, int, float, str)]


def _reflected(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """`other <operator> self`, by the op that the operator stands for."""
    return lambda self, other: dispatching(function)(other, self)


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": arithmetic.multiply,
    "truediv": arithmetic.truediv,
    "floordiv": division.floordiv,
    "mod": division.floormod,
    "pow": power.pow,
    "matmul": products.matmul,
}
for _name, _function in _OPERATORS.items():  # so that a tensor on the left finds what is registered
    setattr(ExtensionType, f"__r{_name}__", _reflected(_function))


def _refuse(value: object, name: str) -> NoReturn:
    raise AttributeError(
        f"{type(value).__name__} expected to stay as it was made: cannot mutate attribute {name!r} outside the custom "
        "constructor of ExtensionType. Make another one."
    )


def _parameter(name: str, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


def _are_equal(mine: Any, other: Any) -> Any:
    if isinstance(mine, TensorBase):
        if not isinstance(other, TensorBase) or mine.shape != other.shape or mine.dtype is not other.dtype:
            return False
        return reduction.reduce_all(comparison.equal(mine, other))
    if isinstance(mine, tuple):
        if not isinstance(other, tuple) or len(mine) != len(other):
            return False
        pairs = zip(mine, other, strict=True)
        return reduction.reduce_all([convert_to_tensor(_are_equal(a, b)) for a, b in pairs]) if mine else True
    if isinstance(mine, Mapping):
        same = isinstance(other, Mapping) and mine.keys() == other.keys()
        return same and _are_equal(tuple(mine.values()), tuple(other[k] for k in mine))
    return mine == other


def _spec_of(value: object) -> Any:
    if isinstance(value, TensorBase):
        return TensorSpec(value.shape, value.dtype)
    return value._type_spec if isinstance(value, ExtensionType) else value


def accepts(annotation: Any, value: TensorLike) -> bool:
    """Whether a value is of an annotated type as it is."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(accepts(a, value) for a in args)
    if origin is typing.Literal:
        return value in args
    if origin in (list, tuple) or (isinstance(origin, type) and issubclass(list, origin)):
        return isinstance(value, (list, tuple)) and all(accepts(args[0], v) for v in value)
    if isinstance(origin, type):
        return isinstance(value, Mapping) and all(accepts(args[-1], v) for v in value.values())
    if annotation is Tensor:
        return isinstance(value, TensorBase)
    if annotation is None:
        return value is None
    return isinstance(value, annotation) and not (annotation is int and isinstance(value, bool))


def _converted(annotation: object, value: Any, where: str) -> Any:
    """A value as its annotation wants it, tensors made of what can become one."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Tensor and not isinstance(value, DispatchTarget):
        try:
            return convert_to_tensor(value)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{where} expected a tf.Tensor; got {value!r}. {error}") from None
    if origin in (typing.Union, types.UnionType) and not accepts(annotation, value):
        if Tensor in args:
            return _converted(Tensor, value, where)
    elif origin is tuple and isinstance(value, (list, tuple)):
        kinds = [args[0]] * len(value) if args[-1] is Ellipsis else list(args)
        if len(kinds) == len(value):
            return tuple(
                _converted(k, v, f"{where}[{i}]") for i, (k, v) in enumerate(zip(kinds, value, strict=True))
            )
    elif isinstance(origin, type) and issubclass(dict, origin) and isinstance(value, Mapping):
        return {k: _converted(args[-1], v, f"{where}[{k!r}]") for k, v in value.items()}
    elif accepts(annotation, value):
        return value
    shown = getattr(annotation, "__name__", None) or str(annotation)
    raise TypeError(
        f"{where} expected a value of type {shown}; got {value!r} of type {type(value).__name__}."
    )


class ExtensionTypeSpec(TypeSpec):
    """The spec of an extension type: a spec or value for each field."""

    value_type: ClassVar[type[ExtensionType]]  # pyright: ignore[reportIncompatibleMethodOverride] - one for a class

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.__dict__.update(
            bound(self.value_type._signature, f"{self.value_type.__name__}.Spec", args, kwargs)
        )

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> ExtensionTypeSpec:
        """A spec whatever arguments a constructor of one's own takes."""
        made = object.__new__(cls)
        made.__dict__.update(fields)
        return made

    def _parts(self) -> tuple[Any, ...]:
        return tuple(self.__dict__[f] for f in self.value_type._fields)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = spec_or_value._type_spec if isinstance(spec_or_value, ExtensionType) else spec_or_value
        return type(other) is type(self) and all(
            a.is_compatible_with(b) if isinstance(a, TypeSpec) else a == b
            for a, b in zip(self._parts(), other._parts(), strict=True)
        )

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and isinstance(other, ExtensionTypeSpec)
            and self._parts() == other._parts()
        )

    def __hash__(self) -> int:
        return hash((self.value_type, repr(self._parts())))

    def __repr__(self) -> str:
        parts = zip(self.value_type._fields, self._parts(), strict=True)
        return f"{self.value_type.__name__}.Spec({', '.join(f'{name}={part!r}' for name, part in parts)})"


ExtensionType.Spec = ExtensionTypeSpec


class BatchableExtensionType(ExtensionType):
    """An extension type whose instances can be batched, which every one can be here: by its tensors."""
