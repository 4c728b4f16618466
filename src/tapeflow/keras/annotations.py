"""Types of what layers take, for annotations. `tapeflow.engine.values.annotations` has those of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import TensorBase

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
