"""Datasets of `tf.train.Example`s: `parse_example_dataset` and `make_batched_features_dataset`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapeflow.data.cardinality import AUTOTUNE
from tapeflow.data.dataset import Dataset
from tapeflow.data.sources.files import TFRecordDataset
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.io.examples import parse_example


def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: TensorLike = 1, deterministic: bool | None = None
) -> Callable[[Dataset], Dataset]:
    """A transform of batches of serialized `tf.train.Example`s into dicts of tensors; see `tf.io.parse_example`."""
    if not features:
        raise ValueError(
            "tf.data.experimental.parse_example_dataset expected features: Argument `features` cannot be empty."
        )
    return lambda dataset: dataset.map(
        lambda batch: parse_example(batch, features), num_parallel_calls, deterministic
    )


def make_batched_features_dataset(
    file_pattern: TensorLike,
    batch_size: TensorLike,
    features: Mapping[str, Any],
    reader: Callable[..., Dataset] | None = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the `tf.train.Example`s of files: dicts of features, or pairs of such a dict and the labels.

    Args:
        file_pattern: names of files, or patterns of them.
        batch_size: how many examples a batch has.
        features: what `tf.io.parse_example` is to find.
        reader: makes a dataset of a file's name; `tf.data.TFRecordDataset` unless given.
        label_key: the feature that is the label.
        reader_args: what else `reader` is called with.
        num_epochs: the number of passes over the files; None for endless.
        shuffle: whether to shuffle, files and examples.
        shuffle_buffer_size: of how many examples.
        shuffle_seed: for the same order again.
        prefetch_buffer_size: the number of batches to prefetch.
        reader_num_threads: of how many files to read in turns.
        parser_num_threads: how many batches to parse at once.
        sloppy_ordering: ignored: the order is kept.
        drop_final_batch: whether to leave out a last batch that is not full.
    """
    where = "tf.data.experimental.make_batched_features_dataset"
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"{where} expected the name of a feature: The `label_key` provided ({label_key}) must be one of the "
            f"`features` keys: {list(features)}."
        )
    opened, more = reader or TFRecordDataset, tuple(reader_args or ())
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset = files.interleave(lambda name: opened(name, *more), cycle_length=reader_num_threads or 1)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)

    def parsed(batch: Any) -> Any:
        found = parse_example(batch, features)
        return found if label_key is None else (found, found.pop(label_key))

    dataset = dataset.map(parsed, parser_num_threads or 2)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
