"""Saves and restores checkpoints of a model whose weights lie in parts; run by test_sharding.py as

    split_checkpoint.py FOLDER DEVICES [INDEX ADDRESS,ADDRESS [SILENT]]

on so many devices a process, alone or as one of several processes. It restores the latest checkpoint, prints the sums
of bits that it finds, trains a step, and saves twice. The process SILENT leaves before the second save.
"""

import json
import os
import sys
import zlib

folder, count = sys.argv[1], int(sys.argv[2])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={count}"

import numpy as np

import tapeflow as tf
from tapeflow.engine.devices import placement
from tapeflow.train.parts import SplitSave

if len(sys.argv) > 3:
    tf.keras.distribution.initialize(sys.argv[4], process_id=int(sys.argv[3]))
silent = int(sys.argv[5]) if len(sys.argv) > 5 else None
devices = tf.keras.distribution.list_devices()
mesh = tf.keras.distribution.DeviceMesh((1, len(devices)), ["batch", "model"])
layout_map = tf.keras.distribution.LayoutMap(mesh)
layout_map["up/kernel"] = (None, "model")
layout_map["down/kernel"] = ("model", None)
tf.keras.distribution.set_distribution(tf.keras.distribution.ModelParallel(layout_map=layout_map))

if len(sys.argv) <= 3:
    tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential(
    [
        tf.keras.Input((8,)),
        tf.keras.layers.Dense(16, "relu", name="up"),
        tf.keras.layers.Dense(2, name="down"),
    ]
)
model.compile(tf.keras.optimizers.Adam(0.01), "mse")
model.optimizer.build(model.trainable_variables)
checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)


def bits():
    """A checksum of each Variable's parts that are here, and how many bytes a device holds of all."""
    sums, held = {}, 0
    for name, variable in [("up", model.layers[0].kernel), *enumerate(model.optimizer.variables)]:
        array = variable.__jax_array__()
        whole = placement.gathered(variable)
        sums[str(name)] = zlib.crc32(whole.tobytes())
        held += array.addressable_shards[0].data.nbytes
    return {"sums": sums, "bytes": held}


if manager.latest_checkpoint:
    checkpoint.restore(manager.latest_checkpoint).assert_consumed()
found = {"restored": bits(), "latest": manager.latest_checkpoint, "drawn": float(tf.random.normal([]))}
x = np.random.default_rng(0).normal(size=(16, 8)).astype("float32")
found["loss"] = model.fit(x, x[:, :2], batch_size=16, verbose=0).history["loss"][0]
found["trained"] = bits()
options = tf.train.CheckpointOptions(enable_async=silent is None)
manager.save(options=options)
manager.sync()
if silent is not None:
    SplitSave.timeout_s = 2.0
    try:
        if placement.process_number()[0] == silent:
            placement.agreed_number(0)  # it takes part in the next save, and writes nothing
        else:
            manager.save()
    except tf.errors.UnavailableError as error:
        found["error"] = str(error)
print(json.dumps(found), flush=True)
os._exit(0)
