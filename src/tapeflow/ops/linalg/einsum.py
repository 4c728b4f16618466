"""`einsum`: sums of products written in Einstein's notation.

The equation is read here, not left to numpy's rules, because TensorFlow is stricter: an axis of
length 1 does not broadcast against another length, and `...` may not vanish from the result.
"""

from __future__ import annotations

import math
import string
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import NUMERIC
from tapeflow.ops.host_args import invalid
from tapeflow.ops.linalg.matrix_product import project


@op(name="Einsum")
def _einsum(*inputs: jax.Array, equation: str) -> jax.Array:
    NUMERIC.check("Einsum", **{f"inputs[{i}]": x for i, x in enumerate(inputs)})
    _check_shapes(equation, inputs)
    if (summed := _summed_of_projection(equation)) is not None:
        x, weights = inputs
        split = x.ndim - summed
        kernel = weights.reshape(math.prod(weights.shape[:summed]), math.prod(weights.shape[summed:]))
        product = project(x.reshape(*x.shape[:split], kernel.shape[0]), kernel)
        return product.reshape(*x.shape[:split], *weights.shape[summed:])
    return jnp.einsum(equation, *inputs, preferred_element_type=inputs[0].dtype)


def _summed_of_projection(equation: str) -> int | None:
    """How many axes are summed over by an equation like `...ab,abcd->...cd`, a product with a matrix; else `None`."""
    left, _, result = equation.partition("->")
    x, comma, weights = left.partition(",")
    for summed in range(1, len(weights)) if comma and "." not in weights and "," not in weights else ():
        shared, new = weights[:summed], weights[summed:]
        rows = x.removesuffix(shared)
        letters = rows.replace(".", "") + shared + new
        if rows and rows + shared == x and result == rows + new and len(set(letters)) == len(letters):
            return summed
    return None


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums of products in Einstein's notation.

    Args:
        equation: a letter for each axis, inputs separated by commas, the result after `->`; letters
            missing in the result are summed over and `...` stands for axes that broadcast. Without
            `->` the result has the letters that occur once, in alphabetical order.
        *inputs: tensors of one dtype.
        **kwargs: `name` and `optimize`, both ignored: the cheapest order is always chosen.

    >>> tf.einsum('ij,jk->ik', tf.ones([2, 3]), tf.ones([3, 4])).shape
    TensorShape([2, 4])
    """
    if unknown := sorted(set(kwargs) - {"name", "optimize"}):
        raise TypeError(
            f"tf.einsum expected no keyword arguments but name and optimize; got {', '.join(unknown)}."
        )
    if not isinstance(equation, str):
        raise TypeError(f"tf.einsum expected a string for equation; got equation={equation!r}.")
    return _einsum(*inputs, equation=_complete_equation(equation, len(inputs)))


def _complete_equation(equation: str, inputs: int) -> str:
    """The equation without spaces and with an explicit result."""
    text = equation.replace(" ", "")
    left, arrow, result = text.partition("->")
    terms = left.split(",")
    for term in [*terms, result]:
        letters = term.replace("...", "", 1)
        if not set(letters) <= set(string.ascii_letters):
            raise ValueError(
                "tf.einsum expected letters, commas, `...` and one `->` in its equation: "
                f"subscripts have incorrect format; got equation={equation!r}."
            )
    if len(terms) != inputs:
        raise ValueError(
            f"tf.einsum expected {len(terms)} inputs for equation={equation!r}; got {inputs}. "
            "Separate the axes of each input by a comma."
        )
    letters = "".join(terms).replace(".", "")
    if not arrow:
        once = sorted(c for c in set(letters) if letters.count(c) == 1)
        result = ("..." if "..." in left else "") + "".join(once)
    for letter in result.replace(".", ""):
        if letter not in letters:
            raise ValueError(
                "tf.einsum expected the result to use axes of the inputs: output subscripts "
                f"contain the label {letter} not present in the input subscripts; got "
                f"equation={equation!r}."
            )
        if result.count(letter) > 1:
            raise ValueError(
                "tf.einsum expected every axis of the result once: output subscripts contain a "
                f"label appearing more than once, {letter}; got equation={equation!r}."
            )
    return f"{left}->{result}"


def _check_shapes(equation: str, inputs: tuple[Any, ...]) -> None:
    """Raise unless each letter has one length; numpy would let a length of 1 broadcast."""
    left, _, result = equation.partition("->")
    lengths: dict[str, int] = {}
    for i, (term, x) in enumerate(zip(left.split(","), inputs, strict=True)):
        head, dots, tail = term.partition("...")
        named = len(head) + len(tail)
        if x.ndim < named or (x.ndim > named and not dots):
            raise invalid(
                f"tf.einsum expected input {i} to have rank {'at least ' if dots else ''}{named}; "
                f"got shape {list(x.shape)} for {term!r} in equation={equation!r}."
            )
        if x.ndim > named and "..." not in result:
            raise invalid(
                f"tf.einsum expected `...` in the result, as input {i} of shape {list(x.shape)} "
                f"has axes that {term!r} does not name; got equation={equation!r}. Write `->...` "
                "and reduce after."
            )
        axes = [*range(len(head)), *range(x.ndim - len(tail), x.ndim)]
        for letter, axis in zip(head + tail, axes, strict=True):
            if lengths.setdefault(letter, x.shape[axis]) != x.shape[axis]:
                raise invalid(
                    f"tf.einsum expected dimension {lengths[letter]} at axis {axis} of input {i}, "
                    f"as for {letter!r} before; got {x.shape[axis]} (shape {list(x.shape)}) for "
                    f"equation={equation!r}."
                )
