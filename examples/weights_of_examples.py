"""Class weights and sample weights, for a class that is rare.

Of the training digits only one in twenty of the nines is kept. Trained as usual, the network rarely predicts "nine".
Higher weights for the class, or for each of its examples, make it find more of them.

    python examples/weights_of_examples.py
"""

import argparse

import numpy as np

import tapeflow as tf


def load_unbalanced():
    """Return training digits with few nines, and test digits as they are."""
    (x_train, y_train), test = tf.keras.datasets.digits.load_data()
    nines = np.flatnonzero(y_train == 9)
    rest = np.flatnonzero(y_train != 9)
    kept = np.concatenate([rest, nines[: max(len(nines) // 20, 1)]])
    return (x_train[kept], y_train[kept]), test


def train(x, y, epochs, **weights):
    """Train a small network; `weights` go to `fit`."""
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            tf.keras.layers.Rescaling(1 / 16),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(
        "adam",
        "sparse_categorical_crossentropy",
        metrics=["accuracy"],  # every example counts once
        weighted_metrics=[tf.keras.metrics.SparseCategoricalAccuracy(name="weighted_accuracy")],
    )
    model.fit(x, y, epochs=epochs, verbose=0, **weights)
    return model


def main():
    """Train three times, and compare how many nines are found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15, help="passes over the training digits (15)")
    parser.add_argument("--smoke", action="store_true", help="one epoch of few digits, to see that it runs")
    options = parser.parse_args()
    (x_train, y_train), (x_test, y_test) = load_unbalanced()
    if options.smoke:
        x_train, y_train, options.epochs = x_train[-320:], y_train[-320:], 1
    counts = np.bincount(y_train, minlength=10)
    print("training digits of each class:", counts)

    # The rarer a class, the more each of its examples counts; the mean weight is 1.
    by_class = {number: len(y_train) / (10 * count) for number, count in enumerate(counts)}
    each = np.array([by_class[label] for label in y_train], "float32")
    ways = {
        "as they are": {},
        "class_weight": {"class_weight": by_class},
        "sample_weight": {"sample_weight": each},
    }
    for name, weights in ways.items():
        model = train(x_train, y_train, options.epochs, **weights)
        guesses = model.predict(x_test, verbose=0).argmax(axis=1)
        nines = np.mean(guesses[y_test == 9] == 9)
        print(f"{name:>14}: accuracy {np.mean(guesses == y_test):.3f}, of the nines {nines:.3f} are found")


if __name__ == "__main__":
    main()
