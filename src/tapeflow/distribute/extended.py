"""`strategy.extended`: what library code asks of a strategy. There is one call and one copy for all replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tapeflow.distribute.values import shared_part
from tapeflow.engine.devices.device import names_of
from tapeflow.engine.values.variable import Variable

if TYPE_CHECKING:
    from tapeflow.distribute.strategy import Strategy


class StrategyExtended:
    """The lower half of a strategy."""

    experimental_require_static_shapes = False
    should_checkpoint = True
    should_save_summary = True

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    def _in_multi_worker_mode(self) -> bool:
        """Whether other processes take part, so that one alone is to write files: what libraries ask."""
        placed = self._strategy._placement
        return placed is not None and len({device.process_index for device in placed.devices}) > 1

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The names of the devices."""
        placed = self._strategy._placement
        if placed is None:
            raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")
        return names_of(placed.devices)

    parameter_devices = worker_devices

    def call_for_each_replica(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """`strategy.run`."""
        return self._strategy.run(fn, args=args, kwargs=kwargs)

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: Variable) -> Iterator[None]:
        """Variables made inside lie with another; they all lie on all devices."""
        self._check_variable("colocate_vars_with", colocate_with_variable)
        with self._strategy.scope():
            yield

    def variable_created_in_scope(self, v: Variable) -> bool:
        """Whether a Variable is on the strategy's devices; all Variables used with it are."""
        return isinstance(v, Variable)

    def update(
        self, var: Variable, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True
    ) -> Any:
        """`fn(var, *args, **kwargs)`, which is to assign a value that all replicas agree on."""
        self._check_variable("update", var)
        with self._strategy.scope():
            args, kwargs = shared_part((tuple(args), dict(kwargs or {})))
            return fn(var, *args, **kwargs)

    def update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """`fn(*args, **kwargs)`, in the strategy's scope."""
        with self._strategy.scope():
            return fn(*args, **(kwargs or {}))

    def non_slot_devices(self, var_list: Sequence[Variable]) -> tuple[str, ...]:
        """The names of the devices."""
        return self.worker_devices

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The same as `strategy.reduce`; the result is on all devices."""
        return self._strategy.reduce(reduce_op, value, axis=None)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """`reduce_to` of each pair of a value and a destination."""
        return [self.reduce_to(reduce_op, value, place) for value, place in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """`tensor`, which all devices can read."""
        return tensor

    def read_var(self, v: Variable) -> Any:
        """The value of a Variable."""
        return v.value()

    def value_container(self, value: Any) -> Any:
        """`value`: there is one for all replicas."""
        return value

    def _check_variable(self, where: str, value: Any) -> None:
        if not isinstance(value, Variable):
            raise ValueError(
                f"strategy.extended.{where} expected a tf.Variable; got {value!r}. Make it in strategy.scope()."
            )
