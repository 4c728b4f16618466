"""`tf.function`: record a call once, then run the record without running Python.

The first call of a signature runs as always, on real values. If Python read no value on the way, what
was recorded is the whole story: the program, which Variables it reads and writes, which random
counters it draws from, what it returns. Later calls run that. If Python did read a value, the call has
simply gone on, correctly; the signature is marked as unstaged and one warning names the line.

The first call computes what later ones do, bit by bit: what is pending when a call begins runs before it, the call's
own ops are a program of their own, and an unstaged call goes through the same motions every time.
"""

from __future__ import annotations

import functools
import gc
import inspect
import warnings
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapeflow.autograph.callees import converted
from tapeflow.engine.backend import jax
from tapeflow.engine.functions.compiler_ir import compiler_ir
from tapeflow.engine.functions.concrete_function import ConcreteFunction
from tapeflow.engine.functions.function_type import FunctionType, TracingContext
from tapeflow.engine.functions.inline import Inlined, wrapped_arguments
from tapeflow.engine.functions.sizes import MOST_VALUES, Sizes, may_be_size
from tapeflow.engine.functions.staging import Record, Recording, Staged, again, reading, returned
from tapeflow.engine.functions.trace_types import (
    CallType,
    LeafType,
    OfTensor,
    OfValue,
    TraceTypes,
    type_of_spec,
    type_of_variable,
)
from tapeflow.engine.programs import collecting, phases
from tapeflow.engine.programs.running import materialise, run_pending, run_trace
from tapeflow.engine.programs.steps import begin_call
from tapeflow.engine.recent import Recent
from tapeflow.engine.recording.node import Node, Value
from tapeflow.engine.recording.op import freeze
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.recording.trace import FOREIGN, Trace, is_staging, live_trace, state
from tapeflow.engine.settings import settings
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec

if TYPE_CHECKING:
    from tapeflow.engine.functions.concrete_function import ConcreteFunction
    from tapeflow.engine.values.variable import Variable

_STORM = 5

watchers: list[Callable[[str, Record], None]] = []
"""Called with the function's name and its record at every call of a staged function (`tf.summary.trace_on`)."""


class Function:
    """A Python function whose calls are recorded and then run from the record."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Any = None,
        reduce_retracing: bool = False,
        autograph: bool = True,
        jit_compile: bool = False,
    ) -> None:
        functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self.__name__: str = getattr(python_function, "__name__", "function")
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._generalises = reduce_retracing
        self._reduces = reduce_retracing or input_signature is not None
        self._converts = autograph
        self._is_jitted = jit_compile
        self._known: Recent[Any, Any] = Recent()
        self._sizes: dict[Any, _SizeArguments] = {}
        self._held: dict[int, Any] = {}
        self._last: list[Any] = []
        self._times_recorded = 0
        self._traces = TraceTypes()
        self._parameters = _Parameters.of(python_function)
        self._has_warned_of_reads = False
        self._has_warned_of_storm = False
        self._has_read = False
        self._owes_a_trace = False
        self._makes_variables = 0
        self._concrete: list[ConcreteFunction] = []
        self._calls: list[tuple[Any, Any]] = []
        self._of_classes: weakref.WeakKeyDictionary[type, dict[int, Function]] = weakref.WeakKeyDictionary()

    def __get__(self, instance: Any, owner: type | None = None) -> Function:
        if instance is None:
            return self
        if isinstance(instance, type):  # a class method
            bound = self._of_classes.setdefault(instance, {})
        else:
            bound = vars(instance).setdefault("_tapeflow_functions", {})
        found = bound.get(id(self))
        if found is None:
            method = self.python_function.__get__(instance, owner)
            found = bound[id(self)] = Function(
                method, self.input_signature, self._generalises, self._converts, self._is_jitted
            )
        return found

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """This function for arguments like these: tensors or `tf.TensorSpec`s, and Python values as they are.

        With an `input_signature` no arguments are needed.
        """
        if not args and not kwargs and self.input_signature is not None:
            args = self.input_signature
        found = ConcreteFunction(self, args, kwargs)
        count = self._traces.count
        if self._is_traced_for(args, kwargs):
            try:
                found.trace()
            except BaseException:
                self._traces.forget_since(count)
                raise
        self._concrete.append(found)
        return found

    @property
    def function_type(self) -> FunctionType:
        """Its signature: the arguments it takes."""
        return FunctionType.of_function(inspect.signature(self.python_function))

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of the calls so far, and of the concrete functions asked for."""
        return "\n\n".join(dict.fromkeys(c.pretty_printed_signature(verbose) for c in self.called()))

    def called(self) -> list[ConcreteFunction]:
        """A concrete function for each kind of call so far, and those asked for by name."""
        return [*self._concrete, *[ConcreteFunction(self, args, kwargs) for args, kwargs in self._calls]]

    def experimental_get_tracing_count(self) -> int:
        """How often TensorFlow would have traced the function for the calls so far.

        Python may run more often: a record is of fixed shapes, and of fixed Variables.
        """
        return self._traces.count

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., str | bytes]:
        """The program that XLA compiles for arguments like these, as a function of the stage.

        Every function is compiled, but as in TensorFlow the function must have been made with `jit_compile=True`.

        >>> double = tf.function(lambda x: x * 2, jit_compile=True)
        >>> print(double.experimental_get_compiler_ir(tf.constant(1.0))(stage="hlo")[:9])
        HloModule
        """
        if not self._is_jitted:
            raise ValueError(
                "Compiler IR can only be returned for functions marked with 'jit_compile=True'; got "
                f"{self.__name__!r}, which is not. Make it with tf.function(jit_compile=True)."
            )
        return compiler_ir(self.__name__, self._python(), args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if settings.run_functions_eagerly:
            return self.python_function(*args, **kwargs)
        if state.trace.is_body or is_staging():
            return self._call_inside(args, kwargs)
        if state.recording is not None:  # of a call that has turned out to be plain Python
            return self._call_unrecorded(args, kwargs)
        if self.input_signature is not None:
            args = self._fitted(args, kwargs)
            kwargs = {}
        elif self._parameters is not None and (kwargs or len(args) != self._parameters.count):
            args, kwargs = self._parameters.with_defaults(args, kwargs)
        is_nested = _is_nested(args) or (bool(kwargs) and _is_nested(kwargs.values()))
        flat = nest.flatten((args, kwargs)) if kwargs or is_nested else list(args)
        nodes: list[Node] = []
        key: list[Any] = [bool(state.tapes), settings.check_numerics, tuple(kwargs)]
        if is_nested:
            key.append((tuple([type(a) for a in args]), nest.skeleton((args, kwargs))))
        for value in flat:
            if isinstance(value, Tensor):
                node = value._node
            elif isinstance(value, (np.ndarray, np.generic, jax.Array)):
                node = to_node(value)
            else:
                key.append(self._static_key(value))
                continue
            if node.trace is FOREIGN:  # the record is JAX's, of whoever traces around this call
                return self.python_function(*args, **kwargs)
            nodes.append(node)
            # An index that the host knows is checked before the call, any other inside the program.
            key.append((node.spec, node.host) if node.spec.dtype.is_integer else node.spec)
        given = tuple(key)
        signature = self._with_sizes(given, nodes) if self._sizes else given
        known = self._known.get(signature, _UNKNOWN)
        begin_call()
        if known is _UNKNOWN:
            with phases.during("compile"), collecting.paused():
                return self._record(given, flat, nodes, args, kwargs)
        if known is None:
            return self._finished(self._watched(flat, nodes, args, kwargs, is_trace=not _hold_strings(nodes)))
        if state.tapes:
            structure, inlined = known
            return nest.pack_sequence_as(structure, inlined.replay(wrapped_arguments(nodes)))
        for watcher in watchers:
            watcher(self.__name__, known)
        return known.run(nodes)

    def _python(self) -> Callable[..., Any]:
        """The Python function that is recorded: with its control flow converted."""
        return converted(self.python_function) if self._converts else self.python_function

    def _call_inside(self, args: Any, kwargs: Any) -> Any:
        """A call from another function or a loop's body: its ops belong to the record around it."""
        if self._is_traced_for(args, kwargs):
            return self._python()(*args, **kwargs)
        with again():
            return self._python()(*args, **kwargs)

    def _is_traced_for(self, args: Any, kwargs: Any) -> bool:
        """Whether a call like this needs a trace, which is counted."""
        call = self._type_of(args, kwargs)
        if self._traces.covering(call) is not None:
            return False
        self._traces.trace(call, generalises=self._generalises)
        return True

    def _type_of(self, args: Any, kwargs: Any) -> CallType:
        """The type of a call; with an `input_signature` all calls are of one."""
        if self.input_signature is not None:
            args, kwargs = self.input_signature, {}
        elif self._parameters is not None:
            args, kwargs = self._parameters.with_defaults(args, kwargs)
        variables: list[Variable] = []
        leaves = [self._leaf_type(v, variables) for v in nest.flatten((args, kwargs))]
        return CallType(nest.skeleton((args, kwargs)), tuple(leaves))

    def _leaf_type(self, value: Any, variables: list[Variable]) -> LeafType:
        if isinstance(value, TensorSpec):
            return type_of_spec(value)
        if _is_array(value):
            return type_of_spec(to_node(value).spec)
        if hasattr(value, "_rebind"):  # a Variable
            return type_of_variable(value, variables)
        if isinstance(value, (bool, int, float, complex)):
            return OfValue(("number", value))  # 1, 1.0 and True are one trace in TensorFlow
        spec = getattr(value, "_type_spec", None) or getattr(value, "element_spec", None)
        return OfValue(self._static_key(value) if spec is None else (type(value), repr(spec)))

    def waits_for_call(self) -> None:
        """Python is yet to run for a trace that has been counted."""
        self._owes_a_trace = True

    def _call_unrecorded(self, args: Any, kwargs: Any) -> Any:
        """A call that takes no part in the record being made."""
        around, state.recording = state.recording, None
        try:
            return self(*args, **kwargs)
        finally:
            state.recording = around

    def _static_key(self, value: Any) -> Any:
        """How an argument that is no tensor enters the signature: by value, or by identity."""
        if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
            return freeze(value)
        if isinstance(value, TensorBase):
            self._held[id(value)] = value
            return ("object", id(value))
        if hasattr(value, "__tf_tracing_type__"):
            return value.__tf_tracing_type__(TracingContext())
        try:
            hash(value)
        except TypeError:
            self._held[id(value)] = value
            return ("object", id(value))
        return (type(value), value)

    def _with_sizes(self, signature: Any, nodes: list[Node]) -> Any:
        """A signature with the values of those arguments that decide sizes."""
        found = self._sizes.get(signature)
        if found is None or not found.numbers:
            return signature
        return (signature, tuple([(i, nodes[i].array().tobytes()) for i in found.numbers]))

    def _settled(self, signature: Any, nodes: list[Node], recording: Recording) -> Any:
        """A signature with the values that the record just made is for."""
        deciding = recording.sizes.deciding
        if not deciding or recording.read_at is not None:
            return self._with_sizes(signature, nodes)
        found = self._sizes.setdefault(signature, _SizeArguments())
        found.numbers = tuple(sorted(deciding.union(found.numbers)))
        settled = self._with_sizes(signature, nodes)
        found.signatures.add(settled)
        return settled

    def _has_room_for_sizes(self, signature: Any) -> bool:
        found = self._sizes.get(signature)
        return found is None or len(found.signatures) < MOST_VALUES

    def _record(self, signature: Any, flat: list[Any], nodes: list[Node], args: Any, kwargs: Any) -> Any:
        self._warn_of_storm(flat, args, kwargs)
        self._times_recorded += 1
        count = self._traces.count
        is_new = self._is_traced_for(args, kwargs)
        is_trace = is_new or self._owes_a_trace or self._has_read
        may_create = not (is_new and self._known)
        self._owes_a_trace = False
        self._calls.append(nest.pack_sequence_as((args, kwargs), [_spec_for(v) for v in flat]))
        try:
            call = self._watched(
                flat, nodes, args, kwargs, is_trace, may_create, self._has_room_for_sizes(signature)
            )
        except BaseException:
            self._traces.forget_since(count)
            raise
        recording, result, results = call.recording, call.result, call.results
        signature = self._settled(signature, nodes, recording)
        if recording.has_made_state:
            self._traces.count += 1  # once for the Variables, and once as they are there
        if recording.created:
            flat_result = nest.flatten(result)
            made = [
                _Made(v.name, weakref.ref(v), any(v is r for r in flat_result)) for v in recording.created
            ]
            finished = self._finished(call)
            recording.forget_variables()
            del call, recording, result, results, flat_result
            self._note_creation(signature, made)
            return finished
        if recording.read_at is not None or call.trace.is_done:
            self._known[signature] = None
            self._has_read = self._has_read or not _hold_strings(nodes)
            self._warn_of_read(recording)
            return self._finished(call)
        if state.tapes:
            self._known[signature] = (result, Inlined(recording, call.arguments, call.start, results))
            return nest.pack_sequence_as(result, results)
        staged = Staged(recording, call.arguments, result, results)
        self._known[signature] = staged
        for watcher in watchers:
            watcher(self.__name__, staged)
        return staged.first

    def _watched(
        self,
        flat: list[Any],
        nodes: list[Node],
        args: Any,
        kwargs: Any,
        is_trace: bool = True,
        may_create: bool = True,
        may_settle: bool = False,
    ) -> _Call:
        """Call the Python function and note what it does."""
        # Not known to the host: what is computed from an argument must not become a constant.
        fresh = wrapped_arguments(nodes) if state.tapes else [Node(n.spec, _value_of(n)) for n in nodes]
        trace = live_trace()
        start = len(trace.nodes)
        tensors = iter([tensor_of(n) for n in fresh])
        given = [next(tensors) if _is_array(value) else value for value in flat]
        args, kwargs = nest.pack_sequence_as((args, kwargs), given)
        recording = Recording()
        recording.may_create = may_create
        if may_settle:
            sizes = {
                id(f): (i, n.array())
                for i, (f, n) in enumerate(zip(fresh, nodes, strict=True))
                if n.host and may_be_size(n.spec)
            }
            recording.sizes = Sizes(sizes, recording.changes)
        if not state.tapes:
            recording.known = {
                id(f): (i, n.array())
                for i, (f, n) in enumerate(zip(fresh, nodes, strict=True))
                if n.host and n.spec.dtype.is_integer
            }
        python = self._python()
        state.recording = recording
        around, state.arguments = state.arguments, lambda: self._specs_of(flat, fresh, args, kwargs)
        try:
            with again(not is_trace):
                result = python(*args, **kwargs)
            results = [returned(r) for r in nest.flatten(result)]
        finally:
            state.recording = None
            state.arguments = around  # what is held comes out of the program
        return _Call(recording, trace, start, fresh, result, results)

    def _finished(self, call: _Call) -> Any:
        """The result of a call that is no record; without a read, its ops are one program as those of a record are."""
        if call.recording.read_at is None:
            if not state.tapes:
                run_trace(live_trace(), is_staged=True)
        elif live_trace().effects:
            run_pending()
        return nest.pack_sequence_as(call.result, call.results)

    def _note_creation(self, signature: Any, made: list[_Made]) -> None:
        """A call that made Variables is not the rule: the next one is recorded, and must not make lasting ones.

        Variables that are gone with their call are the function's own business: it is run as plain Python.
        """
        self._makes_variables += 1
        is_first = self._makes_variables == 1
        if not state.tapes:  # which hold what they saw
            if not is_first and any(m.is_alive for m in made):
                gc.collect()
            # A result that nothing else holds would be another Variable at the next call.
            wrong = [m for m in made if (m.is_result and not m.is_alive) or (m.is_alive and not is_first)]
            if wrong:
                raise ValueError(
                    f"tf.function {self.__name__!r} expected to make Variables on its first call only: tf.function "
                    f"only supports singleton tf.Variables created on the first call; got {wrong[0].name!r}, made "
                    "at every call. Make it once, outside or if it is not there yet: `if self.v is None: self.v = ...`."
                )
        if is_first:
            self._traces.count += 1
            self._owes_a_trace = True
            return
        self._known[signature] = None
        if self._makes_variables == 2:
            warnings.warn(
                f"tf.function {self.__name__!r} makes a tf.Variable at every call, so it is run as plain Python. "
                "Make the Variable once, outside.",
                stacklevel=5,
            )

    def _warn_of_read(self, recording: Recording) -> None:
        if self._has_warned_of_reads or state.is_in_pipeline:  # there the caller is plain Python too
            return
        self._has_warned_of_reads = True
        warnings.warn(
            f"tf.function {self.__name__!r} is run as plain Python: {reading(recording.read_at, recording.why)}.",
            stacklevel=4,
        )

    def _warn_of_storm(self, flat: list[Any], args: Any, kwargs: Any) -> None:
        """Say which argument makes the function be recorded again and again."""
        last, self._last = self._last, flat
        if (
            self._has_warned_of_storm
            or self._reduces
            or self._times_recorded < _STORM
            or len(last) != len(flat)
        ):
            return
        changed = [
            i for i, (a, b) in enumerate(zip(last, flat, strict=True)) if _described(a) != _described(b)
        ]
        if not changed:
            return
        self._has_warned_of_storm = True
        names = self._argument_names(args, kwargs, len(flat))
        said = "; ".join(
            f"{names[i]} went from {_described(last[i])} to {_described(flat[i])}" for i in changed
        )
        warnings.warn(
            f"tf.function {self.__name__!r} has been recorded {self._times_recorded + 1} times, which is "
            f"slow: {said}. Pass Python numbers as tensors (tf.constant(n)) and keep shapes alike.",
            stacklevel=4,
        )

    def _specs_of(self, flat: list[Any], nodes: list[Node], args: Any, kwargs: Any) -> dict[int, TensorSpec]:
        """The specs of the arguments that are tensors, as the trace has them, by the `id` of their nodes."""
        names = self._argument_names(args, kwargs, len(flat))
        types = (self._traces.covering(call := self._type_of(args, kwargs)) or call).leaves
        found = [
            TensorSpec(t.dims, v.dtype, n.removeprefix("argument ").strip("'"))
            for n, v, t in zip(names, flat, types, strict=True)
            if _is_array(v) and isinstance(t, OfTensor)
        ]
        return dict(zip(map(id, nodes), found, strict=True))

    def _argument_names(self, args: Any, kwargs: Any, count: int) -> list[str]:
        """A name for each flattened argument."""
        try:
            bound = inspect.signature(self.python_function).bind(*args, **kwargs).arguments
        except (TypeError, ValueError):
            bound = {}
        names = [f"argument {name!r}" for name, value in bound.items() for _ in nest.flatten(value)]
        return names if len(names) == count else [f"argument {i}" for i in range(count)]

    def _fitted(self, args: Any, kwargs: Any) -> Any:
        """The arguments as the input signature wants them."""
        values = list(inspect.signature(self.python_function).bind(*args, **kwargs).args)
        specs = self.input_signature or ()
        if len(values) != len(specs):
            raise TypeError(
                f"tf.function {self.__name__!r} expected {len(specs)} arguments, as in its input_signature; "
                f"got {len(values)}."
            )
        return tuple(self._fit(spec, v) for spec, v in zip(specs, values, strict=True))

    def _fit(self, spec: Any, value: Any) -> Any:
        if nest.is_nested(spec):
            return nest.map_structure(self._fit, spec, value)
        if not isinstance(spec, TensorSpec):  # of a ragged or sparse tensor
            if spec.is_compatible_with(value):
                return value
            raise TypeError(
                f"tf.function {self.__name__!r} expected an argument that fits {spec!r}, as in its input_signature; "
                f"got {value!r}."
            )
        tensor = tensor_of(to_node(value, spec.dtype if not isinstance(value, TensorBase) else None))
        if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
            raise TypeError(
                f"tf.function {self.__name__!r} expected an argument that fits {spec!r}, as in its "
                f"input_signature; got shape {tensor.shape}, dtype {tensor.dtype.name}."
            )
        return tensor


_UNKNOWN: Any = object()


@dataclass
class _SizeArguments:
    """The numbers of the arguments that decide sizes, and the signatures recorded for their values."""

    numbers: tuple[int, ...] = ()
    signatures: set[Any] = field(default_factory=set)


class _Made(NamedTuple):
    """A Variable that a call made: is it in the result, does something hold it after the call?"""

    name: str
    reference: weakref.ref[Variable]
    is_result: bool

    @property
    def is_alive(self) -> bool:
        return self.reference() is not None


class _Call(NamedTuple):
    """A call of the Python function: what was noted, where its ops and arguments are, what it gave, also flat."""

    recording: Recording
    trace: Trace
    start: int
    arguments: list[Node]
    result: Any
    results: list[Any]


def _value_of(node: Node) -> Value:
    """A value that may be pending in another thread, or have failed."""
    return materialise(node) if node.value is None else node.value


def _is_array(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray, np.generic, jax.Array))


def _spec_for(value: Any) -> Any:
    if not _is_array(value):
        return value
    found = to_node(value).spec
    return TensorSpec(found.shape, found.dtype)


def _hold_strings(nodes: list[Node]) -> bool:
    """Whether a call is run by Python since it computes with strings, not since Python reads a value."""
    return any(n.spec.dtype is string for n in nodes)


def _is_nested(args: Iterable[Any]) -> bool:
    return any(nest.is_nested(a) or isinstance(a, DispatchTarget) for a in args)


class _Parameters:
    """The parameters of a function that has no `*args` and no `**kwargs`.

    Attributes:
        count: how many positional arguments make a call that needs nothing else; -1 if none does.
    """

    def __init__(self, parameters: list[inspect.Parameter]) -> None:
        self._positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
        self._named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        self.count = len(self._positional) if not self._named else -1

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _Parameters | None:
        """Those of a function; None if they cannot be told or are open."""
        try:
            found = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return None
        is_open = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY) for p in found)
        return None if is_open else cls(found)

    def with_defaults(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The arguments of a call by position where that is possible, with defaults; as they are if they do not fit."""
        rest = dict(kwargs)
        found = list(args)
        for parameter in self._positional[len(args) :]:
            value = rest.pop(parameter.name, parameter.default)
            if value is inspect.Parameter.empty:
                return args, kwargs
            found.append(value)
        named = {p.name: rest.pop(p.name, p.default) for p in self._named}
        if rest or any(v is inspect.Parameter.empty for v in named.values()):
            return args, kwargs
        return tuple(found), named


def _described(value: Any) -> str:
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        return repr(to_node(value).spec)
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "..."


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Record calls of a Python function once per signature, and run them as one compiled program from then on.

    XLA compiles everything in any case; `jit_compile` only allows you to look at the program.

    Args:
        func: the function; without it, a decorator is returned.
        input_signature: `tf.TensorSpec`s that every call must fit.
        autograph: make Python control flow over tensors part of the program (`tf.autograph`).
        jit_compile: allow `experimental_get_compiler_ir`.
        reduce_retracing: count sizes that vary as one trace, and do not warn when many signatures are met.
    """

    def wrap(python_function: Callable[..., Any]) -> Function:
        if not callable(python_function):
            raise TypeError(
                f"tf.function expected a function; got {python_function!r}, which is not callable."
            )
        return Function(
            python_function,
            input_signature,
            reduce_retracing or bool(experimental_relax_shapes),
            autograph,
            bool(jit_compile or experimental_compile),
        )

    return wrap if func is None else wrap(func)
