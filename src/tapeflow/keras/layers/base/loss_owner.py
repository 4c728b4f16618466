"""The half of a layer that adds to the loss and to the metrics while it is called."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import Symbolic
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.layers.base.call_context import call_context
from tapeflow.keras.layers.base.tracking import once
from tapeflow.keras.layers.base.weight_owner import WeightOwner
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.mixed_precision.policy import Policy

_calls = itertools.count(1)


class LossOwner(WeightOwner):
    """A layer's `add_loss` and `add_metric`, and what the layers below it have added.

    A loss added in `call` belongs to the outermost call in progress; the next such call begins anew.
    """

    def __init__(self, name: str, trainable: bool, policy: Policy) -> None:
        WeightOwner.__init__(self, name, trainable, policy)
        self._losses: list[Any] = []
        self._losses_of = 0
        self._called_as = 0
        self._callable_losses: list[Callable[[], Any]] = []
        self._added_metrics: list[Any] = []

    def add_loss(self, losses: Tensor, inputs: Tensor | None = None) -> None:
        """Add losses to minimize: tensors computed in `call`, or functions without arguments.

        Args:
            losses: one or several. A function is called whenever the losses are computed.
            inputs: Keras 1's; not needed.
        """
        for loss in nest.flatten(losses):
            if isinstance(loss, Symbolic):
                self._add_symbolic_loss(loss)
            elif callable(loss) and not isinstance(loss, (tf.Tensor, tf.Variable)):
                self._callable_losses.append(loss)
            elif loss is not None:
                call = call_context.layers[0]._called_as if call_context.layers else self._losses_of
                if self._losses_of != call:
                    self._losses, self._losses_of = [], call
                self._losses.append(loss)

    def _add_symbolic_loss(self, loss: Symbolic) -> None:
        raise ValueError(
            f"Layer.add_loss expected a tensor computed in the layer's `call`; got {loss!r} for layer "
            f"{self.name!r}. Symbolic losses are added to a functional model: model.add_loss(...)."
        )

    @property
    def losses(self) -> list[Any]:
        """What this layer and those below it add to the loss, weight regularizers included."""
        losses: list[Any] = []
        for layer in self._below():
            if not isinstance(layer, LossOwner):
                continue
            if layer._losses and layer._losses_of >= self._called_as:
                losses += layer._losses
            losses += [regularizer(weight) for weight, regularizer in layer._regularized]
            losses += [loss() for loss in layer._callable_losses]
        return losses

    def _clear_losses(self) -> None:
        """Forget what `call` has added, here and below; models of packages that call other models twice do so."""
        for layer in self._below():
            if isinstance(layer, LossOwner):
                layer._losses = []

    def add_metric(
        self, value: TensorLike, name: str | None = None, aggregation: str | None = None, **_: Any
    ) -> None:
        """Report a tensor computed in `call`, or anything a metric object is given, under a name.

        Args:
            value: the value of this batch.
            name: its name in the logs.
            aggregation: 'mean' over batches, which is the default; None for the result of a metric object.
        """
        if isinstance(value, Symbolic):
            self._add_symbolic_metric(value, name)
            return
        source = getattr(value, "_metric_obj", None)
        if source is not None:  # the result of a metric object, which is reported itself
            if all(source is not m for m in _own_metrics(self)):
                self._added_metrics.append(source)
            return
        if name is None:
            raise ValueError(
                f"Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), "
                f"name='mean_activation')`; got none in layer {self.name!r}."
            )
        metric = next((m for m in _own_metrics(self) if m.name == name), None)
        if metric is None:
            metric = tf.keras.metrics.Mean(name=name)
            self._added_metrics.append(metric)
        metric.update_state(value)

    def _add_symbolic_metric(self, value: Symbolic, name: str | None) -> None:
        raise ValueError(
            f"Layer.add_metric expected a tensor computed in the layer's `call`; got {value!r} for layer "
            f"{self.name!r}. Symbolic metrics are added to a functional model: model.add_metric(...)."
        )

    @property
    def metrics(self) -> list[Any]:
        """The metrics of this layer and those below it."""
        owners = [layer for layer in self._below() if isinstance(layer, LossOwner)]
        return once([metric for layer in owners for metric in _own_metrics(layer)])


def begin_outermost_call(layer: LossOwner) -> None:
    """Drop the losses that earlier calls of a layer have added: a call begins that is inside no other."""
    layer._called_as = next(_calls)


def _own_metrics(layer: LossOwner) -> list[Metric]:
    """The metrics in a layer's attributes, then those that `add_metric` made."""
    return [m for m in layer._children() if isinstance(m, Metric)] + layer._added_metrics
