"""One of several processes that search together: `shared_search.py FOLDER STORAGE TRIALS`. It notes what it begins."""

import os
import sys
import time

import optuna

from tapeflow import tune
from tapeflow.plugins.hparams import api as hp

folder, storage, trials = sys.argv[1], sys.argv[2], int(sys.argv[3])


if storage.startswith("grpc://"):
    host, port = storage.removeprefix("grpc://").split(":")
    storage = optuna.storages.GrpcStorageProxy(host=host, port=int(port))


def train(trial):
    """Take a moment; the value follows from the hyperparameters."""
    with open(os.path.join(folder, "begun"), "a") as file:
        file.write(f"{trial.name} {os.getpid()}\n")
    time.sleep(0.4)
    return trial["x"] + trial["n"]


space = {"x": hp.RealInterval(0.0, 1.0), "n": hp.IntInterval(0, 9)}
result = tune.search(
    train, space, trials=trials, sampler="random", logdir=os.path.join(folder, "log"), storage=storage, seed=0
)
for trial in sorted(result.trials, key=lambda t: t.number):
    print("done", trial.number, trial.outcome, repr(trial.value))
