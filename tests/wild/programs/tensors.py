"""Tensors: making, shaping, slicing, broadcasting, dtypes."""

import numpy as np
import tensorflow as tf

scalar = tf.constant(4)
matrix = tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16)
cube = tf.constant([[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], [[10, 11, 12, 13, 14], [15, 16, 17, 18, 19]]])
print(scalar, matrix, cube.shape)
assert scalar.dtype == tf.int32 and matrix.dtype == tf.float16 and cube.ndim == 3
assert tf.rank(cube) == 3 and tf.size(cube).numpy() == 20 and cube.shape[-1] == 5

a = tf.constant([[1, 2], [3, 4]])
b = tf.ones([2, 2], dtype=tf.int32)
assert np.array_equal(a + b, tf.add(a, b)) and np.array_equal(a @ b, tf.matmul(a, b))
c = tf.constant([[4.0, 5.0], [10.0, 1.0]])
assert tf.reduce_max(c) == 10.0
assert np.array_equal(tf.math.argmax(c), [1, 0])
np.testing.assert_allclose(tf.nn.softmax(c), np.exp(c) / np.exp(c).sum(-1, keepdims=True), rtol=1e-5)

fibonacci = tf.constant([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
assert fibonacci[::2].numpy().tolist() == [0, 1, 3, 8, 21]
assert fibonacci[::-1].numpy().tolist() == [34, 21, 13, 8, 5, 3, 2, 1, 1, 0]
assert cube[..., 4].numpy().tolist() == [[4, 9], [14, 19]]
assert cube[:, 1:, tf.newaxis].shape == (2, 1, 1, 5)

x = tf.reshape(cube, [-1])
assert x.shape.as_list() == [20] and tf.reshape(cube, [2, -1]).shape == (2, 10)
assert tf.cast(tf.constant([2.2, 3.3]), tf.uint8).numpy().tolist() == [2, 3]
grid = tf.reshape(tf.range(1, 4), [3, 1]) * tf.range(1, 5)
assert grid.numpy().tolist() == [[1, 2, 3, 4], [2, 4, 6, 8], [3, 6, 9, 12]]
assert tf.broadcast_to(tf.constant([1, 2, 3]), [3, 3]).shape == (3, 3)

ragged = tf.ragged.constant([[0, 1, 2, 3], [4, 5], [6, 7, 8], [9]])
assert ragged.shape.as_list() == [4, None]
assert ragged[1].numpy().tolist() == [4, 5]

words = tf.constant(["Gray wolf", "Quick brown fox", "Lazy dog"])
assert words.dtype == tf.string and words[0].numpy() == b"Gray wolf"
assert tf.strings.split(words[1], sep=" ").numpy().tolist() == [b"Quick", b"brown", b"fox"]
assert tf.strings.to_number(tf.strings.split("1 10 100", " ")).numpy().tolist() == [1.0, 10.0, 100.0]

sparse = tf.sparse.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[3, 4])
assert tf.sparse.to_dense(sparse).numpy().tolist() == [[1, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]]

indices = tf.constant([[2], [4], [6]])
updated = tf.tensor_scatter_nd_add(tf.zeros([8], tf.int32), indices, [10, 20, 30])
assert updated.numpy().tolist() == [0, 0, 10, 0, 20, 0, 30, 0]
assert tf.gather_nd(cube, [[0, 1], [1, 0]]).numpy().tolist() == [[5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]
assert tf.scatter_nd(indices, [7, 8, 9], [8]).numpy().tolist() == [0, 0, 7, 0, 8, 0, 9, 0]
print("done")
