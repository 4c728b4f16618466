"""Random numbers. They come from this library's generator: of the same distribution, not the same numbers."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import Node, implements, integer, ints

_THREEFRY = 2


@implements("RandomStandardNormal")
def _normal(node: Node, shape: Tensor) -> Any:
    return tf.random.normal(ints(shape), dtype=node.dtype("dtype"))


@implements("RandomUniform")
def _uniform(node: Node, shape: Tensor) -> Any:
    return tf.random.uniform(ints(shape), dtype=node.dtype("dtype"))


@implements("RandomUniformInt")
def _uniform_int(_: Node, shape: Tensor, low: Tensor, high: Tensor) -> Any:
    return tf.random.uniform(ints(shape), low, high, low.dtype)


@implements("TruncatedNormal")
def _truncated(node: Node, shape: Tensor) -> Any:
    return tf.random.truncated_normal(ints(shape), dtype=node.dtype("dtype"))


@implements("ParameterizedTruncatedNormal")
def _bounded(node: Node, shape: Tensor, mean: Tensor, deviation: Tensor, low: Tensor, high: Tensor) -> Any:
    seed = tf.random.uniform([2], 0, 1 << 30, tf.int32)
    return tf.random.stateless_parameterized_truncated_normal(ints(shape), seed, mean, deviation, low, high)


@implements("RandomShuffle")
def _shuffle(_: Node, x: Tensor) -> Any:
    return tf.random.shuffle(x)


@implements("RandomGamma")
def _gamma(_: Node, shape: Tensor, alpha: Tensor) -> Any:
    return tf.random.gamma(ints(shape), alpha, dtype=alpha.dtype)


@implements("RandomPoisson", "RandomPoissonV2")
def _poisson(node: Node, shape: Tensor, rate: Tensor) -> Any:
    return tf.random.poisson(
        ints(shape), rate, node.dtype("R" if node.op.endswith("V2") else "dtype", tf.int64)
    )


@implements("Multinomial", "StatelessMultinomial")
def _multinomial(node: Node, logits: Tensor, count: Tensor, *seed: Tensor) -> Any:
    dtype = node.dtype("output_dtype", tf.int64)
    if seed:
        return tf.random.stateless_categorical(logits, integer(count), seed[0], dtype)
    return tf.random.categorical(logits, integer(count), dtype)


@implements(
    "StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg", outputs=("key", "counter", "alg")
)
def _key_counter(node: Node, seed: Tensor) -> Any:
    return tf.cast(seed, tf.int64), tf.zeros([2], tf.int64), tf.constant(_THREEFRY)


@implements("StatelessRandomGetAlg")
def _algorithm(_: Node) -> Any:
    return tf.constant(_THREEFRY)


def _seed(key: Any, counter: Any = None) -> Any:
    """The seed that a key and a counter make; a pair is the seed that `StatelessRandomGetKeyCounter` was given."""
    if key.shape.as_list() == [2]:
        return key
    last = tf.cast(key[0], tf.int64)
    return tf.stack([last, last if counter is None else tf.cast(counter[0], tf.int64)])


@implements("StatelessRandomNormal", "StatelessRandomNormalV2")
def _stateless_normal(node: Node, shape: Any, key: object, counter: Any = None, alg: Any = None) -> Any:
    return tf.random.stateless_normal(ints(shape), _seed(key, counter), dtype=node.dtype("dtype"))


@implements("StatelessRandomUniform", "StatelessRandomUniformV2")
def _stateless_uniform(node: Node, shape: Any, key: object, counter: Any = None, alg: Any = None) -> Any:
    return tf.random.stateless_uniform(ints(shape), _seed(key, counter), dtype=node.dtype("dtype"))


@implements("StatelessTruncatedNormal", "StatelessTruncatedNormalV2")
def _stateless_truncated(node: Node, shape: Any, key: object, counter: Any = None, alg: Any = None) -> Any:
    return tf.random.stateless_truncated_normal(ints(shape), _seed(key, counter), dtype=node.dtype("dtype"))


@implements("StatelessRandomUniformInt", "StatelessRandomUniformIntV2")
def _stateless_int(node: Node, shape: Tensor, key: Tensor, *rest: Tensor) -> Any:
    low, high = rest[-2:]
    seed = _seed(key, rest[0] if len(rest) > 2 else None)
    return tf.random.stateless_uniform(ints(shape), seed, low, high, low.dtype)


@implements("StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2")
def _stateless_full_int(node: Node, shape: Any, key: object, counter: Any = None, alg: Any = None) -> Any:
    return tf.random.stateless_uniform(
        ints(shape), _seed(key, counter), None, None, node.dtype("dtype", tf.uint64)
    )


@implements("StatelessRandomGammaV2", "StatelessRandomGammaV3")
def _stateless_gamma(node: Node, shape: Tensor, key: Tensor, *rest: Tensor) -> Any:
    counters, alpha = list(rest[:-1]), list(rest)[-1]
    seed = _seed(key, counters[0] if counters else None)
    return tf.random.stateless_gamma(ints(shape), seed, alpha, dtype=alpha.dtype)


@implements("StatelessRandomPoisson")
def _stateless_poisson(node: Node, shape: Tensor, seed: Tensor, rate: Tensor) -> Any:
    return tf.random.stateless_poisson(ints(shape), seed, rate, node.dtype("dtype", tf.int32))


@implements("StatelessRandomBinomial")
def _stateless_binomial(node: Node, shape: Tensor, seed: Tensor, counts: Tensor, shares: Tensor) -> Any:
    return tf.random.stateless_binomial(ints(shape), seed, counts, shares, node.dtype("dtype", tf.int64))


@implements("RngSkip")
def _skip_old(_: Node, state: object, alg: object, by: object) -> Any:
    return []


@implements("RngReadAndSkip")
def _skip(_: Node, state: Any, alg: object, by: Tensor) -> Any:
    """The state of a Generator before it goes on; it is a Variable, so it is saved and restored."""
    before = state.value()
    state.assign(tf.concat([before[:1] + tf.cast(by, before.dtype) * 256, before[1:]], 0))
    return before


@implements("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal")
def _stateful(node: Node, state: Any, alg: object, shape: Tensor) -> Any:
    before = state.value()
    state.assign(tf.concat([before[:1] + 256, before[1:]], 0))
    function = {
        "StatefulUniform": tf.random.stateless_uniform,
        "StatefulStandardNormalV2": tf.random.stateless_normal,
        "StatefulTruncatedNormal": tf.random.stateless_truncated_normal,
    }[node.op]
    return function(ints(shape), before[:2], dtype=node.dtype("dtype"))
