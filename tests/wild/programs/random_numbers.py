"""Random numbers: generators, seeds, stateless functions."""

import numpy as np
import tensorflow as tf

g1 = tf.random.Generator.from_seed(1)
first = g1.normal(shape=[2, 3])
assert first.shape == (2, 3)
g2 = tf.random.get_global_generator()
assert g2.normal(shape=[2, 3]).shape == (2, 3)
g1.reset_from_seed(1)
np.testing.assert_array_equal(g1.normal(shape=[2, 3]), first)
g = tf.random.Generator.from_seed(1, alg="philox")
np.testing.assert_array_equal(g.normal(shape=[2, 3]), first)
g = tf.random.Generator.from_non_deterministic_state()
assert g.uniform([4], minval=2, maxval=5, dtype=tf.int32).numpy().min() >= 2
new_gs = tf.random.Generator.from_seed(1).split(3)
drawn = [n.normal([]).numpy() for n in new_gs]
assert len(set(drawn)) == 3


class Thing(tf.Module):
    def __init__(self):
        super().__init__()
        self.gen = tf.random.Generator.from_seed(7)

    @tf.function
    def __call__(self):
        return self.gen.normal([3])


thing = Thing()
one, two = thing(), thing()
assert not np.array_equal(one, two)
np.testing.assert_array_equal(Thing()(), one)

tf.random.set_seed(1234)
a = [tf.random.uniform([1]).numpy()[0], tf.random.uniform([1]).numpy()[0]]
tf.random.set_seed(1234)
b = [tf.random.uniform([1]).numpy()[0], tf.random.uniform([1]).numpy()[0]]
assert a == b and a[0] != a[1]

np.testing.assert_array_equal(
    tf.random.stateless_normal([2, 3], seed=[1, 2]), tf.random.stateless_normal([2, 3], seed=[1, 2])
)
assert not np.array_equal(
    tf.random.stateless_uniform([5], seed=[1, 2]), tf.random.stateless_uniform([5], seed=[2, 2])
)
assert sorted(tf.random.shuffle(tf.range(10)).numpy().tolist()) == list(range(10))
samples = tf.random.categorical(tf.math.log([[0.5, 0.5]]), 1000)
assert 350 < int(tf.reduce_sum(samples)) < 650
for draw in (
    tf.random.truncated_normal([1000]),
    tf.random.gamma([1000], 2.0),
    tf.random.poisson([1000], 3.0),
    tf.random.normal([1000], mean=1.0, stddev=2.0),
):
    assert draw.shape == (1000,) and np.isfinite(draw).all()
print("done")
