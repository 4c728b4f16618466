"""When a function is traced, what Python does then, and what happens at every call."""

import tensorflow as tf

# Each kind of argument is traced once.


@tf.function
def twice(value):
    return value + value


for argument in (tf.constant(1), tf.constant(1.5), tf.constant(2)):
    twice(argument)
assert twice.experimental_get_tracing_count() == 2
twice(1), twice(2), twice(1)
assert twice.experimental_get_tracing_count() == 4

# Open dimensions share a trace.


@tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
def step(numbers):
    return tf.where(numbers % 2 == 0, numbers // 2, 3 * numbers + 1)


assert step(tf.constant([1, 2])).numpy().tolist() == [4, 1]
assert step(tf.constant([1, 2, 3])).numpy().tolist() == [4, 1, 10]
assert step.experimental_get_tracing_count() == 1
for wrong in (tf.constant([[1]]), tf.constant([1.0])):
    try:
        step(wrong)
        raise SystemExit("expected a TypeError")
    except TypeError:
        pass

relaxed = tf.function(lambda x: x * 2, reduce_retracing=True)
for size in (3, 5, 1):
    assert relaxed(tf.ones(size)).shape == (size,)
assert relaxed.experimental_get_tracing_count() == 2

# Unused ops do not run; assertions do.


@tf.function
def ignores(x):
    tf.gather(x, [1])
    return x


assert ignores(tf.constant([0.0])).numpy().tolist() == [0.0]

# Both branches are traced, and a name must be set in both.


@tf.function
def sets_in_one_branch():
    if tf.constant(True):
        y = tf.constant(1)
    return y


try:
    sets_in_one_branch()
    raise SystemExit("expected a ValueError")
except ValueError:
    pass

# Effects in loops happen at every call, Python's while tracing.

seen = []


@tf.function
def countdown(n):
    while n > 0:
        note()
        tf.print("left:", n, output_stream="file://countdown.txt")
        n -= 1
    return n


def note():
    seen.append("traced")


for start in (2, 3):
    countdown(tf.constant(start))
assert len(seen) == 1
with open("countdown.txt") as file:
    assert file.read().split("\n") == ["left: 2", "left: 1", "left: 3", "left: 2", "left: 1", ""]

# One function, one optimizer.

weight = tf.Variable(2.0)


def descend(optimizer):
    with tf.GradientTape() as tape:
        loss = (weight * 3.0 - 1.0) ** 2
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
    return loss


train = tf.function(descend)
train(tf.keras.optimizers.Adam(0.1))
try:
    train(tf.keras.optimizers.Adam(0.01))
    raise SystemExit("expected a ValueError")
except ValueError:
    pass
tf.function(descend)(tf.keras.optimizers.Adam(0.01))

# The program of a function.


@tf.function(jit_compile=True)
def positive_part(x):
    return tf.nn.relu(x)


assert "maximum" in positive_part.experimental_get_compiler_ir(tf.ones(3))(stage="hlo")

print("done")
