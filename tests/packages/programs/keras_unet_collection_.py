"""U-nets and their losses, as in the README of keras-unet-collection."""

import numpy as np
import tensorflow as tf
from keras_unet_collection import losses, models

rng = np.random.default_rng(0)
x = rng.uniform(size=(4, 32, 32, 3)).astype("float32")
y = np.eye(2, dtype="float32")[rng.integers(0, 2, (4, 32, 32))]


def weighted(model):
    model.set_weights(
        [
            w if "norm" in v.name else 0.2 * np.random.default_rng(w.size).normal(size=w.shape)
            for v, w in zip(model.weights, model.get_weights())
        ]
    )
    return model


result = {}
unet = weighted(
    models.unet_2d(
        (32, 32, 3),
        [4, 8, 12],
        n_labels=2,
        stack_num_down=1,
        stack_num_up=1,
        activation="GELU",
        output_activation="Softmax",
        batch_norm=True,
        pool="max",
        unpool="nearest",
        name="unet",
    )
)
unet.compile(loss="categorical_crossentropy", optimizer=tf.keras.optimizers.SGD(0.01))
result["unet"] = unet.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0).history["loss"]
attention = weighted(
    models.att_unet_2d(
        (32, 32, 3), [4, 8], n_labels=2, stack_num_down=1, stack_num_up=1, attention="add", activation="ReLU", pool=False,
        atten_activation="ReLU", output_activation="Sigmoid", unpool=False, name="attunet",
    )
)  # fmt: skip
result["attention"] = np.ravel(attention(x))[::997].tolist()
swin = models.swin_unet_2d(
    (32, 32, 3), filter_num_begin=8, n_labels=2, depth=2, stack_num_down=2, stack_num_up=2, patch_size=(2, 2),
    num_heads=[2, 2], window_size=[4, 2], num_mlp=16, output_activation="Softmax", shift_window=True, name="swin_unet",
)  # fmt: skip
assert swin(x).shape == (4, 32, 32, 2)
predicted = tf.nn.softmax(rng.normal(size=(4, 32, 32, 2)).astype("float32"))
for name in ("dice", "dice_coef", "tversky", "focal_tversky", "iou_seg"):
    result[name] = [float(tf.reduce_mean(getattr(losses, name)(tf.constant(y), predicted)))]
print("result", result)
