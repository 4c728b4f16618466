"""Batches that several workers make, each of its own data: here in threads, with a table of their own."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import worker_batches
from tapeflow.data.pipe import Iteration, Part
from tapeflow.data.worker_batches import WorkerBatches, batches_of, check_workers, part_of
from tapeflow.engine.devices import processes
from tapeflow.engine.devices.placement import Share

HINT = tf.data.experimental.SHARD_HINT


class Table:
    """The keys and values that processes tell one another."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.changed = threading.Condition()

    def tell(self, key: str, value: str) -> None:
        with self.changed:
            assert key not in self.values
            self.values[key] = value
            self.changed.notify_all()

    def told(self, key: str, timeout_s: float) -> str:
        with self.changed:
            if not self.changed.wait_for(lambda: key in self.values, min(timeout_s, 10)):
                raise tf.errors.DeadlineExceededError(None, None, key)
            return self.values[key]

    def forget(self, key: str) -> None:
        with self.changed:
            del self.values[key]


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    made = Table()
    for name in ("tell", "told", "forget"):
        monkeypatch.setattr(processes, name, getattr(made, name))
    return made


def together(datasets: list[Any], splits_files: bool = False) -> list[list[Any]]:
    """What each of so many workers gets."""
    made = [
        batches_of(dataset._pipe, Share(i, i + 1, len(datasets)), splits_files)
        for i, dataset in enumerate(datasets)
    ]
    return read_all(made)


names = map(str, itertools.count())


def read_all(made: list[WorkerBatches]) -> list[list[Any]]:
    name = next(names)
    for batches in made:
        batches._name = name  # in processes of their own they would count alike
    with ThreadPoolExecutor(len(made)) as pool:
        return list(pool.map(list, made))


def rows_of(found: list[Any], worker: int, count: int) -> list[list[int]]:
    """A worker's rows of batches that can be divided equally; all rows of others."""
    cut = [part[Share(worker, worker + 1, count).rows(len(part)) or slice(None)] for part in found]
    return [part.tolist() for part in cut]


def test_each_worker_gives_its_rows_and_the_last_are_exchanged(table: Table) -> None:
    dataset = tf.data.Dataset.range(11).shard(HINT, HINT).batch(4)
    first, second = together([dataset, dataset])
    assert rows_of(first, 0, 2) == [[0, 2], [4, 6], [8, 10, 9]]
    assert rows_of(second, 1, 2) == [[1, 3], [5, 7], [8, 10, 9]]
    assert first[0].tolist() == [0, 2, 0, 0]  # the others' rows are not there
    assert [key.split("/")[1] for key in table.values] == ["3", "3"]  # what all have read is forgotten


def test_a_worker_without_data_gets_that_of_the_others(table: Table) -> None:
    def made(count: int) -> Any:
        rows = np.arange(count, dtype="float32")
        return tf.data.Dataset.from_tensor_slices({"a": rows, "b": np.stack([rows, rows], 1)}).batch(4)

    first, second = together([made(4), made(0)])
    assert len(first) == len(second) == 2
    for found in (first, second):
        assert [batch["a"].tolist() for batch in found] == [[0, 1], [2, 3]]
        assert found[1]["b"].tolist() == [[2, 2], [3, 3]]


def test_rows_larger_than_a_message_are_exchanged(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_batches, "_PIECE_BYTES", 100)
    first, second = together([tf.data.Dataset.range(n).batch(200) for n in (90, 30)])
    assert first[0].tolist() == second[0].tolist() == [*range(90), *range(30)]


def test_strings_ragged_and_sparse_rows_are_sent_to_all(table: Table) -> None:
    numbers = np.arange(7)
    columns = {
        "text": numbers.astype(str),
        "ragged": tf.ragged.range(numbers % 3),
        "sparse": tf.sparse.from_dense(np.stack([numbers, 0 * numbers], 1)),
        "number": numbers,
    }
    dataset = tf.data.Dataset.from_tensor_slices(columns).shard(HINT, HINT).batch(4)
    first, second = together([dataset, dataset])
    order = [[0, 2, 1, 3], [4, 6, 5]]
    for found in (first, second):
        assert [batch["number"].tolist() for batch in found] == order
        for batch, numbers in zip(found, order, strict=True):
            assert batch["text"].tolist() == [str(n).encode() for n in numbers]
            assert tf.sparse.to_dense(batch["sparse"]).numpy().tolist() == [[n, 0] for n in numbers]
            assert batch["ragged"].to_list() == [[*range(n % 3)] for n in numbers]


def test_a_function_that_reads_values_is_tried_on_any_shard(table: Table) -> None:
    dataset = (
        tf.data.Dataset.range(4).shard(HINT, HINT).map(lambda x: tf.strings.as_string(x * int(x))).batch(4)
    )
    first, second = together([dataset, dataset])
    assert [b.tolist() for b in first] == [b.tolist() for b in second] == [[b"0", b"4", b"1", b"9"]]


def test_several_batches_for_one_worker(table: Table) -> None:
    pipes = [tf.data.Dataset.range(i, i + 6).batch(2)._pipe for i in (0, 10)]
    words = [tf.data.Dataset.from_tensor_slices([f"{i}a", f"{i}b", f"{i}c"]).batch(1)._pipe for i in (0, 1)]
    (first, second), (_, texts) = [
        read_all(
            [
                WorkerBatches(worker_batches.ArrayIterator(pipe), Share(2 * i, 2 * i + 2, 4), pipe, 2)
                for i, pipe in enumerate(each)
            ]
        )
        for each in (pipes, words)
    ]
    assert [text.tolist() for text in texts] == [[b"0a", b"0b", b"1a", b"1b"], [b"0c", b"1c"]]
    assert first[0].tolist() == [0, 1, 2, 3, 0, 0, 0, 0]
    assert second[0].tolist() == [0, 0, 0, 0, 10, 11, 12, 13]
    assert first[1].tolist() == [4, 5, 0, 0]


def files(folder: Path) -> list[str]:
    for number in range(5):
        (folder / f"{number}.txt").write_text("".join(f"{number}{line}\n" for line in range(number % 2 + 1)))
    return sorted(map(str, folder.iterdir()))


def as_number(line: Any) -> Any:
    return tf.strings.to_number(line, tf.int32)


def pipelines(names: list[str]) -> Iterator[Any]:
    yield tf.data.TextLineDataset(names)
    yield tf.data.TextLineDataset(names, num_parallel_reads=2)
    yield tf.data.Dataset.from_tensor_slices(names).flat_map(tf.data.TextLineDataset)
    yield tf.data.Dataset.list_files(names, seed=1).interleave(tf.data.TextLineDataset, cycle_length=2)
    yield tf.data.TextLineDataset(names).shuffle(3, seed=1).cache()
    yield tf.data.TextLineDataset(names[:3]).concatenate(tf.data.TextLineDataset(names[3:]))


@pytest.mark.parametrize("number", range(6))
def test_files_are_split(table: Table, tmp_path: Path, number: int) -> None:
    names = files(tmp_path)
    datasets = [list(pipelines(names))[number].map(as_number).batch(4) for _ in range(2)]
    first, second = together(datasets, splits_files=True)
    seen = [*rows_of(first, 0, 2), *rows_of(second, 1, 2)]
    assert {0, 10, 11, 20, 30, 31, 40} == set(itertools.chain(*seen))
    if number == 0:
        assert rows_of(first, 0, 2) == [[0, 20], [40, 30, 31]]
        assert rows_of(second, 1, 2) == [[10, 11], [40, 30, 31]]


def test_going_on_in_the_middle(table: Table) -> None:
    datasets = [tf.data.Dataset.range(24).shard(HINT, HINT).shuffle(5, seed=1).batch(4) for _ in range(2)]
    made = [batches_of(dataset._pipe, Share(i, i + 1, 2), False) for i, dataset in enumerate(datasets)]
    whole = [[b.copy() for b in found] for found in read_all(made)]
    states = [batches.state() for batches in made]
    assert states[0]["count"] == 7  # six, and a look that found the end
    again = [batches_of(dataset._pipe, Share(i, i + 1, 2), False) for i, dataset in enumerate(datasets)]
    for batches in again:
        batches.restore({**states[0], "count": 2})  # what the first process has saved
    for found, expected in zip(read_all(again), whole, strict=True):
        np.testing.assert_array_equal(found, expected[2:])


def test_a_cache_holds_each_worker_s_own_elements() -> None:
    dataset = tf.data.Dataset.range(4).shard(HINT, HINT).cache()
    for index in (0, 1, 0):
        stream = dataset._pipe.stream(Iteration(part=Part(index, 2, None, False)))
        assert dataset._pipe.rows.elements(stream.take(4))[1][0] == index + 2


def test_errors(table: Table, tmp_path: Path) -> None:
    share, pipe = Share(0, 1, 2), tf.data.Dataset.range(8).batch(4)._pipe
    with pytest.raises(tf.errors.NotFoundError, match="Found an unshardable source dataset"):
        batches_of(pipe, share, True)
    with pytest.raises(ValueError, match="got one without `batch`"):
        batches_of(tf.data.Dataset.range(8)._pipe, share, False)
    with pytest.raises(ValueError, match="that the 2 workers can share equally; got 5"):
        batches_of(tf.data.Dataset.range(8).batch(5)._pipe, share, False)
    with pytest.raises(ValueError, match="the same number of devices in all processes; got 2 of 3 here"):
        part_of(Share(1, 3, 3))
    with pytest.raises(ValueError, match=r"expected the 2 worker\(s\) that the training had; got 4"):
        check_workers(2, 4)
    scalars = tf.data.Dataset.range(4).batch(2).map(tf.reduce_sum)
    with pytest.raises(ValueError, match="expected batches of tensors with rows; got a scalar"):
        next(batches_of(scalars._pipe, share, False))
    one = tf.data.TextLineDataset(files(tmp_path)[:1]).map(as_number).batch(2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="only has 1 file"):
        next(batches_of(one._pipe, share, True))
    with pytest.raises(tf.errors.FailedPreconditionError, match="AutoShardPolicy.HINT"):
        list(tf.data.Dataset.range(4).shard(HINT, HINT))


def test_a_worker_that_does_not_come(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_batches, "_WAIT_S", 0.05)
    dataset = tf.data.Dataset.range(8).batch(4)
    with pytest.raises(tf.errors.DeadlineExceededError, match="got none from process 1"):
        next(batches_of(dataset._pipe, Share(0, 1, 2), False))


def test_one_worker_has_all_shards() -> None:
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.HINT
    dataset = tf.data.Dataset.range(6).shard(HINT, HINT).batch(2).with_options(options)
    strategy = tf.distribute.get_strategy()
    found = [batch.numpy().tolist() for batch in strategy.experimental_distribute_dataset(dataset)]
    assert found == [[0, 1], [2, 3], [4, 5]]
    assert int(dataset.cardinality()) == tf.data.UNKNOWN_CARDINALITY
