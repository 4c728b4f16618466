"""Adversarial and graph regularization, as in the README of neural-structured-learning."""

import neural_structured_learning as nsl
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
x = rng.uniform(size=(32, 6, 6)).astype("float32")
y = rng.integers(0, 3, 32)
result = {}


def base():
    model = tf.keras.Sequential(
        [
            tf.keras.Input((6, 6), name="feature"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(8, activation=tf.nn.relu),
            tf.keras.layers.Dense(3, activation=tf.nn.softmax),
        ]
    )
    model.set_weights([0.4 * np.random.default_rng(1).normal(size=w.shape) for w in model.get_weights()])
    return model


for norm in ("l2", "infinity"):
    config = nsl.configs.make_adv_reg_config(multiplier=0.2, adv_step_size=0.05, adv_grad_norm=norm)
    adversarial = nsl.keras.AdversarialRegularization(base(), adv_config=config)
    adversarial.compile(
        optimizer=tf.keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    history = adversarial.fit({"feature": x, "label": y}, batch_size=8, epochs=3, shuffle=False, verbose=0)
    result[norm] = [*history.history["loss"], *history.history["scaled_adversarial_loss"]]
    evaluated = adversarial.evaluate({"feature": x, "label": y}, verbose=0, return_dict=True)
    result[f"{norm} evaluated"] = [evaluated["loss"]]
    perturbed = adversarial.perturb_on_batch({"feature": x[:2], "label": y[:2]})
    result[f"{norm} perturbed"] = np.ravel(perturbed["feature"])[:8].tolist()

graph = nsl.configs.make_graph_reg_config(max_neighbors=1, multiplier=0.1)
regularized = nsl.keras.GraphRegularization(base(), graph)
regularized.compile(tf.keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
examples = tf.data.Dataset.from_tensor_slices(
    (
        {
            "feature": x,
            "NL_nbr_0_feature": x[::-1].copy(),
            "NL_nbr_0_weight": np.full((32, 1), 0.7, np.float32),
        },
        y,
    )
).batch(8)
result["graph"] = regularized.fit(examples, epochs=3, verbose=0).history["loss"]
print("result", result)
