"""Which strategy is in force, and whether code runs inside `strategy.run`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapeflow.distribute.reduce_op import as_reduce_op

if TYPE_CHECKING:
    from tapeflow.distribute.strategy import Strategy


class _State(threading.local):
    def __init__(self) -> None:
        self.strategies: list[Strategy] = []
        self.contexts: list[ReplicaContext] = []
        self.lasting: list[Any] = []  # the scope that experimental_set_strategy has opened


state = _State()


class ReplicaContext:
    """What a function called by `strategy.run` may ask. It stands for all replicas: their examples are its own."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many devices share a batch."""
        return self.strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """0: there is one call for all replicas."""
        return 0

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """`value`: it is one of the whole batch already."""
        as_reduce_op(reduce_op)
        return value

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """`value`: it holds the examples of all replicas already."""
        return value

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """`merge_fn(strategy, *args, **kwargs)`, outside of the replicas."""
        context = state.contexts.pop()
        try:
            return merge_fn(self.strategy, *args, **(kwargs or {}))
        finally:
            state.contexts.append(context)


def get_strategy() -> Strategy:
    """The strategy whose scope this is; a default one, of one device, outside of any."""
    if state.strategies:
        return state.strategies[-1]
    from tapeflow.distribute.strategy import default_strategy

    return default_strategy()


def has_strategy() -> bool:
    """Whether this is the scope of a strategy."""
    return bool(state.strategies)


def get_replica_context() -> ReplicaContext | None:
    """What a function inside `strategy.run` may ask; None in a strategy's scope outside of it."""
    if state.contexts:
        return state.contexts[-1]
    return None if state.strategies else ReplicaContext(get_strategy())


def in_cross_replica_context() -> bool:
    """Whether this is a strategy's scope, outside of `strategy.run`."""
    return bool(state.strategies) and not state.contexts
