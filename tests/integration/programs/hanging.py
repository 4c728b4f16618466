"""A training of which one worker hangs in its first run: `hanging.py FOLDER`. Run by test_elastic.py."""

import json
import sys
import time
from pathlib import Path

import numpy as np

import tapeflow as tf

folder = Path(sys.argv[1])
options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=5)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
rank = strategy.cluster_resolver.task_id or 0
tf.keras.utils.set_random_seed(1)
x = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")


class Hang(tf.keras.callbacks.Callback):
    """Hangs once, in one worker, in the middle of the second epoch."""

    epoch = 0

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if rank == 1 and (self.epoch, batch) == (1, 3) and not (folder / "hung").exists():
            (folder / "hung").touch()
            self.wait_for_ever()

    def wait_for_ever(self):
        while True:
            time.sleep(1)


with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
backup = tf.keras.callbacks.BackupAndRestore(folder / "backup", save_freq=2, delete_checkpoint=False)
history = model.fit(x, x[:, :1], batch_size=8, epochs=3, verbose=0, callbacks=[backup, Hang()])
if rank == 0:
    print(json.dumps(history.history["loss"]), flush=True)
