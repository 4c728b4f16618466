"""Attacks on a Keras model and a TensorFlow one, as in the README of adversarial-robustness-toolbox."""

import numpy as np
import tensorflow as tf
from art.attacks.evasion import BasicIterativeMethod, FastGradientMethod, ProjectedGradientDescent
from art.defences.trainer import AdversarialTrainer
from art.estimators.classification import TensorFlowV2Classifier

rng = np.random.default_rng(0)
x = rng.uniform(size=(32, 6, 6, 1)).astype("float32")
y = np.eye(2, dtype="float32")[(x[:, :3].mean(axis=(1, 2, 3)) > 0.5).astype(int)]
model = tf.keras.Sequential(
    [
        tf.keras.Input((6, 6, 1)),
        tf.keras.layers.Conv2D(3, 3, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(2),
    ]
)
model.set_weights([0.3 * rng.normal(size=w.shape) for w in model.get_weights()])
optimizer = tf.keras.optimizers.Adam(0.01)


@tf.function
def train_step(model, images, labels):
    with tf.GradientTape() as tape:
        loss = tf.keras.losses.CategoricalCrossentropy(from_logits=True)(labels, model(images, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


classifier = TensorFlowV2Classifier(
    model=model,
    train_step=train_step,
    nb_classes=2,
    input_shape=(6, 6, 1),
    loss_object=tf.keras.losses.CategoricalCrossentropy(from_logits=True),
    clip_values=(0, 1),
)
np.random.seed(0)
classifier.fit(x, y, batch_size=32, nb_epochs=2)
result = {"predicted": classifier.predict(x[:3]).ravel().tolist()}
result["gradient"] = classifier.loss_gradient(x[:2], y[:2]).ravel()[:8].tolist()
result["fast"] = FastGradientMethod(estimator=classifier, eps=0.2).generate(x=x[:3]).ravel()[:8].tolist()
basic = BasicIterativeMethod(estimator=classifier, eps=0.2, eps_step=0.1, max_iter=3, verbose=False)
result["basic"] = basic.generate(x[:3], y[:3]).ravel()[:8].tolist()
attack = ProjectedGradientDescent(classifier, eps=0.2, eps_step=0.1, max_iter=2, verbose=False)
AdversarialTrainer(classifier, attack, ratio=0.5).fit(x, y, batch_size=16, nb_epochs=1)
assert np.isfinite(classifier.predict(x)).all()
print("result", result)
