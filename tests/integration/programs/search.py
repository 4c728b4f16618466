"""A search with two workers, to be killed: `search.py FOLDER`. It notes which trials were begun and by whom."""

import os
import sys
import time

from tapeflow import tune
from tapeflow.plugins.hparams import api as hp


def train(trial):
    """Take a moment; the value follows from the hyperparameters."""
    with open(os.path.join(sys.argv[1], "begun"), "a") as file:
        file.write(f"{trial.name} {os.getpid()}\n")
    time.sleep(0.15)
    return trial["x"] + trial["n"]


if __name__ == "__main__":
    space = {"x": hp.RealInterval(0.0, 1.0), "n": hp.IntInterval(0, 9)}
    tune.search(train, space, trials=12, sampler="random", logdir=sys.argv[1], workers=2, seed=0)
