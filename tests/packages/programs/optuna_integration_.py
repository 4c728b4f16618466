"""Pruning trials of a model, as in the examples of optuna-integration."""

import numpy as np
import optuna
import tensorflow as tf
from optuna_integration import KerasPruningCallback, TFKerasPruningCallback

rng = np.random.default_rng(0)
x = rng.normal(size=(64, 4)).astype("float32")
y = (x[:, :1] - x[:, 1:2] > 0).astype("float32")


def objective(trial, kind):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(trial.suggest_int("units", 2, 8), activation="relu", input_shape=(4,)),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    model.compile(tf.keras.optimizers.Adam(rate), "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(
        x, y, validation_split=0.25, epochs=4, verbose=0, callbacks=[kind(trial, "val_accuracy")]
    ).history
    return history["val_accuracy"][-1]


result = {}
for kind in (TFKerasPruningCallback, KerasPruningCallback):
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.RandomSampler(seed=1),
        pruner=optuna.pruners.ThresholdPruner(lower=0.99),
    )
    study.optimize(lambda trial: objective(trial, kind), n_trials=3)
    states = [trial.state.name for trial in study.trials]
    result[kind.__name__] = [states.count("PRUNED"), states.count("COMPLETE")]
print("result", result)
