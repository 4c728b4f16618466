"""Which strategy is in force, and whether code runs inside `strategy.run`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapeflow.distribute.reduce_op import ReduceOp, as_reduce_op
from tapeflow.engine.values import nest
from tapeflow.ops.array.joining import concat

if TYPE_CHECKING:
    from tapeflow.distribute.strategy import Strategy


class _State(threading.local):
    def __init__(self) -> None:
        self.strategies: list[Strategy] = []
        self.contexts: list[ReplicaContext] = []
        self.lasting: list[Any] = []  # the scope that experimental_set_strategy has opened


state = _State()


class NeedsReplica(Exception):
    """Raised when a function asks which replica it is in a call for all; `strategy.run` then calls it for each."""


class ReplicaContext:
    """Information for a function that `strategy.run` calls.

    Args:
        strategy: whose `run` it is.
        number: which replica is called; None for one call for all.
        is_whole: whether that call has the examples of all, and not what each has alike.
    """

    def __init__(self, strategy: Strategy, number: int | None = None, is_whole: bool = False) -> None:
        self.strategy = strategy
        self._number = number
        self.is_whole = is_whole or strategy.num_replicas_in_sync == 1
        self.has_joined = False  # whether it has asked for values of all replicas

    @property
    def num_replicas_in_sync(self) -> int:
        """How many devices share a batch."""
        return self.strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """Which replica this is; 0 in a call that has the examples of all."""
        if self._number is None and not self.is_whole:
            raise NeedsReplica
        return self._number or 0

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The sum or mean of the replicas' values; `value` itself if it belongs to the whole batch."""
        is_sum = as_reduce_op(reduce_op) is ReduceOp.SUM
        times = self._times("all_reduce") if is_sum else 1
        return value if times == 1 else nest.map_structure(lambda part: part * times, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The replicas' values, one after the other; `value` itself if it holds the examples of all."""
        times = self._times("all_gather")
        return value if times == 1 else nest.map_structure(lambda part: concat([part] * times, axis), value)

    def _times(self, where: str) -> int:
        """How many replicas have the value that the call has."""
        self.has_joined = True
        if self._number is not None:
            raise RuntimeError(
                f"ReplicaContext.{where} expected one call for all replicas; got one for replica {self._number}, since "
                "it has a value of its own or has asked for its number. Return the value and use strategy.reduce or "
                "strategy.gather."
            )
        return 1 if self.is_whole else self.num_replicas_in_sync

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """`merge_fn(strategy, *args, **kwargs)`, outside of the replicas."""
        self.has_joined = True
        # The default strategy's context is that of all code outside of `run`, and on no stack.
        left = [state.contexts.pop()] if state.contexts else []
        try:
            return merge_fn(self.strategy, *args, **(kwargs or {}))
        finally:
            state.contexts.extend(left)


def get_strategy() -> Strategy:
    """The strategy whose scope this is; a default one, of one device, outside of any."""
    if state.strategies:
        return state.strategies[-1]
    from tapeflow.distribute.strategy import default_strategy  # cycle

    return default_strategy()


def has_strategy() -> bool:
    """Whether this is the scope of a strategy."""
    return bool(state.strategies)


def get_replica_context() -> ReplicaContext | None:
    """The context of a function inside `strategy.run`; None in a strategy's scope outside of it."""
    if state.contexts:
        return state.contexts[-1]
    return None if state.strategies else ReplicaContext(get_strategy())


def in_cross_replica_context() -> bool:
    """Whether this is a strategy's scope, outside of `strategy.run`."""
    return bool(state.strategies) and not state.contexts
