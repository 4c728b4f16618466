"""Random state: counters that can be saved, and the keys drawn from them.

A `Counter` is a seed and a count. Drawing a key advances the count on the host and gives the key to
the program as an input, so a staged function draws anew at every call and inferring a shape draws
nothing. A key is a hash of seed and count: the n-th draw is the same on every machine.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.primitives import stack_op
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.recorder import record, tensor_of
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.convert import convert_to_tensor, scalar_node
from tapeflow.engine.values.dtypes import uint32
from tapeflow.engine.values.tensor import Tensor

_MASK = (1 << 64) - 1
_draw_lock = threading.Lock()


def _mix(value: int) -> int:
    """A 64-bit hash (the finaliser of splitmix64)."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


class Counter:
    """A seed and how many keys have been drawn from it."""

    __slots__ = ("_base", "count", "seed")

    def __init__(self, seed: int, count: int = 0) -> None:
        self.reset(seed, count)

    def reset(self, seed: int, count: int = 0) -> None:
        """Start again from a seed."""
        self.seed = int(seed)
        self.count = count
        self._base = _mix(_mix(self.seed & _MASK) + ((self.seed >> 64) & _MASK))

    def words(self, count: int) -> tuple[int, int]:
        """The key of draw `count` as two 32-bit words."""
        key = _mix(self._base + count)
        return key >> 32, key & 0xFFFFFFFF

    def next_words(self) -> tuple[int, int]:
        """Draw a key to be used on the host, once: a staged function does not draw it again."""
        with _draw_lock:
            count = self.count
            self.count += 1
        return self.words(count)

    def next_key(self) -> Tensor:
        """Draw a key: a uint32 tensor of two elements."""
        high, low = (scalar_node(word, uint32) for word in self.next_words())
        if state.recording is not None:
            state.recording.note_draw(self, high, low)
        if state.bodies:
            state.drawn.append(self)
        key = tensor_of(record(_stack, (high, low)))
        for iteration in state.bodies:  # one draw in a loop's body is another at every turn
            key = fold_key(key, tensor_of(iteration))
        return key


_stack = stack_op.instance({"axis": 0})


@op(name="FoldKey", same_dtype=False, differentiable=False)
def fold_key(key: Any, data: Any) -> Any:
    """A key of its own for each value of `data`."""
    folded = jax.random.fold_in(jax.random.wrap_key_data(key, impl="threefry2x32"), data)
    return jax.random.key_data(folded)


_lock = threading.Lock()
_global_seed: int | None = None
_global_counter = Counter(int.from_bytes(os.urandom(8), "little"))
_op_counters: dict[int, Counter] = {}
_entropy: Counter | None = None  # what takes the place of the machine's entropy among several processes


def set_seed(seed: int | None) -> None:
    """Fix the global seed: what follows draws the same numbers after every `set_seed(seed)`. None fixes it no more."""
    global _global_seed
    try:
        number = None if seed is None else int(seed)
    except (TypeError, ValueError):
        raise TypeError(
            f"tf.random.set_seed expected an integer; got seed={seed!r} of type {type(seed).__name__}. Pass a "
            "Python int."
        ) from None
    with _lock:
        _global_seed = number
        _global_counter.reset(fresh_number() if number is None else number)
        for op_seed, counter in _op_counters.items():  # the same objects: staged functions hold them
            counter.reset(_joined(op_seed))


def reseed(seed: int) -> None:
    """Draw from here on what every process draws that is given the same number, while there is no global seed."""
    global _entropy
    with _lock:
        _entropy = Counter(_mix(seed & _MASK))
        if _global_seed is None:
            _global_counter.reset(seed)


def fresh_number() -> int:
    """64 bits that nobody can foresee; after `reseed`, the same in all processes that draw in the same order."""
    if _entropy is None:
        return int.from_bytes(os.urandom(8), "little")
    high, low = _entropy.next_words()
    return high << 32 | low


def _joined(op_seed: int) -> int:
    """The seed of an op's own counter: the op's and the global one together."""
    start = 0 if _global_seed is None else _mix(_global_seed & _MASK)
    return (start << 64) | (op_seed & _MASK)


def global_seed() -> int | None:
    """The seed given to `set_seed`, or `None`."""
    return _global_seed


def counter_for(seed: int | None) -> Counter:
    """The counter of an op's own seed, or the global one; `state.counters` has the first word."""
    if state.counters is not None:
        return state.counters(seed)
    if seed is None:
        return _global_counter
    with _lock:
        found = _op_counters.get(seed)
        if found is None:
            found = _op_counters[seed] = Counter(_joined(int(seed)))
        return found


def counter_in_use(own: Counter) -> Counter:
    """An object's own counter; inside a function of a dataset's element, the element's for the same seed.

    An element then has the same random numbers whenever, and in whatever order, it is computed, also by a training
    that goes on in the middle of the data.
    """
    return own if state.counters is None else state.counters(own.seed)


def next_key(seed: int | None = None) -> Tensor:
    """A key for a random op with this `seed` argument."""
    return counter_for(seed).next_key()


def random_state() -> dict[str, Any]:
    """The global seed, and every counter that belongs to no object, as plain numbers."""
    with _lock:
        return {
            "seed": _global_seed,
            "counter": (_global_counter.seed, _global_counter.count),
            "ops": {op_seed: (c.seed, c.count) for op_seed, c in _op_counters.items()},
        }


def set_random_state(saved: dict[str, Any]) -> None:
    """Go on drawing where `random_state` was taken."""
    global _global_seed
    with _lock:
        _global_seed = saved["seed"]
        _global_counter.reset(*saved["counter"])
        for op_seed, (seed, count) in saved["ops"].items():
            _op_counters.setdefault(op_seed, Counter(seed)).reset(seed, count)


@op(name="StatelessKey", same_dtype=False, differentiable=False)
def _pair_op(pair: Any) -> Any:
    """A key for two integers of any width: the low words are one, the high words are folded in."""
    wide = pair.astype(jnp.int64)
    key = jax.random.wrap_key_data(wide.astype(jnp.uint32), impl="threefry2x32")
    high = (wide >> 32).astype(jnp.uint32)
    return jax.random.key_data(jax.random.fold_in(jax.random.fold_in(key, high[0]), high[1]))


def stateless_key(seed: object) -> Tensor:
    """The key that a `stateless_*` op's `seed` of two integers stands for, the same every time."""
    pair = convert_to_tensor(seed)
    if tuple(pair.spec.shape) != (2,) or not pair.dtype.is_integer:
        raise errors.InvalidArgumentError(
            None,
            None,
            "A stateless random op expected seed of shape [2] and an integer dtype; got shape "
            f"{pair.shape}, dtype {pair.dtype.name}. Pass for example seed=(1, 2).",
        )
    return _pair_op(pair)


def state_vector(counter: Counter) -> np.ndarray:
    """A counter as TensorFlow's Generator shows its state: three int64 numbers."""
    low = counter.seed & _MASK
    signed = low - (1 << 64) if low >= 1 << 63 else low
    return np.array([counter.count, 0, signed], np.int64)
