"""Search for good hyperparameters, on a grid or at random, and compare the trials on the board.

Every trial is a run with its hyperparameters, its curves and how it ended. Here the search is a plain loop;
`tune_search.py` learns from its trials, stops bad ones early and can be interrupted.

    python examples/hparam_search.py
    python examples/hparam_search.py --random 20
    tapeflow board --logdir logs/search
"""

import argparse
import itertools
import random
import tempfile

import tapeflow as tf
from tapeflow.plugins.hparams import api as hp

UNITS = hp.HParam("units", hp.Discrete([16, 32, 64]))
DROPOUT = hp.HParam("dropout", hp.RealInterval(0.1, 0.5))
RATE = hp.HParam("learning_rate", hp.Discrete([1e-4, 1e-3, 1e-2]))
ACCURACY = hp.Metric("epoch_accuracy", group="validation", display_name="accuracy")


def make_model(hparams):
    """Return a compiled network for 8x8 digits with the given hyperparameters."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            layers.Rescaling(1 / 16),
            layers.Flatten(),
            layers.Dense(hparams[UNITS], activation="relu"),
            layers.Dropout(hparams[DROPOUT]),
            layers.Dense(10, activation="softmax"),
        ]
    )
    optimizer = tf.keras.optimizers.Adam(hparams[RATE])
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def grid():
    """Return every combination of values, with the ends of the interval for dropout."""
    ends = (DROPOUT.domain.min_value, DROPOUT.domain.max_value)
    values = itertools.product(UNITS.domain.values, ends, RATE.domain.values)
    return [dict(zip((UNITS, DROPOUT, RATE), found, strict=True)) for found in values]


def samples(count, seed):
    """Return so many combinations drawn at random."""
    rng = random.Random(seed)
    return [{h: h.domain.sample_uniform(rng) for h in (UNITS, DROPOUT, RATE)} for _ in range(count)]


def try_out(hparams, epochs, logdir):
    """Train one network; return its accuracy on digits it has not seen."""
    (x_train, y_train), test = tf.keras.datasets.digits.load_data()
    tf.keras.utils.set_random_seed(0)
    with tf.summary.run("trial", logdir) as run:
        callbacks = [
            tf.keras.callbacks.TensorBoard(run.logdir, write_graph=False),
            hp.KerasCallback(run, hparams),
        ]
        history = make_model(hparams).fit(
            x_train, y_train, epochs=epochs, validation_data=test, verbose=0, callbacks=callbacks
        )
    return history.history["val_accuracy"][-1]


def main():
    """Try the combinations and print the best."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, metavar="N", help="N trials at random instead of a grid")
    parser.add_argument("--epochs", type=int, default=5, help="passes over the training digits (5)")
    parser.add_argument("--seed", type=int, default=0, help="where the random numbers start (0)")
    parser.add_argument("--logdir", default="logs/search", help="where the trials go (logs/search)")
    parser.add_argument("--smoke", action="store_true", help="two trials of one epoch, logged to nowhere")
    options = parser.parse_args()
    trials = grid() if options.random is None else samples(options.random, options.seed)
    if options.smoke:
        trials = [grid()[0], *samples(1, options.seed)]
        options.epochs, options.logdir = 1, tempfile.mkdtemp()

    with tf.summary.create_file_writer(options.logdir).as_default():
        hp.hparams_config(hparams=[UNITS, DROPOUT, RATE], metrics=[ACCURACY])
    results = []
    for number, hparams in enumerate(trials, 1):
        accuracy = try_out(hparams, options.epochs, options.logdir)
        values = {h.name: value for h, value in hparams.items()}
        results.append((accuracy, number, values))
        text = ", ".join(f"{name} {value:.4g}" for name, value in values.items())
        print(f"{number:3d} of {len(trials)}: accuracy {accuracy:.1%} with {text}", flush=True)
    accuracy, number, values = max(results, key=lambda result: result[0])
    print(f"best: trial {number}, accuracy {accuracy:.1%}, {values}")


if __name__ == "__main__":
    main()
