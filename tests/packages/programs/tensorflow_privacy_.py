"""Training with differential privacy, as in the README of tensorflow-privacy."""

import numpy as np
import tensorflow as tf
import tensorflow_privacy

rng = np.random.default_rng(0)
x = rng.normal(size=(32, 4)).astype("float32")
y = rng.integers(0, 2, 32)


def base():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(5, activation="tanh", input_shape=(4,)), tf.keras.layers.Dense(2)]
    )
    model.set_weights(
        [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
    )
    return model


result = {}
optimizer = tensorflow_privacy.DPKerasSGDOptimizer(
    l2_norm_clip=0.5, noise_multiplier=0.0, num_microbatches=4, learning_rate=0.25
)
loss = tf.keras.losses.SparseCategoricalCrossentropy(
    from_logits=True, reduction=tf.keras.losses.Reduction.NONE
)
model = base()
model.compile(optimizer=optimizer, loss=loss, metrics=["accuracy"])
result["optimizer"] = model.fit(x, y, epochs=3, batch_size=8, shuffle=False, verbose=0).history["loss"]
noisy = base()
noisy.compile(
    optimizer=tensorflow_privacy.DPKerasAdamOptimizer(
        l2_norm_clip=1.0, noise_multiplier=1.1, num_microbatches=8, learning_rate=0.01
    ),
    loss=loss,
)
assert np.isfinite(noisy.fit(x, y, epochs=1, batch_size=8, verbose=0).history["loss"]).all()
statement = tensorflow_privacy.compute_dp_sgd_privacy_statement(
    number_of_examples=1000, batch_size=50, num_epochs=2, noise_multiplier=1.1, delta=1e-5
)
assert "DP-SGD" in statement
print("result", result)
