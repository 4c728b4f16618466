"""`EinsumDense`: a dense layer over axes that an einsum equation names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import activations, constraints, initializers, regularizers
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer

Sizes = list[int | None]


class EinsumDense(Layer):
    """`activation(einsum(equation, inputs, kernel) + bias)`.

    Args:
        equation: such as 'abc,cd->abd', the batch first; '...' stands for axes on one side that stay.
        output_shape: the sizes of the output but the batch's and those of '...'; None where it is the input's.
        activation: a function or its name; by default none.
        bias_axes: the letters of the output that the bias has; no bias unless given.
        kernel_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, bias_regularizer: penalties on them, added to the losses.
        activity_regularizer: a penalty on the output, added to the losses.
        kernel_constraint, bias_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 5))(tf.zeros((2, 3, 4))).shape
    TensorShape([2, 3, 5])
    """

    def __init__(
        self,
        equation: str,
        output_shape: Sequence[Any],
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.equation = equation
        self.partial_output_shape: Sizes = (
            [output_shape] if isinstance(output_shape, int) else list(output_shape)
        )
        self.bias_axes = bias_axes
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.bias: Any = None

    def build(self, input_shape: InputShape) -> None:
        plan = _planned(self.equation, self.bias_axes, tuple(input_shape), self.partial_output_shape)
        self.full_output_shape = plan.output
        self.kernel = self.add_weight(
            "kernel",
            shape=plan.kernel,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if plan.bias is not None:
            self.bias = self.add_weight(
                "bias",
                shape=plan.bias,
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        outputs = tf.einsum(self.equation, inputs, self.kernel)
        if self.bias is not None:
            outputs = outputs + self.bias
        return outputs if self.activation in (None, activations.linear) else self.activation(outputs)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(
            _planned(self.equation, self.bias_axes, tuple(input_shape), self.partial_output_shape).output
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "output_shape": self.partial_output_shape,
            "equation": self.equation,
            "activation": activations.serialize(self.activation),
            "bias_axes": self.bias_axes,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
        }


class _Plan(NamedTuple):
    """The shapes that an equation means for some input."""

    kernel: Sizes
    bias: Sizes | None
    output: Sizes


def _planned(equation: str, bias_axes: str | None, shape: tuple[int | None, ...], partial: Sizes) -> _Plan:
    found = re.fullmatch(r"(\.{3})?([a-zA-Z]+)(\.{3})?,([a-zA-Z]+)->(\.{3})?([a-zA-Z]+)(\.{3})?", equation)
    if found is None or (found[1], found[3]) != (found[5], found[7]) or (found[1] and found[3]):
        raise ValueError(
            f"Invalid einsum equation '{equation}'. Equations must be in the form [X],[Y]->[Z], ...[X],[Y]->...[Z], "
            "or [X]...,[Y]->[Z]...."
        )
    left, inputs, _, kernel, _, outputs, right = found.groups()
    hidden = len(shape) - len(inputs)  # the axes that '...' stands for
    if hidden < 0 or (hidden and not (left or right)):
        raise ValueError(
            f"EinsumDense expected an input with the axes '{inputs}' of its equation '{equation}'; got an input of "
            f"shape {shape}."
        )
    lead = hidden if left else 0
    inner = [*shape[1:lead], *partial] if left and lead else list(partial)
    full: Sizes = [shape[0], *inner, *(shape[len(shape) - hidden :] if right else ())]
    by_input = {c: shape[i + lead] for i, c in enumerate(inputs)}
    by_output = {c: full[i + lead] for i, c in enumerate(outputs) if i + lead < len(full)}
    for c, size in by_input.items():
        if by_output.get(c) is not None and by_output[c] != size:
            raise ValueError(
                f"Input shape and output shape do not match at shared dimension '{c}'. Input shape is {size}, and "
                f"output shape is {by_output[c]}."
            )
    for c in outputs:
        if c not in inputs and c not in kernel:
            raise ValueError(
                f"Dimension '{c}' was specified in the output '{outputs}' but has no corresponding dim in the input "
                f"spec '{inputs}' or weight spec '{kernel}'"
            )
    for c in kernel:
        if c not in by_input and c not in by_output:
            raise ValueError(
                f"Weight dimension '{c}' did not have a match in either the input spec '{inputs}' or the output spec "
                f"'{outputs}'. For this layer, the weight must be fully specified."
            )
    weights = [by_input[c] if c in by_input else by_output[c] for c in kernel]
    output = [
        by_input[c] if size is None and c in by_input else size for c, size in _labelled(full, outputs, lead)
    ]
    return _Plan(weights, _bias_shape(bias_axes, outputs, by_output, hidden if right else 0), output)


def _labelled(full: Sizes, outputs: str, lead: int) -> list[tuple[str, int | None]]:
    """The sizes with their letters, '' for those of '...'."""
    letters = [""] * lead + list(outputs)
    return [(letters[i] if i < len(letters) else "", size) for i, size in enumerate(full)]


def _bias_shape(
    bias_axes: str | None, outputs: str, sizes: dict[str, int | None], trailing: int
) -> Sizes | None:
    if not bias_axes:
        return None
    for c in bias_axes:
        if c not in outputs:
            raise ValueError(
                f"Bias dimension '{c}' was requested, but is not part of the output spec '{outputs}'"
            )
    first = min(outputs.find(c) for c in bias_axes)
    return [*[sizes[c] if c in bias_axes else 1 for c in outputs[first:]], *[1] * trailing]
