"""`tf.distribute.NcclAllReduce` and its kin: ways of adding up over devices. XLA chooses one by itself."""

from __future__ import annotations

from typing import Any


class CrossDeviceOps:
    """How values are summed over devices. A strategy accepts it and leaves the choice to XLA."""


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Accepted for TensorFlow's sake."""

    def __init__(self, num_packs: int = 1) -> None:
        self.num_packs = num_packs


class NcclAllReduce(HierarchicalCopyAllReduce):
    """Accepted for TensorFlow's sake."""


class ReductionToOneDevice(CrossDeviceOps):
    """Accepted for TensorFlow's sake."""

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn
