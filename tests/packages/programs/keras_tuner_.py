"""A search over hyperparameters, as in the README of keras-tuner."""

import tempfile

import keras_tuner
import numpy as np
import tensorflow as tf
from tensorflow import keras

rng = np.random.default_rng(0)
x = rng.normal(size=(256, 8)).astype("float32")
y = (x[:, :1] + x[:, 1:2] > 0).astype("float32")


def build_model(hp):
    model = keras.Sequential()
    model.add(keras.layers.Dense(hp.Choice("units", [8, 16, 32]), activation="relu"))
    if hp.Boolean("dropout"):
        model.add(keras.layers.Dropout(rate=0.25))
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    rate = hp.Float("lr", min_value=1e-3, max_value=1e-1, sampling="log")
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate=rate), loss="binary_crossentropy", metrics=["accuracy"]
    )
    return model


build_model(keras_tuner.HyperParameters())

found = {}
for kind, options in [
    (keras_tuner.RandomSearch, {"max_trials": 3, "executions_per_trial": 1}),
    (keras_tuner.Hyperband, {"max_epochs": 4, "factor": 2}),
    (keras_tuner.BayesianOptimization, {"max_trials": 3}),
]:
    with tempfile.TemporaryDirectory() as folder:
        tuner = kind(
            build_model, objective="val_accuracy", seed=3, directory=folder, project_name="trial", **options
        )
        tuner.search(x[:192], y[:192], epochs=3, validation_data=(x[192:], y[192:]), verbose=0)
        best = tuner.get_best_models(num_models=1)[0]
        chosen = tuner.get_best_hyperparameters()[0]
        tuner.results_summary(1)
        assert best.predict(x[:4], verbose=0).shape == (4, 1)
        assert tuner.oracle.get_best_trials(1)[0].score > 0.6
        assert chosen.get("units") in (8, 16, 32)
        again = kind(
            build_model, objective="val_accuracy", seed=3, directory=folder, project_name="trial", **options
        )
        assert again.get_best_hyperparameters()[0].values == chosen.values
        first = sorted(tuner.oracle.trials.items())[0][1].hyperparameters.values
        found[kind.__name__] = [len(tuner.oracle.trials)]


class MyTuner(keras_tuner.HyperModel):
    """A loop of one's own, as in the guide."""

    def build(self, hp):
        return build_model(hp)

    def fit(self, hp, model, *args, **kwargs):
        return model.fit(*args, batch_size=hp.Choice("batch_size", [16, 32]), **kwargs)


with tempfile.TemporaryDirectory() as folder:
    tuner = keras_tuner.RandomSearch(
        MyTuner(), objective=keras_tuner.Objective("val_loss", "min"), max_trials=2, seed=1, directory=folder
    )
    tuner.search(x, y, epochs=1, validation_split=0.25, verbose=0)
    found["own"] = [len(tuner.oracle.trials)]

hyper = keras_tuner.applications.HyperResNet(input_shape=(32, 32, 3), classes=2)
assert hyper.build(keras_tuner.HyperParameters()).count_params() > 1_000_000
print("result", found)
