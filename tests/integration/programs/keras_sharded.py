"""A program for Keras 3 with a layout map, run with Keras on JAX and with `tapeflow run`; prints JSON."""

import json
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

devices = keras.distribution.list_devices()
mesh = keras.distribution.DeviceMesh(shape=(2, 4), axis_names=["batch", "model"], devices=devices)
layout_map = keras.distribution.LayoutMap(mesh)
layout_map[".*up.*kernel"] = (None, "model")
layout_map[".*up.*bias"] = ("model",)
layout_map[".*down.*kernel"] = keras.distribution.TensorLayout(["model", None])
model_parallel = keras.distribution.ModelParallel(layout_map=layout_map, batch_dim_name="batch")
keras.distribution.set_distribution(model_parallel)
assert keras.distribution.distribution() is model_parallel

model = keras.Sequential(
    [
        keras.Input((8,)),
        keras.layers.Dense(64, activation="relu", name="up"),
        keras.layers.Dense(16, name="down"),
        keras.layers.Dense(2),
    ]
)
generator = np.random.default_rng(0)
model.set_weights([generator.normal(size=w.shape, scale=0.3).astype("float32") for w in model.get_weights()])
model.compile(
    optimizer=keras.optimizers.Adam(0.01),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
x = generator.normal(size=(64, 8)).astype("float32")
y = (x.sum(1) > 0).astype("int32")
history = model.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0).history
slots = [v for v in model.optimizer.variables if tuple(v.shape) == (8, 64)]
shards = [v.__jax_array__().addressable_shards[0].data.shape for v in [*model.weights, *slots]]
data_layout = model_parallel.get_data_layout((16, 8))
print(
    json.dumps(
        {
            "devices": devices,
            "losses": history["loss"],
            "shards": shards,
            "data": data_layout.axes,
            "texts": [repr(mesh), repr(data_layout)],
            "layouts": [layout_map["a/up/kernel"].axes, layout_map["none"], len(layout_map)],
            "replicas": model_parallel.num_model_replicas,
        }
    )
)
