"""`KerasClassifier` and `KerasRegressor` among scikit-learn's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tapeflow as tf
from tapeflow.keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor

layers = tf.keras.layers
X = np.random.default_rng(0).normal(size=(30, 4))
Y = X[:, 0] + 2


def make(units: int = 2, loss: str = "sparse_categorical_crossentropy", metrics: Any = ("accuracy",)) -> Any:
    last = "linear" if loss == "mse" else "sigmoid" if units == 1 else "softmax"
    model = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(units, activation=last)])
    model.compile("sgd", loss, metrics=list(metrics))
    return model


def test_classes_of_any_type_go_in_and_come_out() -> None:
    labels = np.where(X[:, 0] > 0, "yes", "no")
    for options in ({}, {"loss": "categorical_crossentropy"}, {"units": 1, "loss": "binary_crossentropy"}):
        wrapped = KerasClassifier(build_fn=make, epochs=1, verbose=0, **options)
        assert wrapped.fit(X, labels).epoch == [0]
        assert set(wrapped.predict(X).ravel()) <= {"yes", "no"}
        assert wrapped.predict_proba(X).shape == (30, 2)
        np.testing.assert_allclose(wrapped.score(X, labels), np.mean(wrapped.predict(X).ravel() == labels))


def test_scikit_learn_searches_and_validates() -> None:
    wrapped = KerasClassifier(make, verbose=0)
    assert is_classifier(wrapped)
    assert is_regressor(KerasRegressor(make))
    copied: Any = clone(wrapped)
    assert copied.get_params() == {"verbose": 0, "build_fn": make}
    search = GridSearchCV(wrapped, {"epochs": [1, 2]}, cv=2).fit(X, (Y > 2).astype(int))
    assert search.best_params_["epochs"] in (1, 2)
    regressor = KerasRegressor(make, units=1, loss="mse", metrics=(), epochs=1, verbose=0)
    scores = cross_val_score(make_pipeline(StandardScaler(), regressor), X, Y, cv=2, error_score="raise")
    assert np.isfinite(scores).all()
    assert scores.shape == (2,)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="units2 is not a legal parameter"):
        KerasClassifier(make, units2=3)
    wrapped = KerasClassifier(make, metrics=(), verbose=0)
    with pytest.raises(ValueError, match=r"Invalid shape for y: \(30, 1, 1\)"):
        wrapped.fit(X, np.zeros((30, 1, 1)))
    wrapped.fit(X, Y > 2)
    with pytest.raises(ValueError, match="not configured to compute accuracy"):
        wrapped.score(X, Y > 2)
