"""Drift and outlier detectors with networks, as in the README of alibi-detect."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from alibi_detect.cd import ChiSquareDrift, ClassifierDrift, KSDrift, MMDDrift
from alibi_detect.cd.tensorflow import HiddenOutput, UAE, preprocess_drift
from alibi_detect.od import OutlierAE, OutlierVAE
from functools import partial

rng = np.random.default_rng(0)
tf.random.set_seed(0)
reference = rng.normal(size=(60, 6)).astype("float32")
moved = (rng.normal(size=(40, 6)) + 1).astype("float32")
result = {}
ks = KSDrift(reference, p_val=0.05).predict(moved)
result["ks"] = [ks["data"]["is_drift"], *ks["data"]["distance"].tolist()]
encoder = tf.keras.Sequential([tf.keras.layers.InputLayer(input_shape=(6,)), tf.keras.layers.Dense(3)])
encoder.set_weights([0.3 * rng.normal(size=(6, 3)), np.zeros(3)])
reduced = partial(preprocess_drift, model=UAE(encoder_net=encoder), batch_size=16)
result["uae"] = (
    KSDrift(reference, p_val=0.05, preprocess_fn=reduced).predict(moved)["data"]["distance"].tolist()
)
mmd = MMDDrift(reference, backend="tensorflow", p_val=0.05, n_permutations=50).predict(moved)
result["mmd"] = [mmd["data"]["is_drift"], float(mmd["data"]["distance"])]
model = tf.keras.Sequential(
    [
        tf.keras.layers.InputLayer(input_shape=(6,)),
        tf.keras.layers.Dense(8, "relu"),
        tf.keras.layers.Dense(2, "softmax"),
    ]
)
classifier = ClassifierDrift(reference, model, p_val=0.05, epochs=2, verbose=0).predict(moved)
assert 0 <= classifier["data"]["distance"] <= 1
hidden = HiddenOutput(model, layer=-2, input_shape=(None, 6))
assert preprocess_drift(reference, model=hidden, batch_size=16).shape == (60, 8)
decoder = tf.keras.Sequential([tf.keras.layers.InputLayer(input_shape=(3,)), tf.keras.layers.Dense(6)])
outliers = OutlierAE(threshold=1.0, encoder_net=encoder, decoder_net=decoder)
outliers.fit(reference, epochs=2, verbose=False)
found = outliers.predict(moved, outlier_type="instance")
assert found["data"]["is_outlier"].shape == (40,)
variational = OutlierVAE(
    threshold=1.0,
    encoder_net=tf.keras.Sequential([tf.keras.layers.InputLayer(input_shape=(6,)), tf.keras.layers.Dense(8)]),
    decoder_net=decoder,
    latent_dim=3,
    samples=2,
)
variational.fit(reference, epochs=1, verbose=False)
assert np.isfinite(variational.score(moved)[1]).all()
print("result", result)
