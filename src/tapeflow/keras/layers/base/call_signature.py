"""What a layer's `call` takes beside its inputs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras.layers.base.call_context import default_training
from tapeflow.keras.layers.base.inputs import mask_of


class CallSignature:
    """The arguments of a `call` method: which of them Keras fills in, and where they stand.

    Args:
        call: the function of the class, which takes the layer first.
    """

    __slots__ = ("default_training", "has_kwargs", "names", "takes_mask", "takes_training")

    def __init__(self, call: Callable[..., Any]) -> None:
        parameters = list(inspect.signature(call).parameters.values())[1:]  # without self
        self.names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        named = {p.name: p for p in parameters}
        self.has_kwargs = any(p.kind is p.VAR_KEYWORD for p in parameters)
        self.takes_training = "training" in named or self.has_kwargs
        self.takes_mask = "mask" in named or self.has_kwargs
        default = named["training"].default if "training" in named else None
        self.default_training = None if default is inspect.Parameter.empty else default

    def was_given(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether a call's arguments, the inputs included, hold a value for `name`."""
        return kwargs.get(name) is not None or self._among(name, args) is not None

    def was_passed(self, name: str, args: tuple[Any, ...]) -> bool:
        """Whether `name` stands among the positional arguments, be it None."""
        return name in self.names and self.names.index(name) < len(args)

    def value(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The value a call gives for `name`, or None."""
        return kwargs[name] if name in kwargs else self._among(name, args)

    def first_by_name(self, owner: str, kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The first argument, taken out of the named ones of a call that has no others.

        Args:
            owner: the name of the layer's class, for the error.
            kwargs: the arguments of the call.
        """
        if self.names and self.names[0] in kwargs:
            return (kwargs.pop(self.names[0]),)
        raise ValueError(
            f"The first argument to `{owner}.call` must always be passed; got none. Call the layer with its inputs."
        )

    def resolve_training(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], outer: bool | None
    ) -> bool | None:
        """`training` for a call and those inside it: as given, else the outer call's, else the default."""
        if not self.takes_training:
            given = kwargs.pop("training", None)
            return outer if given is None else given
        given = self.value("training", args, kwargs)
        if given is None:
            given = outer if outer is not None else default_training(self.default_training)
            if not self.was_passed("training", args):
                kwargs["training"] = given
        return given

    def resolve_mask(self, inputs: TensorLike, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The mask given with a call, or the one its inputs carry, in their structure."""
        if self.was_given("mask", args, kwargs):
            mask = self.value("mask", args, kwargs)
            if not self.takes_mask:
                del kwargs["mask"]
            return mask
        mask = mask_of(inputs)
        if mask is not None and self.takes_mask:
            kwargs["mask"] = mask
        return mask

    def _among(self, name: str, args: tuple[Any, ...]) -> Any:
        place = self.names.index(name) if name in self.names else len(args)
        return args[place] if place < len(args) else None


@functools.cache
def signature_of(call: Callable[..., Any]) -> CallSignature:
    """The signature of a `call` method (the function of the class), found once."""
    return CallSignature(call)
