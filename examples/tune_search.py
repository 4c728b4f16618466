"""Search over three hyperparameters with `tapeflow.tune`, starting from their defaults.

Bad trials are stopped early. Interrupt the search whenever you like, with Ctrl-C or `kill -9`: the same command
continues it. Every trial is a run on the board, with its hyperparameters.

    python examples/tune_search.py
    python examples/tune_search.py --workers 2 --trials 60
    tapeflow board --logdir logs/tune
"""

import argparse
import functools
import tempfile

import tapeflow as tf
from tapeflow import tune
from tapeflow.plugins.hparams import api as hp

UNITS = hp.HParam("units", tune.LogIntInterval(8, 128), description="width of the hidden layer")
RATE = hp.HParam("learning_rate", tune.LogInterval(1e-4, 1e-1))
DROPOUT = hp.HParam("dropout", hp.RealInterval(0.0, 0.6))
DEFAULT = {UNITS: 16, RATE: 1e-3, DROPOUT: 0.5}


def train(trial, epochs=8):
    """Train a network with the values of a trial; what `fit` returns says how good it is."""
    (x, y), test = tf.keras.datasets.digits.load_data()
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            tf.keras.layers.Rescaling(1 / 16),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(trial[UNITS], activation="relu"),
            tf.keras.layers.Dropout(trial[DROPOUT]),
            tf.keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(
        tf.keras.optimizers.Adam(trial[RATE]), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    return model.fit(
        x,
        y,
        epochs=epochs,
        validation_data=test,
        verbose=0,
        # `Report` tells the search after every epoch; TensorBoard draws the curves of the trial.
        callbacks=[tune.Report(trial), tf.keras.callbacks.TensorBoard(trial.logdir, write_graph=False)],
    )


def main():
    """Search, and compare the best trial with the default."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=30, help="how many trials there are in all (30)")
    parser.add_argument("--workers", type=int, default=1, help="how many trials run at a time (1)")
    parser.add_argument(
        "--sampler", choices=["random", "tpe"], default="tpe", help="how values are chosen (tpe)"
    )
    parser.add_argument("--seed", type=int, default=0, help="where the random numbers start (0)")
    parser.add_argument("--logdir", default="logs/tune", help="where the trials go (logs/tune)")
    parser.add_argument("--smoke", action="store_true", help="two trials of one epoch, logged to nowhere")
    options = parser.parse_args()
    if options.smoke:
        options.trials, options.logdir = 2, tempfile.mkdtemp()
    result = tune.search(
        functools.partial(train, epochs=1) if options.smoke else train,
        [UNITS, RATE, DROPOUT],
        trials=options.trials,
        sampler=options.sampler,
        pruner="median",
        metric="val_accuracy",
        first=DEFAULT,
        logdir=options.logdir,
        workers=options.workers,
        seed=options.seed,
    )
    print()
    print(result.table(5))
    best = result.best
    print(f"default {result.trials[0].value:.1%}, best {best.value:.1%} (trial {best.number}, {best.logdir})")


if __name__ == "__main__":
    main()
