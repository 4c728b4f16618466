"""One contract for every differentiable array op.

Its gradient agrees with finite differences in float64, also where an element is used twice; and
with float32 inputs neither it nor its gradient computes anything in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.backend import jax, jnp

A = np.random.default_rng(0).normal(size=(3, 4))
B = np.random.default_rng(1).normal(size=(3, 4))
CUBE = np.random.default_rng(2).normal(size=(2, 3, 4))
V = np.array([0.7, -1.1, 2.3, 0.2])


def pending(value: Any) -> Any:
    """An integer tensor whose value the host does not know."""
    return tf.cast(tf.constant(np.asarray(value), tf.float32) * tf.constant(1.0), tf.int32)


@dataclass
class Case:
    """An op, and the inputs to differentiate it by."""

    name: str
    function: Callable[..., Any]
    inputs: tuple[np.ndarray, ...] = (A,)


CASES = [
    Case("reshape", lambda x: tf.reshape(x, [2, -1])),
    Case("transpose", lambda x: tf.transpose(x, [2, 0, 1]), (CUBE,)),
    Case("squeeze", lambda x: tf.squeeze(x[:, :1])),
    Case("expand_dims", lambda x: tf.expand_dims(x, 1)),
    Case("broadcast_to", lambda x: tf.broadcast_to(x, [2, 3, 4])),
    Case("broadcast_to ones", lambda x: tf.broadcast_to(x[:, :1], [3, 5])),
    Case("ensure_shape", lambda x: tf.ensure_shape(x, [None, 4])),
    Case("identity", tf.identity),
    Case("concat", lambda x, y: tf.concat([x, y, x], 1), (A, B)),
    Case("stack", lambda x, y: tf.stack([x, y, x], -1), (A, B)),
    Case("unstack", lambda x: tf.unstack(x, axis=1)[2] * tf.unstack(x, axis=1)[0]),
    Case("split", lambda x: tf.split(x, [1, -1], 1)[1]),
    Case("split evenly", lambda x: tf.split(x, 2, 1)[0] * tf.split(x, 2, 1)[1]),
    Case("tile", lambda x: tf.tile(x, [2, 3])),
    Case("repeat", lambda x: tf.repeat(x, 2, axis=1)),
    Case("repeat each", lambda x: tf.repeat(x, [2, 0, 1], axis=0)),
    Case("pad", lambda x: tf.pad(x, [[1, 0], [2, 1]], constant_values=3)),
    Case("pad reflect", lambda x: tf.pad(x, [[2, 1], [1, 3]], "REFLECT")),
    Case("pad symmetric", lambda x: tf.pad(x, [[3, 1], [0, 2]], "SYMMETRIC")),
    Case("reverse", lambda x: tf.reverse(x, [0, -1])),
    Case("roll", lambda x: tf.roll(x, [1, -2], [0, 1])),
    Case("reverse_sequence", lambda x: tf.reverse_sequence(x, [1, 3, 4], 1, 0)),
    Case("meshgrid", lambda x, y: tf.add_n(tf.meshgrid(x, y)), (V, V[:3])),
    Case("fill", lambda x: tf.fill([2, 3], x), (np.array(1.5),)),
    Case("linspace", lambda x, y: tf.linspace(x, y, 5), (V, V[::-1].copy())),
    Case("linspace of two", lambda x, y: tf.linspace(x, y, 2, axis=-1), (V, V + 1)),
    Case("one_hot values", lambda x, y: tf.one_hot([0, 2, 7], 3, x, y), (V[0], V[1])),
    Case("gather", lambda x: tf.gather(x, [2, 0, 2, 2])),
    Case("gather axis", lambda x: tf.gather(x, [[3, 3], [0, 1]], axis=1)),
    Case("gather batch_dims", lambda x: tf.gather(x, [[1, 1], [0, 3], [2, 2]], batch_dims=1)),
    Case("gather pending", lambda x: tf.gather(x, pending([1, 1, 0]))),
    Case("gather_nd", lambda x: tf.gather_nd(x, [[0, 1], [2, 3], [0, 1]])),
    Case("gather_nd rows", lambda x: tf.gather_nd(x, [[2], [2]])),
    Case("gather_nd batch_dims", lambda x: tf.gather_nd(x, [[[1]], [[0]]], 1), (CUBE,)),
    Case("where", lambda x, y: tf.where(B > 0, x, y), (A, B)),
    Case("where broadcast", lambda x, y: tf.where(B > 0, x, y[0]), (A, B)),
    Case("boolean_mask", lambda x: tf.boolean_mask(x, B > 0)),
    Case("unique", lambda x: tf.unique(tf.concat([x, x], 0)).y, (V,)),
    Case("dynamic_partition", lambda x: tf.dynamic_partition(x, [1, 0, 1], 2)[1]),
    Case("dynamic_stitch", lambda x: tf.dynamic_stitch([[1], [0, 3]], [x[:1], x[1:]])),
    Case("scatter_nd", lambda x: tf.scatter_nd([[1], [0], [1]], x, [3, 4])),
    Case("scatter_nd pending", lambda x: tf.scatter_nd(pending([[2], [2], [0]]), x, [3, 4])),
    *[
        Case(
            f.__name__,
            lambda x, u, f=f: f(x, [[0, 1], [2, 3], [0, 1]], u),
            (A, V[:3]),
        )
        for f in (
            tf.tensor_scatter_nd_update,
            tf.tensor_scatter_nd_add,
            tf.tensor_scatter_nd_sub,
            tf.tensor_scatter_nd_max,
            tf.tensor_scatter_nd_min,
        )
    ],
    Case("slice", lambda x: tf.slice(x, [1, 0], [2, 3])),
    Case("slice pending", lambda x: tf.slice(x, pending([1, 0]), [2, 3])),
    Case("strided_slice", lambda x: tf.strided_slice(x, [2, 0], [0, 4], [-1, 2])),
    Case("x[1]", lambda x: x[1]),
    Case("x[t, -1]", lambda x: x[pending(-2), -1]),
    Case("x[1:3, ::-2]", lambda x: x[1:3, ::-2]),
    Case("x[..., None, 3:1:-1]", lambda x: x[..., None, 3:1:-1]),
    Case("x[mask]", lambda x: x[x > 0]),
]
IDENTITIES = [case.name for case in CASES]


def weighted(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` squared and weighted to one number, so that no two derivatives look alike."""

    def weigh(*inputs: Any) -> Any:
        result = function(*inputs)
        weights = np.random.default_rng(7).uniform(0.5, 1.5, result.shape)
        return tf.reduce_sum(result * result * tf.constant(weights, result.dtype))

    return weigh


def difference(function: Callable[..., Any], inputs: tuple[np.ndarray, ...], which: int) -> Any:
    """The gradient by central differences, one element at a time; exact for quadratics."""
    step = 1e-3
    found = np.zeros_like(inputs[which])
    for place in np.ndindex(found.shape):
        values = []
        for sign in (1, -1):
            moved = [np.array(x) for x in inputs]
            moved[which][place] += sign * step
            values.append(float(function(*map(tf.constant, moved))))
        found[place] = (values[0] - values[1]) / (2 * step)
    return found


@pytest.mark.parametrize("case", CASES, ids=IDENTITIES)
def test_gradient_agrees_with_finite_differences(case: Case) -> None:
    function = weighted(case.function)
    inputs = [tf.constant(x) for x in case.inputs]
    assert all(x.dtype is tf.float64 for x in inputs)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = function(*inputs)
    for i, gradient in enumerate(tape.gradient(value, inputs)):
        expected = difference(function, case.inputs, i)
        np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-8, atol=1e-9)


# These read values, which a tracer does not have; the gather they are made of is covered.
READERS = ("boolean_mask", "unique", "x[mask]", "dynamic_partition", "dynamic_stitch")
TRACEABLE = [case for case in CASES if case.name not in READERS]


@pytest.mark.parametrize("case", TRACEABLE, ids=[case.name for case in TRACEABLE])
def test_float32_stays_float32(case: Case) -> None:
    def run(*inputs: Any) -> Any:
        return jnp.sum(case.function(*map(tf.convert_to_tensor, inputs)).__jax_array__())

    inputs = [jnp.asarray(x, jnp.float32) for x in case.inputs]
    assert "f64" not in str(jax.make_jaxpr(run)(*inputs))
    places = tuple(range(len(inputs)))
    assert "f64" not in str(jax.make_jaxpr(jax.grad(run, places))(*inputs))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.zeros_like(x),
        lambda x: tf.ones_like(x),
        lambda x: tf.stop_gradient(x),
        lambda x: tf.where(x > 0),
        lambda x: tf.cast(tf.searchsorted(x, x), tf.float64),
        lambda x: tf.cast(tf.shape(x), tf.float64),
        lambda x: tf.pad(tf.ones([2], tf.float64), [[1, 1]], constant_values=x[0]),
        lambda x: tf.range(x[3], 3.0, 0.5),
        lambda x: tf.sequence_mask(x, 3, tf.float64),
    ],
)
def test_no_gradient_where_tensorflow_has_none(function: Callable[..., Any]) -> None:
    x = tf.constant(V)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x) is None


def test_second_derivatives_pass_through() -> None:
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            picked = tf.gather(x, [0, 0, 2])
            y = tf.reduce_sum(picked**3) + x[1] ** 4 + tf.reduce_sum(tf.pad(x, [[2, 0]], "REFLECT") ** 2)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    np.testing.assert_allclose(second.numpy(), [12 + 2, 48 + 4, 18 + 4])
