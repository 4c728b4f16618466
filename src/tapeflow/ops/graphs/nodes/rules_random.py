"""JAX's random numbers, as nodes: TensorFlow's own, which are others and of the same distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tapeflow.ops.graphs.nodes.function_body import FunctionBody, Value, kind_of
from tapeflow.ops.graphs.nodes.lowering import RecordedOp, op_rule, primitive
from tapeflow.ops.graphs.nodes.rules_elementwise import out_dtype, out_shape

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


@op_rule("FoldKey")
def _fold(body: FunctionBody, op: RecordedOp, key: Value, data: Value) -> Value:
    """A key for one of many calls: in TensorFlow, a new one at every call."""
    bounds = [body.constant(n, "int32") for n in (-(1 << 31), (1 << 31) - 1)]
    words = body.emit("RandomUniformInt", [body.constant([2], np.int32), *bounds], (2,))
    return body.emit("Bitcast", [words], (2,), "uint32", type=kind_of("uint32"))


@primitive("random_wrap", "random_unwrap")
def _wrap(body: FunctionBody, equation: object, key: Value) -> Value:
    return key


def _seed(body: FunctionBody, key: Value) -> Value:
    words = body.reshape(key, (2,))
    return body.emit("Bitcast", [words], (2,), "int32", type=kind_of("int32"))


@primitive("random_bits")
def _bits(body: FunctionBody, equation: JaxprEqn, key: Value) -> Value:
    shape = out_shape(equation)
    seed = _seed(body, key)
    bits = body.emit("StatelessRandomUniformFullInt", [body.shape(shape), seed], shape, "uint32")
    return body.cast(bits, out_dtype(equation))


@primitive("random_fold_in")
def _fold_in(body: FunctionBody, equation: object, key: Value, data: Value) -> Value:
    number = body.emit("Bitcast", [body.cast(data, "uint32")], (), "int32", type=kind_of("int32"))
    seed = body.emit("BitwiseXor", [_seed(body, key), number], (2,))
    size = body.constant([2], np.int32)
    return body.emit("StatelessRandomUniformFullInt", [size, seed], (2,), "uint32")


@primitive("random_split")
def _split(body: FunctionBody, equation: JaxprEqn, key: Value) -> Value:
    shape = (*equation.params["shape"], 2)
    seed = _seed(body, key)
    return body.emit("StatelessRandomUniformFullInt", [body.shape(shape), seed], shape, "uint32")


@primitive("threefry2x32")
def _threefry(body: FunctionBody, equation: JaxprEqn, *words: Value) -> list[Value]:
    """Random words for a key and counters: of TensorFlow's generator, for that key and the first counter."""
    first, second, *counters = [_first(body, word) for word in words]
    pairs = [
        body.emit("BitwiseXor", [key, at], ()) for key, at in zip((first, second), counters, strict=True)
    ]
    key = body.emit("Pack", [pairs], (2,), axis=0)
    found = []
    for i in range(2):
        shape = out_shape(equation, i)
        seed = body.emit("BitwiseXor", [_seed(body, key), body.constant([0, i], np.int32)], (2,))
        found.append(body.emit("StatelessRandomUniformFullInt", [body.shape(shape), seed], shape, "uint32"))
    return found


def _first(body: FunctionBody, value: Value) -> Value:
    """The first element of a tensor."""
    value = value if value.narrow is None else value.narrow
    if not value.sizes:
        return value
    flat = body.emit("Reshape", [value, body.constant([-1], np.int32)], (math.prod(value.sizes),))
    zero = body.constant(0, "int32")
    return body.emit("GatherV2", [flat, zero, zero], ())
