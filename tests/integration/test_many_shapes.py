"""Thousands of shapes in one process: a few programs, and memory that does not grow."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.program import counters

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="reads the memory of a process from /proc"
    ),
]
SHAPES = 5_000
MOST_PROGRAMS = 40
MOST_GROWTH = 150 << 20
"""Bytes that the process may take more after the last four fifths of the shapes."""


def resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def shapes() -> list[tuple[int, int]]:
    """Distinct batch sizes and lengths, in no order."""
    found = [(rows, length) for rows in range(1, 51) for length in range(3, 103)]
    np.random.default_rng(0).shuffle(found)
    return found[:SHAPES]


def grows(step: Any) -> tuple[int, int]:
    """How many programs a step compiles for all shapes, and how much memory it takes after the first fifth."""
    before, start = counters.compiled, 0
    for number, (rows, length) in enumerate(shapes()):
        if number == SHAPES // 5:
            start = resident()
        step(rows, length)
    return counters.compiled - before, resident() - start


def test_training_steps() -> None:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Embedding(50, 8), layers.GlobalAveragePooling1D(), layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(0.01)

    def step(rows: int, length: int) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(tf.constant(np.full((rows, length), length % 50))) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    compiled, growth = grows(step)
    assert compiled <= MOST_PROGRAMS
    assert growth < MOST_GROWTH


def test_small_results_that_are_read() -> None:
    def step(rows: int, length: int) -> None:
        x = tf.constant(np.full((rows, length), 0.5, np.float32))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.nn.softmax(tf.sin(x) @ tf.transpose(x)))
        assert np.isfinite(float(tf.reduce_mean(tape.gradient(y, x))))

    compiled, growth = grows(step)
    assert compiled <= MOST_PROGRAMS
    assert growth < MOST_GROWTH
