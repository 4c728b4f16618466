"""`tf.random.Generator`: its state, how it is made, copied and split, and what it draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.random import set_seed
from tapeflow.engine.values.convert import constant
from tapeflow.ops.random import generator as tf
from tapeflow.ops.random.stateless import stateless_normal

Generator = tf.Generator
SEEDS = [0, 1, -1, 2**31, 2**63 - 1, -(2**63), np.int64(7), constant(3)]


def numbers(generator: Generator) -> np.ndarray:
    return generator.normal([20]).numpy()


@pytest.mark.parametrize("seed", SEEDS, ids=repr)
def test_a_seed_decides(seed: Any) -> None:
    one, other = Generator.from_seed(seed), Generator.from_seed(seed)
    for _ in range(2):
        np.testing.assert_array_equal(numbers(one), numbers(other))
    assert (numbers(Generator.from_seed(12345)) != numbers(Generator.from_seed(seed))).any()


def test_every_draw_is_another() -> None:
    generator = Generator.from_seed(1)
    assert (numbers(generator) != numbers(generator)).any()


def test_the_global_seed_does_not_matter() -> None:
    set_seed(1)
    first = numbers(Generator.from_seed(1))
    set_seed(2)
    np.testing.assert_array_equal(numbers(Generator.from_seed(1)), first)


@pytest.mark.parametrize("seed", SEEDS, ids=repr)
def test_state_can_be_set_back(seed: Any) -> None:
    generator = Generator.from_seed(seed)
    numbers(generator)
    state = generator.state
    assert (state.dtype.name, tuple(state.shape)) == ("int64", (3,))
    expected = numbers(generator)
    for made in (
        Generator(state=state),
        Generator.from_state(state, alg="philox"),
        Generator(state=state.numpy().tolist(), alg="auto_select"),
        Generator.from_key_counter(state[2], state[:2], "threefry"),
    ):
        np.testing.assert_array_equal(numbers(made), expected)
    generator.reset(state)
    copy = Generator(copy_from=generator)
    np.testing.assert_array_equal(numbers(generator), expected)
    np.testing.assert_array_equal(numbers(copy), expected)
    assert generator.key.numpy() == state.numpy()[2]


def test_reset_and_skip() -> None:
    generator = Generator.from_seed(9)
    first, second, third = (numbers(generator) for _ in range(3))
    generator.reset_from_seed(9)
    before = generator.skip(2)
    assert before.numpy().tolist() == [0, 0, 9]
    np.testing.assert_array_equal(numbers(generator), third)
    generator.reset_from_key_counter(9, [1, 0])
    np.testing.assert_array_equal(numbers(generator), second)
    generator.reset(tf.create_rng_state(9, "philox"))
    np.testing.assert_array_equal(numbers(generator), first)


def test_non_deterministic_state() -> None:
    made = [Generator.from_non_deterministic_state() for _ in range(2)]
    assert (numbers(made[0]) != numbers(made[1])).any()


def test_split() -> None:
    parts = [Generator.from_seed(4).split(3), Generator.from_seed(4).split(3)]
    for one, other in zip(*parts, strict=True):
        np.testing.assert_array_equal(numbers(one), numbers(other))
    drawn = [numbers(g) for g in parts[0]]
    assert (drawn[0] != drawn[1]).any()
    assert (drawn[1] != drawn[2]).any()
    generator = Generator.from_seed(4)
    generator.split(3)
    assert (numbers(generator) != numbers(Generator.from_seed(4))).any()


def test_make_seeds() -> None:
    generator = Generator.from_seed(4)
    seeds = generator.make_seeds(3)
    assert (seeds.dtype.name, tuple(seeds.shape)) == ("int64", (2, 3))
    assert (seeds.numpy()[1] == 0).all()
    assert generator.make_seeds().shape == (2, 1)
    assert stateless_normal([2], seeds[:, 0]).shape == (2,)


def test_what_it_draws() -> None:
    generator = Generator.from_seed(4)
    assert generator.normal([500], mean=50.0, stddev=2.0).numpy().mean() == pytest.approx(50, abs=1)
    assert np.abs(generator.truncated_normal([500]).numpy()).max() <= 2
    x = generator.uniform([500], 2.0, 3.0).numpy()
    assert 2 <= x.min() < x.max() < 3
    assert set(generator.uniform([500], 0, 4, "int64").numpy().tolist()) == {0, 1, 2, 3}
    assert generator.uniform([2], None, None, "int32").dtype.name == "int32"
    assert generator.uniform_full_int([2]).dtype.name == "uint64"
    assert generator.uniform_full_int([2], "int32").dtype.name == "int32"
    drawn = generator.binomial([500, 2], [10.0, 100.0], [0.5, 0.1])
    assert drawn.dtype.name == "int32"
    assert drawn.numpy().mean(0) == pytest.approx([5, 10], rel=0.1)
    assert generator.algorithm == tf.Algorithm.THREEFRY.value


def test_global_generator() -> None:
    first = tf.get_global_generator()
    assert tf.get_global_generator() is first
    mine = Generator.from_seed(1)
    tf.set_global_generator(mine)
    assert tf.get_global_generator() is mine
    tf.set_global_generator(first)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (Generator, ValueError, "expected either copy_from or state"),
        (lambda: Generator(Generator.from_seed(1), [0, 0, 1]), ValueError, "either copy_from or state"),
        (lambda: Generator(1), TypeError, "expected a Generator for copy_from; got copy_from=1"),
        (lambda: Generator(state=[1, 2], alg="philox"), ValueError, r"a state of shape \(3,\)"),
        (lambda: Generator.from_seed("x"), TypeError, "expected integers for seed"),
        (lambda: Generator.from_seed(1.5), TypeError, "expected integers for seed"),
        (lambda: Generator.from_seed([1, 2]), errors.InvalidArgumentError, "one integer for seed"),
        (lambda: Generator.from_seed(1, alg="xx"), ValueError, "expected alg to be one of"),
        (lambda: Generator.from_non_deterministic_state("xx"), ValueError, "expected alg to be one of"),
        (lambda: Generator.from_state([0, 0, 1], "xx"), ValueError, "expected alg to be one of"),
        (lambda: Generator.from_seed(1).reset([1, 2, 3, 4]), ValueError, r"a state of shape \(3,\)"),
        (lambda: Generator.from_seed(1).uniform([2], dtype="int32"), ValueError, "both minval and maxval"),
        (
            lambda: Generator.from_seed(1).uniform_full_int([2], "float32"),
            errors.InvalidArgumentError,
            "expected dtype to be one of int32, int64, uint32, uint64",
        ),
        (lambda: tf.set_global_generator(1), TypeError, r"expected a tf.random.Generator; got generator=1"),
        (lambda: tf.create_rng_state(1, "xx"), ValueError, "expected alg to be one of"),
    ],
)
def test_wrong_arguments_raise(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
