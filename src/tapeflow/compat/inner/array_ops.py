"""What `tensorflow.python.ops.array_ops` has beside public names."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.gradient.custom_gradient import custom_gradient


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Tensor:
    """The same tensor, whose gradient may not be asked for."""

    def refuse(upstream: object) -> NoReturn:
        raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}.")

    return custom_gradient(lambda tensor: (tensor, refuse))(input)
