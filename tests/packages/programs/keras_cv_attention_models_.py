"""Small networks with attention, as in the README of keras-cv-attention-models."""

import numpy as np
import tensorflow as tf
from keras_cv_attention_models import attention_layers, mlp_family

rng = np.random.default_rng(0)
x = rng.uniform(size=(2, 32, 32, 3)).astype("float32")


def weighted(model):
    model.set_weights(
        [
            w
            if "bn" in v.name or "ln" in v.name
            else 0.1 * np.random.default_rng(w.size).normal(size=w.shape)
            for v, w in zip(model.weights, model.get_weights())
        ]
    )
    return model


mixer = weighted(
    mlp_family.MLPMixer(
        num_blocks=2, patch_size=8, stem_width=16, tokens_mlp_dim=12, channels_mlp_dim=20, input_shape=(32, 32, 3),
        num_classes=3, pretrained=None, model_name="tiny",
    )
)  # fmt: skip
result = {"mixer": np.ravel(mixer.predict(x, verbose=0)).tolist()}
inputs = tf.keras.layers.Input([8, 8, 12])
out = attention_layers.se_module(inputs, se_ratio=0.25)
out = attention_layers.eca_module(out)
out = attention_layers.halo_attention(out, num_heads=2, key_dim=4, block_size=4, halo_size=1)
block = weighted(tf.keras.Model(inputs, out))
result["attention"] = np.ravel(block.predict(x[:, ::4, ::4].repeat(4, -1), verbose=0))[::61].tolist()
print("result", result)
