"""Log the features that a network computes of images, for the projector.

One line writes the vectors, labels and pictures; each epoch adds a step, and nothing has to be deleted or
restarted in between. Watch the digits move apart.

    python examples/log_embedding.py
    tapeflow board --logdir logs/embedding
"""

import argparse
import tempfile

import tapeflow as tf


def make_models():
    """Return a network for 8x8 digits, and the part of it that gives 16 numbers for each digit."""
    layers = tf.keras.layers
    digits = tf.keras.Input((8, 8))
    x = layers.Rescaling(1 / 16)(digits)
    x = layers.Flatten()(x)
    x = layers.Dense(64, activation="relu")(x)
    features = layers.Dense(16, activation="relu")(x)
    scores = layers.Dense(10)(features)
    model = tf.keras.Model(digits, scores)
    model.compile(
        "adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
    )
    return model, tf.keras.Model(digits, features)


def main():
    """Train, logging the points after every epoch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8, help="passes over the training digits (8)")
    parser.add_argument("--logdir", default="logs/embedding", help="where the run goes (logs/embedding)")
    parser.add_argument("--smoke", action="store_true", help="one epoch, logged to nowhere")
    options = parser.parse_args()
    if options.smoke:
        options.epochs, options.logdir = 1, tempfile.mkdtemp()

    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    model, features = make_models()
    with tf.summary.run("digits", options.logdir) as run:
        for epoch in range(options.epochs + 1):
            vectors = features.predict(x_test, verbose=0)
            guesses = model.predict(x_test, verbose=0).argmax(axis=1)
            tf.summary.embedding(
                "digits",
                vectors,
                labels=y_test,
                images=x_test / 16,
                metadata={"guess": guesses, "right": guesses == y_test},
                step=epoch,
            )
            print(f"epoch {epoch}: accuracy {(guesses == y_test).mean():.1%}, {len(vectors)} points logged")
            if epoch < options.epochs:
                model.fit(x_train, y_train, verbose=0)
    print(f"logged to {run.logdir}")


if __name__ == "__main__":
    main()
