"""Every step of an introduction to graphs: what tf.function makes of Python code."""

import contextlib
import io
import timeit

import numpy as np
import tensorflow as tf

# The same function, run by Python and as a graph.


def product(x, y, b):
    return tf.matmul(x, y) + b


graph_product = tf.function(product)
x1, y1, b1 = tf.constant([[1.0, 2.0]]), tf.constant([[2.0], [3.0]]), tf.constant(4.0)
assert product(x1, y1, b1).numpy() == graph_product(x1, y1, b1).numpy() == 12.0


def inner(x, y, b):
    return tf.matmul(x, y) + b


@tf.function
def outer(x):
    return inner(x, tf.constant([[2.0], [3.0]]), tf.constant(4.0))


assert outer(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[12.0]]


def relu(x):
    if tf.greater(x, 0):
        return x
    else:
        return 0


graph_relu = tf.function(relu)
assert graph_relu(tf.constant(1)).numpy() == 1 and graph_relu(tf.constant(-1)).numpy() == 0
code = tf.autograph.to_code(relu)
assert "relu" in code and "if_" in code
definition = graph_relu.get_concrete_function(tf.constant(1)).graph.as_graph_def()
operations = {node.op for node in definition.node}
assert "Placeholder" in operations and {"If", "StatelessIf"} & operations
assert definition.node[0].name == "x"

# One function, several graphs.


@tf.function
def clipped(x):
    return tf.maximum(0.0, x)


assert clipped(tf.constant(5.5)).numpy() == 5.5
assert clipped([1, -1]).numpy().tolist() == [1, 0]
assert clipped(tf.constant([3.0, -3.0])).numpy().tolist() == [3, 0]
assert clipped.experimental_get_tracing_count() == 3
assert clipped(tf.constant(-2.5)).numpy() == 0
assert clipped(tf.constant([-1.0, 1.0])).numpy().tolist() == [0, 1]
assert clipped.experimental_get_tracing_count() == 3
text = clipped.pretty_printed_concrete_signatures()
assert "TensorSpec(shape=(), dtype=tf.float32" in text and "TensorSpec(shape=(2,), dtype=tf.float32" in text

# Run by Python, on demand.


@tf.function
def mean_squared(truth, guess):
    print("Calculating MSE!")
    return tf.reduce_mean(tf.pow(truth - guess, 2))


def lines_of(function, count):
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        results = [function() for _ in range(count)]
    return told.getvalue().splitlines(), results


truth = tf.constant([1, 5, 3, 7, 2], tf.int32)
guess = tf.constant([2, 5, 9, 7, 1], tf.int32)
lines, results = lines_of(lambda: mean_squared(truth, guess), 3)
assert lines == ["Calculating MSE!"] and {int(r) for r in results} == {7}
tf.config.run_functions_eagerly(True)
lines, results = lines_of(lambda: mean_squared(truth, guess), 3)
tf.config.run_functions_eagerly(False)
assert lines == ["Calculating MSE!"] * 3 and {int(r) for r in results} == {7}

# What nobody needs is not computed.


def unused(x):
    tf.gather(x, [1])  # not part of the result
    return x


try:
    unused(tf.constant([0.0]))
except tf.errors.InvalidArgumentError:
    pass
else:
    raise SystemExit("expected an error")
assert tf.function(unused)(tf.constant([0.0])).numpy() == [0.0]

# Time, and how often Python runs.


def power(x, y):
    result = tf.eye(10, dtype=tf.dtypes.int32)
    for _ in range(y):
        result = tf.matmul(x, result)
    return result


graph_power = tf.function(power)
matrix = tf.constant(np.random.default_rng(0).integers(-1, 2, (10, 10)), tf.int32)
assert (power(matrix, 20).numpy() == graph_power(matrix, 20).numpy()).all()
assert timeit.timeit(lambda: power(matrix, 20), number=3) > 0
assert timeit.timeit(lambda: graph_power(matrix, 20), number=3) > 0


@tf.function
def traced(x):
    print("Tracing!")
    return x * x + tf.constant(2)


lines, _ = lines_of(lambda: (traced(tf.constant(2)), traced(tf.constant(3))), 1)
assert lines == ["Tracing!"]
lines, _ = lines_of(lambda: (traced(2), traced(3)), 1)
assert lines == ["Tracing!"] * 2

# As a method, in a layer, and as a loop over a dataset.


class Dense(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = None

    @tf.function
    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.ones([x.shape[-1], 2]))
        return tf.nn.relu(x @ self.w)


dense = Dense()
assert dense(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[3.0, 3.0]]
assert dense(tf.constant([[-1.0, -2.0]])).numpy().tolist() == [[0.0, 0.0]]
assert isinstance(graph_product.get_concrete_function(x1, y1, b1).graph, tf.Graph)
assert tf.executing_eagerly()


@tf.function
def is_eager():
    return tf.executing_eagerly()


assert not is_eager().numpy()
print("done")
