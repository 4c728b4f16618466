"""Trains on four virtual devices and on one, and prints what came out as JSON. Run by test_distribute.py."""

import json
import os
import re

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import numpy as np

import tapeflow as tf
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.devices import placement
from tapeflow.ops.nn.conv import kernel
from tapeflow.ops.nn.pool.kernel import pool_max
from tapeflow.ops.nn.window_args import make_window

x = np.random.default_rng(0).normal(size=(70, 8)).astype("float32")
y = (x.sum(1) > 0).astype("int32")
losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


def model():
    tf.keras.utils.set_random_seed(1)
    layers = [
        tf.keras.layers.Dense(8, "relu"),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.Dropout(0.2),
    ]
    return tf.keras.Sequential([*layers, tf.keras.layers.Dense(2)])


def by_hand(strategy):
    """16 examples a step, 6 in the last, which no four devices share alike."""
    with strategy.scope():
        trained, optimizer = model(), tf.keras.optimizers.Adam(0.01)
        seen = tf.keras.metrics.Mean()
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)

    def step(batch):
        context = tf.distribute.get_replica_context()
        assert context.num_replicas_in_sync == strategy.num_replicas_in_sync
        assert not tf.distribute.in_cross_replica_context()
        images, labels = batch
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(
                losses(labels, trained(images, training=True)), global_batch_size=16
            )
        gradients = tape.gradient(loss, trained.trainable_variables)
        optimizer.apply_gradients(zip(gradients, trained.trainable_variables, strict=True))
        seen.update_state(loss)
        return loss

    @tf.function
    def distributed(batch):
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(batch,)), axis=None)

    found = []
    for _ in range(3):
        found += [distributed(batch) for batch in strategy.experimental_distribute_dataset(batches)]
    return [*map(float, found), float(seen.result())]


def by_fit(strategy):
    with strategy.scope():
        trained = model()
        trained.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), ["accuracy"])
    history = trained.fit(x, y, batch_size=16, epochs=3, verbose=0, validation_data=(x, y)).history
    found = [*history["loss"], *history["val_loss"], *trained.evaluate(x, y, verbose=0)]
    return [*found, *trained.predict(x[:69], batch_size=4, verbose=0).ravel().tolist()]


def devices(value):
    return len(value.__jax_array__().sharding.device_set)


def values(strategy):
    """What functions that assign no Variable give of each replica."""
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).map(float).batch(8))
    assert dataset.element_spec.values[3] == tf.TensorSpec([None], tf.float32)
    own = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(c.replica_id_in_sync_group)
    )

    @tf.function(input_signature=[dataset.element_spec])
    def step(batch):
        return strategy.run(lambda x: {"twice": x * 2, "total": tf.reduce_sum(x), "name": "x"}, args=(batch,))

    def context():
        return tf.distribute.get_replica_context()

    [batch] = dataset
    found = step(batch)
    reduced = [strategy.reduce(op, found["total"], axis=None) for op in ("SUM", "MEAN")]
    steps = [
        strategy.run(lambda: context().replica_id_in_sync_group),
        strategy.run(lambda x: x + 1, args=(own,)),
    ]
    joined = strategy.run(lambda: context().all_reduce("SUM", tf.constant(1.0)))
    told = []
    for wrong in (
        lambda: strategy.run(lambda x: x, args=batch),
        lambda: tf.reduce_sum(batch),
        lambda: strategy.run(lambda x: context().all_reduce("SUM", x), args=(own,)),
    ):
        try:
            wrong()
        except (ValueError, RuntimeError) as error:
            told.append(str(error))
    leaves = {
        "twice": found["twice"].values,
        "total": found["total"].values,
        "reduced": [*reduced, strategy.reduce("SUM", found["twice"], axis=0)],
        "sum": strategy.reduce("SUM", found["twice"], axis=None),
        "gathered": strategy.gather(found["twice"], axis=0),
        "numbers": [part for step in steps for part in step.values],
        "joined": joined.values,
    }
    assert isinstance(found["total"], tf.distribute.DistributedValues)
    local = strategy.experimental_local_results({"own": own, "name": "x"})
    return {
        **tf.nest.map_structure(lambda leaf: np.asarray(leaf).tolist(), leaves),
        "local": [(int(part["own"]), part["name"]) for part in local],
        "name": np.asarray(found["name"]).item().decode(),
        "told": told,
    }


def images(strategy):
    """Losses of a network whose kernels go through a batch in loops, and what its devices exchange in a gradient."""
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(2)
    with strategy.scope():
        trained = tf.keras.Sequential(
            [
                layers.Conv2D(32, 3, padding="same", activation="relu"),
                layers.MaxPooling2D(),
                layers.DepthwiseConv2D(3),
                layers.Conv2DTranspose(8, 3, strides=2),
                layers.Conv2D(40, 3, groups=2),
                layers.GlobalMaxPooling2D(),
                layers.Dense(2),
            ]
        )
        trained.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    shown = np.random.default_rng(1).normal(size=(30, 12, 12, 3)).astype("float32")
    history = trained.fit(shown, y[:30], batch_size=8, epochs=2, verbose=0, shuffle=False).history["loss"]

    def loss(image, filters):
        window = make_window((12, 12), (3, 3), (1, 1), "SAME", (1, 1))
        seen = kernel.forward((window, 1), image, filters)
        return jnp.sum(pool_max(make_window((12, 12), (2, 2), (2, 2), "VALID", (1, 1)), seen) ** 2)

    with strategy.scope():
        arrays = (
            placement.current.split(shown[:16]),
            placement.current.everywhere(np.ones((3, 3, 3, 32), "float32")),
        )
        compiled = jax.jit(jax.grad(loss, (0, 1))).lower(*arrays).compile()
    exchanged = set(re.findall(r" (all-\w+|reduce-scatter|collective-permute)\(", compiled.as_text()))
    gradients = [np.asarray(g) for g in compiled(*arrays)]
    return {
        "losses": history,
        "exchanged": sorted(exchanged),
        "sums": [float(abs(g).sum()) for g in gradients],
    }


four, one = tf.distribute.MirroredStrategy(), tf.distribute.OneDeviceStrategy("/cpu:1")
two = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:2"])
batch = next(iter(four.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(8))))
made = four.distribute_datasets_from_function(
    lambda context: tf.data.Dataset.range(10).batch(context.get_per_replica_batch_size(8))
)
with four.scope():
    assert tf.distribute.get_strategy() is four
    assert tf.distribute.has_strategy()
    assert tf.distribute.in_cross_replica_context()
    assert tf.distribute.get_replica_context() is None
print(
    json.dumps(
        {
            "replicas": [s.num_replicas_in_sync for s in (four, two, one)],
            "by_hand": [by_hand(s) for s in (four, one)],
            "by_fit": [by_fit(s) for s in (four, one)],
            "images": [images(s) for s in (four, one)],
            "devices": devices(batch.whole),
            "local": [part.numpy().tolist() for part in four.experimental_local_results(batch)],
            "from_function": [np.concatenate(b.values).tolist() for b in made],
            "values": values(four),
            "reduced": float(four.reduce("mean", tf.constant([1.0, 3.0]), axis=0)),
        }
    )
)
