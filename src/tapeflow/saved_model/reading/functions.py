"""A function of a SavedModel: it chooses among its concrete functions as TensorFlow does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.saved_model.interpreter.kernels import GraphError
from tapeflow.saved_model.reading.concrete import LoadedConcreteFunction, Mismatch, bind


class LoadedFunction:
    """A `tf.function` of a SavedModel.

    Args:
        name: under which it hangs, for messages.
        concrete_functions: one for each kind of arguments that it was saved for.
        signature: the parameters of the Python function.
    """

    def __init__(
        self, name: str, concrete_functions: list[LoadedConcreteFunction], signature: inspect.Signature
    ) -> None:
        self.name = self.__name__ = name
        self.concrete_functions = concrete_functions
        self.__signature__ = signature

    @property
    def variables(self) -> tuple[Any, ...]:
        """The Variables that it uses."""
        return tuple({id(v): v for c in self.concrete_functions for v in c.variables}.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those among them that are trained."""
        return tuple(v for v in self.variables if v.trainable)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = self._canonical(args, kwargs)
        found = self._matching(given)
        if found is None:
            raise self._refusal(given)
        concrete, tensors = found
        return concrete.call_flat(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> LoadedConcreteFunction:
        """The one for arguments like these: tensors or `tf.TensorSpec`s, and Python values."""
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        sample = tf.nest.map_structure(
            lambda v: (
                tf.zeros([n or 1 for n in v.shape.as_list()], v.dtype) if isinstance(v, tf.TensorSpec) else v
            ),
            (args, kwargs),
        )
        given = self._canonical(*sample)
        found = self._matching(given)
        if found is None:
            raise self._refusal(given)
        return found[0]

    def _matching(self, given: object) -> tuple[LoadedConcreteFunction, list[Any]] | None:
        for converts in (False, True):
            for concrete in self.concrete_functions:
                tensors: list[Any] = []
                try:
                    bind(concrete.structured_input_signature, given, tensors, converts)
                except Mismatch:
                    continue
                return concrete, tensors
        return None

    def _canonical(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """All arguments: those that may go by position, with their defaults, and the others by name."""
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        named: dict[str, Any] = {}
        by_position: list[Any] = []
        for name, value in bound.arguments.items():
            kind = self.__signature__.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                by_position += value
            elif kind is inspect.Parameter.VAR_KEYWORD:
                named |= value
            elif kind is inspect.Parameter.KEYWORD_ONLY:
                named[name] = value
            else:
                by_position.append(value)
        return tuple(by_position), named

    def _refusal(self, given: Any) -> ValueError:
        options = "\n\n".join(
            f"Option {i + 1}:\n  Positional arguments: {c.structured_input_signature[0]}\n  Keyword arguments: "
            f"{c.structured_input_signature[1]}"
            for i, c in enumerate(self.concrete_functions)
        )
        return ValueError(
            f"Could not find matching concrete function to call loaded from the SavedModel. {self.name} expected "
            f"one of the {len(self.concrete_functions)} kinds of arguments below; got:\n  Positional arguments: "
            f"{given[0]!r}\n  Keyword arguments: {given[1]!r}\n\n{options}"
        )


class LoadedSignature:
    """A function of `signatures`: tensors by name in, a dict of tensors out.

    Args:
        key: its name among the signatures.
        run: called with the tensors in the order of the specs; gives the results by name.
        inputs: the specs by name.
        outputs: the specs of the results by name.
        positional: how many arguments may go without a name.
        variables: gives the Variables that it uses.
    """

    def __init__(
        self,
        key: str,
        run: Callable[[list[Any]], dict[str, Any]],
        inputs: dict[str, Any],
        outputs: dict[str, Any],
        positional: int,
        variables: Callable[[], tuple[Any, ...]],
    ) -> None:
        self.name = key
        self.structured_input_signature = ((), inputs)
        self.structured_outputs = outputs
        self._run = run
        self._positional = positional
        self._variables = variables

    @property
    def inputs(self) -> list[Any]:
        """The specs of the tensors that it takes."""
        return list(self.structured_input_signature[1].values())

    @property
    def outputs(self) -> list[Any]:
        """The specs of the tensors that it gives."""
        return list(self.structured_outputs.values())

    @property
    def variables(self) -> tuple[Any, ...]:
        """The Variables that it uses."""
        return self._variables()

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those among them that are trained."""
        return tuple(v for v in self.variables if v.trainable)

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        specs = self.structured_input_signature[1]
        if len(args) > max(self._positional, int(len(specs) == 1)):
            raise TypeError(
                f"Signature {self.name!r} expected its tensors by name, {sorted(specs)}; got {len(args)} by position."
            )
        values = dict(zip(specs, args, strict=False))
        if set(values) & set(kwargs) or set(values) | set(kwargs) != set(specs):
            raise TypeError(
                f"Signature {self.name!r} expected the tensors {sorted(specs)}; got {sorted({*values, *kwargs})}."
            )
        values |= kwargs
        tensors: list[Any] = []
        try:
            for name, spec in specs.items():
                bind(spec, values[name], tensors, True)
        except Mismatch as error:
            raise TypeError(f"Signature {self.name!r} expected tensors like {specs}; got {error}.") from None
        return self._run(tensors)

    def __repr__(self) -> str:
        return f"<Signature {self.name}({self.structured_input_signature[1]}) -> {self.structured_outputs}>"


def signature_of(spec: Any, is_method: bool) -> inspect.Signature:
    """The parameters that a FullArgSpec describes.

    Raises:
        GraphError: it describes none.
    """
    kinds = inspect.Parameter
    if spec is None:
        everything = [kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)]
        return inspect.Signature(everything)
    try:
        names = list(spec.args)
        defaults = list(spec.defaults or ())
        if is_method or names[:1] == ["self"]:
            names = names[1:]
        required = len(names) - len(defaults)
        if required < 0:
            defaults, required = defaults[-len(names) or len(defaults) :], 0
        parameters = [
            kinds(
                n,
                kinds.POSITIONAL_OR_KEYWORD,
                default=kinds.empty if i < required else defaults[i - required],
            )
            for i, n in enumerate(names)
        ]
        if spec.varargs:
            parameters.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
        given = spec.kwonlydefaults or {}
        parameters += [
            kinds(n, kinds.KEYWORD_ONLY, default=given.get(n, kinds.empty)) for n in spec.kwonlyargs or ()
        ]
        if spec.varkw:
            parameters.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
        return inspect.Signature(parameters)
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        raise GraphError(f"a function's parameters are damaged: {error}") from error
