"""Ops: a pure JAX function made into something that records.

`@op` gives an `Op`. Called with tensors (positional) and statics (keyword-only) it converts its
inputs, infers shape and dtype, raises shape and dtype errors at the user's line, and records a node.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax
from tapeflow.engine.programs.compiled import Compiled
from tapeflow.engine.programs.host import HostFunction
from tapeflow.engine.programs.steps import keep_bounded
from tapeflow.engine.recording.hosting import Hosting, Wanted, cotangents, pulling
from tapeflow.engine.recording.node import Spec, spec_of, spec_of_value
from tapeflow.engine.recording.recorder import apply, record, results_of
from tapeflow.engine.recording.trace import state
from tapeflow.engine.settings import settings
from tapeflow.engine.shapes.inference import Inference
from tapeflow.engine.shapes.skeleton import Fixed, filled, split, structured
from tapeflow.engine.values.convert import convert_inputs, convert_pair
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.tensor import Tensor

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import TensorLike

Kernel = Callable[..., Any]
Check = Callable[..., Any]

_new_tensor = Tensor.__new__
_Table = TypeVar("_Table", bound=dict[Any, Any])
_MOST_KEPT = 1024  # of shapes that an op was called with, and of its statics


def _room_in(table: _Table) -> _Table:
    """A table of what can be worked out again, emptied if it is full."""
    if len(table) >= _MOST_KEPT:
        table.clear()
    return table


class Instance:
    """An op with its statics: what a node applies. Interned, so keys compare by identity."""

    __slots__ = ("__weakref__", "_compiled", "fn", "followed", "hosting", "jaxprs", "op", "specs", "statics")

    def __init__(self, op: Op, statics: dict[str, Any]) -> None:
        self.op = op
        self.statics = statics
        self.followed = None if op.follows is None or not statics else op.follows(statics)
        kernel = op.kernel
        if statics:
            self.fn: Kernel = lambda *arrays: kernel(*arrays, **statics)
            self.fn.__name__ = op.name
        else:
            self.fn = kernel
        self.specs: dict[tuple[Spec, ...], Any] = {}
        self.jaxprs: dict[tuple[Spec, ...], Any] = {}
        self.hosting = Hosting()
        self._compiled: dict[tuple[Spec, ...], Compiled] = {}

    def infer(self, specs: tuple[Spec, ...]) -> Any:
        """The result's `Spec`, or a tuple of them; runs the kernel on shapes alone, once."""
        if not settings.shares_programs:
            result_specs = self._infer(specs)
        else:
            inference, sizes, axes = self.inference(specs)
            result_specs = inference.specs(sizes)
            if result_specs is None:
                result_specs = self._infer(specs)
                inference.learn(sizes, axes, result_specs, lambda symbols: self.traced(specs, symbols, axes))
        _room_in(self.specs)[specs] = result_specs
        return result_specs

    def inference(
        self, specs: tuple[Spec, ...], wanted: Wanted = None
    ) -> tuple[Inference, tuple[int, ...], int]:
        """What is known of such inputs, the sizes of these and the numbers in the statics, and how many are of inputs.

        Args:
            specs: those of the inputs.
            wanted: the inputs whose cotangents are wanted, where the derivative is meant.
        """
        numbers: list[int] = []
        key = (split(self.statics, numbers), tuple([(s.dtype, len(s.shape)) for s in specs]), wanted)
        sizes = [n for s in specs for n in s.shape]
        return self.op.inference(key), (*sizes, *numbers), len(sizes)

    def _infer(self, specs: tuple[Spec, ...]) -> Any:
        avals = [jax.ShapeDtypeStruct(s.shape, s.np_dtype) for s in specs]
        try:
            _room_in(self.jaxprs)[specs], out = jax.make_jaxpr(self.fn, return_shape=True)(*avals)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise errors.InvalidArgumentError(None, None, self._refusal(specs, error)) from None
        if isinstance(out, (tuple, list)):
            return tuple(spec_of(o.shape, as_dtype(o.dtype)) for o in out)
        return spec_of(out.shape, as_dtype(out.dtype))

    def traced(
        self, specs: tuple[Spec, ...], sizes: Sequence[Any], axes: int, wanted: Wanted = None
    ) -> tuple[Any, list[Any]]:
        """The kernel's jaxpr and the results' shapes, for inputs and statics of these sizes, which may be symbols."""
        rest = iter(sizes[:axes])
        avals = [jax.ShapeDtypeStruct(tuple([next(rest) for _ in s.shape]), s.np_dtype) for s in specs]
        kernel, statics = self.op.kernel, filled(self.statics, iter(sizes[axes:]))

        def sized(*arrays: Any) -> Any:
            return kernel(*arrays, **statics)

        trace = jax.make_jaxpr(pulling(sized, avals, wanted), return_shape=True)
        jaxpr, results = trace(*avals, *cotangents(sized, avals, wanted))
        return jaxpr, jax.tree.leaves(results)

    def _refusal(self, specs: tuple[Spec, ...], error: Exception) -> str:
        """What to say of inputs that the kernel does not take."""
        said = str(error).split("\n")[0]
        if "incompatible shapes for broadcasting" in said:
            shapes = " vs. ".join(f"[{','.join(map(str, s.shape))}]" for s in specs)
            said = (
                f"Incompatible shapes: {shapes}. {self.op.name} expected shapes that broadcast: counted from "
                "the last, dimensions must be equal or 1. Reshape or transpose one of the inputs."
            )
        return f"{self.op.name} got incompatible inputs ({', '.join(map(repr, specs))}). {said}"

    def on_host(self, specs: tuple[Spec, ...], wanted: Wanted = None) -> HostFunction | None:
        """A numpy function that does the same for inputs like these, or its derivative; see `Hosting.function`."""
        return self.hosting.function(self, specs, wanted)

    def run(self, *values: Any) -> Any:
        """Run this op by itself, compiled."""
        specs = tuple([spec_of_value(v) for v in values])
        compiled = self._compiled.get(specs)
        if compiled is None:
            compiled = _room_in(self._compiled)[specs] = Compiled(self.fn)
        return compiled.function()(*values)

    def __repr__(self) -> str:
        return self.op.name


structured[Instance] = (
    lambda instance: (Fixed(instance.op), instance.statics),
    lambda instance, parts: Instance(instance.op, parts[1]),
)


def _freeze_float(value: float) -> Any:
    return (float, struct.pack("<d", value))


def _freeze_tuple(value: tuple[Any, ...]) -> Any:
    return (tuple, tuple([freeze(v) for v in value]))


def _freeze_array(value: np.ndarray) -> Any:
    return ("array", value.dtype.str, value.shape, value.tobytes())


_FREEZE: dict[type, Callable[[Any], Any]] = {
    float: _freeze_float,
    complex: lambda v: (complex, struct.pack("<dd", v.real, v.imag)),
    tuple: _freeze_tuple,
    list: lambda v: (list, _freeze_tuple(tuple(v))),
    dict: lambda v: (dict, tuple((freeze(k), freeze(x)) for k, x in v.items())),
    np.ndarray: _freeze_array,
}


def freeze(value: object) -> Any:
    """A hashable stand-in for a static, telling apart what `==` would not.

    1, True and 1.0, and 0.0 and -0.0, are different statics; a NaN equals itself.
    """
    kind = type(value)
    special = _FREEZE.get(kind)
    if special is not None:
        return special(value)
    if isinstance(value, np.generic):
        return (kind, value.tobytes())
    if isinstance(value, (tuple, list)):  # a named one
        return (kind, _freeze_tuple(tuple(value)))
    return (kind, value)


class Op:
    """A kernel, its name in messages, and how tapes and checks treat it. Made by `@op`."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        name: str,
        same_dtype: bool = True,
        differentiable: bool = True,
        check: Check | None = None,
        check_text: str = "",
        host: Kernel | None = None,
        moves: bool = False,
        keeps_elements: bool = False,
        is_spread: bool = False,
        follows: Callable[[dict[str, Any]], int] | None = None,
    ) -> None:
        self.kernel = kernel
        self.name = name
        self.same_dtype = same_dtype
        self.differentiable = differentiable
        self.check = check
        self.check_text = check_text
        self.host = host
        self.moves = moves
        self.keeps_elements = keeps_elements
        self.is_spread = is_spread
        self.follows = follows
        self.is_noted = check is not None or keeps_elements
        self.only_checks = False
        self.__name__ = getattr(kernel, "__name__", name)
        self.__doc__ = kernel.__doc__
        self._bare = Instance(self, {})
        self._instances: dict[Any, Instance] = {}
        self._inferences: dict[Any, Inference] = {}

    def instance(self, statics: dict[str, Any]) -> Instance:
        """The interned pair of this op and these statics."""
        if not statics:
            return self._bare
        key = tuple([(k, freeze(v)) for k, v in statics.items()])
        instance = self._instances.get(key)
        if instance is None:
            instance = _room_in(self._instances).setdefault(key, Instance(self, statics))
        return instance

    def inference(self, key: object) -> Inference:
        """What is known of the shapes of this op's results for such statics and inputs."""
        inference = self._inferences.get(key)
        if inference is None:
            inference = _room_in(self._inferences).setdefault(key, Inference())
        return inference

    def __call__(self, *args: Any, **statics: Any) -> Any:
        trace = state.trace
        if trace.is_long:
            keep_bounded(trace)
        if len(args) == 2 and self.same_dtype:
            inputs = convert_pair(self, *args)
        else:
            inputs = convert_inputs(self, args)
        instance = self.instance(statics) if statics else self._bare
        if self.host is not None and inputs[0].host and inputs[0].spec.dtype.is_integer:
            return apply(instance, inputs)
        tensor = _new_tensor(Tensor)
        node = record(instance, inputs, None, tensor)
        return tensor if type(node.spec) is not tuple else results_of(node)

    def giving(self, specs: tuple[Spec, ...], *tensors: Tensor, **statics: Any) -> tuple[Tensor, ...]:
        """`self(*tensors, **statics)`, whose results have these specs: the kernel is not traced to learn them.

        For ops made of bodies that were recorded, whose specs are known and whose kernels take long to trace.
        """
        instance = self.instance(statics)
        given = tuple([t._node.spec for t in tensors])
        instance.specs.setdefault(given, specs)
        instance.hosting.decline(given)
        return self(*tensors, **statics)

    def operate(self, x: TensorLike, y: TensorLike) -> Any:
        """`self(x, y)` for the method of an operator, which most ops of a training step are."""
        trace = state.trace
        if trace.is_long:
            keep_bounded(trace)
        inputs = convert_pair(self, x, y)
        if self.host is not None and inputs[0].host and inputs[0].spec.dtype.is_integer:
            return apply(self._bare, inputs)
        tensor = _new_tensor(Tensor)
        record(self._bare, inputs, None, tensor, 0, 3)
        return tensor

    def __repr__(self) -> str:
        return f"<op {self.name}>"


@overload
def op(kernel: Kernel, /) -> Op: ...
@overload
def op(
    *,
    name: str | None = None,
    same_dtype: bool = True,
    differentiable: bool = True,
    check: Check | None = None,
    check_text: str = "",
    host: Kernel | None = None,
    moves: bool = False,
    keeps_elements: bool = False,
    is_spread: bool = False,
    follows: Callable[[dict[str, Any]], int] | None = None,
) -> Callable[[Kernel], Op]: ...
def op(
    kernel: Kernel | None = None,
    /,
    *,
    name: str | None = None,
    same_dtype: bool = True,
    differentiable: bool = True,
    check: Check | None = None,
    check_text: str = "",
    host: Kernel | None = None,
    moves: bool = False,
    keeps_elements: bool = False,
    is_spread: bool = False,
    follows: Callable[[dict[str, Any]], int] | None = None,
) -> Any:
    """Turn a pure JAX function into an op.

    Args:
        kernel: positional parameters are tensors, keyword-only ones are static.
        name: what error messages call it; the kernel's own name otherwise.
        same_dtype: all inputs must have one dtype; Python numbers take it from the tensors.
        differentiable: tapes follow it. False gives a `None` gradient, as for `argmax`.
        check: `check(xp, *arrays, **statics)` gives `[is_bad, value, limit]` as int64; a bad one
            raises `InvalidArgumentError` with `check_text`.
        host: a numpy function giving the same result; used at once when every input is a small
            integer the host knows, so that arithmetic on shapes never waits for a program.
        moves: it only moves elements about, so it can move strings as well.
        keeps_elements: its result has exactly the elements of its input, so what was checked of the one
            holds for the other.
        is_spread: its result lies on several devices, and may be too large for one: it is never computed apart from
            what it is made of.
        follows: given the statics, how many inputs a first derivative goes to; the rest matter only to
            derivatives of the gradient.
    """

    def wrap(function: Kernel) -> Op:
        return Op(
            function,
            name=name or function.__name__.removesuffix("_kernel"),
            same_dtype=same_dtype,
            differentiable=differentiable,
            check=check,
            check_text=check_text,
            host=host,
            moves=moves,
            keeps_elements=keeps_elements,
            is_spread=is_spread,
            follows=follows,
        )

    return wrap if kernel is None else wrap(kernel)
