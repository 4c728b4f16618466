"""Train with several learning rates and compare their curves on the board.

Each rate is a separate run in a new folder, so nothing has to be deleted before the next try. The loss
of every batch is logged; the curves are read back at the end.

    python examples/log_learning_rates.py
    tapeflow board --logdir logs/rates
"""

import argparse
import tempfile

import tapeflow as tf

RATES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)


def make_model(rate):
    """Return a fresh network for 8x8 digits, which learns at a rate."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            layers.Rescaling(1 / 16),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )
    model.compile(
        optimizer=tf.keras.optimizers.Adam(rate),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def train(rate, epochs, logdir):
    """Train one network; return the folder with what was logged."""
    (x_train, y_train), test = tf.keras.datasets.digits.load_data()
    tf.keras.utils.set_random_seed(0)  # the same start for every rate
    with tf.summary.run(f"lr={rate:g}", logdir) as run:
        board = tf.keras.callbacks.TensorBoard(run.logdir, update_freq="batch", write_graph=False)
        make_model(rate).fit(
            x_train, y_train, epochs=epochs, validation_data=test, verbose=0, callbacks=[board]
        )
    return run.logdir


def main():
    """Train with every rate and print a table of what was logged."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training digits (10)")
    parser.add_argument("--logdir", default="logs/rates", help="where the runs go (logs/rates)")
    parser.add_argument("--smoke", action="store_true", help="two rates, one epoch, logged to nowhere")
    options = parser.parse_args()
    if options.smoke:
        options.epochs, options.logdir = 1, tempfile.mkdtemp()

    print("rate     first loss  last loss  test accuracy")
    for rate in RATES[:2] if options.smoke else RATES:
        folder = train(rate, options.epochs, options.logdir)
        losses = tf.summary.read(f"{folder}/train")["batch_loss"].values
        accuracy = tf.summary.read(f"{folder}/validation")["epoch_accuracy"].values[-1]
        print(f"{rate:<8g} {losses[0]:10.3f} {losses[-1]:10.3f} {accuracy:14.1%}")


if __name__ == "__main__":
    main()
