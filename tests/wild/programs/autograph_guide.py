"""Every step of a guide to Python control flow: what tf.function stages, and what it leaves to Python."""

import contextlib
import io

import numpy as np
import tensorflow as tf


@contextlib.contextmanager
def raises(kind):
    try:
        yield
    except kind:
        return
    raise SystemExit(f"expected {kind}")


# if


def square_if_positive(x):
    if x > 0:
        x = x * x
    else:
        x = 0.0
    return x


staged = tf.autograph.to_graph(square_if_positive)
graph = tf.function(square_if_positive)
for value, wanted in ((3.0, 9.0), (-3.0, 0.0)):
    assert float(staged(tf.constant(value))) == float(graph(tf.constant(value))) == wanted
assert staged(3.0) == 9.0  # Python values stay in Python
assert "if_" in tf.autograph.to_code(square_if_positive)

# for, with continue, break and nesting


@tf.function
def sum_even(items):
    s = 0
    for c in items:
        if c % 2 > 0:
            continue
        s += c
    return s


assert sum_even(tf.constant([10, 12, 15, 20])).numpy() == 42


@tf.function
def fizzbuzz(n):
    counter = tf.constant(0)
    words = tf.TensorArray(tf.string, size=n)
    for i in tf.range(n):
        if tf.equal(i % 3, 0) and tf.equal(i % 5, 0):
            word = "FizzBuzz"
        elif tf.equal(i % 3, 0):
            word = "Fizz"
        elif tf.equal(i % 5, 0):
            word = "Buzz"
        else:
            word = tf.as_string(i)
        words = words.write(i, word)
        counter += 1
    return words.stack(), counter


found, count = fizzbuzz(tf.constant(7))
assert (
    found.numpy().tolist() == [b"FizzBuzz", b"1", b"2", b"Fizz", b"4", b"Buzz", b"Fizz"]
    and count.numpy() == 7
)


@tf.function
def primes_below(limit):
    total = 0
    for candidate in tf.range(2, limit):
        is_prime = True
        for divisor in tf.range(2, candidate):
            if divisor * divisor > candidate:
                break
            if candidate % divisor == 0:
                is_prime = False
                break
        if is_prime:
            total += 1
    return total


assert primes_below(tf.constant(30)).numpy() == 10

# while


@tf.function
def digits(n):
    count = 0
    while n > 0:
        n //= 10
        count += 1
    return count


assert [int(digits(tf.constant(n))) for n in (0, 7, 12345)] == [0, 1, 5]


@tf.function
def first_above(v, limit):
    i = 0
    while v[i] <= limit:
        if v[i] < 0:
            break
        i += 1
    return i, v[i]


assert [int(t) for t in first_above(tf.constant([1, 5, 9]), tf.constant(4))] == [1, 5]

# Checks and printing


@tf.function
def inverse(x):
    tf.debugging.Assert(x != 0.0, ["Do not pass zero!"])
    return 1.0 / x


assert inverse(tf.constant(4.0)).numpy() == 0.25
with raises(tf.errors.InvalidArgumentError):
    inverse(tf.constant(0.0))


@tf.function
def tells(x):
    print("traced")
    if x > 0:
        tf.print("positive", output_stream="file://told.txt")
    else:
        tf.print("not positive", output_stream="file://told.txt")


told = io.StringIO()
with contextlib.redirect_stdout(told):
    tells(tf.constant(1)), tells(tf.constant(-1)), tells(tf.constant(2))
assert told.getvalue() == "traced\n"
with open("told.txt") as file:
    assert file.read().split("\n")[:3] == ["positive", "not positive", "positive"]

# Names that a branch or loop leaves undefined, or changes.


@tf.function
def undefined(x):
    if x > 0:
        y = x
    return y


@tf.function
def returns_once(x):
    if x > 0:
        return x


@tf.function
def changes_dtype(n):
    x = 0
    for _ in tf.range(n):
        x = x + 0.5
    return x


@tf.function
def changes_shape(n):
    x = tf.zeros([1])
    while tf.size(x) < n:
        x = tf.concat([x, x], 0)
    return x


@tf.function
def changes_shape_openly(n):
    x = tf.zeros([1])
    while tf.size(x) < n:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, x], 0)
    return x


for function, kind in (
    (undefined, ValueError),
    (returns_once, ValueError),
    (changes_dtype, TypeError),
    (changes_shape, ValueError),
):
    with raises(kind):
        function(tf.constant(3) if function is not undefined else tf.constant(3.0))
assert changes_shape_openly(tf.constant(5)).shape == [8]

# Objects, nested functions, other modules' functions.


class Walker:
    def __init__(self):
        self.position = tf.Variable(0)

    @tf.function
    def walk(self, steps):
        for step in steps:
            self.move(step)
        return self.position.read_value()

    def move(self, step):
        if step > 0:
            self.position.assign_add(step)
        else:
            self.position.assign_sub(1)


walker = Walker()
assert walker.walk(tf.constant([1, 2, -5])).numpy() == 2
assert walker.walk(tf.constant([10])).numpy() == 12


@tf.function
def applied(x):
    def half(v):
        return v / 2 if v > 1 else v

    return tf.map_fn(lambda v: half(v), x)


assert applied(tf.constant([4.0, 1.0])).numpy().tolist() == [2.0, 1.0]

# A training loop inside the program.

features = np.random.default_rng(0).normal(size=(64, 3)).astype("float32")
labels = (features @ np.array([[1.0], [-2.0], [0.5]], "float32")).astype("float32")
dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.build([None, 3])
optimizer = tf.keras.optimizers.SGD(0.1)


def train_one_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


@tf.function
def train():
    step, loss = 0, 0.0
    for x, y in dataset.repeat(4):
        step += 1
        loss = train_one_step(x, y)
        if tf.equal(step % 10, 0):
            tf.print("Step", step, output_stream="file://training.txt")
    return step, loss


step, loss = train()
assert step.numpy() == 32 and loss.numpy() < 0.1
with open("training.txt") as file:
    assert file.read().split("\n")[:3] == ["Step 10", "Step 20", "Step 30"]

# Where nothing is to be converted.


@tf.autograph.experimental.do_not_convert
def plain(x):
    return x * 2 if x.shape.rank == 0 else x


@tf.function
def calls_plain(x):
    return plain(x)


assert calls_plain(tf.constant(2)).numpy() == 4
assert (
    tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: -x), autograph=False)(tf.constant(-2)).numpy()
    == 2
)
print("done")
