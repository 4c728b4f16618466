"""A program as users of TensorFlow write it for several workers: `keras_workers.py FOLDER`.

Run by test_distribute.py under `tapeflow launch`. It trains on global batches without end, saves model and checkpoint
in every process, each to a place of its own, restores, and trains with a backup.
"""

import json
import os
import shutil
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
workers = json.loads(os.environ["TF_CONFIG"])["cluster"]["worker"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
tf.keras.utils.set_random_seed(1)


def digits(batch_size):
    (x, y), _ = tf.keras.datasets.digits.load_data()
    x = x / np.float32(16)
    return (
        tf.data.Dataset.from_tensor_slices((x, y.astype(np.int64))).shuffle(2000).repeat().batch(batch_size)
    )


def compiled_cnn():
    model = tf.keras.Sequential(
        [
            tf.keras.Input(shape=(8, 8)),
            tf.keras.layers.Reshape(target_shape=(8, 8, 1)),
            tf.keras.layers.Conv2D(8, 3, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    model.compile(
        optimizer=tf.keras.optimizers.SGD(learning_rate=0.05),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def own_path(name):
    """The chief's place, or one for what nobody will need."""
    task = strategy.cluster_resolver.task_id
    if strategy.cluster_resolver.task_type is None or task == 0:
        return os.path.join(folder, name)
    return os.path.join(folder, f"temporary-{task}", name)


dataset = digits(64)  # for all workers together
with strategy.scope():
    model = compiled_cnn()
found = {
    "workers": len(workers),
    "first": model.fit(dataset, epochs=2, steps_per_epoch=20, verbose=0).history,
}

model.save(own_path("model"))
checkpoint = tf.train.Checkpoint(model=model)
manager = tf.train.CheckpointManager(checkpoint, own_path("checkpoints"), max_to_keep=1)
manager.save()
found["second"] = model.fit(dataset, epochs=1, steps_per_epoch=20, verbose=0).history
checkpoint.restore(manager.latest_checkpoint)
found["evaluated"] = model.evaluate(dataset, steps=4, verbose=0)
if own_path("") != os.path.join(folder, ""):
    shutil.rmtree(own_path(""))

with strategy.scope():
    model = compiled_cnn()
backup = tf.keras.callbacks.BackupAndRestore(os.path.join(folder, "backup"))
found["third"] = model.fit(dataset, epochs=2, steps_per_epoch=20, verbose=0, callbacks=[backup]).history
print(json.dumps(found), flush=True)
