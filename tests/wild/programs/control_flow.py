"""Python control flow over tensors in tf.function, datasets and layers; graphs and types of functions."""

import contextlib
import io

import numpy as np
import tensorflow as tf

# What Python does happens while a call is traced.


@tf.function
def double(x):
    print("Tracing with", x)
    return x + x


told = io.StringIO()
with contextlib.redirect_stdout(told):
    double(tf.constant(1))
    double(tf.constant(2))
    double(tf.constant("a"))
assert told.getvalue().splitlines() == [
    'Tracing with Tensor("x:0", shape=(), dtype=int32)',
    'Tracing with Tensor("x:0", shape=(), dtype=string)',
]

# if, while, for, break, continue, return


@tf.function
def fizzbuzz(n):
    found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(15):
        if i % 15 == 0:
            kind = 3
        elif i % 5 == 0:
            kind = 2
        elif i % 3 == 0:
            kind = 1
        else:
            kind = 0
        found = found.write(i, kind * n)
    return found.stack()


assert fizzbuzz(tf.constant(2)).numpy().tolist() == [6, 0, 0, 2, 0, 4, 2, 0, 0, 2, 4, 0, 2, 0, 0]


@tf.function
def first_power_above(base, limit):
    power = base
    while True:
        power *= base
        if power > limit:
            break
    return power


@tf.function
def sum_even(items):
    total = 0
    for c in items:
        if c % 2 > 0:
            continue
        total += c
    return total


assert sum_even(tf.constant([10, 12, 15, 20])).numpy() == 42


@tf.function
def sign(x):
    if x > 0:
        return 1.0
    elif x < 0:
        return -1.0
    else:
        return 0.0


assert [float(sign(tf.constant(x))) for x in (3.0, -2.0, 0.0)] == [1.0, -1.0, 0.0]


@tf.function
def root(a):
    with tf.GradientTape() as tape:
        tape.watch(a)
        x = a
        while tf.abs(x * x - a) > 1e-5:
            x = (x + a / x) / 2.0
    return x, tape.gradient(x, a)


np.testing.assert_allclose([t.numpy() for t in root(tf.constant(9.0))], [3.0, 1 / 6], rtol=1e-3)

# errors


@tf.function
def undefined(x):
    if x > 0:
        y = x
    return y


@tf.function
def changing(x):
    for _ in tf.range(3):
        x = tf.concat([x, x], 0)
    return x


for function, argument, kind in ((undefined, 1.0, ValueError), (changing, [1.0], ValueError)):
    try:
        function(tf.constant(argument))
    except kind:
        pass
    else:
        raise AssertionError(function)

# Variables

counter = tf.Variable(0)


@tf.function
def count_to(n):
    while counter < n:
        counter.assign_add(1)
    return counter.read_value()


assert count_to(tf.constant(5)).numpy() == 5 and counter.numpy() == 5

# random numbers in a map


def jitter(x):
    if tf.random.uniform(()) < 0.5:
        x = x + 1.0
    return x


dataset = tf.data.Dataset.from_tensor_slices(np.zeros(200, "float32")).map(jitter).batch(50)
mean = np.mean([batch.numpy().mean() for batch in dataset])
assert 0.3 < mean < 0.7

# what a function is

concrete = sum_even.get_concrete_function(tf.TensorSpec([None], tf.int32))
assert concrete.structured_input_signature[0][0].shape.as_list() == [None]
assert [node.op for node in concrete.graph.as_graph_def().node][0] == "Placeholder"
assert concrete(tf.constant([2, 4, 5])).numpy() == 6
assert "tf__" in tf.autograph.to_code(sign.python_function) or "ag__" in tf.autograph.to_code(
    sign.python_function
)
print("done")
