"""Attacks on a TensorFlow 2 model, as in the tutorials of cleverhans."""

import numpy as np
import tensorflow as tf
from cleverhans.tf2.attacks.basic_iterative_method import basic_iterative_method
from cleverhans.tf2.attacks.carlini_wagner_l2 import carlini_wagner_l2
from cleverhans.tf2.attacks.fast_gradient_method import fast_gradient_method
from cleverhans.tf2.attacks.madry_et_al import madry_et_al
from cleverhans.tf2.attacks.momentum_iterative_method import momentum_iterative_method
from cleverhans.tf2.attacks.projected_gradient_descent import projected_gradient_descent
from cleverhans.tf2.attacks.spsa import spsa

rng = np.random.default_rng(0)
x = rng.uniform(size=(4, 6, 6, 1)).astype("float32")
model = tf.keras.Sequential([tf.keras.Input((6, 6, 1)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(3)])
model.set_weights([rng.normal(size=w.shape) for w in model.get_weights()])


def numbers(value):
    return np.asarray(value, np.float64).ravel()[:8].tolist()


result = {
    "fast": numbers(fast_gradient_method(model, x, 0.1, np.inf)),
    "fast l2": numbers(fast_gradient_method(model, x, 0.1, 2, clip_min=0.0, clip_max=1.0)),
    "projected": numbers(projected_gradient_descent(model, x, 0.1, 0.02, 5, np.inf, rand_init=False)),
    "momentum": numbers(momentum_iterative_method(model, x, 0.1, 0.02, 4)),
    "basic": numbers(basic_iterative_method(model, x, 0.1, 0.02, 4, np.inf, rand_init=False)),
}
assert madry_et_al(model, x, 0.1, 0.02, 3, np.inf).shape == x.shape
found = carlini_wagner_l2(model, x, max_iterations=20, binary_search_steps=2)
assert found.shape == x.shape
assert spsa(
    model, tf.constant(x[:1]), tf.constant(0), eps=0.1, nb_iter=2, spsa_samples=8, clip_min=0.0, clip_max=1.0
).shape == (1, 6, 6, 1)

optimizer, loss = tf.optimizers.Adam(0.01), tf.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        value = loss(y, model(x))
    gradients = tape.gradient(value, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return value


labels = np.array([0, 1, 2, 0])
result["loss"] = []
for _ in range(3):
    attacked = projected_gradient_descent(model, x, 0.1, 0.02, 3, np.inf, rand_init=False)
    result["loss"].append(float(train_step(attacked, labels)))
print("result", result)
