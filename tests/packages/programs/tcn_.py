"""Temporal convolutions, as in the README of keras-tcn."""

import os
import tempfile

import numpy as np
from tcn import TCN, tcn_full_summary
from tensorflow import keras

rng = np.random.default_rng(0)
x = rng.normal(size=(12, 20, 2)).astype("float32")
y = x[:, -3:, 0].sum(axis=1, keepdims=True)
result = {}
layer = TCN(
    input_shape=(20, 2),
    nb_filters=6,
    kernel_size=3,
    dilations=(1, 2, 4),
    nb_stacks=1,
    use_skip_connections=True,
)
assert layer.receptive_field == 29
model = keras.models.Sequential([layer, keras.layers.Dense(1)])
draw = np.random.default_rng(1)
model.set_weights([0.3 * draw.normal(size=w.shape) for w in model.get_weights()])
model.compile(optimizer="adam", loss="mse")
tcn_full_summary(model, expand_residual_blocks=False)
result["predicted"] = model.predict(x, verbose=0).ravel()[:5].tolist()
result["loss"] = model.fit(x, y, epochs=3, shuffle=False, verbose=0).history["loss"]
folder = tempfile.mkdtemp()
model.save(os.path.join(folder, "model.h5"))
loaded = keras.models.load_model(os.path.join(folder, "model.h5"), custom_objects={"TCN": TCN})
np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-4)
again = keras.models.model_from_json(model.to_json(), custom_objects={"TCN": TCN})
again.set_weights(model.get_weights())
np.testing.assert_allclose(again.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-4)
for options in ({"use_batch_norm": True}, {"use_layer_norm": True}, {"padding": "same"}):
    inputs = keras.Input((None, 2))
    outputs = TCN(nb_filters=4, dilations=(1, 2), return_sequences=True, **options)(inputs)
    many = keras.Model(inputs, outputs)
    assert many.predict(x, verbose=0).shape == (12, 20, 4)
print("result", result)
