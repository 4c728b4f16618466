"""Pruning, clustering and training for few bits, as in the README of the model optimization toolkit."""

import numpy as np
import tensorflow as tf
import tensorflow_model_optimization as tfmot

rng = np.random.default_rng(0)
x, y = rng.random((64, 8)).astype("float32"), rng.integers(0, 3, 64)
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
values = [rng.normal(size=shape).astype("float32") for shape in ((8, 16), (16,), (16, 3), (3,))]


def network():
    """A network with the same weights everywhere."""
    layers = [tf.keras.layers.Dense(16, activation="relu", input_shape=(8,)), tf.keras.layers.Dense(3)]
    model = tf.keras.Sequential(layers)
    model.set_weights(values)
    return model


def trained(model, **kwargs):
    model.compile(tf.keras.optimizers.SGD(0.1), loss)
    return model.fit(x, y, epochs=2, batch_size=16, shuffle=False, verbose=0, **kwargs).history["loss"]


found = {}
schedule = tfmot.sparsity.keras.ConstantSparsity(0.5, 0, frequency=1)
model = tfmot.sparsity.keras.prune_low_magnitude(network(), pruning_schedule=schedule)
found["pruning"] = trained(model, callbacks=[tfmot.sparsity.keras.UpdatePruningStep()])
stripped = tfmot.sparsity.keras.strip_pruning(model)
found["zeros"] = [float((layer.get_weights()[0] == 0).mean()) for layer in stripped.layers]

clustering = tfmot.clustering.keras
linear = clustering.CentroidInitialization.LINEAR
model = clustering.cluster_weights(network(), number_of_clusters=4, cluster_centroids_init=linear)
found["clustering"] = trained(model)
stripped = clustering.strip_clustering(model)
found["clusters"] = [len(np.unique(layer.get_weights()[0])) for layer in stripped.layers]

model = tfmot.quantization.keras.quantize_model(network())
found["few bits"] = trained(model)
found["outputs"] = model.predict(x[:2], verbose=0).ravel().tolist()

print("result", found)
