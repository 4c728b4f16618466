"""A custom training step in `fit`: the model learns to give the same answer for a digit with and without noise.

`fit` still provides batches, callbacks, metrics, the progress bar and one compiled program for many steps; you write
only what happens to a batch. `train_step` is Python code that is recorded once.

    python examples/custom_train_step.py
    python examples/custom_train_step.py --noise 0.4
"""

import argparse

import tapeflow as tf


class Steady(tf.keras.Model):
    """A classifier that is also asked to say the same about a digit with noise on it."""

    def __init__(self, noise):
        super().__init__()
        self.noise = noise
        self.flatten = tf.keras.layers.Flatten()
        self.hidden = tf.keras.layers.Dense(32, activation="relu")
        self.scores = tf.keras.layers.Dense(10)
        self.difference = tf.keras.metrics.Mean(name="difference")

    def call(self, digits):
        """Scores for each class."""
        return self.scores(self.hidden(self.flatten(digits)))

    @property
    def metrics(self):
        """What is reset at the beginning of each epoch: the compiled metrics, and our own."""
        return [*super().metrics, self.difference]

    def train_step(self, data):
        """Learn from one batch; return what the progress bar shows."""
        x, y = data
        with tf.GradientTape() as tape:
            clean = self(x, training=True)
            noisy = self(x + tf.random.normal(tf.shape(x), stddev=self.noise), training=True)
            difference = tf.reduce_mean(tf.square(tf.nn.softmax(clean) - tf.nn.softmax(noisy)))
            loss = self.compiled_loss(y, clean, regularization_losses=self.losses) + 10 * difference
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.compiled_metrics.update_state(y, clean)
        self.difference.update_state(difference)
        return {metric.name: metric.result() for metric in self.metrics}


def main():
    """Train with and without the second answer, and test on noisy digits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20, help="passes over the training digits (20)")
    parser.add_argument("--noise", type=float, default=0.3, help="how strong the noise is (0.3)")
    parser.add_argument("--smoke", action="store_true", help="one epoch of few digits, to see that it runs")
    options = parser.parse_args()
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    x_train, x_test = (x.astype("float32") / 16 for x in (x_train, x_test))
    if options.smoke:
        x_train, y_train, options.epochs = x_train[:320], y_train[:320], 1
    tf.random.set_seed(1)
    noisy = x_test + options.noise * tf.random.normal(x_test.shape).numpy()
    for noise in (options.noise,) if options.smoke else (0.0, options.noise):
        tf.keras.utils.set_random_seed(0)
        model = Steady(noise)
        model.compile(
            "adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
        )
        history = model.fit(x_train, y_train, epochs=options.epochs, verbose=0).history
        print(f"trained with noise {noise}: " + ", ".join(f"{k} {v[-1]:.4f}" for k, v in history.items()))
        right = (model.predict(noisy, verbose=0).argmax(axis=1) == y_test).mean()
        print(f"  of noisy test digits {right:.1%} are right")


if __name__ == "__main__":
    main()
