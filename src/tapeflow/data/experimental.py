"""`tf.data.experimental`: older spellings, and options."""

from __future__ import annotations

from tapeflow.data.cardinality import AUTOTUNE as AUTOTUNE
from tapeflow.data.cardinality import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from tapeflow.data.cardinality import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from tapeflow.data.dataset import Dataset
from tapeflow.data.iterator import Optional as Optional
from tapeflow.data.options import AutoShardPolicy as AutoShardPolicy
from tapeflow.data.options import AutotuneOptions as AutotuneOptions
from tapeflow.data.options import DistributeOptions as DistributeOptions
from tapeflow.data.options import OptimizationOptions as OptimizationOptions
from tapeflow.data.options import ThreadingOptions as ThreadingOptions
from tapeflow.engine.tensor import Tensor


def cardinality(dataset: Dataset) -> Tensor:
    """How many elements a dataset has; see `Dataset.cardinality`."""
    return dataset.cardinality()


def get_single_element(dataset: Dataset) -> object:
    """The only element of a dataset; see `Dataset.get_single_element`."""
    return dataset.get_single_element()
