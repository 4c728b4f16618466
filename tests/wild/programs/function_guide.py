"""Every step of a guide to faster training code: tf.function from its first call to its limits."""

import contextlib
import io
import timeit

import numpy as np
import tensorflow as tf


def told_by(function, *args):
    """What a call prints, and its result."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        result = function(*args)
    return told.getvalue().splitlines(), result


@contextlib.contextmanager
def raises(kind):
    try:
        yield
    except kind:
        return
    raise SystemExit(f"expected {kind.__name__}")


# A function is called like any other, has gradients and may call others.


@tf.function
def plus(left, right):
    return left + right


assert plus(tf.ones([2, 2]), tf.ones([2, 2])).numpy().tolist() == [[2, 2], [2, 2]]
weight = tf.Variable(1.0)
with tf.GradientTape() as tape:
    total = plus(weight, 1.0)
assert tape.gradient(total, weight).numpy() == 1.0


@tf.function
def affine(x, w, b):
    return plus(tf.matmul(x, w), b)


assert affine(tf.ones([3, 2]), tf.ones([2, 2]), tf.ones([2])).numpy().tolist() == [[3, 3]] * 3

convolution = tf.keras.layers.Conv2D(10, 3)


@tf.function
def convolved(image):
    return convolution(image)


image = tf.zeros([1, 20, 20, 5])
convolution(image), convolved(image)  # warm up
assert timeit.timeit(lambda: convolution(image), number=2) > 0
assert timeit.timeit(lambda: convolved(image), number=2) > 0

# One trace for each kind of argument.


@tf.function
def doubled(value):
    print("Tracing with", value)
    return value + value


assert told_by(doubled, tf.constant(1))[0] == ['Tracing with Tensor("value:0", shape=(), dtype=int32)']
assert told_by(doubled, tf.constant(1.1))[0] == ['Tracing with Tensor("value:0", shape=(), dtype=float32)']
assert told_by(doubled, tf.constant("a"))[0] == ['Tracing with Tensor("value:0", shape=(), dtype=string)']
lines, result = told_by(doubled, tf.constant("b"))
assert lines == [] and result.numpy() == b"bb"
signatures = doubled.pretty_printed_concrete_signatures()
for dtype in ("int32", "float32", "string"):
    assert f"TensorSpec(shape=(), dtype=tf.{dtype}" in signatures, signatures

# Arguments that a signature rules out.


@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_number(x):
    print("Tracing with", x)
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)


lines, result = told_by(next_number, tf.constant([1, 2]))
assert lines == ['Tracing with Tensor("x:0", shape=(None,), dtype=int32)'] and result.numpy().tolist() == [
    4,
    1,
]
with raises(TypeError):
    next_number(tf.constant([[1, 2], [3, 4]]))
with raises(TypeError):
    next_number(tf.constant([1.0, 2.0]))


@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def same(x):
    print("Tracing with", x)
    return x


assert len(told_by(same, tf.constant([1, 2, 3]))[0]) == 1
assert told_by(same, tf.constant([1, 2, 3, 4, 5]))[0] == []


@tf.function(reduce_retracing=True)
def relaxed(x):
    print("Tracing with", x)
    return x


assert told_by(relaxed, tf.constant([1, 2, 3]))[0] == ['Tracing with Tensor("x:0", shape=(3,), dtype=int32)']
assert told_by(relaxed, tf.constant([1, 2, 3, 4, 5]))[0] == [
    'Tracing with Tensor("x:0", shape=(None,), dtype=int32)'
]
assert told_by(relaxed, tf.constant([1, 2, 3, 4, 5, 6]))[0] == []

# Python numbers retrace, tensors do not.


def train_one_step():
    pass


@tf.function
def train(num_steps):
    print("Tracing with num_steps =", num_steps)
    tf.print("Executing with num_steps =", num_steps, output_stream="file://steps.txt")
    for _ in tf.range(num_steps):
        train_one_step()


assert told_by(train, 10)[0] == ["Tracing with num_steps = 10"]
assert told_by(train, 20)[0] == ["Tracing with num_steps = 20"]
assert len(told_by(train, tf.constant(10))[0]) == 1
assert told_by(train, tf.constant(20))[0] == []
with open("steps.txt") as file:
    assert file.read().split("\n")[:4] == [f"Executing with num_steps = {n}" for n in (10, 20, 10, 20)]

# Objects that say what kind of argument they are.


class FruitType(tf.types.experimental.TraceType):
    def __init__(self, fruit):
        self.kind = type(fruit)
        self.fruit = fruit

    def is_subtype_of(self, other):
        return type(other) is FruitType and self.kind is other.kind

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.fruit

    def __eq__(self, other):
        return type(other) is FruitType and self.kind == other.kind

    def __hash__(self):
        return hash(self.kind)


class Fruit:
    def __tf_tracing_type__(self, context):
        return FruitType(self)


class Apple(Fruit):
    flavor = tf.constant([1, 2])


class Mango(Fruit):
    flavor = tf.constant([3, 4])


@tf.function
def mixed(a, b):
    return a.flavor + b.flavor


assert mixed(Apple(), Mango()).numpy().tolist() == [4, 6]
mixed(Apple(), Mango())
assert mixed.experimental_get_tracing_count() == 1
assert mixed(Mango(), Mango()).numpy().tolist() == [6, 8]
assert mixed.experimental_get_tracing_count() == 2

# One trace, held in the hand.

lines, strings = told_by(doubled.get_concrete_function, tf.constant("a"))
assert strings(tf.constant("a")).numpy() == b"aa"
assert strings(a := tf.constant("b")).numpy() == b"bb"
_, open_strings = told_by(doubled.get_concrete_function, tf.TensorSpec(shape=[], dtype=tf.string))
assert open_strings(tf.constant("c")).numpy() == b"cc"
assert "TensorSpec(shape=(), dtype=tf.string" in str(strings)
(spec,), named = strings.structured_input_signature
assert (spec.shape, spec.dtype, named) == ((), tf.string, {})
assert strings.structured_outputs.dtype == tf.string
with raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
    strings(tf.constant(1))


@tf.function
def power(a, b):
    return a**b


square = power.get_concrete_function(a=tf.TensorSpec(None, tf.float32), b=2)
assert "b" in str(square)
assert square(tf.constant(10.0)).numpy() == 100
with raises(TypeError):
    square(tf.constant(10.0), b=3)
nodes = strings.graph.as_graph_def().node
assert nodes[0].op == "Placeholder" and [n for n in nodes if n.op.startswith("Add")][0].input

# Control flow.


@tf.function
def squash(x):
    while tf.reduce_sum(x) > 1:
        tf.print(x, output_stream="file://squash.txt")
        x = tf.tanh(x)
    return x


assert squash(tf.constant([0.9, 0.8, 0.7, 0.6, 0.5])).numpy().sum() <= 1
with open("squash.txt") as file:
    assert len(file.read().strip().split("\n")) > 5
assert "while" in tf.autograph.to_code(squash.python_function)


@tf.function
def fizzbuzz(n):
    for i in tf.range(1, n + 1):
        print("Tracing for loop")
        if i % 15 == 0:
            print("Tracing fizzbuzz branch")
            tf.print("fizzbuzz", output_stream="file://fizz.txt")
        elif i % 3 == 0:
            print("Tracing fizz branch")
            tf.print("fizz", output_stream="file://fizz.txt")
        elif i % 5 == 0:
            print("Tracing buzz branch")
            tf.print("buzz", output_stream="file://fizz.txt")
        else:
            print("Tracing default branch")
            tf.print(i, output_stream="file://fizz.txt")


lines, _ = told_by(fizzbuzz, tf.constant(5))
assert lines == [
    "Tracing for loop",
    "Tracing fizzbuzz branch",
    "Tracing fizz branch",
    "Tracing buzz branch",
    "Tracing default branch",
], lines
assert told_by(fizzbuzz, tf.constant(20))[0] == []
with open("fizz.txt") as file:
    wanted = [
        "fizzbuzz" if i % 15 == 0 else "fizz" if i % 3 == 0 else "buzz" if i % 5 == 0 else str(i)
        for i in range(1, 21)
    ]
    assert file.read().split() == wanted[:5] + wanted

# A loop over Python data is unrolled, one over a dataset is not.


def size_of(f, *args):
    return len(f.get_concrete_function(*args).graph.as_graph_def().node)


@tf.function
def distance(dataset, loss):
    for x, y in dataset:
        loss += tf.abs(y - x)  # some work
    return loss


small, big = [(1, 1)] * 3, [(1, 1)] * 10
start, kinds = tf.constant(0), (tf.int32, tf.int32)
assert size_of(distance, big, start) > size_of(distance, small, start)
small_data, big_data = (
    tf.data.Dataset.from_generator(lambda rows=rows: rows, kinds) for rows in (small, big)
)
assert size_of(distance, small_data, start) == size_of(distance, big_data, start)

# Values collected in a loop.

batch, length, features = 2, 3, 4


@tf.function
def rnn(step, data, state):
    data = tf.transpose(data, [1, 0, 2])
    steps = tf.shape(data)[0]
    states = tf.TensorArray(tf.float32, size=steps)
    for i in tf.range(steps):
        state = step(data[i], state)
        states = states.write(i, state)
    return tf.transpose(states.stack(), [1, 0, 2])


data = np.random.default_rng(0).random((batch, length, features)).astype("float32")
found = rnn(lambda x, state: x + state, data, tf.zeros([batch, features]))
np.testing.assert_allclose(found, np.cumsum(data, axis=1), rtol=1e-6)

# Side effects of Python happen while tracing.

external = []


@tf.function
def appends(x):
    print("Python side effect")
    external.append(x)


assert [len(told_by(appends, 1)[0]) for _ in range(3)] == [1, 0, 0]
assert len(external) == 1


@tf.function
def consumes(iterator):
    return tf.constant(next(iterator))


numbers = iter([0, 1, 2, 3])
assert [int(consumes(numbers)) for _ in range(3)] == [0, 0, 0]


@tf.function
def takes(iterator):
    return next(iterator)


numbers = iter(tf.data.Dataset.from_tensor_slices([0, 1, 2, 3]))
assert [int(takes(numbers)) for _ in range(3)] == [0, 1, 2]

# What a function gives must be returned.

leaked = None


@tf.function
def leaks(a):
    global leaked
    leaked = a + 1  # a tensor of the trace
    return a + 2


assert leaks(tf.constant(1)).numpy() == 3


@tf.function
def gives_all(a):
    return a + 1, a + 2


assert [int(v) for v in gives_all(tf.constant(1))] == [2, 3]


@tf.function
def recursive(n):
    if n > 0:
        return recursive(n - 1)
    else:
        return 1


with raises(Exception):
    recursive(tf.constant(5))
assert recursive(5).numpy() == 1

# Python values are read while tracing.

factor = 1


@tf.function
def adds_global():
    return 1 + factor


assert adds_global().numpy() == 2
factor = 100
assert adds_global().numpy() == 2


class Line:
    def __init__(self):
        self.bias = 0.0
        self.weight = 2.0


@tf.function
def evaluate(model, x):
    return model.weight * x + model.bias


line = Line()
assert evaluate(line, tf.constant(10.0)).numpy() == 20.0
line.bias += 5.0
assert evaluate(line, tf.constant(10.0)).numpy() == 20.0
moved = Line()
moved.bias += 5.0
assert evaluate(moved, tf.constant(10.0)).numpy() == 25.0


class VariableLine:
    def __init__(self):
        self.bias = tf.Variable(0.0)
        self.weight = tf.Variable(2.0)


line = VariableLine()
assert evaluate(line, tf.constant(10.0)).numpy() == 20.0
line.bias.assign_add(5.0)
assert evaluate(line, tf.constant(10.0)).numpy() == 25.0

# Variables are made once.


@tf.function
def makes_one(x):
    v = tf.Variable(1.0)
    return v


with raises(ValueError):
    makes_one(1.0)


class Count(tf.Module):
    def __init__(self):
        self.count = None

    @tf.function
    def __call__(self):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(1)


counter = Count()
assert [int(counter()), int(counter())] == [1, 2]

x, y = tf.constant([-1.0]), tf.constant([2.0])
w = tf.Variable(2.0)


def fit(optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.squared_difference(y, x * w))
    optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))


first, second = tf.keras.optimizers.Adam(learning_rate=1e-2), tf.keras.optimizers.Adam(learning_rate=1e-3)
once = tf.function(fit)
once(first)
with raises(ValueError):
    once(second)
own = [(tf.function(fit), optimizer) for optimizer in (first, tf.keras.optimizers.Adam(learning_rate=1e-3))]
for i in range(10):
    function, optimizer = own[i % 2]
    function(optimizer)
assert w.numpy() < 2.0
print("done")
