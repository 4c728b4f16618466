"""How a model was compiled, and what its optimizer remembers.

Keras 3 counts the learning rate, unless it is a schedule, among an optimizer's variables, after the counter;
Keras 2 has it in the config. Files are written as their format has it, and both are read.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

import tapeflow as tf
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.losses.serialization import LOSSES
from tapeflow.keras.metrics.serialization import METRICS
from tapeflow.keras.optimizers.nadam import Nadam
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow.keras.optimizers.serialization import OPTIMIZERS
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.config_errors import telling_config
from tapeflow.keras.saving.draft import Draft
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import custom_object_scope
from tapeflow.keras.training.compilation import Compilation

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model
    from tapeflow.keras.optimizers.optimizer import Optimizer

_VALUES = "vars"
_INNER = "inner_optimizer"


def compile_from(model: Model, config: Any, custom_objects: CustomObjects = None) -> None:
    """Compile a model as a config of its file says, in the form of any version of Keras."""
    if not isinstance(config, dict) or not config:
        return
    if type(model).compile is not Compilation.compile and (
        type(model).compile_from_config is Compilation.compile_from_config
    ):
        warnings.warn(
            f"The model is loaded but not compiled: {type(model).__name__} overrides compile(). Override "
            "get_compile_config() and compile_from_config() too, or call compile() yourself.",
            stacklevel=4,
        )
        return
    with (
        telling_config(
            "what compile() was given; got a config that it does not take",
            "Pass compile=False and compile the model yourself.",
        ),
        custom_object_scope(custom_objects or {}),
    ):
        model.compile_from_config(config)


def compile_arguments(config: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `compile` that a config describes; what this version does not know is left out."""
    # Keras 2's `.h5` files call it optimizer_config, and registered their own optimizers.
    optimizer = config.get("optimizer", config.get("optimizer_config"))
    if isinstance(optimizer, dict):
        name = str(optimizer["class_name"])
        if OPTIMIZERS.named_by_user(name) is None:
            name = name.removeprefix("Custom>")
        optimizer = tf.keras.optimizers.deserialize({**optimizer, "class_name": name})
    arguments = {
        "optimizer": optimizer if optimizer is not None else "rmsprop",
        "loss": _restored(config.get("loss"), LOSSES),
        "metrics": _unpacked(_restored(config.get("metrics"), METRICS)),
        "weighted_metrics": _unpacked(_restored(config.get("weighted_metrics"), METRICS)),
    }
    for name in ("loss_weights", "jit_compile"):
        arguments[name] = config.get(name)
    arguments["run_eagerly"] = config.get("run_eagerly") or None  # what was not asked for is noted as False
    return arguments


def _restored(value: object, family: Family) -> Any:
    """A structure with the objects that its dicts and the user's names stand for; `compile` knows other names."""
    if isinstance(value, str):
        return family.named_by_user(value) or value
    if isinstance(value, dict):
        if "class_name" in value and "config" in value:
            return family.deserialize(value)
        return {k: _restored(v, family) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_restored(v, family) for v in value]
    return value


def _unpacked(metrics: Any) -> Any:
    """Keras 2 writes the metrics of a single output as a list in a list."""
    is_packed = isinstance(metrics, list) and len(metrics) == 1 and isinstance(metrics[0], list)
    return metrics[0] if is_packed else metrics


def save_optimizer(optimizer: Optimizer, group: Draft) -> None:
    """Put down what an optimizer remembers as Keras 3 does."""
    inner = optimizer.inner_optimizer if _is_scaled(optimizer) else None
    values = group.create_group(_VALUES)
    values.attrs["name"] = optimizer.name
    if inner is None:
        found = _with_rate(optimizer)
    else:
        save_optimizer(inner, group.create_group(_INNER))
        own = [] if optimizer.dynamic_scale is None else [optimizer.dynamic_counter, optimizer.dynamic_scale]
        found = [*_head(inner), *own, *_with_rate(inner)]
    for i, value in enumerate(found):
        values.put(str(i), value)


def _is_scaled(optimizer: Optimizer) -> bool:
    return isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer)


def _head(optimizer: Optimizer) -> list[Variable]:
    """The counter, and the learning rate if it is a number."""
    rate = optimizer._learning_rate
    is_number = isinstance(rate, Variable)
    return [optimizer._iterations, *([rate] if is_number else [])]


def _with_rate(optimizer: Optimizer) -> list[Variable]:
    rest = [v for v in optimizer._variables if v is not optimizer._iterations]
    return [*_head(optimizer), *rest]


def load_optimizer(optimizer: Optimizer, group: Any, variables: Sequence[Variable]) -> None:
    """Give an optimizer for these variables the state in a group of a `.weights.h5` file."""
    values = hdf5.child(group, _VALUES) if isinstance(group, h5py.Group) else None
    if not isinstance(values, h5py.Group) or not hdf5.count(values):
        return
    inner = hdf5.child(group, _INNER)
    if _is_scaled(optimizer) and isinstance(inner, h5py.Group):
        load_optimizer(optimizer.inner_optimizer, inner, variables)
        start = len(_head(optimizer.inner_optimizer))
        own = [] if optimizer.dynamic_scale is None else [optimizer.dynamic_counter, optimizer.dynamic_scale]
        for i, variable in enumerate(own):
            variable.assign(_fitted(variable, hdf5.read(hdf5.dataset(values, str(start + i)), ())))
        return
    load_optimizer_values(
        optimizer, [hdf5.dataset(values, str(i)) for i in range(hdf5.count(values))], variables
    )


def load_optimizer_values(
    optimizer: Optimizer, found: list[h5py.Dataset], variables: Sequence[Variable]
) -> None:
    """Give an optimizer for these variables a state, with or without the learning rate in it."""
    if not optimizer.built:
        optimizer.build(list(variables))
    own = list(optimizer.variables)
    if len(found) == len(own) + 1 and found[1].shape == () and not _is_schedule(optimizer):
        own = [own[0], optimizer._learning_rate, *own[1:]]
    is_without_product = isinstance(optimizer, Nadam) and len(found) == len(own) - 1
    if is_without_product:
        own = own[:-1]
    if len(own) == 1:  # Keras 2 makes variables for momenta that are zero and stay so
        found = found[:1]
    if [d.shape for d in found] != [tuple(v.shape) for v in own]:
        warnings.warn(
            f"The state of optimizer '{optimizer.name}' was not loaded: it has {len(own)} variables, the file has "
            f"{len(found)}, or their shapes differ. Training starts with a new state.",
            stacklevel=5,
        )
        return
    for variable, saved in zip(own, found, strict=True):
        variable.assign(_fitted(variable, hdf5.read(saved, tuple(variable.shape))))
    if is_without_product:
        optimizer.restore_product()


def _is_schedule(optimizer: Optimizer) -> bool:
    return isinstance(optimizer._learning_rate, LearningRateSchedule)


def _fitted(variable: Variable, value: np.ndarray) -> np.ndarray:
    return value.astype(variable.dtype.as_numpy_dtype, copy=False)


def keras2_optimizer(config: dict[str, Any], optimizer: Optimizer) -> dict[str, Any]:
    """The config as Keras 2 has it in `.h5` files, where its own optimizers bear a package's name."""
    is_keras_own = type(optimizer).__module__.startswith("tapeflow.keras.optimizers.")
    return {**config, "class_name": f"Custom>{config['class_name']}"} if is_keras_own else config
