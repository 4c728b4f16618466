"""Trains on files that each worker has for itself: `own_data_resumed.py DATA BACKUP [STOP]`; prints what was learnt.

Run by test_distribute.py under `tapeflow launch`. With STOP, all processes end after that step of the second epoch.
"""

import json
import sys
from pathlib import Path

import tapeflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
tf.keras.utils.set_random_seed(2)
files = sorted(map(str, Path(sys.argv[1]).glob("data-*")))
stop = int(sys.argv[3]) if len(sys.argv) > 3 else None


class Stop(tf.keras.callbacks.Callback):
    """Ends the process in the middle of the second epoch."""

    epoch = 0

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if stop is not None and (self.epoch, batch) == (1, stop):
            sys.exit(3)


def labelled(record):
    row = tf.io.decode_raw(record, tf.float32) / 20
    return row + tf.random.normal((256,), stddev=0.1), row[:1]


dataset = tf.data.TFRecordDataset(files).map(labelled).shuffle(6).batch(4).prefetch(2)
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, "tanh"), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
backup = tf.keras.callbacks.BackupAndRestore(sys.argv[2], save_freq=3, delete_checkpoint=False)
history = model.fit(dataset.with_options(options), epochs=3, verbose=0, callbacks=[backup, Stop()]).history
print(json.dumps([history["loss"], [w.numpy().ravel().tolist() for w in model.weights]]), flush=True)
