"""Keras models among scikit-learn's, as in the README of scikeras."""

import pickle

import numpy as np
from scikeras.wrappers import KerasClassifier, KerasRegressor
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import AdaBoostClassifier, BaggingRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from tensorflow import keras

X, y = make_classification(200, 20, n_informative=10, random_state=0)
X = X.astype(np.float32)
y = y.astype(np.int64)


def get_model(hidden_layer_dim, meta):
    n_features_in_ = meta["n_features_in_"]
    X_shape_ = meta["X_shape_"]
    n_classes_ = meta["n_classes_"]
    model = keras.models.Sequential()
    model.add(keras.layers.Dense(n_features_in_, input_shape=X_shape_[1:]))
    model.add(keras.layers.Activation("relu"))
    model.add(keras.layers.Dense(hidden_layer_dim))
    model.add(keras.layers.Activation("relu"))
    model.add(keras.layers.Dense(n_classes_))
    model.add(keras.layers.Activation("softmax"))
    return model


clf = KerasClassifier(
    get_model,
    loss="sparse_categorical_crossentropy",
    hidden_layer_dim=32,
    epochs=10,
    verbose=0,
    random_state=1,
)
clf.fit(X, y)
proba = clf.predict_proba(X)
assert proba.shape == (200, 2)
np.testing.assert_allclose(proba.sum(1), 1, rtol=1e-5)
assert clf.score(X, y) > 0.7
again = pickle.loads(pickle.dumps(clf))
np.testing.assert_allclose(again.predict_proba(X), proba, rtol=1e-5)
clf.partial_fit(X, y)
assert len(clf.history_["loss"]) == 11

search = GridSearchCV(
    clf,
    {"hidden_layer_dim": [8, 16], "optimizer": ["adam"], "optimizer__learning_rate": [0.01], "epochs": [2]},
    refit=False,
    cv=2,
    scoring="accuracy",
    error_score="raise",
)
search.fit(X, y)
assert search.best_score_ > 0.4
pipe = Pipeline([("scale", StandardScaler()), ("net", clf)])
assert pipe.fit(X, y).predict(X).shape == (200,)

Xr, yr = make_regression(100, 5, random_state=0)
Xr, yr = Xr.astype("float32"), (yr / yr.std()).astype("float32")


def regressor(meta, compile_kwargs):
    model = keras.Sequential([keras.layers.Input((meta["n_features_in_"],)), keras.layers.Dense(1)])
    model.compile(loss="mse", optimizer=compile_kwargs["optimizer"])
    return model


reg = KerasRegressor(
    regressor, optimizer=keras.optimizers.SGD, optimizer__learning_rate=0.05, epochs=20, verbose=0
)
assert cross_val_score(reg, Xr, yr, cv=2).mean() > 0.9
reg.fit(Xr, yr)
bag = BaggingRegressor(reg, n_estimators=2, random_state=0).fit(Xr, yr)
assert bag.score(Xr, yr) > 0.9
boost = AdaBoostClassifier(clf.set_params(epochs=3), n_estimators=2, random_state=0, algorithm="SAMME").fit(
    X, y
)
assert boost.predict(X).shape == (200,)
# A convex problem, trained to its end, has one solution.
reg = KerasRegressor(
    regressor,
    optimizer=keras.optimizers.SGD,
    optimizer__learning_rate=0.1,
    epochs=300,
    batch_size=100,
    verbose=0,
)
reg.fit(Xr, yr)
print("result", {"score": [float(reg.score(Xr, yr))], "predictions": reg.predict(Xr[:5]).tolist()})
