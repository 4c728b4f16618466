"""tf.data: sources, transforms, batching, windows, resampling."""

import itertools
import os
import tempfile

import numpy as np
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1])
assert [e.numpy() for e in dataset] == [8, 3, 0, 8, 2, 1]
assert dataset.reduce(0, lambda state, value: state + value).numpy() == 22
d1 = tf.data.Dataset.from_tensor_slices(tf.random.uniform([4, 10]))
d2 = tf.data.Dataset.from_tensor_slices(
    (tf.random.uniform([4]), tf.random.uniform([4, 100], maxval=100, dtype=tf.int32))
)
d3 = tf.data.Dataset.zip((d1, d2))
print(d3.element_spec)
for a, (b, c) in d3:
    assert a.shape == (10,) and b.shape == () and c.shape == (100,)


def count(stop):
    i = 0
    while i < stop:
        yield i
        i += 1


counted = tf.data.Dataset.from_generator(count, args=[25], output_types=tf.int32, output_shapes=())
batches = [b.numpy().tolist() for b in counted.repeat().batch(10).take(3)]
assert batches[2] == [20, 21, 22, 23, 24, 0, 1, 2, 3, 4]


def gen_series():
    i = 0
    while True:
        size = i % 4 + 1
        yield i, np.full((size,), i)
        i += 1


series = tf.data.Dataset.from_generator(
    gen_series, output_types=(tf.int32, tf.float32), output_shapes=((), (None,))
)
ids, sequences = next(iter(series.shuffle(20).padded_batch(10)))
assert ids.shape == (10,) and sequences.shape[0] == 10

folder = tempfile.mkdtemp()
for name in ("a", "b"):
    with open(os.path.join(folder, f"{name}.txt"), "w") as f:
        f.write("\n".join(f"{name} line {i}" for i in range(3)))
files = sorted(os.path.join(folder, f) for f in os.listdir(folder))
lines = tf.data.TextLineDataset(files)
assert [line.numpy() for line in lines.take(4)][-1] == b"b line 0"
mixed = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TextLineDataset, cycle_length=2)
assert [line.numpy().split()[0] for line in mixed] == [b"a", b"b"] * 3
assert len(list(lines.skip(1).filter(lambda line: tf.not_equal(tf.strings.substr(line, 0, 1), "a")))) == 3
listed = tf.data.Dataset.list_files(os.path.join(folder, "*.txt"), shuffle=False)
assert [os.path.basename(p.numpy().decode()) for p in listed] == ["a.txt", "b.txt"]

inc, dec = tf.data.Dataset.range(100), tf.data.Dataset.range(0, -100, -1)
batched = tf.data.Dataset.zip((inc, dec)).batch(4)
assert next(iter(batched))[1].numpy().tolist() == [0, -1, -2, -3]
assert inc.batch(7, drop_remainder=True).element_spec.shape == (7,)
assert tf.data.Dataset.range(100).batch(7).cardinality().numpy() == 15

shuffled = tf.data.Dataset.range(50).shuffle(buffer_size=100, seed=3).batch(50)
assert sorted(next(iter(shuffled)).numpy().tolist()) == list(range(50))
image = tf.data.Dataset.range(3).map(
    lambda i: tf.cast(i, tf.float32) * tf.ones([2, 2]), num_parallel_calls=tf.data.AUTOTUNE
)
assert [float(tf.reduce_sum(i)) for i in image.prefetch(tf.data.AUTOTUNE)] == [0.0, 4.0, 8.0]
python = tf.data.Dataset.range(3).map(lambda i: tf.py_function(lambda n: n.numpy() ** 2, [i], tf.int64))
assert [p.numpy() for p in python] == [0, 1, 4]

windows = tf.data.Dataset.range(7).window(3, shift=1, drop_remainder=True)
flat = windows.flat_map(lambda sub: sub.batch(3))
assert [w.numpy().tolist() for w in flat][-1] == [4, 5, 6]
predict = tf.data.Dataset.range(100).batch(10, drop_remainder=True).map(lambda b: (b[:-1], b[1:]))
features, label = next(iter(predict))
assert features.numpy().tolist() == list(range(9)) and label.numpy().tolist() == list(range(1, 10))

zeros = tf.data.Dataset.from_tensors(0).repeat()
ones = tf.data.Dataset.from_tensors(1).repeat()
balanced = tf.data.Dataset.sample_from_datasets([zeros, ones], weights=[0.5, 0.5], seed=1)
share = np.mean([e.numpy() for e in balanced.take(400)])
assert 0.35 < share < 0.65
chosen = tf.data.Dataset.choose_from_datasets(
    [tf.data.Dataset.from_tensors(c).repeat() for c in "ab"], tf.data.Dataset.range(2).repeat(2)
)
assert [e.numpy() for e in chosen] == [b"a", b"b", b"a", b"b"]
assert [
    list(map(int, b)) for b in itertools.islice(tf.data.Dataset.range(5).batch(2).as_numpy_iterator(), 2)
] == [[0, 1], [2, 3]]
assert [
    int(x)
    for x in tf.data.Dataset.range(3)
    .concatenate(tf.data.Dataset.range(2))
    .enumerate()
    .map(lambda i, x: i + x)
] == [0, 2, 4, 3, 5]
grouped = tf.data.Dataset.range(6).group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), window_size=3)
assert sorted(g.numpy().tolist() for g in grouped) == [[0, 2, 4], [1, 3, 5]]
print("done")
