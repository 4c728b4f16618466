"""Networks for segmentation with their losses and scores, as in the README of segmentation_models."""

import os

os.environ["SM_FRAMEWORK"] = "tf.keras"

import numpy as np
import segmentation_models as sm

rng = np.random.default_rng(0)
x, y = rng.random((4, 64, 64, 3)).astype("float32"), rng.integers(0, 2, (4, 64, 64, 1)).astype("float32")

model = sm.Unet("resnet18", encoder_weights=None, classes=1, activation="sigmoid", input_shape=(64, 64, 3))
weights = [w if w.ndim == 1 else rng.normal(scale=0.05, size=w.shape) for w in model.get_weights()]
model.set_weights(weights)
model.compile("sgd", loss=sm.losses.bce_jaccard_loss, metrics=[sm.metrics.iou_score, sm.metrics.f1_score])
found = {
    "mean": [float(model.predict(x, verbose=0).mean())],
    "losses": model.fit(x, y, epochs=2, batch_size=2, shuffle=False, verbose=0).history["loss"],
    "evaluated": model.evaluate(x, y, verbose=0),
    "preprocessed": float(np.mean(sm.get_preprocessing("resnet34")(x * 255))),
}
for kind, backbone in ((sm.FPN, "mobilenetv2"), (sm.Linknet, "resnet34"), (sm.PSPNet, "vgg16")):
    size = 48 if kind is sm.PSPNet else 64
    other = kind(backbone, encoder_weights=None, classes=3, activation="softmax", input_shape=(size, size, 3))
    found[kind.__name__] = [*other.output_shape[1:], other.count_params()]

print("result", found)
