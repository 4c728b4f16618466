"""Train a small convolutional network on handwritten digits with `fit`, and explain what was computed.

The 1,797 digits come with TapeFlow. Except for the dataset and `explain`, it also runs with
`import tensorflow as tf`.

    python examples/digits_fit.py
    python examples/digits_fit.py --epochs 30
"""

import argparse

import tapeflow as tf


def make_model():
    """Return a compiled network for 8x8 digits with values up to 16."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            layers.Rescaling(1 / 16),
            layers.Reshape((8, 8, 1)),
            layers.Conv2D(16, 3, activation="relu", padding="same"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.2),
            layers.Dense(10),
        ]
    )
    model.compile(
        optimizer=tf.keras.optimizers.Adam(3e-3),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def main():
    """Train, evaluate and explain."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15, help="passes over the training digits (15)")
    parser.add_argument("--seed", type=int, default=0, help="where the random numbers start (0)")
    parser.add_argument("--smoke", action="store_true", help="one epoch, to see that it runs")
    options = parser.parse_args()
    tf.keras.utils.set_random_seed(options.seed)
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    model = make_model()
    model.summary()
    stop = tf.keras.callbacks.EarlyStopping("val_accuracy", patience=5, restore_best_weights=True)
    model.fit(
        x_train,
        y_train,
        epochs=1 if options.smoke else options.epochs,
        validation_split=0.1,
        callbacks=[stop],
    )
    model.explain()
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"test loss {loss:.4f}, test accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
