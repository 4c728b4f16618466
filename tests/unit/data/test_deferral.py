"""Elements of which a process needs no row: they are neither read nor mapped, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data.sources import files
from tapeflow.engine.devices.placement import Share
from tapeflow.io import tfrecord

NUMBERS = 2048
RECORD_BYTES = 4 * NUMBERS + 16


@pytest.fixture
def names(tmp_path: Path) -> list[str]:
    """Three files with 24 large records."""
    for file in range(3):
        with tf.io.TFRecordWriter(tmp_path / f"{file}.tfrecord") as writer:
            for number in range(8 * file, 8 * file + 8):
                writer.write(np.full(NUMBERS, number, "float32").tobytes())
    return sorted(map(str, tmp_path.iterdir()))


def parsed(record: Any) -> Any:
    return tf.reshape(tf.io.decode_raw(record, tf.float32), [NUMBERS])


def noisy(record: Any) -> Any:
    return parsed(record) + tf.random.uniform([])


def records(names: list[str]) -> tf.data.Dataset:
    return tf.data.TFRecordDataset(names)


PIPELINES: dict[str, Callable[[list[str]], tf.data.Dataset]] = {
    "in order": lambda names: records(names).map(parsed).batch(4),
    "shuffled": lambda names: records(names).map(parsed).shuffle(9, seed=1).batch(4).repeat(2),
    "random": lambda names: records(names).map(noisy, num_parallel_calls=2).shuffle(5, seed=2).batch(6),
    "two maps": lambda names: records(names).map(parsed).map(lambda x: x * 2).prefetch(3).batch(8),
    "several files": lambda names: tf.data.TFRecordDataset(names, num_parallel_reads=2).map(parsed).batch(4),
    "interleaved": lambda names: (
        tf.data.Dataset.from_tensor_slices(names)
        .interleave(lambda name: records([name]).map(parsed), cycle_length=2)
        .batch(4)
    ),
    "taken": lambda names: records(names).map(parsed).skip(2).take(13).shard(2, 1).batch(2),
    "joined": lambda names: (
        records(names[:1]).map(parsed).concatenate(records(names[1:]).map(parsed)).batch(8)
    ),
}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes were read of files that are read in parts."""
    found: list[int] = []

    class Counting:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def __enter__(self) -> Counting:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def read(self, *size: int) -> bytes:
            data = self.file.read(*size)
            found.append(len(data))
            return data

    monkeypatch.setattr(files, "open_sparsely", lambda *given: Counting(tfrecord.open_sparsely(*given)))
    return found


def shown(batches: Any) -> list[list[float]]:
    return [batch[:, 0].tolist() for batch in batches]


def made(name: str, names: list[str]) -> tf.data.Dataset:
    tf.keras.utils.set_random_seed(3)
    return PIPELINES[name](names)


@pytest.mark.parametrize("name", PIPELINES)
def test_rows_are_those_of_one_process_and_no_others_are_read(
    names: list[str], read: list[int], name: str
) -> None:
    whole = shown(made(name, names)._array_iterator())
    assert not read
    halves, counts = [], []
    for worker in range(2):
        read.clear()
        halves.append(shown(made(name, names)._array_iterator(Share(worker, worker + 1, 2))))
        counts.append(sum(read))
    own = [Share(worker, worker + 1, 2) for worker in range(2)]
    for batch, *parts in zip(whole, *halves, strict=True):
        for share, part in zip(own, parts, strict=True):
            rows = share.rows(len(batch)) or slice(None)
            np.testing.assert_allclose(part[rows], batch[rows], rtol=1e-6)
    if name == "taken":
        return  # most records are nobody's
    passes = 2 if name == "shuffled" else 1
    for count in counts:  # besides its rows, the length of every record, and what is read twice
        assert 12 * RECORD_BYTES <= count / passes <= 12 * RECORD_BYTES + 24 * 24 + 12


@pytest.mark.parametrize("name", ["shuffled", "random", "interleaved"])
def test_going_on_in_the_middle_with_another_number_of_processes(names: list[str], name: str) -> None:
    whole = shown(made(name, names)._array_iterator())
    for share, other in ((Share(0, 1, 2), None), (None, Share(0, 1, 2))):
        first = made(name, names)._array_iterator(share)
        next(first), next(first)
        again = made(name, names)._array_iterator(other)
        again.restore(first.state())
        rest = shown(again)
        assert len(rest) == len(whole) - 2
        for part, batch in zip(rest, whole[2:], strict=True):
            rows = slice(0, len(batch) // 2)
            np.testing.assert_allclose(part[rows], batch[rows], rtol=1e-6)


def test_steps_that_look_at_elements_get_them(names: list[str], read: list[int]) -> None:
    mapped = records(names).map(parsed)
    for dataset in (
        mapped.filter(lambda x: x[0] % 2 == 0).batch(4),
        mapped.cache().batch(4),
        mapped.batch(4).map(lambda x: x + 1),
        mapped.concatenate(mapped.filter(lambda x: x[0] < 4)).batch(4),
    ):
        whole = shown(dataset._array_iterator())
        halves = [shown(dataset._array_iterator(Share(i, i + 1, 2))) for i in range(2)]
        for batch, first, second in zip(whole, *halves, strict=True):
            middle = len(batch) // 2
            assert [*first[:middle], *second[middle:]] == batch
    assert not read


def test_rows_of_another_shape_than_the_first_are_all_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "odd.tfrecord"
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(8):
            writer.write(np.zeros(NUMBERS + (number == 7), "float32").tobytes())
    dataset = tf.data.TFRecordDataset(path).map(lambda record: tf.io.decode_raw(record, tf.float32)).batch(4)
    found = dataset._array_iterator(Share(1, 2, 2))
    next(found)
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch"):
        next(found)


def test_a_record_that_is_cut_off_is_an_error(names: list[str]) -> None:
    path = Path(names[0])
    path.write_bytes(path.read_bytes()[:-100])
    dataset = records(names).map(parsed).batch(4)
    with pytest.raises(tf.errors.DataLossError, match="truncated record"):
        list(dataset._array_iterator(Share(0, 1, 2)))
