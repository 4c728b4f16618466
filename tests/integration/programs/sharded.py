"""Trains with layouts on eight virtual devices and without on one, and prints what came out as JSON."""

import contextlib
import json
import os
import tempfile
from collections import Counter

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import numpy as np

import tapeflow as tf

distribution = tf.keras.distribution
x = np.random.default_rng(0).normal(size=(72, 8)).astype("float32")
y = (x.sum(1) > 0).astype("int32")


def make_model():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(64, "relu", name="up"),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Dense(16, name="down"),
            tf.keras.layers.Dense(2),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.01), loss, ["accuracy"])
    return model


def model_parallel(shape=(2, 4), **arguments):
    layout_map = distribution.LayoutMap(distribution.DeviceMesh(shape, ["batch", "model"]))
    layout_map["up/kernel"] = (None, "model")
    layout_map["up/bias"] = ("model",)
    layout_map["up/output"] = ("batch", "model")
    layout_map["down/kernel"] = ("model", None)
    return distribution.ModelParallel(layout_map=layout_map, **arguments)


def bytes_of_a_device(variables):
    found = Counter()
    for variable in variables:
        for shard in variable.__jax_array__().addressable_shards:
            found[shard.device.id] += shard.data.nbytes
    return max(found.values())


def specs(variables):
    return {v.path: list(getattr(v.__jax_array__().sharding, "spec", ())) for v in variables}


def by_fit(scope):
    with scope:
        model = make_model()
    history = model.fit(x, y, batch_size=16, epochs=2, verbose=0, validation_data=(x, y)).history
    copied = tf.debugging.engine_counters()["copied_for_donation"]
    slots = [v for v in model.optimizer.variables if v.shape.rank]
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.keras")
        loaded = tf.keras.models.load_model(f"{folder}/model.keras")
        same = np.allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-5, atol=1e-6)
    return {
        "losses": history["loss"] + history["val_loss"] + model.evaluate(x, y, verbose=0)[:1],
        "predicted": model.predict(x, verbose=0).ravel().tolist(),
        "weights": bytes_of_a_device(model.weights),
        "slots": bytes_of_a_device(slots),
        "specs": specs([model.layers[0].kernel, model.layers[0].bias, model.layers[3].kernel]),
        "copied": copied,
        "loaded": bool(same),
    }


def by_hand(chosen, is_staged):
    """A loop with a tape."""
    with contextlib.nullcontext() if chosen is None else chosen.scope():
        model, optimizer = make_model(), tf.keras.optimizers.Adam(0.01)
        batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
        if chosen is not None:
            batches = chosen.distribute_dataset(batches)

        def step(images, labels):
            with tf.GradientTape() as tape:
                loss = model.loss(labels, model(images, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        step = tf.function(step) if is_staged else step
        losses = [float(step(*batch)) for _ in range(2) for batch in batches]
    sharding = optimizer.variables[1].__jax_array__().sharding
    return {"losses": losses, "slot": list(getattr(sharding, "spec", ()))}


def told():
    """What is said of layouts that do not fit."""
    layout_map = distribution.LayoutMap(distribution.DeviceMesh((2, 4), ["batch", "model"]))
    layout_map["narrow"] = ("model",)
    layout_map["flat"] = ("model", "batch")
    found = []
    with distribution.ModelParallel(layout_map=layout_map).scope():
        for name in ("narrow", "flat"):
            try:
                tf.Variable(tf.zeros([6]), name=name)
            except ValueError as error:
                found.append(str(error))
    return found


def moved():
    """A value that is made to lie in parts, and a copy of a Variable that does."""
    import copy

    mesh = distribution.DeviceMesh((8,), ["model"])
    tensor = distribution.distribute_tensor(
        tf.range(16.0), distribution.TensorLayout(["model"], device_mesh=mesh)
    )
    layout_map = distribution.LayoutMap(mesh)
    layout_map[".*"] = ("model",)
    with distribution.ModelParallel(layout_map=layout_map).scope():
        large = tf.Variable(lambda: tf.random.stateless_normal([1 << 16], [1, 2]), name="large")
    copied = copy.deepcopy(large)
    large.assign(large * 2)
    # Loops assign Variables, too.
    tf.function(lambda: [large.assign(large + 1) for _ in tf.range(3)])()
    with tf.device("/cpu:0"):
        expected = tf.random.stateless_normal([1 << 16], [1, 2]).numpy()
    return {
        "tensor": [len(tensor.__jax_array__().addressable_shards), float(tf.reduce_sum(tensor))],
        "large": [s.data.nbytes for s in large.__jax_array__().addressable_shards],
        "copied": [s.data.nbytes for s in copied.__jax_array__().addressable_shards],
        "equal": bool(np.array_equal(copied.numpy(), expected)),
        "assigned": bool(np.allclose(large.numpy(), expected * 2 + 3, rtol=1e-6)),
    }


scopes = {
    "one": contextlib.nullcontext(),
    "data": distribution.DataParallel().scope(),
    "model": model_parallel().scope(),
    "model_zero_1": model_parallel(zero_stage=1).scope(),
    "zero_1": tf.distribute.MirroredStrategy(zero_stage=1).scope(),
    "zero_3": tf.distribute.MirroredStrategy(zero_stage=3).scope(),
    "data_zero_3": distribution.DataParallel(zero_stage=3).scope(),
}
distribution.set_distribution(model_parallel((1, 8)))
assert distribution.distribution().num_model_replicas == 1
scopes["set"] = contextlib.nullcontext()
by_fit_set = by_fit(scopes.pop("set"))
distribution.set_distribution(None)
print(
    json.dumps(
        {
            "devices": [distribution.list_devices("cpu"), distribution.get_device_count()],
            "fit": {**{name: by_fit(scope) for name, scope in scopes.items()}, "set": by_fit_set},
            "hand": [
                [by_hand(chosen, is_staged) for chosen in (None, model_parallel(zero_stage=3))]
                for is_staged in (False, True)
            ],
            "told": told(),
            "moved": moved(),
        }
    )
)
