"""`InputSpec`: what a layer demands of its inputs, and the check of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import StaticShape, TensorLike


class InputSpec:
    """The dtype, rank and dimensions a layer accepts.

    Args:
        dtype: the expected dtype.
        shape: the expected shape; None where any size will do.
        ndim: the exact rank.
        max_ndim, min_ndim: bounds of the rank.
        axes: sizes of single axes: `{-1: 32}`.
        allow_last_axis_squeeze: accept (n,) for (n, 1) and the other way round.
        name: the key of the input, where inputs are a dict.
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: StaticShape | None = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
    ) -> None:
        self.dtype = None if dtype is None else getattr(dtype, "name", dtype)
        self.shape = None if shape is None else tuple(shape)
        self.ndim = len(self.shape) if self.shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = {int(k): v for k, v in (axes or {}).items()}
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.name = name

    def get_config(self) -> dict[str, Any]:
        """The arguments to make an equal one."""
        return {
            "dtype": self.dtype,
            "shape": self.shape,
            "ndim": self.ndim,
            "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim,
            "axes": self.axes,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """An equal one."""
        return cls(**config)

    def __repr__(self) -> str:
        given = {k: v for k, v in self.get_config().items() if v}
        return f"InputSpec({', '.join(f'{k}={v}' for k, v in given.items())})"

    def refusal(self, shape: tuple[int | None, ...], dtype: np.dtype[Any]) -> str | None:
        """Why an input does not fit; None if it does."""
        rank = len(shape)
        text = None
        if self.ndim is not None and rank != self.ndim and not self.allow_last_axis_squeeze:
            text = f"expected ndim={self.ndim}, found ndim={rank}"
        elif self.max_ndim is not None and rank > self.max_ndim:
            text = f"expected max_ndim={self.max_ndim}, found ndim={rank}"
        elif self.min_ndim is not None and rank < self.min_ndim:
            text = f"expected min_ndim={self.min_ndim}, found ndim={rank}"
        elif self.dtype is not None and dtype.name != self.dtype:
            text = f"expected dtype={self.dtype}, found dtype={dtype.name}"
        if text is not None:
            return text
        for axis, size in self.axes.items():
            if size is not None and shape[axis] not in (size, None):
                return f"expected axis {axis} of input shape to have value {size}, but received input with"
        if self.shape is None:
            return None
        wanted_shape, found_shape = self.shape, tuple(shape)
        if self.allow_last_axis_squeeze:
            wanted_shape, found_shape = _squeezed(wanted_shape), _squeezed(found_shape)
        for wanted, found in zip(wanted_shape, found_shape, strict=False):
            if wanted is not None and found is not None and wanted != found:
                return f"expected shape={self.shape}, found shape={tuple(shape)}"
        return None


def _squeezed(shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return shape[:-1] if shape and shape[-1] == 1 else shape


def check_inputs(spec: object, inputs: TensorLike, layer_name: str) -> None:
    """Raise a `ValueError` if `inputs` do not fit a layer's `input_spec`; a `TypeError` if they are no tensors."""
    if isinstance(spec, list) and isinstance(inputs, dict) and all(s is not None and s.name for s in spec):
        spec = {s.name: s for s in spec}
    if isinstance(spec, InputSpec):
        specs: Any = [spec]
    elif isinstance(spec, dict) and isinstance(inputs, dict):
        missing = [k for k in spec if k not in inputs]
        if missing:
            raise ValueError(
                f'Missing data for input "{missing[0]}". You passed a data dictionary with keys {list(inputs)}. '
                f"Expected the following keys: {list(spec)}"
            )
        inputs, specs = [inputs[k] for k in spec], list(spec.values())
    else:
        specs = nest.flatten(spec)
    tensors = nest.flatten(inputs)
    if len(tensors) != len(specs):
        raise ValueError(
            f'Layer "{layer_name}" expects {len(specs)} input(s), but it received {len(tensors)} input '
            f"tensors. Inputs received: {inputs}"
        )
    for i, (wanted, x) in enumerate(zip(specs, tensors, strict=True)):
        if wanted is None:
            continue
        if x is None or isinstance(x, (str, bytes)):
            raise TypeError(
                f"Inputs to a layer should be tensors. Got {x!r} (of type {type(x)}) as input for layer "
                f"'{layer_name}'."
            )
        shape = tuple(x.shape)
        why = wanted.refusal(shape, x.dtype)
        if why is not None:
            end = f" shape {shape}" if why.endswith("with") else f". Full shape received: {shape}"
            end = "" if "found shape" in why else end
            raise ValueError(f'Input {i} of layer "{layer_name}" is incompatible with the layer: {why}{end}')
