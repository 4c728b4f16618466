"""A custom training loop under `tf.function`, with gradient accumulation and clipping.

Adding up the gradients of four batches of 16 gives the step of one batch of 64 in a quarter of the memory.
Clipping by the global norm keeps the direction of a step and bounds its length.

    python examples/staged_loop.py
    python examples/staged_loop.py --accumulate 8 --clip-norm 0.5
"""

import argparse

import tapeflow as tf


def make_model():
    """Return a network that gives a score for each class of 8x8 digits."""
    return tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            tf.keras.layers.Rescaling(1 / 16),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(64, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )


class Trainer:
    """A model, an optimizer, and the sums of gradients that wait to be applied."""

    def __init__(self, model, learning_rate, clip_norm):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam(learning_rate)
        self.clip_norm = clip_norm
        self.sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
        self.loss = tf.keras.metrics.Mean()
        self.norm = tf.keras.metrics.Mean()
        self.accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        self.losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def learn(self, x, y, count):
        """Add a batch's share of the gradient of `count` batches to the sums."""
        with tf.GradientTape() as tape:
            scores = self.model(x, training=True)
            loss = self.losses(y, scores)
        for total, gradient in zip(
            self.sums, tape.gradient(loss, self.model.trainable_variables), strict=True
        ):
            total.assign_add(gradient / count)
        self.loss.update_state(loss)
        self.accuracy.update_state(y, scores)

    @tf.function
    def apply(self):
        """Take a step along the sums, and begin again with zeros."""
        gradients, norm = tf.clip_by_global_norm([total.read_value() for total in self.sums], self.clip_norm)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        for total in self.sums:
            total.assign(tf.zeros_like(total))
        self.norm.update_state(norm)


def main():
    """Train, and print the loss and the mean length of the gradients before clipping."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training digits (10)")
    parser.add_argument("--batch-size", type=int, default=16, help="digits in a batch (16)")
    parser.add_argument("--accumulate", type=int, default=4, help="batches to a step (4)")
    parser.add_argument(
        "--clip-norm", type=float, default=1.0, help="the greatest length of a step's gradient (1.0)"
    )
    parser.add_argument("--smoke", action="store_true", help="one epoch of few digits, to see that it runs")
    options = parser.parse_args()
    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    if options.smoke:
        x_train, y_train, options.epochs = x_train[:320], y_train[:320], 1
    data = tf.data.Dataset.from_tensor_slices((x_train.astype("float32"), y_train.astype("int64")))
    data = data.shuffle(len(x_train), seed=0).batch(options.batch_size, drop_remainder=True)
    trainer = Trainer(make_model(), 3e-3, options.clip_norm)
    for epoch in range(options.epochs):
        for number, (x, y) in enumerate(data, 1):
            trainer.learn(x, y, float(options.accumulate))
            if number % options.accumulate == 0:
                trainer.apply()
        meters = {"loss": trainer.loss, "gradient": trainer.norm, "accuracy": trainer.accuracy}
        print(
            f"epoch {epoch + 1}: "
            + ", ".join(f"{name} {float(m.result()):.4f}" for name, m in meters.items())
        )
        for meter in meters.values():
            meter.reset_state()
    guesses = tf.argmax(trainer.model(x_test.astype("float32")), axis=1)
    right = tf.reduce_mean(tf.cast(guesses == y_test.astype("int64"), tf.float32))
    print(f"test accuracy {float(right):.4f}")


if __name__ == "__main__":
    main()
