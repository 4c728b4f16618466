"""Where values are when several devices train together: a batch in parts, Variables whole or in parts.

A program takes its batch as one array that lies in parts on the devices, and everything else as arrays that
lie whole on each, except for Variables that have a `Layout`. XLA splits the program accordingly and adds up what must
be added up, so a step computes what it would on one device, whatever their number; its Python never knows.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tapeflow.engine import errors
from tapeflow.engine.backend import jax
from tapeflow.engine.devices.device import settle

if TYPE_CHECKING:
    from tapeflow.engine.values.variable import Variable

Axes = tuple[str | None, ...]
"""For each dimension of an array, the axis of the mesh that it is split along; None for one that is not split."""
OutputAxes = Callable[[str], Axes | None]
"""Gives the axes of a layer's output by its path; None leaves them to XLA."""
_AXIS = "replica"
_ZERO_STAGES = (0, 1, 3)
_LOSS = ("Gloo", "coordination service", "heartbeat", "NCCL")


@dataclass(frozen=True)
class Share:
    """Which rows of a batch the devices of this process compute: parts `first` to `last`, of `count` equal ones."""

    first: int
    last: int
    count: int

    def rows(self, size: int) -> slice | None:
        """The rows of a batch of this size; None if it cannot be split and all processes need the whole."""
        if not size or size % self.count:
            return None
        each = size // self.count
        return slice(self.first * each, self.last * each)


@dataclass(frozen=True, eq=False)
class Layout:
    """How a Variable is stored on devices: whole on each, or in parts.

    Attributes:
        placement: the devices.
        axes: the axes that its dimensions are split along.
        sharding: the same as JAX has it.
    """

    placement: Placement
    axes: Axes
    sharding: NamedSharding

    def __deepcopy__(self, memo: dict[int, object]) -> Layout:
        return self  # a copied Variable lies on the same devices


class Placement:
    """Devices that hold Variables and share each batch.

    Args:
        devices: JAX devices, perhaps of several processes; an array with a dimension for each axis.
        splits: whether the batch is split, and not copied to each.
        axes: the names of the axes of the mesh that the devices form.
        batch_axis: the axis that batches are split along; the first unless given.
        axes_of: how a Variable lies; without it, Variables have no layout and lie whole on each device.
        zero_stage: 1 splits what optimizers keep for each weight along the batch axis, 3 the weights as well.
    """

    def __init__(
        self,
        devices: Any,
        splits: bool = True,
        axes: Sequence[str] = (_AXIS,),
        batch_axis: str | None = None,
        axes_of: Callable[[Variable], Axes] | None = None,
        zero_stage: int = 0,
    ) -> None:
        settle()
        self._mesh = Mesh(np.array(devices), tuple(axes))
        self.devices = tuple(self._mesh.devices.flat)
        self._splits = splits
        self._batch_axis = batch_axis or axes[0]
        self._axes_of = _whole if axes_of is None and zero_stage else axes_of
        self._zero_stage = zero_stage
        self.output_axes: OutputAxes | None = None
        self._everywhere = NamedSharding(self._mesh, PartitionSpec())
        self._is_local = all(d.process_index == jax.process_index() for d in self.devices)

    def __deepcopy__(self, memo: dict[int, object]) -> Placement:
        return self  # devices are no part of a copied model

    @property
    def mesh(self) -> Mesh:
        """The devices as JAX has them."""
        return self._mesh

    def sharding(self, axes: Axes) -> NamedSharding:
        """JAX's sharding for an array whose dimensions are split along these axes."""
        return NamedSharding(self._mesh, PartitionSpec(*axes))

    def like(
        self,
        batch_axis: str,
        axes_of: Callable[[Variable], Axes],
        output_axes: OutputAxes | None,
        zero_stage: int,
    ) -> Placement:
        """The same devices with other layouts of Variables, batches and outputs of layers."""
        other = copy.copy(self)
        other._batch_axis, other._axes_of, other._zero_stage = batch_axis, axes_of, zero_stage
        other.output_axes = output_axes
        return other

    def __len__(self) -> int:
        """The number of parts that a batch is split into."""
        return self._mesh.shape[self._batch_axis]

    @property
    def readable(self) -> Placement:
        """A placement with which every process gets all of the results: it splits no batch between processes."""
        if self._is_local:
            return self
        other = copy.copy(self)
        other._splits = False
        return other

    def layout_of(self, variable: Variable) -> Layout | None:
        """The layout of a Variable that is being created; None if it has none.

        Raises:
            ValueError: a dimension cannot be split equally.
        """
        if self._axes_of is None or variable.dtype.as_numpy_dtype is object:
            return None
        axes = self._axes_of(variable)
        if self._zero_stage == 3:
            axes = self._split_further(axes, variable)
        return self.layout(variable.path, axes, variable._spec.shape)

    def layout(self, name: str, axes: Axes, shape: tuple[int, ...]) -> Layout:
        """The layout of an array of a shape.

        Args:
            name: what an error calls the array.
            axes: the axes its dimensions are split along; those that are left out are not split.
            shape: its shape.
        """
        if len(axes) > len(shape):
            raise ValueError(
                f"The layout of {name!r} expected at most {len(shape)} axes, since its shape is {shape}; got "
                f"axes={axes!r}. Give one for each dimension, None for one that is not split."
            )
        for dimension, axis in enumerate(axes):
            if axis is not None and shape[dimension] % self._mesh.shape[axis]:
                raise ValueError(
                    f"The layout of {name!r} expected dimension {dimension} to be a multiple of "
                    f"{self._mesh.shape[axis]}, the size of the mesh's axis {axis!r}; got shape={shape}. Split "
                    "another dimension, or none."
                )
        while axes and axes[-1] is None:
            axes = axes[:-1]  # as JAX spells what comes out of programs
        return Layout(self, axes, self.sharding(axes))

    def for_slots_of(self, variable: Variable) -> Placement:
        """A placement for an optimizer's slots of a Variable: laid out as the Variable is, or split further by ZeRO."""
        layout, shape = variable._layout, variable._spec.shape
        if layout is None:
            return self

        def axes_of(slot: Variable) -> Axes:
            axes = layout.axes if slot._spec.shape == shape else ()
            return self._split_further(axes, slot) if self._zero_stage else axes

        return self.laying_out(axes_of)

    def laying_out(self, axes_of: Callable[[Variable], Axes]) -> Placement:
        """The same devices with a function that chooses the layout of new Variables."""
        other = copy.copy(self)
        other._axes_of = axes_of
        other._zero_stage = 0
        return other

    def _split_further(self, axes: Axes, variable: Variable) -> Axes:
        """The axes, with the batch axis for the largest dimension that is not split yet and can be."""
        shape = variable._spec.shape
        filled = [*axes, *[None] * (len(shape) - len(axes))]
        fitting = [d for d, a in enumerate(filled) if a is None and shape[d] and shape[d] % len(self) == 0]
        if not fitting or self._batch_axis in filled:
            return axes
        filled[max(fitting, key=lambda d: shape[d])] = self._batch_axis
        return tuple(filled)

    @property
    def local_numbers(self) -> list[int]:
        """The numbers of the devices that belong to this process."""
        return [i for i, d in enumerate(self.devices) if d.process_index == jax.process_index()]

    @property
    def share(self) -> Share | None:
        """The share of a batch that this process needs; None if it needs all of it."""
        if self._is_local or not self._splits:
            return None
        devices, axis = self._mesh.devices, self._mesh.axis_names.index(self._batch_axis)
        own = sorted(
            {at[axis] for at, d in np.ndenumerate(devices) if d.process_index == jax.process_index()}
        )
        count = devices.shape[axis]
        if len(own) in (0, count) or own != list(range(own[0], own[-1] + 1)):
            return None
        return Share(own[0], own[-1] + 1, count)

    def everywhere(self, value: object) -> Any:
        """An array on all devices, whole or in parts; with several processes, the array of the first one."""
        if isinstance(value, jax.Array) and value.sharding.device_set == self._everywhere.device_set:
            return value
        return self.put(value, self._everywhere)

    def put(self, value: object, sharding: NamedSharding) -> Any:
        """An array with a sharding of this mesh; with several processes, the array of the first one."""
        if self._is_local or (isinstance(value, jax.Array) and not value.is_fully_addressable):
            return jax.device_put(value, sharding)
        array = np.asarray(multihost_utils.broadcast_one_to_all(np.asarray(value)))
        return jax.make_array_from_callback(array.shape, sharding, lambda part: array[part])

    def tells_of_loss(self, error: BaseException) -> bool:
        """Whether the loss of another process caused an error: JAX has no type for it."""
        return not self._is_local and any(word in str(error) for word in _LOSS)

    def split(self, array: np.ndarray, axis: int = 0) -> Any:
        """An array in equal parts on the devices; whole on each if it has none.

        It is the same in every process, or at least in the rows that are the process's `share`.
        """
        if not self._splits or array.ndim <= axis or array.shape[axis] % len(self):
            sharding = self._everywhere
        else:
            sharding = self.sharding((*[None] * axis, self._batch_axis))
        if self._is_local:
            return jax.device_put(array, sharding)
        return jax.make_array_from_callback(array.shape, sharding, lambda part: array[part])


def check_zero_stage(where: str, zero_stage: int) -> None:
    """Raise an error unless this is a stage of ZeRO that is supported."""
    if zero_stage not in _ZERO_STAGES:
        raise ValueError(
            f"{where} expected zero_stage to be 0, 1 or 3; got zero_stage={zero_stage!r}. Stage 2 would split "
            "gradients as well: a compiled step keeps none, so stage 1 is all there is to have of it."
        )


def _whole(variable: Variable) -> Axes:
    return ()


def is_readable(value: object) -> bool:
    """Whether this process has all of an array."""
    return not isinstance(value, jax.Array) or value.is_fully_addressable or value.is_fully_replicated


def local_parts(value: Any) -> list[np.ndarray]:
    """The parts on the devices of this process of an array that is split over those of several."""
    return [np.asarray(shard.data) for shard in value.__jax_array__().addressable_shards]


def process_number() -> tuple[int, int]:
    """The number of this process, and how many processes there are."""
    return jax.process_index(), jax.process_count()


def agreed_number(number: int) -> int:
    """The number that the first process passes, below 2 ** 31; all processes must call this."""
    return int(multihost_utils.broadcast_one_to_all(np.int32(number)))


def own_parts(value: Any) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """The parts of an array that this process is to write, each with the place of its first element.

    Of a part that several devices hold, the first of them has it written.
    """
    return [
        (tuple(s.start or 0 for s in shard.index), np.array(shard.data))
        for shard in value.addressable_shards
        if shard.replica_id == 0
    ]


Reader = Callable[[tuple[slice, ...]], np.ndarray]


def assembled(layout: Layout, shape: tuple[int, ...], read: Reader) -> Any:
    """An array with a layout; each part is read when its device gets it."""
    return jax.make_array_from_callback(shape, layout.sharding, lambda region: read(region or ()))


def gathered(value: Any) -> np.ndarray:
    """The whole of an array that is split over the devices of several processes; all of them must call this."""
    array = value.__jax_array__()
    return np.asarray(
        array if array.is_fully_replicated else multihost_utils.process_allgather(array, tiled=True)
    )


current: Placement | None = None
"""Where Variables are made to lie, and batches split; None for the one device that JAX prefers."""


def current_share() -> Share | None:
    """The share of a batch that this process needs under the current placement."""
    return None if current is None else current.share


def batch_mesh() -> Mesh | None:
    """The devices, if programs get batches that are split over several, and nothing else is split."""
    if current is None or not current._splits or len(current) == 1 or len(current.mesh.axis_names) > 1:
        return None
    return current.mesh


def is_shared() -> bool:
    """Whether programs run on devices of several processes now."""
    return current is not None and not current._is_local


@contextmanager
def using(placement: Placement | None) -> Iterator[None]:
    """Place values as `placement` says, inside a `with` block.

    Raises:
        UnavailableError: another process, without which nothing can be computed, has gone.
    """
    global current
    before, current = current, placement
    try:
        yield
    except (RuntimeError, ValueError) as error:
        lost = worker_loss(error)
        if lost is not None:
            raise lost from error
        raise
    finally:
        current = before


def worker_loss(error: BaseException) -> errors.UnavailableError | None:
    """The error to raise in place of one that a lost worker caused; None for other errors."""
    if current is None or not current.tells_of_loss(error):
        return None
    return errors.UnavailableError(
        None,
        None,
        f"A strategy expected all of its {jax.process_count()} workers to go on; one of them was lost: {error}. Start "
        "all of them again; with the callback BackupAndRestore they go on where they were.",
    )


def local_devices(kind: str | None = None) -> list[Any]:
    """The devices of this process; those of one kind ("cpu", "gpu") if given."""
    return list(jax.local_devices(backend=kind))


def devices_by_name(*kinds: str) -> dict[str, Any]:
    """The devices of all processes by names such as "cpu:0"; of the default kind unless told otherwise."""
    settle()
    devices = [device for kind in kinds or (None,) for device in jax.devices(kind and kind.lower())]
    return {f"{device.platform}:{device.id}": device for device in devices}


def all_devices() -> list[Any]:
    """The devices of all processes."""
    return list(jax.devices())
