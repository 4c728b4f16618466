"""The kinds of models, for code that models stand on.

`Model` trains and saves, so it imports what does that, which in turn treats models unlike other layers. It knows them
by these classes, which `Model`, `Functional` and `Sequential` derive from.
"""

from __future__ import annotations

from typing import Any

from tapeflow.keras.annotations import InputShape


class AnyModel:
    """The root of `Model`."""

    built: bool
    optimizer: Any

    @property
    def layers(self) -> list[Any]:
        """The layers it is made of, not those inside them."""
        raise NotImplementedError

    def build(self, input_shape: InputShape | None = None) -> None:
        """Create the weights for inputs of this shape."""
        raise NotImplementedError


class AnyFunctional(AnyModel):
    """The root of `Functional`: a model whose graph of layers is known."""


class AnySequential(AnyFunctional):
    """The root of `Sequential`: a stack of layers."""
