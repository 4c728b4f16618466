"""`ConcreteFunction`: a `tf.function` with its Python arguments settled and its tensors described.

It is called with the tensors alone and holds no record of its own: the function records each shape it
meets. What it returns is found by sketching a call; dimensions that the specs leave open are tried at two
sizes, and what changes with them is open in the result too.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.errors import InvalidArgumentError
from tapeflow.engine.functions.function_graph import FunctionGraph
from tapeflow.engine.functions.function_type import FunctionType
from tapeflow.engine.functions.staging import Recording, again
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.sketch import NotSketchable, sketch
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable

if TYPE_CHECKING:
    from tapeflow.engine.functions.function import Function

_SIZES = (2, 3)


class ConcreteFunction:
    """A function of tensors like some specs. Made by `get_concrete_function`.

    Attributes:
        structured_input_signature: `(args, kwargs)` with a `TensorSpec` for each tensor.
    """

    def __init__(self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function = function
        self._outputs: Any = None
        self._met: Any = None  # what the first call gave, for functions that cannot be sketched
        self._variables: tuple[Variable, ...] = ()
        self._signature, self._arguments = _settled(function.python_function, args, kwargs)
        is_named = {n: p.kind is p.KEYWORD_ONLY for n, p in self._signature.parameters.items()}
        self.structured_input_signature: tuple[Any, Any] = (
            tuple([v for n, v in self._arguments.items() if not is_named.get(n)]),
            {n: v for n, v in self._arguments.items() if is_named.get(n)},
        )
        self._graph: FunctionGraph | None = None
        self._names = [n for n, value in self._arguments.items() for s in nest.flatten(value) if _is_spec(s)]

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._function.__name__

    @property
    def inputs(self) -> list[TensorSpec]:
        """The specs of the tensors it takes, flat."""
        return [v for v in nest.flatten(list(self._arguments.values())) if _is_spec(v)]

    @property
    def structured_outputs(self) -> Any:
        """What it returns, with a `TensorSpec` for each tensor."""
        self._look()
        return self._outputs

    @property
    def outputs(self) -> list[TensorSpec]:
        """The specs of the tensors it returns, flat."""
        return [v for v in nest.flatten(self.structured_outputs) if _is_spec(v)]

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of what it returns."""
        return nest.map_structure(lambda s: s.dtype if _is_spec(s) else s, self.structured_outputs)

    @property
    def output_shapes(self) -> Any:
        """The shapes of what it returns."""
        return nest.map_structure(lambda s: s.shape if _is_spec(s) else s, self.structured_outputs)

    @property
    def function_type(self) -> FunctionType:
        """Its signature, with the types of arguments and results."""
        return FunctionType.of_call(self._signature, self._arguments, self.structured_outputs)

    @property
    def graph(self) -> FunctionGraph:
        """The ops that a call records; dimensions that are open stand at 2."""
        if self._graph is None:
            graph = self._graph = self._recorded_graph()
            graph.outputs, graph.structured_outputs = self.outputs, self.structured_outputs
            graph.structured_input_signature = self.structured_input_signature
        return self._graph

    @property
    def captured_inputs(self) -> list[Any]:
        """The Variables that it uses besides its arguments."""
        return list(self.graph.variables)

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Nothing to do: a function is called where it is needed, no graph has to hold it."""

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Nothing to do: see `add_to_graph`."""

    def _recorded_graph(self) -> FunctionGraph:
        found: list[FunctionGraph] = []
        specs = self.inputs

        def call(*values: Any) -> None:
            trace = state.trace
            trace.keeps_strings = True
            recording = state.recording = Recording(is_trial=True)
            result = self._called(values)
            given = [v._node for v in nest.flatten(values) if isinstance(v, Tensor)]
            results = [to_node(r) for r in nest.flatten(result) if _is_result(r)]
            arguments = list(zip(self._names, given, specs, strict=True))
            found.append(
                FunctionGraph(self.name, trace, arguments, list(recording.variables.values()), results)
            )

        with again():
            sketch(call, *nest.map_structure(lambda s: _placed(s, _SIZES[0]), list(self._arguments.values())))
        return found[0]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The trainable Variables that it reads; others it may read are not noted."""
        self._look()
        return self._variables

    trainable_variables = variables

    def trace(self) -> None:
        """Run Python on placeholders, as TensorFlow does here; a function that reads a value waits for a call."""
        try:
            self._sketched(_SIZES[0])
        except NotSketchable:
            if not any(s.dtype is string for s in self.inputs):
                self._function.waits_for_call()

    def _look(self) -> None:
        """Find out what a call gives, once."""
        if self._outputs is not None:
            return
        try:
            with again():
                found = [self._sketched(size) for size in _SIZES]
        except NotSketchable:
            if self._met is None:
                raise
            self._outputs = self._met
            return
        has_rank = all(s.shape.rank is not None for s in self.inputs)
        self._outputs = nest.map_structure(
            lambda a, b: _joined(a, b, has_rank) if _is_spec(a) else a, found[0], found[1]
        )

    def _sketched(self, size: int) -> Any:
        given = nest.map_structure(lambda s: _placed(s, size), list(self._arguments.values()))
        taken: list[Any] = []

        def call(*values: Any) -> Any:
            nodes = [v._node for v in nest.flatten(values) if isinstance(v, Tensor)]
            specs = dict(zip(map(id, nodes), self.inputs, strict=True))
            before, state.arguments = state.arguments, lambda: specs
            try:
                with GradientTape() as tape:
                    result = self._called(values)
            finally:
                state.arguments = before
            taken.extend(tape.watched_variables())
            return nest.map_structure(_described, result)

        outputs = sketch(call, *given)
        self._variables = tuple(taken)
        return outputs

    def _called(self, values: Any) -> Any:
        """Call Python with values for the arguments, in their order."""
        bound = self._bound_arguments(values)
        return self._function._python()(*bound.args, **bound.kwargs)

    def _bound_arguments(self, values: Iterable[Any]) -> inspect.BoundArguments:
        given = OrderedDict(zip(self._arguments, values, strict=True))
        return inspect.BoundArguments(self._signature, given)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on tensors: by position or by name, the settled arguments left out or given as they are."""
        values = self._bound(args, kwargs)
        bound = self._bound_arguments(self._filled(n, s, values) for n, s in self._arguments.items())
        result = self._function(*bound.args, **bound.kwargs)
        if self._met is None:
            self._met = nest.map_structure(_described, result)
        return result

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The passed arguments by name: those of the tensors, or of all as in the signature."""
        tensors = list(dict.fromkeys(self._names))
        names = list(self._arguments)
        if len(args) > len(tensors):
            tensors = names
        if len(args) > len(tensors):
            raise self._refusal(f"got {len(args)} arguments")
        values = dict(zip(tensors, args, strict=False))
        for name, value in kwargs.items():
            if name not in self._arguments:
                raise self._refusal(f"got an unexpected argument {name!r}")
            if name in values:
                raise self._refusal(f"got two values for argument {name!r}")
            values[name] = value
        for name in dict.fromkeys(self._names):
            if name not in values:
                raise self._refusal(f"missing a required argument: {name!r}")
        return values

    def _filled(self, name: str, spec: Any, values: dict[str, Any]) -> Any:
        if name not in values:
            return spec
        value = values[name]
        if _is_spec(spec):
            return self._fitted(name, spec, value)
        if not any(_is_spec(s) for s in nest.flatten(spec)):
            if isinstance(value, TensorBase) or value != spec:
                raise self._refusal(f"can not cast {value!r} to {spec!r}, which {name!r} was given")
            return spec
        return nest.map_structure(lambda s, v: self._fitted(name, s, v) if _is_spec(s) else v, spec, value)

    def _fitted(self, name: str, spec: TensorSpec, value: Any) -> Any:
        tensor = value if isinstance(value, TensorBase) else tensor_of(to_node(value, spec.dtype))
        if tensor.dtype is not spec.dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"cannot compute {self.name} as its argument {name!r} was expected to be a {spec.dtype.name} "
                f"tensor but is a {tensor.dtype.name} tensor. Use tf.cast.",
            )
        if not spec.shape.is_compatible_with(tensor.shape):
            raise InvalidArgumentError(
                None,
                None,
                f"{self.name} expected a tensor of shape {spec.shape} for {name!r}; got shape {tensor.shape}. "
                "Get a concrete function for this shape, or leave the dimension open with None.",
            )
        return tensor

    def _refusal(self, why: str) -> TypeError:
        return TypeError(
            f"Binding inputs to the concrete function {self.name!r} failed: {why}. Its signature is "
            f"({', '.join(f'{n}: {_shown(v)}' for n, v in self._arguments.items())})."
        )

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Its arguments and what it returns, one a line."""
        kinds = {n: p.kind.name for n, p in self._signature.parameters.items()}
        lines = [f"  {n} ({kinds.get(n, 'KEYWORD_ONLY')}): {_shown(v)}" for n, v in self._arguments.items()]
        outputs = self._shown_outputs()
        return "\n".join(["Input Parameters:", *(lines or ["  None"]), "Output Type:", f"  {outputs}"])

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        taken = ", ".join(f"{n}: {_shown(v)}" for n, v in self._arguments.items())
        return f"<ConcreteFunction {self.name}({taken}) -> {self._shown_outputs()}>"

    def _shown_outputs(self) -> str:
        try:
            return _shown(self.structured_outputs)
        except NotSketchable:
            return "known after a call"


def _placed(spec: Any, size: int) -> Any:
    """A spec whose open dimensions have a size; anything else as it is."""
    if not _is_spec(spec):
        return spec
    dims = [size] if spec.shape.rank is None else [size if d is None else d for d in spec.shape]
    return spec_of(tuple(dims), spec.dtype)


def _is_result(value: Any) -> bool:
    return isinstance(value, (TensorBase, int, float, complex, np.ndarray, np.generic))


def _is_spec(value: Any) -> bool:
    return isinstance(value, TensorSpec)


def _settled(
    function: Callable[..., Any], args: Any, kwargs: Any
) -> tuple[inspect.Signature, dict[str, Any]]:
    """The signature of a call, in which each argument has a name of its own, and the arguments by name.

    Tensors and arrays become their specs; defaults count as given.
    """
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    parameters: list[inspect.Parameter] = []
    values: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            each = {f"{name}_{i}": one for i, one in enumerate(value)}
            if each:
                parameters = [p.replace(kind=p.POSITIONAL_ONLY, default=p.empty) for p in parameters]
            parameters += [inspect.Parameter(n, parameter.POSITIONAL_ONLY) for n in each]
        elif parameter.kind is parameter.VAR_KEYWORD:
            each = dict(value)
            parameters += [inspect.Parameter(n, parameter.KEYWORD_ONLY) for n in each]
        else:
            each = {name: value}
            parameters.append(parameter)
        values |= each

    def spec(name: str) -> Callable[[Any], Any]:
        def described(value: Any) -> Any:
            if _is_spec(value):
                return TensorSpec(value.shape, value.dtype, value.name or name)
            if isinstance(value, Variable):
                return value
            if isinstance(value, (TensorBase, np.ndarray, np.generic)):
                found = to_node(value).spec
                return TensorSpec(found.shape, found.dtype, name)
            return value

        return described

    described = {name: nest.map_structure(spec(name), value) for name, value in values.items()}
    return bound.signature.replace(parameters=parameters), described


def _described(value: Any) -> Any:
    if isinstance(value, (TensorBase, int, float, complex, str, bytes, np.ndarray, np.generic)):
        found = to_node(value).spec
        return TensorSpec(found.shape, found.dtype)
    return value


def _joined(a: TensorSpec, b: TensorSpec, has_rank: bool) -> TensorSpec:
    """One spec for what a call gives at two sizes."""
    if a.shape == b.shape:
        return a
    if not has_rank or a.shape.rank != b.shape.rank:
        return TensorSpec(None, a.dtype)
    dims = [x if x == y else None for x, y in zip(a.shape, b.shape, strict=True)]
    return TensorSpec(TensorShape(dims), a.dtype)


def _shown(value: Any) -> str:
    if _is_spec(value):
        return repr(TensorSpec(value.shape, value.dtype))
    if isinstance(value, dict):
        return f"Dict[{', '.join(f'[{k!r}, {_shown(v)}]' for k, v in value.items())}]"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__.capitalize()}[{', '.join(map(_shown, value))}]"
    return "None" if value is None else f"Literal[{value!r}]"
