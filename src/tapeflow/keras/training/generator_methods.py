"""`fit_generator` and its like: the names of old for `fit`, `evaluate` and `predict` of a generator."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from tapeflow.keras.annotations import CallbacksLike, DataLike

if TYPE_CHECKING:
    from tapeflow.keras.callbacks.history import History


class GeneratorMethods:
    """The methods that scripts from before TensorFlow 2.1 call; `fit` and the others have taken over."""

    fit: Any
    evaluate: Any
    predict: Any

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: str | int = 1,
        callbacks: CallbacksLike = None,
        validation_data: DataLike = None,
        validation_steps: int | None = None,
        **options: Any,
    ) -> History:
        """The same as `fit`."""
        _warn("fit")
        return self.fit(
            generator,
            steps_per_epoch=steps_per_epoch,
            epochs=epochs,
            verbose=verbose,
            callbacks=callbacks,
            validation_data=validation_data,
            validation_steps=validation_steps,
            **options,
        )

    def evaluate_generator(
        self, generator: Any, steps: int | None = None, callbacks: CallbacksLike = None, **options: Any
    ) -> Any:
        """The same as `evaluate`, silent by default."""
        _warn("evaluate")
        return self.evaluate(generator, steps=steps, callbacks=callbacks, **{"verbose": 0, **options})

    def predict_generator(
        self, generator: Any, steps: int | None = None, callbacks: CallbacksLike = None, **options: Any
    ) -> Any:
        """The same as `predict`, silent by default."""
        _warn("predict")
        return self.predict(generator, steps=steps, callbacks=callbacks, **{"verbose": 0, **options})


def _warn(method: str) -> None:
    warnings.warn(
        f"`Model.{method}_generator` is deprecated. Please use `Model.{method}`, which supports generators.",
        stacklevel=3,
    )
