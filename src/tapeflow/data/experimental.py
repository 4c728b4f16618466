"""`tf.data.experimental`: older names of `tf.data.Dataset`'s methods, CSV files, and options."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tapeflow.data.cardinality import AUTOTUNE as AUTOTUNE
from tapeflow.data.cardinality import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from tapeflow.data.cardinality import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from tapeflow.data.dataset import Dataset
from tapeflow.data.debugging import enable_debug_mode as enable_debug_mode
from tapeflow.data.iterator import Optional as Optional
from tapeflow.data.options import AutoShardPolicy as AutoShardPolicy
from tapeflow.data.options import AutotuneAlgorithm as AutotuneAlgorithm
from tapeflow.data.options import AutotuneOptions as AutotuneOptions
from tapeflow.data.options import DistributeOptions as DistributeOptions
from tapeflow.data.options import ExternalStatePolicy as ExternalStatePolicy
from tapeflow.data.options import OptimizationOptions as OptimizationOptions
from tapeflow.data.options import ThreadingOptions as ThreadingOptions
from tapeflow.data.piped import check_callable
from tapeflow.data.sources.csv import CsvDataset as CsvDataset
from tapeflow.data.sources.csv import make_csv_dataset as make_csv_dataset
from tapeflow.data.sources.example_files import make_batched_features_dataset as make_batched_features_dataset
from tapeflow.data.sources.example_files import parse_example_dataset as parse_example_dataset
from tapeflow.data.sources.sql import SqlDataset as SqlDataset
from tapeflow.data.steps.known_length import AssertCardinality
from tapeflow.data.steps.ordering import SHARD_HINT as SHARD_HINT
from tapeflow.data.steps.reducing import GroupByReducer
from tapeflow.data.steps.reducing import Reducer as Reducer
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.dtypes import int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.io.tfrecord import TFRecordWriter as RecordWriter
from tapeflow.lookup.dataset_tables import DatasetInitializer as DatasetInitializer
from tapeflow.lookup.dataset_tables import index_table_from_dataset as index_table_from_dataset
from tapeflow.lookup.dataset_tables import table_from_dataset as table_from_dataset
from tapeflow.ops.host_args import read_int

Transform = Callable[[Dataset], Dataset]
choose_from_datasets = Dataset.choose_from_datasets
sample_from_datasets = Dataset.sample_from_datasets
Counter = Dataset.counter
RandomDataset = Dataset.random
load = Dataset.load


def save(
    dataset: Dataset, path: str | os.PathLike[str], compression: str | None = None, shard_func: Any = None
) -> None:
    """Write a dataset to a folder; see `Dataset.save`."""
    dataset.save(path, compression, shard_func)


def from_list(elements: list[Any], name: str | None = None) -> Dataset:
    """A dataset of a list of elements, all of one structure."""
    columns = zip(*[nest.flatten(e) for e in elements], strict=True)
    return Dataset.from_tensor_slices(nest.pack_sequence_as(elements[0], [list(c) for c in columns]))


def cardinality(dataset: Dataset) -> Tensor:
    """The number of elements of a dataset; see `Dataset.cardinality`."""
    return dataset.cardinality()


def assert_cardinality(expected_cardinality: Any) -> Transform:
    """A transform that declares the number of elements, and raises an error if there are more or fewer."""
    count = read_int(expected_cardinality, "tf.data.experimental.assert_cardinality", "expected_cardinality")
    return lambda dataset: dataset._then(AssertCardinality(dataset._pipe, count))


def get_single_element(dataset: Dataset) -> object:
    """The only element of a dataset; see `Dataset.get_single_element`."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The spec of the elements."""
    return dataset_or_iterator.element_spec


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator if there is one."""
    return iterator.get_next_as_optional()


def at(dataset: Dataset, index: TensorLike) -> Any:
    """The element with a number."""
    number = read_int(index, "tf.data.experimental.at", "index")
    return dataset.skip(number).take(1).get_single_element()


def _transform(name: str) -> Callable[..., Transform]:
    """A method of `Dataset` as a function that gives a transform, for `Dataset.apply`."""

    def make(*args: int, **kwargs: Any) -> Transform:
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)

    make.__name__ = name
    make.__doc__ = f"`Dataset.{name}` as a transform for `Dataset.apply`."
    return make


bucket_by_sequence_length = _transform("bucket_by_sequence_length")
enumerate_dataset = _transform("enumerate")
group_by_window = _transform("group_by_window")
ignore_errors = _transform("ignore_errors")
rejection_resample = _transform("rejection_resample")
scan = _transform("scan")
snapshot = _transform("snapshot")
take_while = _transform("take_while")
unbatch = _transform("unbatch")
unique = _transform("unique")
dense_to_sparse_batch = _transform("sparse_batch")


def dense_to_ragged_batch(
    batch_size: TensorLike, drop_remainder: bool = False, row_splits_dtype: Any = int64
) -> Transform:
    """`Dataset.ragged_batch` as a transform for `Dataset.apply`."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transform:
    """A transform of all elements with one key into one, for each key.

    Args:
        key_func: the key of an element, an int64.
        reducer: how those with one key become one.
    """
    check_callable(key_func, "tf.data.experimental.group_by_reducer", "key_func")
    return lambda dataset: dataset._then(GroupByReducer(dataset._pipe, key_func, reducer))


def shuffle_and_repeat(
    buffer_size: TensorLike, count: TensorLike | None = None, seed: int | TensorLike | None = None
) -> Transform:
    """`Dataset.shuffle` and `repeat` as a transform for `Dataset.apply`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: TensorLike | None = None,
) -> Transform:
    """`Dataset.map` and `batch` as a transform for `Dataset.apply`."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: TensorLike,
    block_length: TensorLike = 1,
    sloppy: bool = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transform:
    """`Dataset.interleave`, on threads, as a transform for `Dataset.apply`; the order is kept even if `sloppy`."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, AUTOTUNE)


def prefetch_to_device(device: Any, buffer_size: TensorLike | None = None) -> Transform:
    """`Dataset.prefetch` as a transform for `Dataset.apply`; programs copy their inputs to their device."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Transform:
    """A transform for `Dataset.apply` that changes nothing: programs copy their inputs to their device."""
    return lambda dataset: dataset


class TFRecordWriter:
    """Writes a dataset of strings to a TFRecord file."""

    def __init__(self, filename: TensorLike, compression_type: str | None = None) -> None:
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Dataset) -> None:
        """Write all elements."""
        with RecordWriter(self._filename, self._compression) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)
