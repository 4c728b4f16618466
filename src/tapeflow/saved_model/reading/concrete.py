"""A function of a SavedModel for one kind of arguments, and how arguments are matched with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.functions.function import Function
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.saved_model.interpreter.kernels import GraphError
from tapeflow.saved_model.interpreter.library import Library
from tapeflow.saved_model.reading.structure import component_count, leaves, packed


class Mismatch(Exception):
    """Arguments are not of the kind that a function is for."""


class LoadedConcreteFunction:
    """One FunctionDef with what it captures.

    Args:
        name: that of the FunctionDef.
        library: the functions of the graph.
        captures: gives the values of the inputs that no argument gives.
        signature: the arguments, `(args, kwargs)`, with specs for tensors.
        outputs: the results, with specs for tensors.
    """

    def __init__(
        self, name: str, library: Library, captures: Callable[[], list[Any]], signature: Any, outputs: Any
    ) -> None:
        self.name = name
        self.structured_input_signature = signature
        self.structured_outputs = outputs
        self.input_count = sum(map(component_count, leaves(signature)))
        self._library = library
        self._captures = captures
        self._run = compiled(self._called, name)
        self._checked = False

    @property
    def inputs(self) -> list[Any]:
        """The specs of the tensors that it takes."""
        return [s for s in leaves(self.structured_input_signature) if component_count(s)]

    @property
    def outputs(self) -> list[Any]:
        """The specs of the tensors that it gives."""
        return [s for s in leaves(self.structured_outputs) if component_count(s)]

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of what it gives."""
        return tf.nest.map_structure(lambda s: s.dtype, self.structured_outputs)

    @property
    def output_shapes(self) -> Any:
        """The shapes of what it gives."""
        return tf.nest.map_structure(lambda s: s.shape, self.structured_outputs)

    @property
    def captured_inputs(self) -> list[Any]:
        """The Variables, tables and tensors that it uses besides its arguments."""
        return self._captures()

    @property
    def variables(self) -> tuple[Any, ...]:
        """The Variables that it uses."""
        return tuple({id(v): v for v in self._captures() if isinstance(v, tf.Variable)}.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those among them that are trained."""
        return tuple(v for v in self.variables if v.trainable)

    def _called(self, *tensors: Any) -> list[Any]:
        return self._library.call(self.name, [*tensors, *self._captures()])

    def call_flat(self, tensors: list[Any]) -> Any:
        """Call it on the tensors of its arguments, one after the other."""
        if not self._checked:
            wanted = len(self._library.function(self.name).signature.input_arg)
            if wanted != self.input_count + len(self._captures()):
                raise GraphError(
                    f"function {self.name!r} takes {wanted} inputs, and its signature says otherwise"
                )
            self._library.plan(self.name)
            self._checked = True
        found = self._run(*tensors)
        if len(found) != sum(map(component_count, leaves(self.structured_outputs))):
            raise GraphError(
                f"function {self.name!r} gives {len(found)} results, and its signature says otherwise"
            )
        return packed(self.structured_outputs, iter(found))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it on arguments of its signature, in their structure."""
        tensors: list[Any] = []
        try:
            bind(self.structured_input_signature, (args, kwargs), tensors, True)
        except Mismatch as error:
            raise TypeError(
                f"{self.name} expected arguments like {self.structured_input_signature}; got {(args, kwargs)!r}: "
                f"{error}."
            ) from None
        return self.call_flat(tensors)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}{self.structured_input_signature} -> {self.structured_outputs}>"


def compiled(function: Callable[..., list[Any]], name: str) -> Function:
    """A function of tensors that is recorded once for each kind of them.

    What must read values, such as a lookup in a table, runs as it is called. That is no mistake of the caller's.
    """
    made = Function(function, reduce_retracing=True, autograph=False)
    made.__name__ = name
    made._has_warned_of_reads = True
    return made


def bind(expected: Any, value: object, found: list[Any], converts: bool) -> None:
    """Append the tensors of some arguments to a list, if they are of the kind that is expected.

    Args:
        expected: the structure, with specs for tensors.
        value: the arguments.
        found: what the tensors are appended to.
        converts: whether numbers and arrays may become tensors.

    Raises:
        Mismatch: they are of another kind.
    """
    if isinstance(expected, dict):
        if not isinstance(value, dict) or set(value) != set(expected):
            raise Mismatch(f"{value!r} for {expected!r}")
        for key in sorted(expected):
            bind(expected[key], value[key], found, converts)
    elif isinstance(expected, (list, tuple)):
        if not isinstance(value, (list, tuple)) or len(value) != len(expected):
            raise Mismatch(f"{value!r} for {expected!r}")
        for inner, item in zip(expected, value, strict=True):
            bind(inner, item, found, converts)
    elif isinstance(expected, tf.RaggedTensorSpec):
        found += _ragged_parts(expected, value)
    elif isinstance(expected, tf.SparseTensorSpec):
        if not isinstance(value, tf.SparseTensor) or value.dtype != expected.dtype:
            raise Mismatch(f"{value!r} for {expected!r}")
        found += [value.indices, value.values, value.dense_shape]
    elif isinstance(expected, tf.TensorSpec):
        found.append(_tensor(expected, value, converts))
    elif isinstance(value, (TensorBase, np.ndarray)) or value != expected:
        raise Mismatch(f"{value!r} for {expected!r}")


def _ragged_parts(expected: Any, value: object) -> list[Any]:
    if not isinstance(value, tf.RaggedTensor) or value.dtype != expected.dtype:
        raise Mismatch(f"{value!r} for {expected!r}")
    if value.ragged_rank != expected.ragged_rank:
        raise Mismatch(f"{value!r} for {expected!r}")
    return [value.flat_values, *[tf.cast(s, expected.row_splits_dtype) for s in value.nested_row_splits]]


def _tensor(spec: Any, value: object, converts: bool) -> Tensor:
    if not isinstance(value, TensorBase):
        is_array = isinstance(value, (np.ndarray, np.generic, int, float, complex, str, bytes, list, tuple))
        if not converts or not is_array:
            raise Mismatch(f"{value!r} for {spec!r}")
        try:
            value = tf.convert_to_tensor(value, dtype_hint=spec.dtype)
        except (TypeError, ValueError) as error:
            raise Mismatch(f"{value!r} for {spec!r}") from error
    if value.dtype != spec.dtype or not spec.shape.is_compatible_with(value.shape):
        raise Mismatch(f"{value.dtype.name} of shape {value.shape} for {spec!r}")
    return value if isinstance(value, tf.Tensor) else tf.convert_to_tensor(value)
