"""`map`: one program for a block or a call for each element, and never a different result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.data import Dataset
from tapeflow.data.functions import randomness
from tapeflow.engine.programs.program import counters

ROWS = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)


def _blocks(dataset: Dataset, size: int) -> np.ndarray:
    return np.concatenate(list(dataset.batch(size).as_numpy_iterator()))


def test_a_block_is_one_program() -> None:
    calls = []

    def normalise(x: Any) -> Any:
        calls.append(x)
        return (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)

    dataset = Dataset.from_tensor_slices(ROWS).map(normalise).shuffle(40, seed=1).batch(20)
    list(dataset)
    before = len(calls)
    list(dataset)
    assert len(calls) == before  # Python does not run again
    assert before <= 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2 + 1,
        lambda x: x[:2] / 3,
        lambda x: (x, tf.reduce_sum(x)),
        lambda x: {"a": tf.one_hot(tf.argmax(x), 3), "b": x},
        lambda x: tf.cond(x[0] > 0, lambda: x, lambda: -x),
        lambda x: x if x[0] > 0 else -x,
        lambda x: tf.random.uniform([2], seed=5) * x[:2],
        lambda x: x + tf.random.normal([3]) * tf.random.uniform([]),
        lambda x: tf.map_fn(lambda v: v + tf.random.uniform([]), x),
        lambda x: 7,
    ],
    ids=["elementwise", "slice", "tuple", "dict", "cond", "python if", "seed", "draws", "loop", "constant"],
)
def test_blocks_equal_elements(function: Any) -> None:
    found = []
    for size in (1, 20, 33):
        tf.random.set_seed(3)
        dataset = Dataset.from_tensor_slices(ROWS).map(function).batch(size).unbatch()
        found.append([tf.nest.flatten(e) for e in dataset.as_numpy_iterator()])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-6)


def test_blocks_of_generated_elements_equal_elements() -> None:
    def make() -> Dataset:
        tf.random.set_seed(3)
        rows = Dataset.from_generator(lambda: iter(ROWS), tf.float32, (3,))
        return rows.map(lambda x: tf.exp(x) + tf.random.uniform([]))

    one_by_one = np.stack(list(make().as_numpy_iterator()))
    np.testing.assert_allclose(_blocks(make(), 20), one_by_one, rtol=1e-6)


def test_what_comes_after_a_random_map_does_not_change_its_numbers() -> None:
    def noisy() -> Dataset:
        tf.random.set_seed(3)
        return Dataset.range(30).map(lambda i: (i, tf.random.uniform([])))

    plain = {int(i): float(u) for i, u in noisy()}
    shuffled = {int(i): float(u) for i, u in noisy().shuffle(30, seed=1)}
    ahead = {int(i): float(u) for i, u in noisy().batch(30).prefetch(1).unbatch()}
    assert plain == shuffled == ahead
    assert len(set(plain.values())) == 30


def _draws(dataset: Dataset) -> list[float]:
    return [float(x) for x in dataset.as_numpy_iterator()]


def test_seeded_random_numbers_begin_again_with_each_iterator_and_go_on_within_one() -> None:
    dataset = Dataset.range(5).map(lambda _: tf.random.uniform([], seed=1))
    assert _draws(dataset) == _draws(dataset)
    repeated = _draws(dataset.repeat(2))
    assert len(set(repeated)) == 10
    assert repeated[:5] == _draws(dataset)


@pytest.mark.parametrize("is_recorded", [True, False], ids=["recorded", "called"])
def test_random_numbers_without_any_seed_differ_from_iterator_to_iterator(
    is_recorded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(randomness, "global_seed", lambda: None)

    def draw(x: tf.Tensor) -> tf.Tensor:
        return tf.random.uniform([]) if is_recorded else tf.random.uniform([]) + 0.0 * float(x)

    dataset = Dataset.range(5).map(draw)
    assert not set(_draws(dataset)) & set(_draws(dataset))


def test_a_global_seed_fixes_the_draws_of_ops_without_a_seed() -> None:
    tf.random.set_seed(3)
    dataset = Dataset.range(5).map(lambda _: tf.random.uniform([]))
    assert _draws(dataset) == _draws(dataset)


def test_a_dataset_leaves_the_global_random_numbers_alone() -> None:
    tf.random.set_seed(3)
    expected = float(tf.random.uniform([]))
    tf.random.set_seed(3)
    list(Dataset.range(5).shuffle(5).map(lambda x: tf.random.uniform([])).filter(lambda x: x > 0.5))
    assert float(tf.random.uniform([])) == expected


def test_a_generator_of_the_users_own_is_drawn_from_for_each_element() -> None:
    generator = tf.random.Generator.from_seed(1)
    dataset = Dataset.range(20).map(lambda _: generator.uniform([]))
    assert len(set(_blocks(dataset, 20).tolist())) == 20


def test_variables_are_read_as_they_are() -> None:
    scale = tf.Variable(1.0)
    dataset = Dataset.range(20).map(lambda x: tf.cast(x, tf.float32) * scale)
    assert _blocks(dataset, 20)[3] == 3.0
    scale.assign(2.0)
    assert _blocks(dataset, 20)[3] == 6.0


def test_a_variable_can_be_written() -> None:
    count = tf.Variable(0)

    def counted(x: Any) -> Any:
        count.assign_add(1)
        return x

    assert len(list(Dataset.range(20).map(counted).batch(20))) == 1
    assert int(count) == 20


def test_python_may_look_at_values() -> None:
    dataset = Dataset.range(5).map(lambda x: tf.range(int(x)))
    assert [len(x) for x in dataset] == [0, 1, 2, 3, 4]


def test_a_last_smaller_block_needs_no_program_of_its_own() -> None:
    dataset = Dataset.from_tensor_slices(ROWS).map(lambda x: tf.math.cumsum(x) * 1.25).batch(21)
    iterator = iter(dataset)
    next(iterator)
    before = counters.compiled
    assert next(iterator).shape == (19, 3)
    assert counters.compiled == before


def test_threads_keep_the_order() -> None:
    import time

    def slow(x: Any) -> Any:
        time.sleep(0.02 if int(x) % 4 == 0 else 0)
        return x

    assert [int(x) for x in Dataset.range(12).map(slow, num_parallel_calls=4)] == list(range(12))


def test_threads_run_side_by_side() -> None:
    import threading

    both = threading.Barrier(2, timeout=10)

    def waits(x: Any) -> Any:
        _ = int(x)
        both.wait()
        return x

    assert len(list(Dataset.range(4).map(waits, num_parallel_calls=2))) == 4


@pytest.mark.parametrize("workers", [None, 2])
@pytest.mark.parametrize("size", [1, 20])
def test_what_a_function_raises_comes_out(workers: int | None, size: int) -> None:
    def failing(x: Any) -> Any:
        if int(x) == 3:
            raise KeyError("three")
        return x

    dataset = Dataset.range(30).map(failing, num_parallel_calls=workers).batch(size)
    with pytest.raises(KeyError, match="three"):
        list(dataset)


def test_errors_that_do_not_depend_on_values_come_at_once() -> None:
    with pytest.raises(TypeError, match="positional argument"):
        Dataset.from_tensor_slices((ROWS, ROWS)).map(lambda x: x)


def test_a_function_is_expected() -> None:
    with pytest.raises(TypeError, match="map_func to be callable; got map_func=3"):
        Dataset.range(3).map(3)  # pyright: ignore[reportArgumentType]


def test_no_trace_around_takes_part() -> None:
    """An element fetched under a tape, in a function or between two ops leaves no mark there."""
    weight = tf.Variable(2.0)
    dataset = Dataset.range(4).map(lambda x: tf.cast(x, tf.float32) * weight)
    with tf.GradientTape() as tape:
        pending = weight * 3.0
        total = sum(x * weight for x in dataset)
    assert float(tape.gradient(total, weight)) == 12.0  # not through the reads inside `map`
    assert float(pending) == 6.0


def test_a_function_that_iterates_is_not_frozen() -> None:
    dataset = Dataset.range(5).shuffle(5, seed=1)

    @tf.function
    def collected() -> Any:
        return tf.stack(list(dataset))

    with pytest.warns(UserWarning, match="takes an element of a dataset"):
        first = collected().numpy().tolist()
    assert first != collected().numpy().tolist()


def test_what_a_function_prints_is_printed_for_each_element(capfd: pytest.CaptureFixture[str]) -> None:
    def shown(x: Any) -> Any:
        tf.print("saw", x)
        return x

    assert len(list(Dataset.range(3).map(shown))) == 3
    printed = capfd.readouterr()
    assert (printed.out + printed.err).split() == ["saw", "0", "saw", "1", "saw", "2"]


def test_two_threads_may_read_one_dataset() -> None:
    from concurrent.futures import ThreadPoolExecutor

    scale = tf.Variable(3.0)
    dataset = Dataset.range(200).map(lambda x: tf.cast(x, tf.float32) * scale).batch(20)

    def total(_: int) -> float:
        return sum(float(tf.reduce_sum(b)) for b in dataset)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(total, range(8))) == {3.0 * sum(range(200))}


@pytest.mark.filterwarnings("error")
def test_a_function_of_text_says_nothing_of_being_run_as_python() -> None:
    @tf.function
    def parsed(line: Any) -> Any:
        return tf.stack(tf.io.decode_csv(line, [0.0, 0.0]))

    lines = Dataset.from_tensor_slices(["1,2", "3,4"]).map(parsed)
    assert [row.tolist() for row in lines.as_numpy_iterator()] == [[1, 2], [3, 4]]


@pytest.mark.parametrize("count", [56, 45])  # the last batch has 16 or 5 rows
def test_a_last_short_block_has_the_same_bits_whatever_was_computed_before(count: int) -> None:
    random = np.random.default_rng(5)
    rows, turn = random.random((count, 12), np.float32), tf.constant(random.random((12, 12), np.float32))

    def batches(start: int) -> list[np.ndarray]:
        def function(x: Any) -> Any:
            return tf.linalg.matvec(turn, tf.sin(x)) / tf.norm(x) + 0.1 * tf.random.normal([12], seed=4)

        made = Dataset.from_tensor_slices(rows).map(function)
        return list(made.skip(start).batch(20).as_numpy_iterator())

    np.testing.assert_array_equal(batches(0)[2], batches(40)[0])


def test_cached_rows_have_the_same_bits_in_whatever_batches_they_were_computed() -> None:
    rows = np.random.default_rng(1).normal(size=(45, 12)).astype("float32")
    made = Dataset.from_tensor_slices(rows).map(lambda x: tf.sin(x) / tf.norm(x) + tf.exp(x))
    cached = made.cache()
    list(cached.take(25).batch(20))  # of these rows, five are computed alone
    found = np.concatenate(list(cached.batch(20).as_numpy_iterator()))
    np.testing.assert_array_equal(found, np.concatenate(list(made.batch(20).as_numpy_iterator())))
