"""`layer._trainable_weights` and `layer._non_trainable_weights`, which packages read and add to."""

from __future__ import annotations

from collections.abc import Iterable

from tapeflow.engine.values.variable import Variable


class OwnWeights(list[Variable]):
    """Those of a layer's own weights that are trainable, or are not. What is added becomes a weight of the layer.

    Args:
        weights: all weights of the layer's own, in the order they were made.
        trainable: which of them.
    """

    def __init__(self, weights: list[Variable], trainable: bool) -> None:
        super().__init__(weight for weight in weights if weight.trainable is trainable)
        self._weights = weights

    def append(self, weight: Variable, /) -> None:
        """Add a weight."""
        super().append(weight)
        if all(weight is not other for other in self._weights):
            self._weights.append(weight)

    def extend(self, weights: Iterable[Variable], /) -> None:
        """Add several weights."""
        for weight in weights:
            self.append(weight)
