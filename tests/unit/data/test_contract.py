"""What holds for every transform: passes, specs, cardinality, and a state that goes on where it was."""

from __future__ import annotations

import gc
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import AUTOTUNE, Dataset

ROWS = np.arange(24, dtype=np.float32).reshape(12, 2)
LABELS = np.arange(12)


def _slices() -> Dataset:
    return Dataset.from_tensor_slices((ROWS, {"y": LABELS}))


def _generated() -> Dataset:
    return Dataset.from_generator(lambda: iter(range(12)), output_signature=tf.TensorSpec((), tf.int64))


def _reading(x: Any) -> Any:
    """A function that looks at its argument, and so is called for each element."""
    return x if x % 3 else -x


FOLDER = Path(tempfile.mkdtemp())


def _numbers() -> Dataset:
    return Dataset.from_generator(lambda: iter(range(12)), output_signature=tf.TensorSpec((), tf.int64))


def _failing(x: tf.Tensor) -> tf.Tensor:
    if int(x) % 3 == 1:
        raise ValueError("no")
    return x


PIPELINES: dict[str, Callable[[], Dataset]] = {
    "from_tensors": lambda: Dataset.from_tensors((ROWS, LABELS)),
    "from_tensor_slices": _slices,
    "from_generator": _generated,
    "range": lambda: Dataset.range(3, 20, 2),
    "zip": lambda: Dataset.zip(Dataset.range(5), _slices()),
    "zip of elements": lambda: Dataset.zip(_generated(), _slices().shuffle(5, seed=1)),
    "batch": lambda: _slices().batch(5),
    "batch of elements": lambda: _generated().batch(5, drop_remainder=True),
    "padded_batch": lambda: _generated().map(lambda x: tf.range(x)).padded_batch(5, padded_shapes=(None,)),
    "unbatch": lambda: _slices().batch(5).unbatch(),
    "window": lambda: Dataset.range(9).window(4, shift=2).flat_map(lambda w: w.batch(4)),
    "shuffle all": lambda: _slices().shuffle(100, seed=1).batch(5),
    "shuffle some": lambda: _slices().shuffle(4, seed=1),
    "shuffle elements": lambda: _generated().shuffle(4, seed=1),
    "shuffle a zip": lambda: Dataset.zip(_slices(), Dataset.range(12)).shuffle(5, seed=1).batch(5),
    "shuffle unknown": lambda: Dataset.range(9).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=3),
    "repeat": lambda: _slices().shuffle(5, seed=1).repeat(3).batch(5),
    "repeat for ever": lambda: Dataset.range(3).repeat().take(8),
    "take": lambda: _generated().take(5),
    "skip": lambda: _generated().skip(5),
    "skip rows": lambda: _slices().skip(5),
    "shard": lambda: _slices().shuffle(5, seed=2).shard(3, 1),
    "concatenate": lambda: Dataset.range(4).concatenate(_generated()),
    "filter": lambda: _generated().filter(lambda x: x % 2 == 0),
    "filter rows": lambda: Dataset.range(12).shuffle(9, seed=3).filter(lambda x: x % 2 == 0).batch(2),
    "map rows": lambda: _slices().map(lambda x, d: (x * 2, d["y"])).batch(5),
    "map with draws": lambda: Dataset.range(40).map(lambda x: tf.random.uniform([2], seed=3)).batch(20),
    "map with draws, shuffled": lambda: (
        Dataset.range(12).map(lambda x: tf.random.uniform([2], seed=3)).shuffle(5, seed=1).repeat(2)
    ),
    "map elements": lambda: _generated().map(_reading),
    "map elements on threads": lambda: _generated().map(_reading, num_parallel_calls=3).batch(5),
    "map elements with draws": lambda: _generated().map(lambda x: tf.random.normal([], seed=3)),
    "map on threads with draws": lambda: _generated().map(
        lambda x: tf.random.normal([], seed=3) + float(x), num_parallel_calls=3
    ),
    "flat_map": lambda: Dataset.range(5).flat_map(lambda i: Dataset.range(i)),
    "interleave": lambda: Dataset.range(5).interleave(
        lambda i: Dataset.range(i).shuffle(3, seed=4), cycle_length=2, block_length=2
    ),
    "interleave of shuffles": lambda: Dataset.range(5).interleave(
        lambda i: Dataset.range(i + 3).shuffle(9), cycle_length=2, block_length=2
    ),
    "filter with draws": lambda: Dataset.range(60).filter(lambda x: tf.random.uniform([]) < 0.5).batch(5),
    "filter elements with draws": lambda: (
        _generated().filter(lambda x: tf.random.uniform([]) < 0.5).repeat(2)
    ),
    "cache": lambda: _slices().shuffle(5, seed=1).cache().repeat(2),
    "cache computed": lambda: (
        Dataset.range(40).map(lambda x: tf.random.uniform([2], seed=3)).shuffle(40, seed=1).cache().repeat(2)
    ),
    "cache elements": lambda: _generated().cache().repeat(2),
    "prefetch": lambda: _slices().shuffle(5, seed=1).batch(2).prefetch(2),
    "prefetch elements": lambda: _generated().map(_reading).prefetch(AUTOTUNE),
    "enumerate": lambda: _slices().enumerate(start=4),
    "choose": lambda: Dataset.choose_from_datasets(
        [_slices(), _slices().map(lambda x, d: (x * 2, d))],
        Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 1, 0], np.int64)),
    ),
    "sample": lambda: Dataset.sample_from_datasets([Dataset.range(6), _numbers()], [0.3, 0.7], seed=4),
    "sample of unequal weights": lambda: Dataset.sample_from_datasets(
        [Dataset.range(6), _numbers()], Dataset.from_tensor_slices([[0.5, 0.5], [0.9, 0.1]]).repeat(), seed=4
    ),
    "group_by_window": lambda: Dataset.range(11).group_by_window(
        lambda x: x % 3, lambda key, window: window.map(lambda x: x + key).batch(2), window_size=4
    ),
    "bucket_by_sequence_length": lambda: (
        Dataset.range(9)
        .map(lambda x: tf.range(x % 5))
        .bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 4], [2, 3, 2])
    ),
    "scan": lambda: Dataset.range(7).scan(
        np.int64(1), lambda total, x: (total + x, {"sum": total, "draw": tf.random.uniform([], seed=2)})
    ),
    "take_while": lambda: _numbers().take_while(lambda x: x < 7),
    "unique": lambda: Dataset.range(9).map(lambda x: x % 4).unique(),
    "rebatch": lambda: Dataset.range(11).batch(4).rebatch([1, 3]),
    "ragged_batch": lambda: Dataset.range(7).map(lambda x: tf.range(x)).ragged_batch(3),
    "sparse_batch": lambda: Dataset.range(7).map(lambda x: tf.range(x)).sparse_batch(3, [7]),
    "ragged rows": lambda: (
        Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4], [5, 6, 7]]))
        .shuffle(4, seed=1)
        .batch(2)
        .prefetch(1)
        .unbatch()
    ),
    "sparse rows": lambda: (
        Dataset.from_tensor_slices(tf.sparse.from_dense([[0, 1], [2, 0], [0, 3]])).shuffle(2, seed=1).batch(2)
    ),
    "split strings": lambda: Dataset.from_tensor_slices(["a b", "c", "d e f"]).map(tf.strings.split),
    "random": lambda: Dataset.random(seed=3).take(5),
    "counter": lambda: Dataset.counter(5, 3).take(6).batch(4),
    "ignore_errors": lambda: _numbers().map(_failing).ignore_errors(),
    "assert_cardinality": lambda: _numbers().apply(tf.data.experimental.assert_cardinality(12)),
    "rejection_resample": lambda: Dataset.range(60).rejection_resample(
        lambda x: x % 2, [0.5, 0.5], [0.5, 0.5], seed=3
    ),
    "lines": lambda: tf.data.TextLineDataset([str(FOLDER / "a.txt"), str(FOLDER / "b.txt")]),
    "lines in turn": lambda: tf.data.TextLineDataset(
        [str(FOLDER / "a.txt"), str(FOLDER / "b.txt")], num_parallel_reads=2
    ).shuffle(3, seed=1),
    "records": lambda: tf.data.TFRecordDataset(str(FOLDER / "a.tfrecord")).map(tf.strings.length).batch(2),
    "records compressed": lambda: tf.data.TFRecordDataset(str(FOLDER / "z.tfrecord"), "ZLIB"),
    "fixed records": lambda: tf.data.FixedLengthRecordDataset(str(FOLDER / "b.txt"), 2),
    "csv": lambda: tf.data.experimental.CsvDataset(
        str(FOLDER / "a.csv"), [tf.int32, [0.5], [""]], header=True
    ),
    "csv batches": lambda: tf.data.experimental.make_csv_dataset(
        str(FOLDER / "*.csv"), 2, label_name="a", num_epochs=2, shuffle_seed=1
    ),
    "saved": lambda: Dataset.load(str(FOLDER / "saved")).shuffle(3, seed=1),
    "cached in a folder": lambda: _slices().cache(str(FOLDER / "cached")),
    "snapshot": lambda: _numbers().snapshot(str(FOLDER / "snapshot")),
    "strings": lambda: Dataset.from_tensor_slices([b"a", b"bc", b"d"]).shuffle(2, seed=1).batch(2),
}


@pytest.fixture(scope="module", autouse=True)
def _folder() -> Iterator[None]:
    """Files for the pipelines that read some; the cached and the snapshot one are written once before."""
    (FOLDER / "a.txt").write_text("one\ntwo\r\n\nfour")
    (FOLDER / "b.txt").write_text("x\ny\nz\n")
    (FOLDER / "a.csv").write_text('a,b,c\n1,2.5,x\n2,,"y,\nz"\n3,1e3,\n')
    (FOLDER / "b.csv").write_text("a,b,c\n4,1,w\n")
    for name, kind in (("a.tfrecord", None), ("z.tfrecord", "ZLIB")):
        with tf.io.TFRecordWriter(str(FOLDER / name), kind) as writer:
            for i in range(5):
                writer.write(b"r" * i)
    _slices().save(str(FOLDER / "saved"))
    for name in ("cached in a folder", "snapshot"):
        list(PIPELINES[name]())
    yield
    shutil.rmtree(FOLDER)


def _values(dataset: Any) -> list[Any]:
    return [tf.nest.map_structure(_plain, e) for e in dataset]


def _plain(part: Any) -> Any:
    if isinstance(part, tf.RaggedTensor):
        return part.to_list()
    if isinstance(part, tf.SparseTensor):
        return tf.sparse.to_dense(part).numpy().tolist()
    return _listed(np.asarray(part))


def _listed(array: np.ndarray) -> Any:
    return (
        [_listed(a) if isinstance(a, np.ndarray) else a for a in array]
        if array.dtype == object and array.ndim
        else array.tolist()
    )


def _fresh(make: Callable[[], Dataset]) -> Dataset:
    """A dataset like any other made so: seeds that are not given come from the global one."""
    tf.random.set_seed(1)
    return make()


def _all(dataset: Dataset) -> list[Any]:
    return _values(dataset.as_numpy_iterator())


@pytest.fixture(autouse=True)
def _seeded() -> None:
    tf.random.set_seed(1)


@pytest.mark.parametrize("make", PIPELINES.values(), ids=PIPELINES)
def test_two_equal_datasets_give_equal_elements(make: Callable[[], Dataset]) -> None:
    first = _all(_fresh(make))
    assert first
    assert first == _all(_fresh(make))


@pytest.mark.parametrize("name", [n for n in PIPELINES if "filter" not in n or "draws" not in n])
def test_a_second_pass_has_as_many(name: str) -> None:
    dataset = PIPELINES[name]()
    assert len(_all(dataset)) == len(_all(dataset))


@pytest.mark.parametrize("make", PIPELINES.values(), ids=PIPELINES)
def test_elements_fit_spec_and_cardinality(make: Callable[[], Dataset]) -> None:
    dataset = make()
    elements = list(dataset)
    for element in elements:
        tf.nest.assert_same_structure(dataset.element_spec, element)
        pairs = zip(tf.nest.flatten(dataset.element_spec), tf.nest.flatten(element), strict=True)
        assert all(spec.is_compatible_with(tensor) for spec, tensor in pairs)
    cardinality = int(dataset.cardinality())
    assert cardinality in (len(elements), tf.data.UNKNOWN_CARDINALITY)


@pytest.mark.parametrize("make", PIPELINES.values(), ids=PIPELINES)
def test_a_restored_iterator_goes_on_where_it_was(make: Callable[[], Dataset]) -> None:
    expected = _all(_fresh(make))
    for taken in sorted({0, 1, min(2, len(expected)), len(expected) // 2, len(expected) - 1, len(expected)}):
        iterator = _fresh(make)._array_iterator()
        begun = _values(next(iterator) for _ in range(taken))
        state = iterator.state()
        rest = _values(iterator)  # the state must not change with the iterator it was taken from
        other = _fresh(make)._array_iterator()
        other.restore(state)
        assert begun + rest == expected
        assert _values(other) == rest, f"after {taken}"


def test_the_next_pass_after_a_restored_one_is_as_it_would_have_been() -> None:
    make = PIPELINES["shuffle some"]
    dataset = make()
    passes = [_all(dataset) for _ in range(3)]
    first = make()
    iterator = first._array_iterator()
    next(iterator)
    state = iterator.state()
    resumed = make()
    again = resumed._array_iterator()
    again.restore(state)
    assert _values(again) == passes[0][1:]
    assert [_all(resumed), _all(resumed)] == passes[1:]


def test_no_thread_outlives_its_iterator() -> None:
    before = threading.active_count()
    for name in ("prefetch", "prefetch elements", "map elements on threads"):
        iterator = iter(PIPELINES[name]())
        next(iterator)
        del iterator
        list(PIPELINES[name]())
    gc.collect()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before
