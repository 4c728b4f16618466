"""What the tests of the engine's rules train: a small network, and its batches."""

from __future__ import annotations

import numpy as np

import tapeflow as tf


def computed(values) -> tf.Tensor:
    """Integers the host does not know."""
    return tf.cast(tf.identity(np.asarray(values, np.float32)), tf.int32)


def bits(tensor) -> bytes:
    return np.asarray(tensor).tobytes()


class Network:
    """A small network with everything a training step has: weights, Adam's slots, a random mask."""

    def __init__(self, seed: int = 0, is_read: bool = False) -> None:
        tf.random.set_seed(seed)
        self.w = tf.Variable(tf.random.normal([8, 16]) * 0.3)
        self.b = tf.Variable(tf.zeros([16]) + 0.1)
        self.out = tf.Variable(tf.random.uniform([16, 1], -0.5, 0.5))
        self.variables = [self.w, self.b, self.out]
        self.slots = [tf.Variable(tf.zeros_like(v)) for v in self.variables]
        if is_read:
            for v in (*self.variables, *self.slots):
                v.numpy()

    def step(self, x, y, rate=0.01):
        with tf.GradientTape() as tape:
            h = tf.tanh(x @ self.w + self.b)
            h = h * tf.cast(tf.random.uniform([16]) > 0.2, tf.float32)
            loss = tf.reduce_mean((h @ self.out - y) ** 2)
        gradients = tape.gradient(loss, self.variables)
        for v, slot, g in zip(self.variables, self.slots, gradients, strict=True):
            slot.assign(0.9 * slot + 0.1 * g * g)
            v.assign_sub(rate * g / (tf.sqrt(slot) + 1e-3))
        return loss

    def state(self) -> list[bytes]:
        return [bits(v) for v in (*self.variables, *self.slots)]


def batch(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(32, 8)).astype(np.float32), rng.normal(size=(32, 1)).astype(np.float32)
