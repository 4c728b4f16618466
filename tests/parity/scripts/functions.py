"""Functions: staging, signatures, concrete functions, state, loops and arrays of tensors."""

import tensorflow as tf


@tf.function
def dense(x, w, b):
    return tf.nn.relu(tf.matmul(x, w) + b)


print(dense(tf.ones([2, 2]), tf.eye(2), [-0.5, 0.5]))


@tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
def next_collatz(x):
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)


print(next_collatz(tf.constant([1, 2, 7])))
try:
    next_collatz(tf.constant([[1, 2], [3, 4]]))
except (TypeError, ValueError):
    print("does not fit")


@tf.function
def power(a, b):
    return a**b


square = power.get_concrete_function(a=tf.TensorSpec(None, tf.float32), b=2)
print(square(tf.constant(10.0)), square(a=tf.constant([1.0, 3.0])))
cube = power.get_concrete_function(tf.TensorSpec([None, 2], tf.float32), 3)
print(cube.structured_input_signature, cube.output_shapes, cube.output_dtypes)
print(cube(tf.constant([[1.0, 2.0]])))
for wrong in (lambda: cube(tf.constant([[1, 2]])), lambda: cube()):
    try:
        wrong()
    except (tf.errors.InvalidArgumentError, TypeError) as error:
        print(type(error).__name__)

counter = tf.Variable(0)


@tf.function
def count(step):
    counter.assign_add(step)
    return counter * 2


print(count(tf.constant(2)), count(tf.constant(3)), counter.numpy())


@tf.function
def fill(n):
    array = tf.TensorArray(tf.float32, size=4)
    _, array = tf.while_loop(
        lambda i, _: i < 4,
        lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) * n)),
        (tf.constant(0), array),
    )
    return array.stack()


print(fill(tf.constant(2.0)), fill(tf.constant(0.5)))
array = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False)
for i in tf.range(3):
    array = array.write(i, i * i)
print(array.stack(), array.size(), array.read(2), array.gather([0, 2]), array.element_shape)
print(tf.while_loop(lambda i: i < 10, lambda i: [i + 3], [tf.constant(0)]))
print(tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)))
print(tf.map_fn(lambda r: tf.reduce_sum(r), tf.constant([[1, 2], [3, 4]])))
print(
    tf.scan(lambda a, r: a + r, tf.constant([1.0, 2.0, 3.0])), tf.vectorized_map(lambda r: r * 2, tf.range(3))
)
with tf.control_dependencies([counter.assign(7)]):
    print(counter.read_value())
print(tf.executing_eagerly(), tf.get_static_value(tf.constant(3)), tf.is_tensor(counter))
with tf.GradientTape() as tape:
    value = tf.reduce_sum(power(tf.Variable([1.0, 2.0]), 2))
print([g.numpy() for g in tape.gradient(value, tape.watched_variables())])
