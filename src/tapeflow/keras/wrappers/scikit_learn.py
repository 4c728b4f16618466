"""`tf.keras.wrappers.scikit_learn`: models as scikit-learn estimators, for `GridSearchCV` and pipelines.

TensorFlow had them until 2.11; the package SciKeras goes further.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import tapeflow as tf

_TRAINING = tf.keras.Model.fit, tf.keras.Model.predict, tf.keras.Model.evaluate


def _names(function: Callable[..., Any]) -> Iterable[str]:
    return inspect.signature(function).parameters


class BaseWrapper:
    """The base class of the wrappers: a function that creates the model, with arguments for it and for `fit`.

    Args:
        build_fn: gives a compiled model; without it the class itself is called, which a subclass makes possible.
        sk_params: arguments of `build_fn`, `fit`, `predict` and `evaluate`; each takes those it knows.
    """

    _estimator_type = ""
    model: Any

    def __init__(self, build_fn: Callable[..., Any] | None = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def _build_function(self) -> Callable[..., Any]:
        function: Any = self if self.build_fn is None else self.build_fn
        return function if inspect.isroutine(function) else function.__call__

    def check_params(self, params: Mapping[str, Any]) -> None:
        """Raise an error for arguments that no function accepts."""
        build = self._build_function()
        if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(build).parameters.values()):
            return
        known = {name for function in (*_TRAINING, build) for name in _names(function)} - {"self"}
        for name in params:
            if name not in known:
                raise ValueError(
                    f"{name} is not a legal parameter. build_fn, fit, predict and evaluate lack it."
                )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments this was made with."""
        return {**self.sk_params, "build_fn": self.build_fn}

    def set_params(self, **params: Any) -> Any:
        """Change arguments; itself."""
        params = dict(params)
        self.build_fn = params.pop("build_fn", self.build_fn)
        self.check_params(params)
        self.sk_params = {**self.sk_params, **params}
        return self

    def filter_sk_params(
        self, fn: Callable[..., Any], override: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Those of the arguments that a function accepts, with overrides."""
        known = _names(fn)
        return {k: v for k, v in self.sk_params.items() if k in known} | dict(override or {})

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Make a new model and train it; its history."""
        build = self._build_function()
        self.model = build(**self.filter_sk_params(build))
        fit = self.filter_sk_params(tf.keras.Model.fit, kwargs)
        return self.model.fit(x, self._targets(y), **fit)

    def _targets(self, y: Any) -> Any:
        """Classes as rows of zeros and ones, where the loss compares such."""
        loss = self.model.loss
        name = loss if isinstance(loss, str) else getattr(loss, "__name__", type(loss).__name__)
        is_wanted = name in ("categorical_crossentropy", "CategoricalCrossentropy")
        return tf.keras.utils.to_categorical(y) if is_wanted and np.ndim(y) != 2 else y

    def _predicted(self, x: Any, kwargs: Mapping[str, Any]) -> np.ndarray:
        return self.model.predict(x, **self.filter_sk_params(tf.keras.Model.predict, kwargs))

    def _evaluated(self, x: Any, y: Any, kwargs: Mapping[str, Any]) -> dict[str, float]:
        options = self.filter_sk_params(tf.keras.Model.evaluate, kwargs)
        return self.model.evaluate(x, self._targets(y), **{**options, "return_dict": True})

    def __sklearn_is_fitted__(self) -> bool:
        return "model" in vars(self)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags  # optional

        is_classifier = self._estimator_type == "classifier"
        return Tags(
            estimator_type=self._estimator_type,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if is_classifier else None,
            regressor_tags=None if is_classifier else RegressorTags(),
        )


class KerasClassifier(BaseWrapper):
    """Wraps a model that predicts class probabilities as a scikit-learn classifier."""

    _estimator_type = "classifier"

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Make a new model and train it on classes of any type, or rows of zeros and ones; its history."""
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim == 1 or y.shape[1:] == (1,):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError(f"Invalid shape for y: {y.shape}. Give one class for each sample.")
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> np.ndarray:
        """The likeliest class of each sample."""
        found = self._predicted(x, kwargs)
        return self.classes_[found.argmax(-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")]

    def predict_proba(self, x: Any, **kwargs: Any) -> np.ndarray:
        """The probability of each class."""
        found = self._predicted(x, kwargs)
        return np.hstack([1 - found, found]) if found.shape[1] == 1 else found

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """The accuracy."""
        found = self._evaluated(x, np.searchsorted(self.classes_, y), kwargs)
        for name in ("accuracy", "acc"):
            if name in found:
                return found[name]
        raise ValueError(
            "The model is not configured to compute accuracy. You should pass `metrics=['accuracy']` to the "
            "`model.compile()` method."
        )


class KerasRegressor(BaseWrapper):
    """Wraps a model that predicts numbers as a scikit-learn regressor."""

    _estimator_type = "regressor"

    def predict(self, x: Any, **kwargs: Any) -> np.ndarray:
        """The outputs, without axes of size 1."""
        return np.squeeze(self._predicted(x, kwargs))

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """The loss, negative: greater is better."""
        return -self._evaluated(x, y, kwargs)["loss"]
