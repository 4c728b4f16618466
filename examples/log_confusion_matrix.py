"""Log a confusion matrix of the digits after every epoch.

The matrix is logged batch by batch: calls with the same name and step add up, and the counts are exact. It is
written as data and as an image.

    python examples/log_confusion_matrix.py
    tapeflow board --logdir logs/confusion
"""

import argparse
import tempfile

import numpy as np

import tapeflow as tf

NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


class ConfusionMatrix(tf.keras.callbacks.Callback):
    """Logs the confusion matrix of some data after every epoch, to the default writer."""

    def __init__(self, batches):
        super().__init__()
        self.batches = batches

    def on_epoch_end(self, epoch, logs=None):
        """Add up the matrix over all batches."""
        for x, y in self.batches:
            scores = self.model(x, training=False)
            tf.summary.confusion_matrix("confusion", y, scores, NAMES, step=epoch)
            tf.summary.pr_curve("is it an eight", y == 8, tf.nn.softmax(scores)[:, 8], step=epoch)


def make_model():
    """Return a compiled network for 8x8 digits."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            layers.Rescaling(1 / 16),
            layers.Flatten(),
            layers.Dense(32, activation="relu"),
            layers.Dense(10),
        ]
    )
    model.compile(
        "adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
    )
    return model


def main():
    """Train, and print what is mistaken most often at the end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training digits (10)")
    parser.add_argument("--logdir", default="logs/confusion", help="where the run goes (logs/confusion)")
    parser.add_argument("--smoke", action="store_true", help="two epochs, logged to nowhere")
    options = parser.parse_args()
    if options.smoke:
        options.epochs, options.logdir = 2, tempfile.mkdtemp()

    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), test = tf.keras.datasets.digits.load_data()
    batches = tf.data.Dataset.from_tensor_slices(test).batch(90)
    with tf.summary.run("digits", options.logdir) as run:
        make_model().fit(
            x_train, y_train, epochs=options.epochs, verbose=0, callbacks=[ConfusionMatrix(batches)]
        )

    counts = tf.summary.read(run.logdir)["confusion"].values[-1]  # rows are true digits
    wrong = counts * (1 - np.eye(10, dtype=int))
    print(f"{np.trace(counts)} of {counts.sum()} right; most often mistaken:")
    for place in np.argsort(wrong, axis=None)[::-1][:3]:
        true, guess = divmod(int(place), 10)
        print(f"  {NAMES[true]} taken for {NAMES[guess]}: {wrong[true, guess]} times")


if __name__ == "__main__":
    main()
