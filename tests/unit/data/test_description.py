"""What a pipeline is made of, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.data.description import description


def described(dataset: Any, busy: dict[int, list[int]] | None = None) -> list[dict[str, Any]]:
    return description(dataset._pipe, busy or {})


def methods(dataset: Any) -> list[str]:
    return [step["method"] for step in described(dataset)]


def test_steps_have_the_names_of_their_methods() -> None:
    source = tf.data.Dataset.from_tensor_slices(np.zeros((8, 2), np.float32))
    chain = source.map(abs).filter(lambda x: True).cache().shuffle(4).repeat(2).batch(2).take(3).prefetch(1)
    assert methods(chain) == [
        *("from_tensor_slices", "map", "filter", "cache", "shuffle", "repeat", "batch", "take", "prefetch"),
    ]
    assert methods(tf.data.Dataset.from_tensors(1).padded_batch(2)) == ["from_tensors", "padded_batch"]
    nested = tf.data.Dataset.range(3).flat_map(tf.data.Dataset.range).interleave(tf.data.Dataset.range)
    assert methods(nested) == ["range", "flat_map", "interleave"]
    both = tf.data.Dataset.zip((tf.data.Dataset.range(2), tf.data.Dataset.from_tensors(1)))
    assert methods(both) == ["range", "from_tensors", "zip"]


def test_a_generator_is_one() -> None:
    spec = tf.TensorSpec((), tf.int64)
    assert methods(tf.data.Dataset.from_generator(lambda: iter([1]), output_signature=spec)) == [
        "from_generator"
    ]


def test_sizes_are_told() -> None:
    steps = described(tf.data.Dataset.range(8).shuffle(5).batch(4).prefetch(2))
    assert [step.get("size") for step in steps] == [None, 5, 4, 2]


def test_a_map_tells_how_its_function_is_called() -> None:
    def reads(x: Any) -> Any:
        return x * 2 if float(x) > 1 else x

    def draws(x: Any) -> Any:
        return x + tf.random.uniform(())

    numbers = tf.data.Dataset.from_tensor_slices(np.zeros(4, np.float32))
    by_name = {
        step["function"]: step
        for dataset in (numbers.map(reads, num_parallel_calls=3), numbers.map(draws))
        for step in described(dataset)
        if step["method"] == "map"
    }
    assert by_name["reads"] == {"method": "map", "function": "reads", "workers": 3, "is_recorded": False}
    assert by_name["draws"]["is_recorded"]
    assert by_name["draws"]["is_random"]


def test_busy_steps_say_so() -> None:
    dataset = tf.data.Dataset.range(3).map(abs)
    steps = described(dataset, {id(dataset._pipe): [500, 3]})
    assert (steps[1]["busy_ns"], steps[1]["calls"]) == (500, 3)
    assert "busy_ns" not in steps[0]
