"""`ForwardAccumulator`: a derivative in a direction, out of two tapes.

The gradient of `y` weighted with `u` is linear in `u`, and the derivative of that line, weighted with the tangents, is
the derivative of `y` in their direction. The program that comes of it holds one pass forward and the linear part
only: the weights `u` drop out of it.
"""

from __future__ import annotations

from typing import Any

from tapeflow.engine.backend import jax
from tapeflow.engine.differentiation.tape import GradientTape, UnconnectedGradients
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.creation import zeros_like


class ForwardAccumulator:
    """Computes Jacobian-vector products of what happens inside its `with` block.

    Args:
        primals: the tensors or Variables to differentiate by, in any structure.
        tangents: the direction: a tensor of the same shape and dtype for each of them.

    >>> x = tf.constant(3.0)
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)) as accumulator:
    ...     y = x * x
    >>> accumulator.jvp(y)
    <tf.Tensor: shape=(), dtype=float32, numpy=12.0>
    """

    def __init__(self, primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]) -> None:
        nest.assert_same_structure(primals, tangents)
        self._primals = nest.flatten(primals)
        self._tangents = [
            convert_to_tensor(tangent, dtype=primal.dtype)
            for primal, tangent in zip(self._primals, nest.flatten(tangents), strict=True)
        ]
        for primal, tangent in zip(self._primals, self._tangents, strict=True):
            if primal.shape != tangent.shape:
                raise ValueError(
                    f"ForwardAccumulator expected a tangent of the primal's shape {primal.shape}; got one of "
                    f"shape {tangent.shape}."
                )
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        for primal in self._primals:
            self._tape.watch(primal)

    def __enter__(self) -> ForwardAccumulator:
        self._tape.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._tape.__exit__(*exc_info)

    def jvp(
        self,
        primals: tuple[jax.Array, ...],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Tensor:
        """The derivative of each tensor in the direction of the tangents.

        Args:
            primals: tensors that were computed inside the `with` block, in any structure.
            unconnected_gradients: the gradient for a source on which the target does not depend.
        """
        unconnected = UnconnectedGradients(unconnected_gradients)
        return nest.map_structure(lambda target: self._in_direction(target, unconnected), primals)

    def _in_direction(self, target: Tensor, unconnected: UnconnectedGradients) -> Any:
        with GradientTape(watch_accessed_variables=False) as tape:
            weights = zeros_like(target)
            tape.watch(weights)
            found = self._tape.gradient(target, self._primals, output_gradients=weights)
            pairs = [(g, t) for g, t in zip(found, self._tangents, strict=True) if g is not None]
        if not pairs:
            return zeros_like(target) if unconnected is UnconnectedGradients.ZERO else None
        gradients, tangents = zip(*pairs, strict=True)
        return tape.gradient(list(gradients), weights, output_gradients=list(tangents))
