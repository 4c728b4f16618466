"""Attention over sequences, as in the README of keras-self-attention."""

import os
import tempfile

import numpy as np
from keras_self_attention import ScaledDotProductAttention, SeqSelfAttention, SeqWeightedAttention
from tensorflow import keras

rng = np.random.default_rng(0)
tokens = rng.integers(1, 20, (16, 7))
tokens[:, 5:] = 0
tags = rng.integers(0, 3, (16, 7))
result = {}


def weighted(model):
    draw = np.random.default_rng(1)
    model.set_weights([0.3 * draw.normal(size=w.shape) for w in model.get_weights()])
    return model


kinds = {
    "additive": SeqSelfAttention(attention_activation="sigmoid"),
    "local": SeqSelfAttention(attention_width=3, attention_activation=None, history_only=True),
    "multiplicative": SeqSelfAttention(
        attention_width=5,
        attention_type=SeqSelfAttention.ATTENTION_TYPE_MUL,
        kernel_regularizer=keras.regularizers.l2(1e-4),
        bias_regularizer=keras.regularizers.l1(1e-4),
        attention_regularizer_weight=1e-4,
        name="Attention",
    ),
}
for name, layer in kinds.items():
    model = keras.models.Sequential()
    model.add(keras.layers.Embedding(input_dim=20, output_dim=6, mask_zero=True))
    model.add(keras.layers.Bidirectional(keras.layers.LSTM(units=4, return_sequences=True)))
    model.add(layer)
    model.add(keras.layers.Dense(units=3))
    model.build((None, 7))
    weighted(model)
    model.compile(
        optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["sparse_categorical_accuracy"]
    )
    result[name] = model.predict(tokens, verbose=0).ravel()[:6].tolist()
    result[name] += model.fit(tokens, tags, epochs=2, shuffle=False, verbose=0).history["loss"]
    path = os.path.join(tempfile.mkdtemp(), "model.h5")
    model.save(path)
    loaded = keras.models.load_model(path, custom_objects=SeqSelfAttention.get_custom_objects())
    np.testing.assert_allclose(loaded.predict(tokens, verbose=0), model.predict(tokens, verbose=0), rtol=1e-5)

inputs = keras.layers.Input(shape=(None,))
embedded = keras.layers.Embedding(20, 6, mask_zero=True)(inputs)
attended = ScaledDotProductAttention(history_only=True)([embedded, embedded, embedded])
outputs, weights = SeqWeightedAttention(return_attention=True)(attended)
model = weighted(keras.models.Model(inputs, [outputs, weights]))
result["weighted"] = [float(part.sum()) for part in model.predict(tokens, verbose=0)]
print("result", result)
