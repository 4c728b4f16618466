"""Unicode strings and ragged rows: decoding, scripts, words, functions of rows."""

import tensorflow as tf

thanks = "Thanks 😊".encode()
assert tf.strings.length(thanks).numpy() == 11
assert tf.strings.length(thanks, unit="UTF8_CHAR").numpy() == 8
assert tf.strings.unicode_script([33464, 1041]).numpy().tolist() == [17, 8]

# Words begin where the script changes.
points = tf.strings.unicode_decode(["Hello, world.", "世界こんにちは"], "UTF-8")
scripts = tf.strings.unicode_script(points)
begins = tf.concat(
    [tf.fill([scripts.nrows(), 1], True), tf.not_equal(scripts[:, 1:], scripts[:, :-1])], axis=1
)
starts = tf.squeeze(tf.where(begins.values), axis=1)
words = tf.RaggedTensor.from_row_starts(values=points.values, row_starts=starts)
counts = tf.reduce_sum(tf.cast(begins, tf.int64), axis=1)
sentences = tf.RaggedTensor.from_row_lengths(values=words, row_lengths=counts)
found = tf.strings.unicode_encode(sentences, "UTF-8").to_list()
assert [[w.decode() for w in s] for s in found] == [["Hello", ", ", "world", "."], ["世界", "こんにちは"]]

rows = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2]])
assert tf.map_fn(tf.math.square, rows).to_list() == [[9, 1, 16, 1], [], [25, 81, 4]]


@tf.function(input_signature=[tf.RaggedTensorSpec(shape=[None, None], dtype=tf.int32)])
def ends(rt):
    return tf.math.reduce_max(rt, axis=-1), tf.math.reduce_min(rt, axis=-1)


high, low = ends(tf.ragged.constant([[1, 2], [3], [4, 5, 6]]))
assert (high.numpy().tolist(), low.numpy().tolist()) == ([2, 3, 6], [1, 3, 4])

guess = tf.sparse.from_dense([["c", "a", "t"]])
truth = tf.sparse.from_dense([["c", "u", "t"]])
assert abs(tf.edit_distance(guess, truth).numpy()[0] - 1 / 3) < 1e-6
print("done")
