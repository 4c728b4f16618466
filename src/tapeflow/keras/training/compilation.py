"""`Compilation`: `compile`, what it was given, and the metrics that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import tapeflow as tf
from tapeflow.distribute.context import get_strategy, has_strategy
from tapeflow.engine.devices import placement
from tapeflow.engine.values import nest
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.weight_owner import WeightOwner
from tapeflow.keras.saving.registry import serialize_keras_object
from tapeflow.keras.training.compiled_loss import CompiledLoss
from tapeflow.keras.training.compiled_metrics import CompiledMetrics
from tapeflow.keras.training.staged_steps import StagedSteps

# Of TensorFlow 2.0 and 2.1; a sample weight of any shape fits what it broadcasts to.
_OLD_ARGUMENTS = frozenset({"experimental_run_tf_function", "sample_weight_mode", "cloning"})


class Compilation(Layer):
    """What `compile` adds to a layer: the optimizer, the losses and the metrics to train with."""

    loss: Any  # what `compile` was given; as in Keras, a model that is not compiled has none

    def _init_training(self) -> None:
        self.stop_training = False
        self.history: Any = None
        self.optimizer: Any = None
        self.compiled_loss: Any = None
        self.compiled_metrics: Any = None
        self.output_names: list[str] | None = None
        self._is_compiled = False
        self._compile_arguments: dict[str, Any] = {}
        self._trainable_at_compile = TrainableAtCompile()
        self._run_eagerly: bool | None = None
        self._steps_per_execution: int | None = None
        self._staged_steps = StagedSteps()
        # The devices of the strategy in whose scope the model was made or compiled.
        self._placement = placement.current
        self._strategy = get_strategy() if has_strategy() else None

    @property
    def distribute_strategy(self) -> tf.distribute.Strategy:
        """The strategy in whose scope the model was made, or that of one device."""
        return self._strategy or tf.distribute.get_strategy()

    def compile(
        self,
        optimizer: object = "rmsprop",
        loss: object = None,
        metrics: object = None,
        loss_weights: object = None,
        weighted_metrics: object = None,
        run_eagerly: bool | None = None,
        steps_per_execution: int | None = None,
        jit_compile: Any = None,
        pss_evaluation_shards: int = 0,
        auto_scale_loss: bool = True,
        **kwargs: Any,
    ) -> None:
        """Configure the model for training.

        Args:
            optimizer: a name or an optimizer.
            loss: a name, a function of (y_true, y_pred), a `Loss`; a list or dict of them for several outputs.
            metrics: names, functions or `Metric`s to report; a list or dict of lists for several outputs.
            loss_weights: factors for the losses of several outputs.
            weighted_metrics: metrics that see sample and class weights.
            run_eagerly: whether to run the steps as plain Python, to debug them.
            steps_per_execution: how many steps run as one program; chosen automatically by default.
            jit_compile: changes nothing; everything is compiled.
            **kwargs: arguments of older releases that change nothing any more.
        """
        if not _OLD_ARGUMENTS.issuperset(kwargs):
            raise TypeError(
                f"Invalid keyword argument(s) in `compile()`: {sorted(kwargs)}. Valid keyword arguments are those of "
                "its signature."
            )
        names = list(self.output_names) if self.output_names else None
        self.optimizer = _optimizer(optimizer)
        self.loss = loss if loss is not None else {}
        self.compiled_loss = (
            loss if isinstance(loss, CompiledLoss) else CompiledLoss(loss, loss_weights, names)
        )
        self.compiled_metrics = CompiledMetrics(metrics, weighted_metrics, names)
        self._run_eagerly = run_eagerly
        self._steps_per_execution = steps_per_execution
        self._compile_arguments = {
            "optimizer": optimizer,
            "loss": loss,
            "metrics": metrics,
            "loss_weights": loss_weights,
            "weighted_metrics": weighted_metrics,
            "run_eagerly": run_eagerly,
            "steps_per_execution": steps_per_execution,
            "jit_compile": jit_compile,
        }
        self._is_compiled = True
        self._trainable_at_compile.note(self._below())
        self._placement = placement.current or self._placement
        self._staged_steps.forget()

    @property
    def run_eagerly(self) -> bool:
        """Whether steps are called as plain Python: as asked, or because a layer was made with `dynamic=True`."""
        if self.dynamic and self._run_eagerly is False:  # pyright: ignore[reportAttributeAccessIssue]
            raise ValueError(
                "Your model contains layers that can only be successfully run in eager execution (layers constructed "
                "with `dynamic=True`). You cannot set `run_eagerly=False`. Leave it out."
            )
        if self._run_eagerly is not None:
            return self._run_eagerly or tf.config.functions_run_eagerly()
        return self.dynamic or tf.config.functions_run_eagerly()  # pyright: ignore[reportAttributeAccessIssue]

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._run_eagerly = value
        self._staged_steps.forget()

    def get_compile_config(self) -> dict[str, Any] | None:
        """The arguments of `compile`, as a config; None before `compile`."""
        if not self._is_compiled:
            return None
        given = {**self._compile_arguments, "optimizer": self.optimizer}
        return nest.map_structure(lambda v: v if _is_plain(v) else serialize_keras_object(v), given)

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile with the arguments in a config of this or another version of Keras."""
        from tapeflow.keras.saving.training_state import compile_arguments  # cycle

        self.compile(**compile_arguments(config))

    @property
    def metrics(self) -> list[Any]:
        """The metrics of training: the compiled ones, then those of the model and its layers."""
        metrics: list[Any] = []
        if self._is_compiled:
            metrics += [*self.compiled_loss.metrics, *self.compiled_metrics.metrics]
        metrics += super().metrics
        return list({id(m): m for m in metrics}.values())

    @property
    def metrics_names(self) -> list[str]:
        """The names of `metrics`; known once the model has seen data."""
        return [m.name for m in self.metrics]

    def reset_metrics(self) -> None:
        """Begin all metrics anew, as every epoch does."""
        for metric in self.metrics:
            metric.reset_state()


class TrainableAtCompile:
    """Which layers of a model were trainable when it was compiled: those are trained, whatever was set since.

    So a GAN's discriminator, compiled and then frozen for the model of both, goes on training by itself.
    """

    def __init__(self) -> None:
        self._flags: WeakKeyDictionary[WeightOwner, bool] = WeakKeyDictionary()

    def note(self, layers: Iterable[WeightOwner]) -> None:
        """Remember the flags that layers have now."""
        for layer in layers:
            self._flags[layer] = layer._trainable

    @contextmanager
    def applied(self, layers: Iterable[WeightOwner]) -> Iterator[None]:
        """Give layers the remembered flags for the duration of a block."""
        changed = [layer for layer in layers if self._flags.get(layer, layer._trainable) != layer._trainable]
        _flip(changed)
        try:
            yield
        finally:
            _flip(changed)


def _flip(layers: Iterable[WeightOwner]) -> None:
    for layer in layers:
        layer._trainable = not layer._trainable


def require_compiled(model: Compilation, method: str) -> None:
    """Raise an error unless `compile` was called."""
    if not model._is_compiled:
        raise RuntimeError(
            f"You must compile your model before training/testing. Use `model.compile(optimizer, loss)`: "
            f"Model.{method} was called on {model.name!r}, which has not been compiled."
        )


def _optimizer(optimizer: object) -> Any:
    """The optimizer to train with, or a list of them; scaled losses where the global policy computes in float16."""
    if isinstance(optimizer, (list, tuple)):  # for a `train_step` that knows which is whose
        return [_optimizer(one) for one in optimizer]
    optimizer_object = tf.keras.optimizers.get(optimizer)
    scaled = tf.keras.mixed_precision.LossScaleOptimizer
    if tf.keras.mixed_precision.global_policy().name == "mixed_float16" and not isinstance(
        optimizer_object, scaled
    ):
        return scaled(optimizer_object)
    return optimizer_object


def _is_plain(value: object) -> bool:
    return isinstance(value, (bool, int, float, str, type(None)))
