"""`tf.random.Generator`: a stream of random numbers with a state of its own.

Its state is a seed and how many keys have been drawn, so it can be saved, compared and set back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.random import Counter, fresh_number, state_vector
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32, int32, int64, uint64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.creation import zeros
from tapeflow.ops.array.joining import stack
from tapeflow.ops.host_args import read_array, read_int
from tapeflow.ops.random.draw import (
    draw_binomial,
    draw_full_int,
    draw_normal,
    draw_truncated,
    draw_uniform,
)
from tapeflow.ops.random.stateless import Algorithm, read_algorithm


def _signed(seed: int) -> int:
    """A seed as the int64 that `state` shows, so that it comes back the same."""
    return ((seed + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


class Generator:
    """A stream of random numbers.

    Make one with `Generator.from_seed` or `Generator.from_non_deterministic_state`.

    >>> one, other = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
    >>> bool(tf.reduce_all(one.normal([3]) == other.normal([3])))
    True
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: str | None = None) -> None:
        if (copy_from is None) == (state is None):
            raise ValueError(
                "tf.random.Generator expected either copy_from or state; got "
                f"copy_from={copy_from!r}, state={state!r}. Use tf.random.Generator.from_seed(1)."
            )
        if copy_from is not None and not isinstance(copy_from, Generator):
            raise TypeError(
                "tf.random.Generator expected a Generator for copy_from; got "
                f"copy_from={copy_from!r}. Use tf.random.Generator.from_seed for a seed."
            )
        if alg is not None:
            read_algorithm("tf.random.Generator", alg)
        self._counter = Counter(0)
        self.reset(copy_from.state if copy_from is not None else state)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: Any = None) -> Generator:
        """The generator that a seed determines."""
        where = "tf.random.Generator.from_seed"
        if alg is not None:
            read_algorithm(where, alg)
        return cls(state=[0, 0, _signed(read_int(seed, where, "seed"))])

    @classmethod
    def from_non_deterministic_state(cls, alg: str | None = None) -> Generator:
        """A generator unlike any other."""
        if alg is not None:
            read_algorithm("tf.random.Generator.from_non_deterministic_state", alg)
        return cls(state=[0, 0, _signed(fresh_number())])

    @classmethod
    def from_state(cls, state: TensorLike, alg: str) -> Generator:
        """The generator with the given `state`."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: TensorLike, counter: TensorLike, alg: str) -> Generator:
        """The generator with the given key and counter, of which the first element is the count."""
        read_algorithm("tf.random.Generator.from_key_counter", alg)
        made = cls.from_seed(0)
        made.reset_from_key_counter(key, counter)
        return made

    @property
    def state(self) -> Tensor:
        """How many keys have been drawn, 0, and the seed: three int64 numbers."""
        return convert_to_tensor(state_vector(self._counter))

    @property
    def key(self) -> Tensor:
        """The seed."""
        return convert_to_tensor(state_vector(self._counter)[2])

    @property
    def algorithm(self) -> int:
        """The number of the algorithm, which is Threefry."""
        return Algorithm.THREEFRY.value

    def reset(self, state: TensorLike) -> None:
        """Set the state, for example to that of another generator."""
        where = "tf.random.Generator.reset"
        numbers = read_array(state, where, "state")
        if numbers.shape != (3,):
            raise ValueError(
                f"{where} expected a state of shape (3,), as generator.state has it: shapes are "
                f"incompatible; got state={state!r} (shape {list(numbers.shape)})."
            )
        count, _, seed = numbers.tolist()
        self._counter.reset(seed)
        self._counter.count = count

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Start again from a seed."""
        self._counter.reset(_signed(read_int(seed, "tf.random.Generator.reset_from_seed", "seed")))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Start again from a key and a counter, of which the first element is the count."""
        where = "tf.random.Generator.reset_from_key_counter"
        self._counter.reset(_signed(read_int(key, where, "key")))
        self._counter.count = int(read_array(counter, where, "counter").reshape(-1)[0])

    def skip(self, delta: TensorLike) -> Tensor:
        """Advance the state as if `delta` tensors had been drawn; returns the state before."""
        before = self.state
        self._counter.count += read_int(delta, "tf.random.Generator.skip", "delta")
        return before

    def split(self, count: TensorLike = 1) -> list[Generator]:
        """New generators whose numbers are unrelated to this one's and to each other's."""
        made = []
        for _ in range(read_int(count, "tf.random.Generator.split", "count")):
            high, low = self._counter.words(self._counter.count)
            self._counter.count += 1
            made.append(type(self).from_seed((high << 32) | low))
        return made

    def make_seeds(self, count: TensorLike = 1) -> Tensor:
        """Seeds for `stateless_` functions: an int64 tensor of shape [2, count], one a column."""
        where = "tf.random.Generator.make_seeds"
        shape = (read_int(count, where, "count"),)
        drawn = draw_full_int(where, self._counter.next_key, shape, int64)
        return stack([drawn, zeros(shape, int64)])

    def normal(
        self,
        shape: Any,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers of the given mean and standard deviation."""
        where = "tf.random.Generator.normal"
        return draw_normal(where, self._counter.next_key, shape, mean, stddev, dtype)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers, drawn again while they are more than two standard deviations away."""
        where = "tf.random.Generator.truncated_normal"
        return draw_truncated(where, self._counter.next_key, shape, mean, stddev, dtype)

    def uniform(
        self,
        shape: Any,
        minval: TensorLike | None = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers in `[minval, maxval)`; with both None, integers of the whole range of `dtype`."""
        where = "tf.random.Generator.uniform"
        return draw_uniform(where, self._counter.next_key, shape, minval, maxval, dtype)

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = uint64, name: str | None = None
    ) -> Tensor:
        """Integers of the whole range of `dtype`."""
        where = "tf.random.Generator.uniform_full_int"
        return draw_full_int(where, self._counter.next_key, shape, dtype)

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = int32,
        name: str | None = None,
    ) -> Tensor:
        """Draw from a binomial distribution with `counts` trials and probability `probs`."""
        where = "tf.random.Generator.binomial"
        return draw_binomial(where, self._counter.next_key, shape, counts, probs, dtype)


_global_generator: Generator | None = None


def get_global_generator() -> Generator:
    """The global generator, created at the first call."""
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


def set_global_generator(generator: Generator) -> None:
    """Replace the shared generator."""
    global _global_generator
    if not isinstance(generator, Generator):
        raise TypeError(
            "tf.random.set_global_generator expected a tf.random.Generator; got "
            f"generator={generator!r}. Make one with tf.random.Generator.from_seed(1)."
        )
    _global_generator = generator


def global_state() -> np.ndarray | None:
    """The state of the shared generator; None while there is none."""
    return None if _global_generator is None else state_vector(_global_generator._counter)


def set_global_state(state: np.ndarray | None) -> None:
    """Give the shared generator a state that `global_state` gave."""
    if state is not None:
        get_global_generator().reset(state)


def create_rng_state(seed: TensorLike, alg: str) -> np.ndarray:
    """The state of `Generator.from_seed(seed)`, as an array."""
    where = "tf.random.create_rng_state"
    read_algorithm(where, alg)
    return np.array([0, 0, _signed(read_int(seed, where, "seed"))], np.int64)
