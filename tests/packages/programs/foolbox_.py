"""Attacks on a network, as in the README of foolbox."""

import eagerpy as ep
import foolbox as fb
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [
        tf.keras.layers.Flatten(input_shape=(6, 6, 1)),
        tf.keras.layers.Dense(8, activation="relu"),
        tf.keras.layers.Dense(3),
    ]
)
model.set_weights(
    [0.5 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
images = tf.constant(np.random.default_rng(9).uniform(size=(8, 6, 6, 1)).astype("float32"))
fmodel = fb.TensorFlowModel(model, bounds=(0, 1))
labels = tf.argmax(model(images), -1)
result = {"accuracy": [float(fb.utils.accuracy(fmodel, images, labels))]}
for attack in (
    fb.attacks.FGSM(),
    fb.attacks.LinfPGD(random_start=False, steps=5),
    fb.attacks.L2DeepFoolAttack(steps=5),
    fb.attacks.LinfBasicIterativeAttack(random_start=False, steps=5),
):
    raw, clipped, success = attack(fmodel, images, labels, epsilons=[0.05, 0.3])
    name = type(attack).__name__
    result[name] = [*np.ravel(clipped[1])[:8].tolist(), *np.asarray(success, float).ravel().tolist()]
x = ep.astensor(images)
result["eagerpy"] = [
    x.norms.l2().item(),
    x.sum(axis=(1, 2, 3)).argmax().item(),
    x.clip(0.2, 0.4).mean().item(),
]
print("result", result)
