"""Sequence labelling with conditional random fields, as in the README of tf2crf."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import GRU, Bidirectional, Embedding, Input
from tensorflow.keras.models import Model
from tf2crf import CRF, ModelWithCRFLoss, ModelWithCRFLossDSCLoss

rng = np.random.default_rng(0)
x = rng.integers(1, 20, (24, 7))
y = (x % 4).astype("int32")
result = {}
for kind in (ModelWithCRFLoss, ModelWithCRFLossDSCLoss):
    inputs = Input(shape=(None,), dtype="int32")
    output = Embedding(20, 8, trainable=True, mask_zero=True)(inputs)
    output = Bidirectional(GRU(8, return_sequences=True))(output)
    crf = CRF(units=4, dtype="float32")
    base = Model(inputs, crf(output))
    base.set_weights(
        [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(base.get_weights())]
    )
    model = kind(base, sparse_target=True)
    model.compile(optimizer=tf.keras.optimizers.Adam(0.02))
    history = model.fit(x, y, epochs=3, batch_size=8, shuffle=False, verbose=0).history
    result[kind.__name__] = history[next(name for name in history if "loss" in name)]
    assert np.asarray(model.predict(x, verbose=0)).shape[0] == 24
print("result", result)
