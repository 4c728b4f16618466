"""Tapes inside one another and beside one another."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf

from .values import close, constant, variable


class TestSeveralTapes:
    def test_two_over_one_forward_pass(self):
        """The pattern of a GAN: two losses of one generated batch, each for its own weights."""
        gen, disc = variable(0.7), variable(-0.4)
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            fake = tf.sin(gen * 2.0)
            score = tf.tanh(disc * fake)
            gen_loss = score * score
            disc_loss = 1.0 - score
        g = gen_tape.gradient(gen_loss, gen)
        d = disc_tape.gradient(disc_loss, disc)
        close(g, jax.grad(lambda g: jnp.tanh(-0.4 * jnp.sin(g * 2.0)) ** 2)(0.7))
        close(d, jax.grad(lambda d: 1.0 - jnp.tanh(d * jnp.sin(1.4)))(-0.4))

    def test_that_begin_and_end_apart(self):
        v = variable(2.0)
        one, two = tf.GradientTape(), tf.GradientTape()
        one.__enter__()
        a = v * v
        two.__enter__()
        b = a * v
        one.__exit__(None, None, None)
        c = b * v
        two.__exit__(None, None, None)
        assert one.gradient(c, v) is None
        # To `two`, a is a constant of 4: c = (4 v) v.
        close(two.gradient(c, v), 16.0)

    def test_one_that_misses_a_part(self):
        """Gradients that share most of a forward pass must not leak through what one did not see."""
        v = variable(1.3)
        with tf.GradientTape() as all_of_it, tf.GradientTape() as some:
            a = tf.sin(v)
            with some.stop_recording():
                b = a * v
            y = b * a + v
        close(all_of_it.gradient(y, v), jax.grad(lambda v: jnp.sin(v) * v * jnp.sin(v) + v)(1.3))
        b0 = np.sin(1.3) * 1.3
        close(some.gradient(y, v), jax.grad(lambda v: b0 * jnp.sin(v) + v)(1.3))

    def test_inner_gradient_as_a_constant(self):
        """Outside the outer tape's block an inner gradient is a plain number."""
        v = variable(2.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = v**3
            with outer.stop_recording():
                g = inner.gradient(y, v)
            z = g * v
        close(outer.gradient(z, v), 12.0)

    @pytest.mark.parametrize("seed", range(12))
    def test_random_programs_read_or_not(self, seed):
        """Values, and which gradients are None, do not depend on whether values are read on the way."""
        lazy, read = (_random_tapes(seed, reads) for reads in (False, True))
        assert [g is None for g in lazy] == [g is None for g in read]
        for a, b in zip(lazy, read, strict=True):
            if a is not None:
                close(a, b, 1e-9)


def _random_tapes(seed, reads):
    """A random program with nested tapes, pauses, late watches, assignments and gradients."""
    rng = np.random.default_rng(seed)
    variables = [variable([0.3, -0.6]), variable([-0.2, 0.9])]
    pool = [constant([0.5, 1.1]), constant([-0.7, 0.4]), *variables]
    binary = [
        lambda a, b: a + b,
        lambda a, b: a * b,
        lambda a, b: tf.sin(a) * b,
        lambda a, b: tf.where(a > b, a, b * 0.5),
        lambda a, b: tf.concat(tf.split(a * 1.0, 2)[::-1], 0) * b,
        lambda a, b: tf.scan(lambda s, e: tf.sin(s) * e, a * 1.0) - b,
        lambda a, b: tf.gather(a, [1, 0]) + tf.reduce_sum(b),
    ]
    found, finished = [], []

    def pick():
        return pool[int(rng.integers(max(0, len(pool) - 6), len(pool)))]

    def put(tensor):
        pool.append(tensor)
        if reads:
            tensor.numpy()

    def differentiate(tapes):
        tensors = [t for t in pool if not isinstance(t, tf.Variable)]
        tape = tapes[int(rng.integers(len(tapes)))]
        target, sources = tensors[-1], [variables[0], variables[1], pick()]
        sources = [s for s in sources if s is not target]
        for gradient in tape.gradient(target, sources):
            found.append(gradient)
            put(constant([0.1, 0.2]) if gradient is None else gradient)

    def block(depth, tapes):
        for _ in range(int(rng.integers(3, 6))):
            kind = rng.random()
            if kind < 0.5:
                put(binary[int(rng.integers(len(binary)))](pick(), pick()))
            elif kind < 0.6:
                variables[int(rng.integers(2))].assign(tf.tanh(pick() * 1.0))
            elif kind < 0.7 and tapes:
                tapes[-1].watch(pick())
            elif kind < 0.8 and tapes:
                with tapes[-1].stop_recording():
                    put(binary[0](pick(), pick()))
            elif depth < 3:
                with tf.GradientTape(persistent=True) as tape:
                    block(depth + 1, [*tapes, tape])
                finished.append(tape)
                differentiate(finished)
            elif finished:
                differentiate(finished)

    while len(found) < 8:
        block(0, [])
    return [*found, *[v.value() for v in variables]]
