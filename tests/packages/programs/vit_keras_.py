"""Vision transformers, as in the README of vit-keras."""

import numpy as np
import tensorflow as tf
from vit_keras import layers, vit

model = vit.build_model(
    image_size=32,
    patch_size=8,
    num_layers=2,
    hidden_size=16,
    num_heads=2,
    name="tiny",
    mlp_dim=24,
    classes=3,
    dropout=0.0,
    activation="softmax",
)
model.set_weights(
    [0.2 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
rng = np.random.default_rng(0)
x = vit.preprocess_inputs(rng.uniform(0, 255, size=(6, 32, 32, 3)).astype("float32"))
result = {"predicted": np.ravel(model.predict(x, verbose=0)).tolist()}
model.compile(tf.keras.optimizers.Adam(0.003), "sparse_categorical_crossentropy")
result["loss"] = model.fit(
    x, np.array([0, 1, 2, 0, 1, 2]), batch_size=3, epochs=2, shuffle=False, verbose=0
).history["loss"]
block = layers.TransformerBlock(num_heads=2, mlp_dim=8, dropout=0.1)
out, weights = block(tf.zeros([2, 5, 4]))
assert out.shape == (2, 5, 4) and weights.shape == (2, 2, 5, 5)
model.save("vit.h5")
again = tf.keras.models.load_model("vit.h5")
np.testing.assert_allclose(again.predict(x, verbose=0), model.predict(x, verbose=0), atol=1e-5)
print("result", result)
