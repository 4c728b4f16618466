"""`Variable`: a named place whose value changes.

It owns one node, the current value. Reading gives an immutable snapshot; assigning records the new
value and makes it pending. The node belongs to the Variable alone, so a program that writes the
Variable may overwrite the old buffer, unless somebody took a snapshot of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.devices import placement
from tapeflow.engine.devices.layout import is_laid_out, laid_out
from tapeflow.engine.primitives import assign_add_op, assign_op, assign_sub_op, cast_node, read_op
from tapeflow.engine.programs.flight import await_flights, flights
from tapeflow.engine.programs.running import materialise
from tapeflow.engine.programs.steps import keep_bounded
from tapeflow.engine.recording import name_scope
from tapeflow.engine.recording.node import Node, Spec
from tapeflow.engine.recording.op import Instance
from tapeflow.engine.recording.recorder import record, tensor_of
from tapeflow.engine.recording.trace import (
    FOREIGN,
    AssignsVariable,
    NeedsValue,
    Trace,
    Writes,
    live_outer_trace,
    live_trace,
    state,
)
from tapeflow.engine.shapes.family import Owner
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.dtypes import as_dtype, string
from tapeflow.engine.values.origin import stands_for
from tapeflow.engine.values.shape import TensorShape, static_shape
from tapeflow.engine.values.tensor import Tensor, TensorBase, to_numpy, value_text
from tapeflow.engine.values.variable_creation import CreatedThroughScopes

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike

_new_tuple = tuple.__new__  # what a named tuple's own `__new__` calls
_READ, _ASSIGN = read_op.instance({}), assign_op.instance({})
_ASSIGN_ADD, _ASSIGN_SUB = assign_add_op.instance({}), assign_sub_op.instance({})


class Variable(TensorBase, metaclass=CreatedThroughScopes):
    """A tensor whose value can be changed, such as a weight.

    Args:
        initial_value: a value, or a function that returns one.
        trainable: whether tapes watch it automatically; True by default.
        name: its name; `Variable` otherwise.
        dtype: its dtype; that of the initial value by default.
        constraint: a function that an optimizer applies after each update.
        shape: a shape, perhaps with unknown dimensions, that later values must fit.

    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike | None = None,
        import_scope: str | None = None,
        constraint: Callable[[Tensor], Tensor] | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: ShapeLike | None = None,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "tf.Variable expected an initial value: the `initial_value` arg must be specified; got "
                "initial_value=None. Give a number, a list, a tensor or a function that returns one."
            )
        if callable(initial_value) and not isinstance(initial_value, TensorBase):
            initial_value = initial_value()
        wanted = None if dtype is None else as_dtype(dtype)
        given = to_node(initial_value, None if isinstance(initial_value, TensorBase) else wanted)
        self._declared = None if shape is None else TensorShape(shape)
        if self._declared is not None and not self._declared.is_compatible_with(given.spec.shape):
            raise ValueError(
                f"tf.Variable expected an initial value that fits shape={self._declared}; got one of "
                f"shape {given.spec.shape}."
            )
        if wanted is not None:
            given = cast_node(given, wanted)
        self._name = f"{name_scope.variable_prefix()}{name or 'Variable'}"
        self._trainable = True if trainable is None else bool(trainable)
        self.constraint = constraint
        self.synchronization = synchronization
        self.aggregation = aggregation
        self._read: Node | None = None
        self._read_in: Any = None
        self._source = Owner()
        if state.trace.is_body:
            raise NeedsValue("it makes a Variable")  # which holds a value: a body being recorded has none
        if given.trace is FOREIGN:
            raise _met_tracer()
        self._node, self._layout = given, None
        if placement.current is not None:
            self._layout = placement.current.layout_of(self)
        self._node = self._own(given)
        if state.recording is not None:
            state.recording.note_created(self)

    def _own(self, node: Node) -> Node:
        """`node`'s value as a node that belongs to this Variable alone, counted as its owner."""
        if node.trace is FOREIGN:
            own = Node(node.spec, node.value)
            own.trace = FOREIGN
        elif node.spec.dtype is string:
            own = Node(node.spec, materialise(node))
        elif self._layout is not None:
            return laid_out(node, self._layout)
        elif node.value is not None and state.recording is None and not state.trace.is_body:
            own = Node(node.spec, node.value)
        else:
            return record(_ASSIGN, (node,), node.spec, None, 1, 3)
        own.held = 1
        return own

    def _current(self) -> Node:
        """The node of the current value."""
        if flights:
            await_flights()
        return self._node

    def _as_node(self) -> Node:
        if flights:
            await_flights()
        node = self._node
        if state.recording is not None:
            state.recording.note_variable(self)
        tapes = state.tapes
        if tapes and node.spec.is_differentiable:
            watching = tuple([t for t in tapes if t.is_watching(self)])
            if watching:
                return self._read_under(watching, node)
        return node

    def _read_under(self, watching: tuple[Any, ...], node: Node) -> Node:
        """A read that tapes record. Tapes outside a loop's body record a read outside it."""
        outer = tuple([t for t in watching if not t.is_in_body])
        if outer:
            if node.trace is not None and node.trace.is_body:
                raise NeedsValue("it reads, under a tape, a Variable that it has assigned")
            node = self._record_read(live_outer_trace(), outer, node)
        inner = watching[len(outer) :]
        return self._record_read(live_trace(), inner, node) if inner else node

    def _record_read(self, trace: Trace, watching: tuple[Any, ...], node: Node) -> Node:
        """The node of a read in a trace; the same one until the Variable is assigned."""
        read = self._read
        if (
            read is not None
            and read.trace is trace
            and read.inputs[0] is node
            and read.tapes == watching
            and self._read_in is state.recording  # a record holds its own reads
        ):
            return read
        around = live_trace()
        state.trace = trace
        try:
            read = record(_READ, (node,), node.spec, None, 0, 5)
        finally:
            state.trace = around
        read.tapes = watching
        read.source = self._source
        for token in watching:
            token.variables[id(self)] = self
        self._read, self._read_in = read, state.recording
        return read

    def _replace(self, node: Node) -> None:
        """Make `node` the current value, remembering in its trace what it replaces."""
        if flights:
            await_flights()
        trace = node.trace
        if trace is FOREIGN:
            if self._node.trace is not FOREIGN:  # it is while it is exported
                raise _met_tracer()
        elif trace is not None:
            if trace.is_body and not trace.takes_writes:
                raise AssignsVariable
            if self._layout is not None and not is_laid_out(node, self._layout):
                node = laid_out(node, self._layout)
                self._replace(node)
                node.held -= 1
                return
            known = trace.writes.get(id(self))
            if known is None:
                known = trace.writes[id(self)] = _new_tuple(Writes, (self, self._node, []))
            known.slots.append(node.slot)
            if state.recording is not None and not trace.is_body:
                state.recording.note_write(self, node)
        elif state.trace.is_body and not state.trace.is_sketch:
            raise NeedsValue("it assigns a Variable of strings")
        self._rebind(node)

    def _rebind(self, node: Node) -> None:
        old = self._node
        node.held += 1
        self._node = node
        self._read = None
        old.held -= 1

    def _value_for(self, where: str, value: object) -> Node:
        node = to_node(value, self.dtype)
        shape = node.spec.shape
        declared = self._declared
        fits = shape == self._spec.shape if declared is None else declared.is_compatible_with(shape)
        if not fits:
            raise ValueError(
                f"{where} expected a value of the Variable's shape: cannot assign value to variable "
                f"'{self.name}': Shape mismatch. The variable shape {self.shape}, and the assigned value "
                f"shape {tuple(shape)} are incompatible."
            )
        return node

    def assign(
        self,
        value: object,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Give the Variable a new value of the same shape and dtype."""
        trace = state.trace
        if trace.is_long:
            keep_bounded(trace)
        node = value._node if type(value) is Tensor else None
        if node is None or node.spec is not self._node.spec:
            node = self._value_for("Variable.assign", value)
        if state.recording is not None:
            state.recording.note_variable(self)
        new = self._own(node)
        self._replace(new)
        new.held -= 1
        return self

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Add `delta`, which must have the Variable's shape."""
        return self._update("Variable.assign_add", _ASSIGN_ADD, delta)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Subtract `delta`, which must have the Variable's shape."""
        return self._update("Variable.assign_sub", _ASSIGN_SUB, delta)

    def _update(self, where: str, update: Instance, delta: TensorLike) -> Variable:
        trace = state.trace
        if trace.is_long:
            keep_bounded(trace)
        old = self._current()
        spec = old.spec
        node = delta._node if type(delta) is Tensor else to_node(delta, spec.dtype)
        if node.spec is not spec:
            self._check_delta(where, node)
        if state.recording is not None:
            state.recording.note_variable(self)
        new = record(update, (old, node), spec, None, 1, 3)
        self._replace(new)
        new.held -= 1
        return self

    def _check_delta(self, where: str, node: Node) -> None:
        if node.spec.dtype is not self.dtype:
            to_node(tensor_of(node), self.dtype)  # says what is wrong
        if node.spec.shape != self._spec.shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{where} expected a value of the Variable's shape {self.shape}: shapes must be equal; "
                f"got shape {tuple(node.spec.shape)}. Broadcast it first, or use v.assign(v + delta).",
            )

    @property
    def _spec(self) -> Spec:
        return self._node.spec

    @property
    def shape(self) -> TensorShape:
        """The shape it was declared with, or that of its value."""
        return static_shape(self._node.spec.shape) if self._declared is None else self._declared

    @property
    def name(self) -> str:
        """Its name, with TensorFlow's `:0`."""
        return f"{self._name}:0"

    @property
    def path(self) -> str:
        """Its name without `:0`, which is what layout maps go by."""
        return self._name

    @property
    def handle(self) -> Variable:
        """The Variable itself, which the ops of `tf.raw_ops` on Variables take."""
        return self

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it without being told."""
        return self._trainable

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._spec.shape)

    def value(self) -> Tensor:
        """The current value, as a tensor that later assignments do not change."""
        return tensor_of(self._as_node())

    read_value = value

    def numpy(self) -> Any:
        return to_numpy(self._current())

    def is_initialized(self, name: str | None = None) -> bool:
        """Always true: a Variable has a value from the start."""
        return True

    def __copy__(self) -> Variable:
        return self  # a shallow copy shares the state, and the state is all there is

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._host_array(), self.dtype.name, self._name, self._trainable)

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        layout = self._layout
        placed = placement.current if layout is None else layout.placement.laying_out(lambda _: layout.axes)
        with placement.using(placed):
            copied = Variable(
                tensor_of(self._current()),
                trainable=self._trainable,
                constraint=self.constraint,
                synchronization=self.synchronization,
                aggregation=self.aggregation,
                shape=self._declared,
            )
        copied._name = self._name
        memo[id(self)] = copied
        return copied

    def __repr__(self) -> str:
        text = value_text(self.numpy())
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, numpy={text}>"

    __str__ = __repr__


def _rebuilt(array: np.ndarray, dtype: str, name: str, trainable: bool) -> Variable:
    variable = Variable(array, dtype=dtype, trainable=trainable)
    variable._name = name
    return variable


def _forbid(symbol: str, instead: str) -> Callable[[Variable, Any], NoReturn]:
    def forbidden(self: Variable, other: TensorLike) -> NoReturn:
        raise RuntimeError(
            f"`variable {symbol} value` with `tf.Variable`s is not supported: it would make the name a "
            f"tensor and leave the Variable as it is. Use `{instead}`, or, for a new tensor, "
            f"`x = variable {symbol[:-1]} value`."
        )

    return forbidden


for _name, _symbol, _instead in (
    ("__iadd__", "+=", "variable.assign_add(value)"),
    ("__isub__", "-=", "variable.assign_sub(value)"),
    ("__imul__", "*=", "variable.assign(variable * value)"),
    ("__itruediv__", "/=", "variable.assign(variable / value)"),
    ("__ifloordiv__", "//=", "variable.assign(variable // value)"),
    ("__imod__", "%=", "variable.assign(variable % value)"),
    ("__ipow__", "**=", "variable.assign(variable ** value)"),
    ("__imatmul__", "@=", "variable.assign(variable @ value)"),
):
    setattr(Variable, _name, _forbid(_symbol, _instead))


def _met_tracer() -> RuntimeError:
    return RuntimeError(
        "A Variable expected a value; got a tracer of a JAX transformation (jax.jit, jax.grad), "
        "which is gone when the transformation ends. Return the value and assign it outside."
    )


def variables_written(call: Callable[[], Any]) -> tuple[Any, bool]:
    """The result of a call, and whether it may have assigned a Variable: true also if it ran what was recorded."""
    trace = live_trace()
    before = sum(len(w.slots) for w in trace.writes.values())
    result = call()
    is_open = state.trace is trace and not trace.is_done
    return result, not is_open or sum(len(w.slots) for w in trace.writes.values()) != before


stands_for(Variable, "tensorflow.python.ops.variables")
