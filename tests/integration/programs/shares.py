"""Trains on data of several kinds, as one of any number of workers; prints losses, and how many rows were read.

Run by test_distribute.py under `tapeflow launch`, or alone.
"""

import json
import os

import numpy as np

import tapeflow as tf
from tapeflow.data.rows import ArrayRows

strategy = tf.distribute.MultiWorkerMirroredStrategy()
x = np.random.default_rng(0).normal(size=(90, 6)).astype("float32")  # 5 batches of 16, and one of 10
y = (x.sum(1) > 0).astype("int32")


class OnDisk:
    """An array that counts the rows that are read of it."""

    def __init__(self, array):
        self.array, self.shape, self.dtype, self.rows = array, array.shape, array.dtype, 0

    def __len__(self):
        return len(self.array)

    def __getitem__(self, rows):
        found = self.array[rows]
        self.rows += len(found)
        return found


def model_of(dropout=0.0):
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dropout(dropout), tf.keras.layers.Dense(2)]
        )
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, ["accuracy"])
    return model


found = {"replicas": strategy.num_replicas_in_sync}

# Arrays that are read from disk, shuffled and not, with validation.
for shuffle in (False, True, "batch"):
    data, labels, held = OnDisk(x), OnDisk(y), (OnDisk(x[:32]), y[:32])
    model = model_of(dropout=0.2)
    history = model.fit(
        data, labels, batch_size=16, epochs=3, verbose=0, shuffle=shuffle, validation_data=held
    ).history
    found[f"arrays {shuffle}"] = history["loss"] + history["val_loss"] + history["accuracy"]
    found[f"rows {shuffle}"] = data.rows
found["evaluated"] = model.evaluate(x, y, batch_size=16, verbose=0)

# A dataset that is shuffled, and random by element; rows are counted where they are gathered.
gathered = []


def counting(method):
    def counted(self, handles, *more):
        gathered.append(len(handles))
        return method(self, handles, *more)

    return counted


ArrayRows.gather, ArrayRows.elements = counting(ArrayRows.gather), counting(ArrayRows.elements)


def noisy(a, b):
    return a + tf.random.normal((6,), stddev=0.1), b


tf.keras.utils.set_random_seed(4)
pairs = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(50).map(noisy)
dataset = pairs.batch(16).prefetch(2)
model = model_of()
gathered.clear()
found["dataset"] = model.fit(dataset, epochs=3, verbose=0).history["loss"]
found["gathered"] = sum(gathered)
# A step after `batch` looks into the batches, so all rows are there.
whole = pairs.batch(16).map(lambda a, b: (a - tf.reduce_mean(a), b))
found["mapped batches"] = model_of().fit(whole, epochs=2, verbose=0).history["loss"]
off = tf.data.Options()
off.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
gathered.clear()
found["off"] = model_of().fit(dataset.with_options(off), epochs=1, verbose=0).history["loss"]
found["gathered off"] = sum(gathered)
# Steps that are plain Python, which may read their batches.
model = model_of()
model.run_eagerly = True
found["eager"] = model.fit(dataset.take(3), epochs=1, verbose=0).history["loss"]

# A loop by hand.
model = model_of()
optimizer = tf.keras.optimizers.SGD(0.1)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


def step(images, labels):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(loss_fn(labels, model(images)), global_batch_size=16)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return loss


@tf.function
def train(batch):
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=batch), axis=None)


gathered.clear()
found["loop"] = [float(train(batch)) for batch in strategy.experimental_distribute_dataset(dataset)]
found["gathered by the loop"] = sum(gathered)
distributed = strategy.experimental_distribute_dataset(dataset)
found["distributed"] = model.fit(distributed, epochs=2, verbose=0).history["loss"]
if os.environ.get("RANK", "0") == os.environ.get("PRINTS", "0"):
    print(json.dumps(found), flush=True)
