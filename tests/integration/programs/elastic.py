"""A training that may be killed, stopped and started again with another number of processes.

Run by test_elastic.py under `tapeflow launch`, as `elastic.py FOLDER`. It says when a step is over, and waits a little
there so that it can be killed; at the end it writes what it has learnt. The backup stays, since a worker may be killed
when training is over.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

import tapeflow as tf

folder = Path(sys.argv[1])
options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=10)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
rank = strategy.cluster_resolver.task_id or 0
tf.keras.utils.set_random_seed(5)
x = np.arange(48 * 4, dtype="float32").reshape(48, 4) / 100 - 1
pairs = tf.data.Dataset.from_tensor_slices((x, (x.sum(1) > 0).astype("int32")))
dataset = (
    pairs.shuffle(20).map(lambda a, b: (a + tf.random.normal((4,), stddev=0.01), b)).batch(8).prefetch(2)
)


class Pace(tf.keras.callbacks.Callback):
    """Says that a step is over."""

    def on_train_batch_end(self, batch, logs=None):
        print(f"step {rank}", flush=True)
        time.sleep(float(os.environ.get("PACE_S", "0")))


with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dropout(0.3), tf.keras.layers.Dense(2)]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.01), loss, ["accuracy"])
history = model.fit(
    dataset,
    epochs=4,
    verbose=0,
    callbacks=[
        tf.keras.callbacks.BackupAndRestore(folder / "backup", save_freq=2, delete_checkpoint=False),
        tf.keras.callbacks.TensorBoard(folder / "logs", update_freq=1, write_graph=False),
        tf.keras.callbacks.CSVLogger(folder / "log.csv", append=True),
        Pace(),
    ],
)
if rank == 0:
    weights = [w.numpy().ravel().tolist() for w in model.weights]
    found = {"history": history.history, "weights": weights}
    (folder / "result.json").write_text(json.dumps(found))
print("done", flush=True)
