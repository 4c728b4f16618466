"""Devices in a grid with named axes, and how a tensor lies on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.engine.devices import placement
from tapeflow.engine.devices.layout import lay_out_op
from tapeflow.engine.devices.placement import Axes, Placement
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.graph.keras_tensor import KerasTensor


def list_devices(device_type: str | None = None) -> list[str]:
    """The devices of all processes, such as `"gpu:0"`.

    Args:
        device_type: "cpu", "gpu" or "tpu"; the accelerators if there are any, else the CPU's devices, unless given.
    """
    return list(placement.devices_by_name(*([] if device_type is None else [device_type])))


def get_device_count(device_type: str | None = None) -> int:
    """How many devices `list_devices` has."""
    return len(list_devices(device_type))


class DeviceMesh:
    """Devices in a grid whose axes have names.

    Args:
        shape: the size of each axis: `(8,)`, or `(2, 4)` to split batches in two and weights in four.
        axis_names: the name of each axis.
        devices: names of devices, as many as the grid has places; all of `list_devices()` unless given.

    Raises:
        ValueError: the shape does not fit the names or the devices.
    """

    def __init__(self, shape: Sequence[int], axis_names: Sequence[str], devices: Any = None) -> None:
        if not shape or not axis_names:
            raise ValueError(
                f"Shape and axis_names cannot be empty. Received: shape={shape}, axis_names={axis_names}"
            )
        if len(shape) != len(axis_names):
            raise ValueError(
                f"Shape and axis_names should have same size. Received: shape={shape}, axis_names={axis_names}"
            )
        found = np.array(list_devices() if devices is None else devices)
        if math.prod(shape) != found.size:
            raise ValueError(
                f"Shape does not match the number of devices. Received: shape={shape}; "
                f"devices.shape={found.shape}"
            )
        self._shape, self._axis_names = shape, axis_names
        self._devices = found.reshape(tuple(shape))

    @property
    def shape(self) -> Sequence[int]:
        """The size of each axis."""
        return self._shape

    @property
    def axis_names(self) -> Sequence[str]:
        """The name of each axis."""
        return self._axis_names

    @property
    def devices(self) -> np.ndarray:
        """The names of the devices, in the grid."""
        return self._devices

    @cached_property
    def _placement(self) -> Placement:
        """The devices themselves; batches are split along the first axis."""
        known = placement.devices_by_name(*{str(name).split(":")[0] for name in self._devices.flat})
        found = np.empty(self._devices.shape, object)
        for place, name in np.ndenumerate(self._devices):
            if str(name) not in known:
                raise ValueError(
                    f"DeviceMesh expected devices of keras.distribution.list_devices(), {list(known)}; got "
                    f"{str(name)!r}."
                )
            found[place] = known[str(name)]
        return Placement(found, axes=tuple(self._axis_names))

    @property
    def backend_mesh(self) -> Any:
        """The same as a `jax.sharding.Mesh`."""
        return self._placement.mesh

    def __repr__(self) -> str:
        return f"<DeviceMesh shape={self.shape}, axis_names={self.axis_names}>"


class TensorLayout:
    """How a tensor lies on a mesh.

    Args:
        axes: for each dimension, the name of the axis that it is split along; None for one that is not split.
        device_mesh: the mesh; a `LayoutMap` fills it in.
    """

    def __init__(self, axes: Iterable[str | None], device_mesh: DeviceMesh | None = None) -> None:
        self._axes: Axes = tuple(axes)
        self._device_mesh = device_mesh
        self._require_known_axes()

    def _require_known_axes(self) -> None:
        if self._device_mesh is not None:
            known = set(self._device_mesh.axis_names)
            if {a for a in self._axes if a is not None} - known:
                raise ValueError(
                    f"Invalid axis names for Layout. Valid axis names: {known}, Got {set(self._axes) - {None}}"
                )

    @property
    def axes(self) -> Axes:
        """For each dimension, the name of the axis that it is split along."""
        return self._axes

    @property
    def device_mesh(self) -> DeviceMesh | None:
        """The mesh; it can be set once."""
        return self._device_mesh

    @device_mesh.setter
    def device_mesh(self, device_mesh: DeviceMesh) -> None:
        if self._device_mesh is not None:
            raise ValueError(f"Cannot override device mesh value. Existing value is {self._device_mesh}")
        self._device_mesh = device_mesh
        self._require_known_axes()

    @property
    def backend_layout(self) -> Any:
        """The same as a `jax.sharding.NamedSharding`."""
        if self._device_mesh is None:
            raise ValueError("Cannot create sharding when device mesh is not set for TensorLayout.")
        return self._device_mesh._placement.sharding(self._axes)

    def __repr__(self) -> str:
        return f"<TensorLayout axes={self.axes}, device_mesh={self.device_mesh}>"


def distribute_tensor(tensor: TensorLike, layout: TensorLayout) -> Any:
    """A tensor with the same value, in the parts that a layout gives to the devices.

    Args:
        tensor: a value; a symbolic one of a functional model is returned as it is.
        layout: how it is to lie, on a mesh.

    Raises:
        ValueError: a dimension cannot be split equally.
    """
    if isinstance(tensor, KerasTensor):
        return tensor
    node = to_node(tensor)
    backend_layout = layout.backend_layout
    if layout.device_mesh is not None:
        layout.device_mesh._placement.layout("tensor", layout.axes, node.spec.shape)
    found: Tensor = lay_out_op(tensor, sharding=backend_layout)
    return found
