"""Batches made during training: a `Sequence` that shifts digits a little each time they are used.

A Sequence has a length and returns batch number n. So several workers can make batches at the same time, and an
interrupted epoch can continue where it stopped. A generator is shorter to write, but offers neither.

    python examples/sequence_data.py
    python examples/sequence_data.py --workers 2
"""

import argparse
import math

import numpy as np

import tapeflow as tf


class ShiftedDigits(tf.keras.utils.Sequence):
    """Digits moved by up to a pixel in each direction, in another order every epoch."""

    def __init__(self, digits, labels, batch_size, seed=0):
        super().__init__()
        self.digits, self.labels = digits, labels
        self.batch_size = batch_size
        self.seed = seed
        self.epoch = 0
        self.order = np.random.default_rng(seed).permutation(len(digits))

    def __len__(self):
        """How many batches an epoch has."""
        return math.ceil(len(self.digits) / self.batch_size)

    def __getitem__(self, number):
        """Batch `number` of this epoch: the same one whenever it is asked for."""
        rng = np.random.default_rng((self.seed, self.epoch, number))
        chosen = self.order[number * self.batch_size : (number + 1) * self.batch_size]
        shifts = rng.integers(-1, 2, (len(chosen), 2))
        moved = [np.roll(self.digits[i], shift, (0, 1)) for i, shift in zip(chosen, shifts, strict=True)]
        return np.stack(moved), self.labels[chosen]

    def on_epoch_end(self):
        """Called by `fit` after every epoch."""
        self.epoch += 1
        self.order = np.random.default_rng((self.seed, self.epoch)).permutation(len(self.digits))


def main():
    """Train on digits as they are and on shifted ones; test on shifted ones."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20, help="passes over the training digits (20)")
    parser.add_argument("--workers", type=int, default=1, help="threads that make batches (1)")
    parser.add_argument("--smoke", action="store_true", help="one epoch of few digits, to see that it runs")
    options = parser.parse_args()
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    if options.smoke:
        x_train, y_train, options.epochs = x_train[:320], y_train[:320], 1
    train = ShiftedDigits(x_train, y_train, 32)
    test = ShiftedDigits(x_test, y_test, 64, seed=1)

    for name in ("as they are", "shifted"):
        tf.keras.utils.set_random_seed(0)
        model = tf.keras.Sequential(
            [
                tf.keras.Input((8, 8)),
                tf.keras.layers.Rescaling(1 / 16),
                tf.keras.layers.Flatten(),
                tf.keras.layers.Dense(64, activation="relu"),
                tf.keras.layers.Dense(10, activation="softmax"),
            ]
        )
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        if name == "shifted":
            model.fit(train, epochs=options.epochs, workers=options.workers, verbose=0)
        else:
            model.fit(x_train, y_train, epochs=options.epochs, verbose=0)
        accuracy = model.evaluate(test, verbose=0, return_dict=True)["accuracy"]
        print(f"trained on digits {name}: {accuracy:.3f} of shifted test digits are right")


if __name__ == "__main__":
    main()
