"""Types of what layers take, for annotations. `tapeflow.engine.values.annotations` has those of tensors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import TensorBase

if TYPE_CHECKING:
    from tapeflow.keras.callbacks import Callback, CallbackList
    from tapeflow.keras.mixed_precision.policy import Policy
    from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule

ActivationLike: TypeAlias = str | Mapping[str, Any] | Callable[..., Any] | None
"""What `activations.get` takes: a name, a config, or a function of a tensor."""

InitializerLike: TypeAlias = str | Mapping[str, Any] | Callable[..., Any] | np.ndarray | TensorBase | None
"""What `initializers.get` takes: a name, a config, a class, anything callable, or the value itself."""

RegularizerLike: TypeAlias = str | Mapping[str, Any] | Callable[..., Any] | None
"""What `regularizers.get` takes: a name, a config, a class, or a function of a weight."""

ConstraintLike: TypeAlias = str | Mapping[str, Any] | Callable[..., Any] | None
"""What `constraints.get` takes: a name, a config, a class, or a function of a weight."""

WindowSizes: TypeAlias = int | Sequence[int]
"""Sizes of a window, strides, dilations: one number for all axes, or one for each."""

InputShape: TypeAlias = TensorShape | Sequence[Any]
"""The shape of a layer's input, or those of its inputs."""

PolicyLike: TypeAlias = "DTypeLike | Policy | Mapping[str, Any] | None"
"""What a layer's `dtype` may be: a dtype, a mixed-precision policy, its config, or None for the global policy."""

RateLike: TypeAlias = "float | LearningRateSchedule | TensorBase | Callable[[], Any] | Mapping[str, Any]"
"""A learning rate: a number, a schedule or its config, a Variable, or a function without arguments."""

CallbacksLike: TypeAlias = "CallbackList | Callback | Sequence[Callback] | None"
"""What `fit` takes for callbacks."""

DataLike: TypeAlias = TensorLike | Mapping[Any, Any] | Iterable[Any] | None
"""What `fit` takes for data: arrays or tensors, lists or dicts of them, pandas objects, a Dataset, a generator."""

CustomObjects: TypeAlias = Mapping[str, Any] | None
"""Classes and functions of a user's own, by the names they have in configs."""

PathLike: TypeAlias = str | os.PathLike[str]
"""What names a file or folder."""

AxisLike: TypeAlias = int | Sequence[int]
"""One axis, or several."""
