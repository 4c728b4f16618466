"""Quantized layers, as in the README of qkeras."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from qkeras import QActivation, QConv2D, QDense, QDepthwiseConv2D, quantized_bits, quantized_relu
from qkeras.utils import load_qmodel, model_save_quantized_weights
from tensorflow.keras.layers import Activation, Flatten, Input
from tensorflow.keras.models import Model

rng = np.random.default_rng(0)
x = rng.uniform(size=(16, 8, 8, 1)).astype("float32")
y = np.eye(3, dtype="float32")[rng.integers(0, 3, 16)]
x_in = Input((8, 8, 1))
out = QConv2D(
    4, (3, 3), kernel_quantizer=quantized_bits(4, 0, 1), bias_quantizer=quantized_bits(4, 0, 1), name="conv"
)(x_in)
out = QActivation("quantized_relu(4)", name="act")(out)
out = QDepthwiseConv2D(
    (3, 3), depthwise_quantizer="quantized_bits(4,0,1)", bias_quantizer="quantized_bits(4)"
)(out)
out = QActivation(quantized_relu(3))(out)
out = Flatten()(out)
out = QDense(3, kernel_quantizer="ternary()", bias_quantizer=quantized_bits(4, 0, 1), name="dense")(out)
out = Activation("softmax")(out)
model = Model(x_in, out)
model.set_weights([0.4 * np.random.default_rng(1).normal(size=w.shape) for w in model.get_weights()])
model.compile(tf.keras.optimizers.legacy.Adam(0.01), "categorical_crossentropy", metrics=["accuracy"])
result = {"loss": model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0).history["loss"]}
result["predicted"] = np.ravel(model.predict(x[:3], verbose=0)).tolist()
saved = model_save_quantized_weights(model)
result["kernel"] = np.ravel(saved["conv"]["weights"][0])[:12].tolist()
path = os.path.join(tempfile.mkdtemp(), "model.h5")
model.save(path)
again = load_qmodel(path)
np.testing.assert_allclose(again.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-5)
for quantizer in (
    "quantized_bits(4,1,1)",
    "quantized_relu(4,2)",
    "quantized_tanh(4)",
    "binary()",
    "quantized_po2(4)",
):
    found = QActivation(quantizer)(tf.constant([[-1.3, -0.4, 0.1, 0.6, 1.7]]))
    result[quantizer] = np.ravel(found).tolist()
print("result", result)
