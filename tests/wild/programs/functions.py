"""tf.function: signatures, retracing, control flow, state, concrete functions."""

import numpy as np
import tensorflow as tf


@tf.function
def add(a, b):
    return a + b


assert add(tf.ones([2, 2]), tf.ones([2, 2])).numpy().tolist() == [[2, 2], [2, 2]]
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    result = add(v, 1.0)
assert tape.gradient(result, v).numpy() == 1.0

traces = []


@tf.function
def double(a):
    traces.append(a.dtype)
    return a + a


double(tf.constant(1)), double(tf.constant(1.1)), double(tf.constant("a")), double(tf.constant(2))
assert traces[:3] == [tf.int32, tf.float32, tf.string] and len(traces) <= 4

concrete = double.get_concrete_function(tf.TensorSpec(shape=None, dtype=tf.float32))
assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x):
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)


assert next_collatz(tf.constant([1, 2])).numpy().tolist() == [4, 1]
try:
    next_collatz(tf.constant([[1, 2], [3, 4]]))
except (TypeError, ValueError) as error:
    print("caught", type(error).__name__)
else:
    raise SystemExit("a wrong rank was taken")


@tf.function
def fizzbuzz(n):
    total = tf.constant(0)
    for i in tf.range(1, n + 1):
        if i % 15 == 0:
            total += 100
        elif i % 3 == 0:
            total += 10
        elif i % 5 == 0:
            total += 1
    return total


assert fizzbuzz(tf.constant(15)).numpy() == 142


@tf.function
def f(x):
    while tf.reduce_sum(x) > 1:
        x = tf.tanh(x)
    return x


assert f(tf.constant([0.9, 0.8, 0.7])).numpy().sum() <= 1


class Count(tf.Module):
    def __init__(self):
        self.count = None

    @tf.function
    def __call__(self):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(1)


c = Count()
assert (c().numpy(), c().numpy()) == (1, 2)

batch, steps, features = 2, 3, 4


@tf.function
def dynamic_rnn(rnn_step, input_data, initial_state):
    input_data = tf.transpose(input_data, [1, 0, 2])
    states = tf.TensorArray(tf.float32, size=input_data.shape[0])
    state = initial_state
    for i in range(input_data.shape[0]):
        state = rnn_step(input_data[i], state)
        states = states.write(i, state)
    return tf.transpose(states.stack(), [1, 0, 2])


data = tf.random.uniform([batch, steps, features])
out = dynamic_rnn(lambda x, s: x + s, data, tf.zeros([batch, features]))
np.testing.assert_allclose(out, np.cumsum(data, axis=1), rtol=1e-6)

tf.config.run_functions_eagerly(True)
assert double(tf.constant(3)).numpy() == 6
tf.config.run_functions_eagerly(False)
print("done")
