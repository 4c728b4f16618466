"""Rearranging, reducing and mixing, as in the README of einops."""

import numpy as np
import tensorflow as tf
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.tensorflow import EinMix, Rearrange, Reduce

rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(2, 6, 6, 3)).astype("float32"))


def some(value):
    return np.ravel(value)[:12].tolist()


result = {
    "rearrange": some(rearrange(x, "b (h h2) (w w2) c -> b h w (c h2 w2)", h2=2, w2=2)),
    "reduce": some(reduce(x, "b (h h2) (w w2) c -> b h w c", "max", h2=3, w2=3)),
    "repeat": some(repeat(x[0], "h w c -> h (w k) c", k=2)),
    "einsum": some(einsum(x, x, "b h w c, b h w d -> b c d")),
}
packed, shapes = pack([x[:, 0], x[:, 1, :2]], "b * c")
result["pack"] = [*packed.shape, *unpack(packed, shapes, "b * c")[1].shape]
model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(4, 3, input_shape=(6, 6, 3)),
        Rearrange("b (h h2) (w w2) c -> b (h w) (c h2 w2)", h2=2, w2=2),
        EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=16, d=5),
        Reduce("b t d -> b d", "mean"),
    ]
)
model.set_weights(
    [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
model.compile("sgd", "mse")
result["loss"] = model.fit(x, np.zeros((2, 5)), epochs=2, verbose=0).history["loss"]


@tf.function
def traced(value):
    return rearrange(value, "b h w c -> b (h w c)")


result["traced"] = some(traced(x))
print("result", result)
