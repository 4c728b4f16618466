"""What an error raised inside a layer's call says of that call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer

_MARK = "_names_its_layer"
_LONGEST = 200


def name_layer(error: Exception, layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Write the layer and the arguments of its call into the error; the innermost layer's stay.

    The error stays the object it is, so whoever catches it by type or looks at its attributes still can.

    Args:
        error: what `call` raised.
        layer: whose `call`.
        args: the arguments after `self`.
        kwargs: those by name.
    """
    if getattr(error, _MARK, False):
        return
    who = f'layer "{layer.name}" (type {type(layer).__name__})'
    before = f"Exception encountered when calling {who}."
    after = f"Call arguments received by {who}:\n" + "\n".join(_listed(layer.call, args, kwargs))
    add_text(error, before=before, after=after)
    setattr(error, _MARK, True)


def add_text(error: Exception, before: str = "", after: str = "") -> None:
    """Put paragraphs around the text of an error; below it where the error is more than a text."""
    if (
        type(error).__str__ is BaseException.__str__
        and len(error.args) == 1
        and isinstance(error.args[0], str)
    ):
        error.args = ("\n\n".join(filter(None, (before, error.args[0], after))),)
    else:
        error.add_note("\n".join(filter(None, (before, after))))


def _listed(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    try:
        bound = inspect.signature(call).bind(*args, **kwargs)
    except TypeError:  # the error is about the arguments; they are shown as they were given
        given = {f"args[{i}]": value for i, value in enumerate(args)} | kwargs
    else:
        bound.apply_defaults()
        given = bound.arguments
    return [f"  \u2022 {name}={_shown(value)}" for name, value in given.items()]


def _shown(value: Tensor) -> str:
    """An argument on one line: tensors by shape and dtype, for their values may not be there yet."""
    text = repr(nest.map_structure(_Brief, value))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


class _Brief:
    """A leaf that shows itself in few words."""

    def __init__(self, value: TensorLike | None) -> None:
        self._value = value

    def __repr__(self) -> str:
        value = self._value
        if isinstance(value, (RaggedTensor, SparseTensor)):
            kind = "RaggedTensor" if isinstance(value, RaggedTensor) else "SparseTensor"
            return f"tf.{kind}(shape={tuple(value.shape)}, dtype={value.dtype.name})"
        if not isinstance(value, TensorBase):
            return repr(value)
        return f"tf.Tensor(shape={tuple(value.shape)}, dtype={value.dtype.name})"
