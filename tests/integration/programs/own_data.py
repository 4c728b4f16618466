"""Trains on data that each worker has for itself; prints what was read and seen. `own_data.py FOLDER`.

Run by test_distribute.py under `tapeflow launch`. The folder holds TFRecord files, `data-*`, of numbers.
"""

import json
import sys
from pathlib import Path

import numpy as np

import tapeflow as tf
from tapeflow.data.sources import file_stream
from tapeflow.data.sources import files as file_sources

strategy = tf.distribute.MultiWorkerMirroredStrategy()
files = sorted(map(str, Path(sys.argv[1]).glob("data-*")))
Policy = tf.data.experimental.AutoShardPolicy
HINT = tf.data.experimental.SHARD_HINT
open_to_read, open_sparsely = file_stream.open_to_read, file_sources.open_sparsely
read = []


class Counting:
    """An open file that notes how many bytes are read."""

    def __init__(self, file):
        self.file = file

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def read(self, *size):
        found = self.file.read(*size)
        read.append(len(found))
        return found


file_stream.open_to_read = lambda *arguments: Counting(open_to_read(*arguments))
file_sources.open_sparsely = lambda *arguments: Counting(open_sparsely(*arguments))


def under(policy, dataset):
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = policy
    return dataset.with_options(options)


def parsed(record):
    return tf.io.decode_raw(record, tf.float32)


def numbers(batches):
    """The first numbers of all rows, batch by batch."""
    return [[int(v) for v in strategy.gather(batch, axis=0).numpy()[:, 0]] for batch in batches]


def told(name, dataset):
    """Note what batches a dataset gives, and how many bytes this process read for them."""
    read.clear()
    try:
        found[name] = numbers(strategy.experimental_distribute_dataset(dataset))
    except (ValueError, tf.errors.OpError) as error:
        found[name] = str(error)
    found[f"{name} bytes"] = sum(read)


def row(number):
    return tf.ones((2048,)) * tf.cast(number, tf.float32)


found = {}
records = tf.data.TFRecordDataset(files).map(parsed)
interleaved = tf.data.Dataset.list_files(files, shuffle=False).interleave(
    lambda name: tf.data.TFRecordDataset(name).map(parsed), cycle_length=2
)
rows = tf.data.Dataset.range(20).map(row)
for policy in (Policy.OFF, Policy.AUTO, Policy.DATA, Policy.FILE):
    told(f"files {policy.name}", under(policy, records.batch(8)))
told("interleaved", under(Policy.FILE, interleaved.prefetch(4).batch(8).prefetch(2)))
told("mapped", under(Policy.FILE, records.batch(8).map(lambda x: x + 1)))
told("cached", under(Policy.FILE, records.cache().batch(8).repeat(2)))
told("hint", under(Policy.HINT, tf.data.Dataset.range(20).shard(HINT, HINT).map(row).batch(8)))
told("no files", under(Policy.FILE, rows.batch(8)))
told("few files", under(Policy.FILE, tf.data.TFRecordDataset(files[:1]).map(parsed).batch(8)))
told("no hint", under(Policy.DATA, rows.shard(HINT, HINT).batch(8)))
told("odd", under(Policy.FILE, records.batch(7)))
if strategy.num_replicas_in_sync > 1:
    told("no batch", under(Policy.FILE, records))


def make(context):
    assert context.num_replicas_in_sync == strategy.num_replicas_in_sync
    own = rows.shard(context.num_input_pipelines, context.input_pipeline_id)
    found["pipelines"] = [context.num_input_pipelines, context.input_pipeline_id]
    return own.batch(context.get_per_replica_batch_size(8))


by_function = strategy.distribute_datasets_from_function(make)
found["by function"] = numbers(by_function)

# Training on files: what several workers learn follows from the batches above, whatever reads ahead.
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(1e-8), "mse")


def labelled(x):
    return x, x[:, :1]


fitted = under(Policy.FILE, records.batch(8).map(labelled))
history = model.fit(fitted, epochs=2, verbose=0, validation_data=fitted).history
found["fit"] = history["loss"] + history["val_loss"]
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(1e-8), "mse")
given = [np.full((len(batch), 2048), np.array(batch)[:, None], "float32") for batch in found["files FILE"]]
plain = tf.data.Dataset.from_generator(
    lambda: ((x, x[:, :1]) for x in given),
    output_signature=(tf.TensorSpec((None, 2048)), tf.TensorSpec((None, 1))),
)
history = model.fit(plain, epochs=2, verbose=0, validation_data=plain).history
found["expected"] = history["loss"] + history["val_loss"]
# A value that only one process has is named by all.
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
labels = np.array([0, 1, 2, 0, 1, 2, 7, 0])
try:
    model.fit(np.ones((8, 2), "float32"), labels, batch_size=8, verbose=0)
except tf.errors.InvalidArgumentError as error:
    found["label"] = str(error)
print(json.dumps(found), flush=True)
