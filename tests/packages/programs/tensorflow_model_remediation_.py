"""Minimizing the difference between groups, as in the README of tensorflow-model-remediation."""

import numpy as np
import tensorflow as tf
from tensorflow_model_remediation import counterfactual, min_diff

rng = np.random.default_rng(0)
x = rng.normal(size=(32, 4)).astype("float32")
y = rng.integers(0, 2, (32, 1)).astype("float32")


def base():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(5, activation="tanh", input_shape=(4,)),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.set_weights(
        [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
    )
    return model


def batches(features, labels):
    return tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)


result = {}
packed = min_diff.keras.utils.pack_min_diff_data(
    batches(x, y), batches(x[::-1].copy(), y), batches(x + 0.3, y)
)
for loss in (min_diff.losses.MMDLoss(), min_diff.losses.AbsoluteCorrelationLoss()):
    model = min_diff.keras.MinDiffModel(base(), loss, loss_weight=1.5)
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="binary_crossentropy")
    result[type(loss).__name__] = model.fit(packed, epochs=3, verbose=0).history["loss"]
pairs = counterfactual.keras.utils.pack_counterfactual_data(
    batches(x, y), tf.data.Dataset.from_tensor_slices((x, x + 0.2, np.ones((32, 1), np.float32))).batch(8)
)
model = counterfactual.keras.CounterfactualModel(base(), counterfactual.losses.PairwiseMSELoss())
model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="binary_crossentropy")
result["counterfactual"] = model.fit(pairs, epochs=3, verbose=0).history["total_loss"]
print("result", result)
