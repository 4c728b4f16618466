"""Random state: counters that can be saved, draws that repeat after `set_seed`, and new ones at every turn."""

from __future__ import annotations

import importlib.util
import threading
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import random
from tapeflow.engine.recording.body import record_body
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.recording.trace import state
from tapeflow.engine.settings import settings
from tapeflow.engine.values.dtypes import float32


def uniform(n=4):
    return tf.random.uniform([n]).numpy().tolist()


class TestCounter:
    def test_a_key_for_each_draw(self):
        counter = random.Counter(1)
        keys = [tuple(counter.next_key().numpy().tolist()) for _ in range(100)]
        assert len(set(keys)) == 100
        assert counter.count == 100

    def test_keys_depend_on_seed_and_count_alone(self):
        one, two = random.Counter(7), random.Counter(7)
        one.next_key()
        two.count = 1
        np.testing.assert_array_equal(one.next_key(), two.next_key())

    def test_saved_and_restored(self):
        counter = random.Counter(7)
        for _ in range(3):
            counter.next_key()
        saved = (counter.seed, counter.count)
        expected = counter.next_key().numpy()
        np.testing.assert_array_equal(random.Counter(*saved).next_key(), expected)
        counter.reset(*saved)
        np.testing.assert_array_equal(counter.next_key(), expected)

    def test_seeds_of_any_size(self):
        seeds = [0, 1, -1, 2**31, 2**32, 2**63, 2**64, -(2**40), 2**100]
        keys = {tuple(random.Counter(s).next_key().numpy().tolist()) for s in seeds}
        assert len(keys) == len(seeds)

    def test_the_same_on_every_machine(self):
        """Fixed numbers: a checkpoint made elsewhere must go on with the same draws."""
        words = [random.Counter(42).words(n) for n in range(2)]
        assert words == [(1662041860, 3626008390), (3062033957, 3458470046)]

    def test_words_are_32_bits(self):
        counter = random.Counter(3)
        for n in range(50):
            assert all(0 <= word < 2**32 for word in counter.words(n))

    def test_state_vector(self):
        counter = random.Counter(-5, 3)
        vector = random.state_vector(counter)
        assert vector.dtype == np.int64
        assert vector.tolist() == [3, 0, -5]


class TestGlobalSeed:
    def test_repeats(self):
        tf.random.set_seed(5)
        first = [uniform(), uniform()]
        tf.random.set_seed(5)
        assert [uniform(), uniform()] == first
        assert first[0] != first[1]
        assert random.global_seed() == 5

    def test_other_seeds_differ(self):
        tf.random.set_seed(5)
        first = uniform()
        tf.random.set_seed(6)
        assert uniform() != first

    def test_op_seeds(self):
        """An op's own seed gives a sequence of its own, which `set_seed` begins anew."""
        tf.random.set_seed(5)
        first = [tf.random.uniform([2], seed=1).numpy().tolist() for _ in range(2)]
        uniform()
        tf.random.set_seed(5)
        uniform()
        assert [tf.random.uniform([2], seed=1).numpy().tolist() for _ in range(2)] == first
        assert first[0] != first[1]
        assert tf.random.uniform([2], seed=2).numpy().tolist() not in first

    def test_op_seeds_and_the_global_seed_go_together(self):
        tf.random.set_seed(5)
        first = tf.random.uniform([2], seed=1).numpy().tolist()
        tf.random.set_seed(6)
        assert tf.random.uniform([2], seed=1).numpy().tolist() != first

    def test_unseeded_processes_differ(self):
        """Without a seed every process starts elsewhere; loading the module anew stands for that."""
        found = importlib.util.find_spec("tapeflow.engine.random")
        counters = []
        for _ in range(2):
            module = importlib.util.module_from_spec(found)
            found.loader.exec_module(module)
            counters.append(module.counter_for(None))
            assert module.global_seed() is None
        assert counters[0].words(0) != counters[1].words(0)


class TestNothingElseDraws:
    """Rule 13: building and shape inference never advance a counter."""

    def test_shapes(self):
        tf.random.set_seed(1)
        counter = random.counter_for(None)
        tensor = tf.random.normal([3, 4])
        after = counter.count
        assert after == 1
        assert tensor.shape == (3, 4)
        (tensor + 1.0).numpy()
        repr(tensor)
        assert counter.count == after

    def test_reading_does_not_draw_again(self):
        tensor = tf.random.normal([3])
        np.testing.assert_array_equal(tensor, tensor)
        np.testing.assert_array_equal(tensor + 0.0, tensor)

    def test_differentiating_does_not(self):
        counter = random.counter_for(None)
        v = tf.Variable([1.0, 2.0])
        before = counter.count
        with tf.GradientTape(persistent=True) as tape:
            noise = tf.random.normal([2])
            y = tf.reduce_sum(v * noise)
            float(y)
        for _ in range(2):
            np.testing.assert_array_equal(tape.gradient(y, v), noise)
        assert counter.count == before + 1

    def test_how_it_runs_does_not(self):
        found = []
        for op_by_op in (False, True):
            settings.op_by_op = op_by_op
            tf.random.set_seed(3)
            found.append([uniform(), uniform(2), tf.random.normal([3]).numpy().tolist()])
        assert found[0] == found[1]

    def test_a_body_that_cannot_be_recorded(self):
        """A first attempt that is given up has drawn nothing: the rows draw as plain Python would."""

        def noisy(x):
            y = x + tf.random.uniform([])
            return y if y > 0 else y * 2.0

        tf.random.set_seed(9)
        mapped = tf.map_fn(noisy, tf.constant([1.0, 2.0])).numpy().tolist()
        tf.random.set_seed(9)
        assert [float(noisy(tf.constant(x))) for x in (1.0, 2.0)] == mapped


class TestStaged:
    """A recorded function draws anew at every call, exactly as its Python would."""

    def draws(self, function, calls=4):
        tf.random.set_seed(11)
        found = [function().numpy().tolist() for _ in range(calls)]
        return [*found, uniform()]

    def test_equal_to_eager(self):
        def two():
            return tf.random.normal([2]) + tf.random.uniform([2], seed=4)

        eager = self.draws(two)
        assert self.draws(tf.function(two)) == eager
        assert len({tuple(d) for d in eager[:4]}) == 4

    def test_recorded_before_the_seed_is_set(self):
        function = tf.function(lambda: tf.random.normal([2]) * tf.random.normal([2], seed=3))
        function()
        assert self.draws(function) == self.draws(
            lambda: tf.random.normal([2]) * tf.random.normal([2], seed=3)
        )

    def test_draws_nobody_uses_count(self):
        def wasteful():
            tf.random.normal([2])
            return tf.random.normal([2])

        assert self.draws(tf.function(wasteful)) == self.draws(wasteful)

    def test_in_a_tape(self):
        v = tf.Variable([1.0, 1.0])

        def noisy():
            return v * tf.random.normal([2])

        staged = tf.function(noisy)

        def in_tape(function):
            tf.random.set_seed(2)
            found = []
            for _ in range(3):
                with tf.GradientTape() as tape:
                    y = function()
                found.append(tape.gradient(y, v).numpy().tolist())
            return found

        assert in_tape(staged) == in_tape(noisy)

    def test_generators(self):
        def run(is_staged):
            generator = tf.random.Generator.from_seed(3)
            function = (
                tf.function(lambda: generator.normal([2])) if is_staged else lambda: generator.normal([2])
            )
            return [function().numpy().tolist() for _ in range(3)]

        assert run(True) == run(False)


class TestBodies:
    """One draw in a loop's body is another one at every turn."""

    @pytest.mark.parametrize(
        "loop",
        [
            lambda: tf.map_fn(lambda x: x + tf.random.uniform([]), tf.zeros([5])),
            lambda: tf.vectorized_map(lambda x: x + tf.random.uniform([]), tf.zeros([5])),
            lambda: tf.scan(lambda a, x: tf.random.uniform([]) + x, tf.zeros([5]), tf.constant(0.0)),
        ],
        ids=["map_fn", "vectorized_map", "scan"],
    )
    def test_turns_differ(self, loop):
        tf.random.set_seed(1)
        first, second = loop().numpy().tolist(), loop().numpy().tolist()
        assert len({*first, *second}) == 10
        tf.random.set_seed(1)
        assert loop().numpy().tolist() == first

    def test_while_loop(self):
        def loop():
            return tf.while_loop(
                lambda i, seen: i < 4,
                lambda i, seen: (i + 1, tf.tensor_scatter_nd_update(seen, [[i]], tf.random.uniform([1]))),
                (tf.constant(0), tf.zeros([4])),
            )[1]

        assert len(set(loop().numpy().tolist())) == 4

    def test_nested(self):
        table = tf.map_fn(
            lambda row: tf.map_fn(lambda e: e + tf.random.uniform([]), row), tf.zeros([3, 3])
        ).numpy()
        assert len(set(table.ravel().tolist())) == 9

    def test_two_draws_in_one_turn(self):
        pairs = tf.map_fn(
            lambda x: tf.stack([tf.random.uniform([]), tf.random.uniform([])]) + x, tf.zeros([3])
        ).numpy()
        assert len(set(pairs.ravel().tolist())) == 6

    def test_recording_a_body_draws_one_key_for_all_its_turns(self):
        counter = random.counter_for(None)
        before = counter.count
        record_body(lambda x: x + tf.random.uniform([]), spec_of((), float32))
        assert counter.count - before <= 1

    def test_staged_loop(self):
        function = tf.function(lambda: tf.map_fn(lambda x: x + tf.random.uniform([]), tf.zeros([3])))
        seen = [x for _ in range(3) for x in function().numpy().tolist()]
        assert len(set(seen)) == 9


class TestStateless:
    def test_depends_on_the_seed_alone(self):
        first = tf.random.stateless_uniform([3], seed=(1, 2)).numpy().tolist()
        uniform()
        tf.random.set_seed(8)
        assert tf.random.stateless_uniform([3], seed=(1, 2)).numpy().tolist() == first
        assert tf.random.stateless_uniform([3], seed=[1, 3]).numpy().tolist() != first

    def test_draws_nothing(self):
        counter = random.counter_for(None)
        before = counter.count
        tf.random.stateless_normal([3], seed=(1, 2)).numpy()
        assert counter.count == before

    def test_wide_seeds(self):
        values = {
            tuple(tf.random.stateless_uniform([2], seed=np.array(seed, np.int64)).numpy().tolist())
            for seed in [(0, 0), (1, 0), (0, 1), (2**32, 0), (0, 2**32), (-1, 0), (2**32 + 1, 0)]
        }
        assert len(values) == 7

    @pytest.mark.parametrize("seed", [1, (1, 2, 3), (1.0, 2.0)])
    def test_wrong_seeds(self, seed):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"expected seed of shape \[2\] and an integer dtype"
        ):
            random.stateless_key(seed)

    def test_changing_seed_compiles_once(self, counting):
        def step(i):
            x = tf.random.stateless_normal([3], seed=(i, 7))
            return ((x + 1.0) * 2.0 - x) * x

        step(0).numpy()
        with counting() as spent:
            for i in range(1, 5):
                step(i).numpy()
        assert spent.compiled == 0


class TestThreads:
    def test_no_draw_is_given_twice(self):
        counter = random.Counter(5)
        found: list[list[tuple[int, ...]]] = [[] for _ in range(4)]

        def draw(mine):
            for _ in range(100):
                mine.append(tuple(counter.next_key().numpy().tolist()))

        threads = [threading.Thread(target=draw, args=(mine,)) for mine in found]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counter.count == 400
        assert len({key for mine in found for key in mine}) == 400

    def test_a_thread_may_draw_from_counters_of_its_own(self, monkeypatch):
        own = random.Counter(5)
        tf.random.set_seed(1)
        expected = float(tf.random.uniform([]))
        tf.random.set_seed(1)
        monkeypatch.setattr(state, "counters", lambda seed: own)
        assert float(tf.random.uniform([])) != expected
        assert own.count == 1
        monkeypatch.setattr(state, "counters", None)
        assert float(tf.random.uniform([])) == expected  # the shared counter has not moved


@pytest.mark.parametrize("seed", ["a", [1, 2]])
def test_a_seed_that_is_no_integer_is_refused(seed: Any) -> None:
    with pytest.raises(TypeError, match=r"tf\.random\.set_seed expected an integer; got seed="):
        tf.random.set_seed(seed)


def test_none_takes_the_seed_back() -> None:
    tf.random.set_seed(5)
    first = tf.random.normal([4]).numpy().tolist()
    tf.random.set_seed(None)
    assert tf.random.normal([4]).numpy().tolist() != first
    tf.random.set_seed(5)
    assert tf.random.normal([4]).numpy().tolist() == first
