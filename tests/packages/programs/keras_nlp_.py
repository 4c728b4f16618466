"""Transformer layers, masks, samplers and a small language model, as in the README of keras-nlp 0.5."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import keras_nlp
from tensorflow import keras

rng = np.random.default_rng(0)
tf.random.set_seed(0)
result = {}


def fill(layer):
    generator = np.random.default_rng(1)
    layer.set_weights([0.3 * generator.normal(size=w.shape) for w in layer.get_weights()])


ids = rng.integers(1, 20, (2, 6))
tokens = keras.Input(shape=(None,), dtype="int32")
embedded = keras_nlp.layers.TokenAndPositionEmbedding(20, 6, 8)(tokens)
hidden = keras_nlp.layers.TransformerEncoder(16, 2)(embedded)
model = keras.Model(tokens, keras.layers.Dense(2)(keras.layers.GlobalAveragePooling1D()(hidden)))
fill(model)
result["encoder"] = np.asarray(model(ids)).ravel().tolist()
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
result["loss"] = model.fit(ids, np.array([0, 1]), epochs=3, shuffle=False, verbose=0).history["loss"]
x = rng.normal(size=(2, 5, 8)).astype("float32")
for name, layer in {
    "decoder": keras_nlp.layers.TransformerDecoder(16, 2),
    "fnet": keras_nlp.layers.FNetEncoder(16),
    "position": keras_nlp.layers.PositionEmbedding(6),
    "sine": keras_nlp.layers.SinePositionEncoding(),
    "start": keras_nlp.layers.StartEndPacker(7, start_value=1, end_value=2),
}.items():
    if name == "start":
        result[name] = np.asarray(layer(tf.ragged.constant([[5, 6], [7, 8, 9, 10]]))).ravel().tolist()
        continue
    layer(x)
    fill(layer)
    result[name] = np.asarray(layer(x)).ravel()[:6].tolist()
result["perplexity"] = [
    float(keras_nlp.metrics.Perplexity(from_logits=True)(ids[:, :3], rng.normal(size=(2, 3, 20))))
]
table = 0.5 * rng.normal(size=(20, 20)).astype("float32")


def following(prompt, cache, index):
    return tf.gather(table, prompt[:, index - 1]), None, cache


for name, sampler in {
    "greedy": keras_nlp.samplers.GreedySampler(),
    "beam": keras_nlp.samplers.BeamSampler(num_beams=2),
}.items():
    prompt = tf.concat([tf.constant([[3], [4]]), tf.zeros([2, 5], tf.int32)], 1)
    result[name] = np.asarray(sampler(following, prompt, index=1)).ravel().tolist()
assert keras_nlp.samplers.TopKSampler(k=3, seed=1)(following, prompt, index=1).shape == (2, 6)
path = os.path.join(tempfile.mkdtemp(), "model.h5")
model.save(path)
loaded = keras.models.load_model(path)
np.testing.assert_allclose(loaded.predict(ids, verbose=0), model.predict(ids, verbose=0), rtol=1e-5)
backbone = keras_nlp.models.GPT2Backbone(
    vocabulary_size=20, num_layers=2, num_heads=2, hidden_dim=8, intermediate_dim=16, max_sequence_length=6
)
fill(backbone)
result["gpt2"] = (
    np.asarray(backbone({"token_ids": ids, "padding_mask": np.ones_like(ids)})).ravel()[:6].tolist()
)
bert = keras_nlp.models.BertBackbone(
    vocabulary_size=20, num_layers=1, num_heads=2, hidden_dim=8, intermediate_dim=16, max_sequence_length=6
)
fill(bert)
out = bert({"token_ids": ids, "segment_ids": np.zeros_like(ids), "padding_mask": np.ones_like(ids)})
result["bert"] = np.asarray(out["pooled_output"]).ravel()[:6].tolist()
print("result", result)
