"""The engine's rule 16: dtypes are what the program says, and float32 stays float32."""

from __future__ import annotations

import jax
import numpy as np

import tapeflow as tf
from tapeflow.engine.programs import program

from .training import Network, batch, computed


class TestRule16Dtypes:
    """x64 is on and every dtype explicit: nothing of a float32 step is computed in float64."""

    def test_x64_is_on(self):
        assert jax.config.jax_enable_x64
        assert (tf.constant(1.0, tf.float64) / 3.0).numpy() == 1.0 / 3.0
        assert (tf.constant(2**40) + 1).numpy() == 2**40 + 1

    def test_no_float64_in_a_float32_training_step(self, monkeypatch):
        made = []
        original = program.Program.__post_init__
        monkeypatch.setattr(
            program.Program, "__post_init__", lambda self: (original(self), made.append(self))[0]
        )
        program.clear_programs()
        net = Network(is_read=True)
        made.clear()
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                z = tf.reduce_mean(tf.nn.softmax(net.w * 2 + 1)) + tf.reduce_sum(
                    tf.scan(lambda a, b: a * b, net.b)
                )
            g = inner.gradient(z, net.w)
            penalty = tf.reduce_sum(g**2) / 3
        outer.gradient(penalty, net.w).numpy()
        float(net.step(*batch(), rate=0.5))
        assert len(made) >= 2
        for compiled in made:
            avals = [
                jax.ShapeDtypeStruct(compiled.leaf_keys[i].shape, compiled.leaf_keys[i].np_dtype)
                for i in compiled.direct
            ]
            avals += [jax.ShapeDtypeStruct((len(found),), dtype) for dtype, found in compiled.packs]
            text = str(jax.make_jaxpr(compiled.evaluate)(*avals))
            assert "f64[" not in text

    def test_python_scalars_take_the_tensors_dtype(self):
        for name in ("float16", "bfloat16", "float32", "float64", "int8", "int64", "uint8"):
            tensor = tf.constant([1], dtype=name)
            assert (tensor + 1).dtype.name == name
            assert (2 * tensor).dtype.name == name

    def test_an_integer_tensor_met_with_a_python_float(self):
        for i in (tf.constant([1, 2]), computed([1, 2]), tf.Variable([1, 2]), tf.constant([1, 2], tf.int64)):
            for result in (i * 0.5, 0.5 * i, i + 0.5, i / 2.0 if i.dtype == tf.int32 else i * 0.5):
                assert result.dtype.is_floating
            assert (i * 0.5).dtype is tf.float32
            np.testing.assert_array_equal(i * 0.5, [0.5, 1.0])

    def test_gradients_have_the_dtype_of_their_source(self):
        for name in ("float16", "bfloat16", "float32", "float64"):
            v = tf.Variable([1.0, 2.0], dtype=name)
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(v * v * 0.5)
            assert tape.gradient(y, v).dtype.name == name
