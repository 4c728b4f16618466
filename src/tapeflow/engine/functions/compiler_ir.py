"""`experimental_get_compiler_ir`: the program of a `tf.function` as XLA sees it, before and after it is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.body import Body, record_body
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.recording.trace import NeedsValue
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec

_STAGES: dict[str, Callable[[Any], str | bytes]] = {
    "hlo": lambda lowered: lowered.as_text("hlo"),
    "hlo_serialized": lambda lowered: lowered.compiler_ir("hlo").as_serialized_hlo_module_proto(),
    "stablehlo": lambda lowered: lowered.as_text("stablehlo"),
    "optimized_hlo": lambda lowered: lowered.compile().as_text(),
    "optimized_hlo_serialized": lambda lowered: _optimized(lowered).as_serialized_hlo_module_proto(),
}


def compiler_ir(
    name: str, function: Callable[..., Any], args: Any, kwargs: Any
) -> Callable[..., str | bytes]:
    """A function that gives the program for arguments like these, at a stage of its compilation.

    The Variables that the function uses are arguments of the program, after its own.

    Args:
        name: the name of the function, for messages.
        function: called with tensors in place of the arguments that are tensors or specs of tensors.
        args: the arguments by position.
        kwargs: those by name.
    """
    where = f"experimental_get_compiler_ir of {name!r}"
    flat = nest.flatten((args, kwargs))
    specs = [_spec(where, v) for v in flat if _is_tensor(v)]

    def call(*tensors: Any) -> Any:
        rest = iter(tensors)
        given = [next(rest) if _is_tensor(v) else v for v in flat]
        positional, named = nest.pack_sequence_as((args, kwargs), given)
        return function(*positional, **named)

    try:
        body = record_body(call, *specs, takes_writes=True, takes_effects=True)
    except NeedsValue as error:
        raise ValueError(f"{where} expected a function that is one program; got one where {error}.") from None
    lowered = jax.jit(_program(body)).lower(
        *[jax.ShapeDtypeStruct(s.shape, s.np_dtype) for s in (*specs, *[t.spec for t in body.captured])]
    )

    def stage_of(stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None) -> Any:
        if stage not in _STAGES:
            raise ValueError(f"{where} expected a stage among {sorted(_STAGES)}; got stage={stage!r}.")
        return _STAGES[stage](lowered)

    return stage_of


def _program(body: Body) -> Callable[..., Any]:
    whole = body.with_values_of([v for v, _ in body.written])

    def program(*values: Any) -> list[Any]:
        return whole.graph(jnp.zeros((), jnp.uint32), *values)

    return program


def _optimized(lowered: Any) -> Any:
    return lowered.compile().runtime_executable().hlo_modules()[0]


def _is_tensor(value: Any) -> bool:
    return isinstance(value, TensorSpec | TensorBase) or hasattr(value, "__array__")


def _spec(where: str, value: Any) -> Any:
    if not isinstance(value, TensorSpec):
        return to_node(value).spec
    if not value.shape.is_fully_defined():
        raise ValueError(f"{where} expected shapes without open dimensions; got {value!r}. Give every size.")
    return spec_of(tuple([d for d in value.shape.as_list() if d is not None]), value.dtype)
