"""`DataParallel` and `ModelParallel`, and which of them is in force."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow.engine.devices import placement
from tapeflow.engine.devices.placement import Axes, check_zero_stage
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.distribution.batches import SplitBatches
from tapeflow.keras.distribution.layout_map import LayoutMap
from tapeflow.keras.distribution.mesh import DeviceMesh, TensorLayout, list_devices

_BATCH = "batch"


class Distribution:
    """Says how Variables, batches and outputs of layers lie on a mesh; subclasses say it.

    Args:
        device_mesh: the devices.
        batch_dim_name: the axis that batches are split along; the first unless given.
        auto_shard_dataset: whether each of several processes takes its part of a dataset, the same in all.
        zero_stage: which state is split along that axis too: 0 none, 1 that of optimizers, 3 the weights as well. Keras
            has no such argument.
    """

    def __init__(
        self,
        device_mesh: DeviceMesh,
        batch_dim_name: str | None = None,
        auto_shard_dataset: bool = True,
        *,
        zero_stage: int = 0,
    ) -> None:
        check_zero_stage(type(self).__name__, zero_stage)
        self._device_mesh = device_mesh
        self._batch_dim_name = batch_dim_name or device_mesh.axis_names[0]
        if self._batch_dim_name not in device_mesh.axis_names:
            raise ValueError(
                f"{type(self).__name__} expected batch_dim_name to be one of {list(device_mesh.axis_names)}; got "
                f"batch_dim_name={batch_dim_name!r}."
            )
        self.auto_shard_dataset = auto_shard_dataset
        has_outputs = type(self).get_tensor_layout is not Distribution.get_tensor_layout
        output_axes = self._output_axes if has_outputs else None
        self._placement = device_mesh._placement.like(
            self._batch_dim_name, self._axes_of, output_axes, zero_stage
        )
        if not auto_shard_dataset and self.num_processes > 1:
            raise ValueError(
                f"{type(self).__name__} expected auto_shard_dataset=True with {self.num_processes} processes; got "
                "auto_shard_dataset=False. Give every process the whole dataset."
            )

    @property
    def device_mesh(self) -> DeviceMesh:
        """The devices."""
        return self._device_mesh

    @property
    def batch_dim_name(self) -> str:
        """The axis that batches are split along."""
        return self._batch_dim_name

    @property
    def num_processes(self) -> int:
        """How many processes the devices belong to."""
        return len({device.process_index for device in self._placement.devices})

    @property
    def num_model_replicas(self) -> int:
        """Into how many parts a batch is split."""
        return len(self._placement)

    def get_data_layout(self, data_shape: Sequence[int | None]) -> TensorLayout:
        """How a batch of a shape lies."""
        axes = [self._batch_dim_name, *[None] * (len(data_shape) - 1)]
        return TensorLayout(axes[: len(data_shape)], self._device_mesh)

    def get_variable_layout(self, variable: Variable) -> TensorLayout:
        """How a Variable lies, before `zero_stage` splits it further."""
        raise NotImplementedError

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """How the output of a layer lies, by its path such as `dense/output`; None leaves that to XLA."""
        return None

    def distribute_dataset(self, dataset: Any) -> Any:
        """A dataset whose batches lie in parts on the devices, for loops of your own; `fit` does this itself."""
        return SplitBatches(dataset, self._placement)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Make this the distribution inside a `with` block."""
        global _current
        before = _current
        run_pending()
        _current = self
        try:
            with placement.using(self._placement):
                yield
                run_pending()
        finally:
            _current = before

    def _axes_of(self, variable: Variable) -> Axes:
        return self.get_variable_layout(variable).axes

    def _output_axes(self, path: str) -> Axes | None:
        found = self.get_tensor_layout(path)
        return None if found is None else found.axes

    def __repr__(self) -> str:
        return f"<{type(self).__name__} device_mesh={self.device_mesh}>"


class DataParallel(Distribution):
    """Splits batches over devices, and keeps every Variable on each of them.

    Args:
        device_mesh: the devices; batches are split along its first axis.
        devices: their names, instead; all of `list_devices()` unless given.
        auto_shard_dataset: whether each of several processes takes its part of a dataset.
        zero_stage: which state is split over the devices after all: 0 none, 1 that of optimizers, 3 the weights too.

    >>> tf.keras.distribution.set_distribution(tf.keras.distribution.DataParallel())
    >>> tf.keras.distribution.set_distribution(None)  # back to one device
    """

    def __init__(
        self,
        device_mesh: DeviceMesh | None = None,
        devices: Sequence[str] | None = None,
        auto_shard_dataset: bool = True,
        *,
        zero_stage: int = 0,
    ) -> None:
        if device_mesh is None:
            names = np.array(list_devices() if devices is None else devices).reshape(-1)
            device_mesh = DeviceMesh(names.shape, [_BATCH], names)
        elif not isinstance(device_mesh, DeviceMesh):
            raise ValueError(
                f"Expect `mesh` to be an instance of `DeviceMesh`. Received: mesh={device_mesh} (of type "
                f"{type(device_mesh)})"
            )
        super().__init__(device_mesh, None, auto_shard_dataset, zero_stage=zero_stage)
        if device_mesh.devices.ndim != 1:
            warnings.warn(
                f"Expect the input mesh to be 1D, but received mesh.devices.ndim={device_mesh.devices.ndim}. The "
                "first axis will be used for data-parallel sharding.",
                stacklevel=2,
            )

    def get_variable_layout(self, variable: Variable) -> TensorLayout:
        """Whole on each device."""
        return TensorLayout([None] * len(variable.shape), self.device_mesh)


class ModelParallel(Distribution):
    """Splits batches along one axis of a mesh, and Variables along others, as a `LayoutMap` says.

    Args:
        layout_map: how Variables and outputs of layers lie, by their paths; those it does not have lie whole on each
            device.
        batch_dim_name: the axis that batches are split along; the first unless given.
        auto_shard_dataset: whether each of several processes takes its part of a dataset.
        zero_stage: which state is also split along that axis: 0 none, 1 that of optimizers, 3 the weights as well.

    >>> mesh = tf.keras.distribution.DeviceMesh((1, 1), ["batch", "model"], devices=["cpu:0"])
    >>> layout_map = tf.keras.distribution.LayoutMap(mesh)
    >>> layout_map[".*dense.*kernel"] = (None, "model")
    >>> with tf.keras.distribution.ModelParallel(layout_map=layout_map).scope():
    ...     model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
    """

    def __init__(
        self,
        *,
        layout_map: LayoutMap | None = None,
        batch_dim_name: str | None = None,
        auto_shard_dataset: bool = True,
        zero_stage: int = 0,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("device_mesh", None)  # as of old: it is the map's
        if kwargs:
            raise TypeError(f"ModelParallel got unexpected keyword arguments: {', '.join(kwargs)}.")
        if layout_map is None:
            raise ValueError("You must specify a layout_map argument.")
        if not isinstance(layout_map, LayoutMap):
            raise ValueError(
                f"Argument `layout_map` must be a `LayoutMap` instance. Received: layout_map={layout_map}"
            )
        self._layout_map = layout_map
        super().__init__(layout_map.device_mesh, batch_dim_name, auto_shard_dataset, zero_stage=zero_stage)

    def get_variable_layout(self, variable: Variable) -> TensorLayout:
        """As the layout map says of its path; whole on each device if it says nothing."""
        found = self._layout_map[variable.path]
        return TensorLayout([None] * len(variable.shape), self.device_mesh) if found is None else found

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """As the layout map says."""
        return self._layout_map[path]


_current: Distribution | None = None


def distribution() -> Distribution | None:
    """The distribution in force."""
    return _current


def set_distribution(value: Distribution | None) -> None:
    """Make a distribution the one in force from now on; None ends that.

    Models that are made or compiled from now on train on its devices.
    """
    global _current
    run_pending()
    _current = value
    placement.current = None if value is None else value._placement
