"""Several heads around a layer, and multi-head attention, as in the README of keras-multi-head."""

import os

os.environ["TF_KERAS"] = "1"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from keras_multi_head import MultiHead, MultiHeadAttention  # noqa: E402

rng = np.random.default_rng(0)
x = rng.integers(1, 20, (8, 6))
inputs = tf.keras.layers.Input((6,))
embedded = tf.keras.layers.Embedding(20, 12, mask_zero=True)(inputs)
attended = MultiHeadAttention(head_num=3, name="Multi-Head")(embedded)
pooled = tf.keras.layers.GlobalAveragePooling1D()(attended)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, activation="softmax")(pooled))
model.set_weights(
    [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
model.compile(tf.keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
result = {"loss": model.fit(x, x[:, 0] % 2, batch_size=4, epochs=3, shuffle=False, verbose=0).history["loss"]}
model.save("model.h5")
loaded = tf.keras.models.load_model("model.h5", custom_objects={"MultiHeadAttention": MultiHeadAttention})
np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-5)

several = tf.keras.models.Sequential()
several.add(tf.keras.layers.Embedding(input_dim=20, output_dim=5, input_length=6, name="Embedding"))
several.add(MultiHead(tf.keras.layers.LSTM(units=4), layer_num=3, name="Multi-LSTMs"))
several.add(tf.keras.layers.Flatten(name="Flatten"))
several.add(tf.keras.layers.Dense(units=2, activation="softmax", name="Dense"))
several.build((None, 6))
several.set_weights(
    [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(several.get_weights())]
)
result["heads"] = np.ravel(several.predict(x, verbose=0)).tolist()
print("result", result)
