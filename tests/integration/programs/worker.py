"""One of several workers; prints its losses. Run by test_distribute.py as `worker.py INDEX ADDRESS,ADDRESS [EPOCH]`.

The second worker dies at the beginning of that epoch.
"""

import json
import os
import sys

index, addresses = int(sys.argv[1]), sys.argv[2].split(",")
dies_at = int(sys.argv[3]) if len(sys.argv) > 3 else None
os.environ["TF_CONFIG"] = json.dumps(
    {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
    if len(addresses) > 1
    else {}
)

import numpy as np

import tapeflow as tf

options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=10)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
x = np.random.default_rng(0).normal(size=(64, 8)).astype("float32")
y = (x.sum(1) > 0).astype("int32")


class Death(tf.keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if index == 1 and epoch == dies_at:
            os._exit(9)


with strategy.scope():
    tf.keras.utils.set_random_seed(1 + index)  # the first worker's weights are everybody's
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(2)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), ["accuracy"])
try:
    history = model.fit(x, y, batch_size=16, epochs=3, verbose=0, shuffle=False, callbacks=[Death()])
except tf.errors.UnavailableError as error:
    print(json.dumps({"error": str(error)}), flush=True)
    os._exit(3)  # not waiting for the one that is gone
found = {"losses": history.history["loss"], "evaluated": model.evaluate(x, y, verbose=0)}
[batch] = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))
twice = strategy.run(lambda v: v * 2, args=(batch,))
found["gathered"] = strategy.gather(twice, axis=0).numpy().tolist()
found["own"] = [part.numpy().tolist() for part in strategy.experimental_local_results(twice)]
found["predicted"] = model.predict(x, verbose=0).ravel().tolist()
print(json.dumps({**found, "replicas": strategy.num_replicas_in_sync}), flush=True)
