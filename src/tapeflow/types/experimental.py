"""`tf.types.experimental`: types of functions, and of what they are given."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from tapeflow.engine.functions.concrete_function import ConcreteFunction as ConcreteFunction
from tapeflow.engine.functions.function import Function
from tapeflow.engine.functions.function_type import FunctionType as FunctionType
from tapeflow.engine.functions.function_type import SupportsTracingProtocol as SupportsTracingProtocol
from tapeflow.engine.functions.function_type import TraceType as TraceType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable

TensorLike = Tensor | Variable | int | float | bool | str | bytes | complex | tuple | list | np.ndarray
"""What ops take for a tensor."""

PolymorphicFunction = GenericFunction = Function
"""What `tf.function` returns."""


class Callable(abc.ABC):
    """What can be called as a `tf.function` can: `isinstance(f, tf.types.experimental.Callable)`."""

    @abc.abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


Callable.register(Function)
Callable.register(ConcreteFunction)
