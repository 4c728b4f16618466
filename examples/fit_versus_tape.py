"""Why a custom loop and `fit` seem to train differently, although both minimize "the mean squared error".

Ten outputs, one-hot labels, the same network, the same data in the same order, SGD with one learning rate. A loop that
divides the sum of squares by the batch size learns quickly; `fit` with loss="mse" is ten times slower. It is not
`fit`: Keras's loss takes the mean over the last axis, the ten outputs, before the mean over the batch. The loss, its
gradient and so every step of SGD are ten times smaller. Fix it with a learning rate ten times larger, or with the
loss that was meant. Then the loop, `fit`, and `fit` with a custom step give the same numbers.

The program also shows a second surprise: "accuracy" is not one metric. Keras looks at the shapes of labels and
outputs and picks one; given predicted classes instead of scores, it picks one that compares the wrong things.

    python examples/fit_versus_tape.py
"""

import argparse

import numpy as np

import tapeflow as tf

BATCH = 32


def make_model(kind=tf.keras.Sequential):
    """Return the same network, with the same first weights, each time."""
    tf.keras.utils.set_random_seed(0)
    return kind(
        [
            tf.keras.Input((8, 8)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )


def sum_of_squares(y_true, y_pred):
    """The squared distance of each example: summed, not averaged, over the ten outputs."""
    return tf.reduce_sum(tf.square(y_true - y_pred), axis=-1)


def with_tape(x, y, rate, epochs):
    """A loop by hand that divides the sum of squares by the size of the batch."""
    model, optimizer = make_model(), tf.keras.optimizers.SGD(rate)
    for _ in range(epochs):
        for start in range(0, len(x), BATCH):
            with tf.GradientTape() as tape:
                out = model(x[start : start + BATCH], training=True)
                loss = tf.reduce_sum(tf.square(out - y[start : start + BATCH])) / BATCH
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return model


def with_fit(x, y, rate, epochs, loss, kind=tf.keras.Sequential):
    """`fit` with a loss, and a kind of model that may have a step of its own."""
    model = make_model(kind)
    model.compile(tf.keras.optimizers.SGD(rate), loss, metrics=["accuracy"])
    model.fit(x, y, epochs=epochs, batch_size=BATCH, shuffle=False, verbose=0)
    return model


class OwnStep(tf.keras.Sequential):
    """A model whose step inside `fit` is the loop's."""

    def train_step(self, data):
        """Learn from one batch."""
        x, y = data
        with tf.GradientTape() as tape:
            out = self(x, training=True)
            loss = self.compiled_loss(y, out)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.compiled_metrics.update_state(y, out)
        return {metric.name: metric.result() for metric in self.metrics}


def main():
    """Train in five ways, compare, and show what `explain` says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20, help="passes over the training digits (20)")
    parser.add_argument("--smoke", action="store_true", help="one epoch of few digits, to see that it runs")
    options = parser.parse_args()
    (x, labels), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    count = 320 if options.smoke else len(x) // BATCH * BATCH
    epochs = 1 if options.smoke else options.epochs
    x, x_test = x[:count].astype("float32") / 16, x_test.astype("float32") / 16
    y = np.eye(10, dtype="float32")[labels[:count]]

    ways = {"tape, sum / batch": with_tape(x, y, 0.01, epochs)}
    ways["fit, 'mse'"] = with_fit(x, y, 0.01, epochs, "mse")
    if not options.smoke:
        ways["fit, 'mse', rate 0.1"] = with_fit(x, y, 0.1, epochs, "mse")
        ways["fit, the loss meant"] = with_fit(x, y, 0.01, epochs, sum_of_squares)
    ways["own step in fit"] = with_fit(x, y, 0.01, epochs, sum_of_squares, OwnStep)
    reference = ways["tape, sum / batch"].get_weights()
    for name, model in ways.items():
        right = (model(x_test).numpy().argmax(axis=1) == y_test).mean()
        apart = max(float(np.abs(a - b).max()) for a, b in zip(model.get_weights(), reference, strict=True))
        print(f"{name:>20}: test accuracy {right:.3f}, weights apart from the loop's by at most {apart:.1e}")

    print("\nwhat `model.explain()` says of fit with 'mse':")
    ways["fit, 'mse'"].explain()
    metric = tf.keras.metrics.CategoricalAccuracy()
    metric.update_state([1, 2, 3], [1, 2, 2])
    print(
        f"\nclasses taken for scores: {float(metric.result()):.2f} of {int(metric.count)} example are right, ",
        end="",
    )
    metric = tf.keras.metrics.Accuracy()
    metric.update_state([1, 2, 3], [1, 2, 2])
    print(f"compared as classes: {float(metric.result()):.2f} of {int(metric.count)}")


if __name__ == "__main__":
    main()
