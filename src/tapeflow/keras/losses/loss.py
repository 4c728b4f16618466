"""`Loss`, the base class, and `LossFunctionWrapper`, which makes a class of a loss function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import tapeflow as tf
from tapeflow.autograph.callees import converted
from tapeflow.engine.recording.symbolic import Symbolic
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.keras.losses.reduction import Reduction, compute_weighted_loss, match_labels
from tapeflow.keras.saving.registry import get_registered_name

LossFunction = Callable[..., Any]
_TENSORS = (TensorBase, Symbolic)


class Loss:
    """The base class of losses: `call` returns one value per sample, calling the object returns a scalar.

    Args:
        reduction: how the values of the samples become one; see `Reduction`.
        name: what logs call it.
        dtype: cast labels and predictions to this first; by default they are taken as they are.
    """

    def __init__(
        self, reduction: str | None = Reduction.AUTO, name: str | None = None, dtype: Any = None
    ) -> None:
        Reduction.validate(reduction)
        self.reduction = Reduction.NONE if reduction is None else reduction
        self.name = name
        self._dtype = None if dtype is None else tf.as_dtype(dtype)

    def __call__(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Tensor:
        """The reduced loss; positions that the mask of `y_pred` leaves out do not count."""
        mask = _mask_of(y_pred)
        if self._dtype is not None:
            y_true, y_pred = tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype)
        losses = converted(self.call)(y_true, y_pred)
        losses_mask = _mask_of(losses)
        if mask is None:
            mask = losses_mask
        elif losses_mask is not None:
            mask = tf.logical_and(mask, losses_mask)
        return compute_weighted_loss(losses, sample_weight, self._get_reduction(), mask)

    def call(self, y_true: float, y_pred: float) -> Tensor:
        """Compute one loss per sample; subclasses define it."""
        raise NotImplementedError(
            f"Must be implemented in subclasses: {type(self).__name__} needs a method "
            "call(self, y_true, y_pred) that returns one loss per sample."
        )

    @property
    def dtype(self) -> Any:
        """What inputs are cast to, or `None`."""
        return None if self._dtype is None else self._dtype.name

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this loss again."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A loss from what `get_config` gave."""
        return cls(**config)

    def _get_reduction(self) -> str:
        return Reduction.SUM_OVER_BATCH_SIZE if self.reduction == Reduction.AUTO else self.reduction


class LossFunctionWrapper(Loss):
    """A loss function as a `Loss`.

    Args:
        fn: `fn(y_true, y_pred, **kwargs)`, giving one loss per sample.
        reduction: see `Loss`.
        name: see `Loss`.
        dtype: see `Loss`.
        **kwargs: passed to `fn` at every call, and kept in the config.
    """

    def __init__(
        self,
        fn: LossFunction,
        reduction: str | None = Reduction.AUTO,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reduction, name, dtype)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Tensor:
        # Keras lines the ranks up for tensors only. Arrays are left as they are, and the functions warn.
        if isinstance(y_pred, _TENSORS) and isinstance(y_true, _TENSORS):
            y_true, y_pred = match_labels(y_true, y_pred)
        return converted(self.fn)(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        kwargs = {k: v.numpy().tolist() if tf.is_tensor(v) else v for k, v in self._fn_kwargs.items()}
        return {**super().get_config(), **kwargs, "fn": get_registered_name(self.fn)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        arguments = dict(config)
        fn = arguments.pop("fn", None)
        if cls is LossFunctionWrapper:
            from tapeflow.keras.losses.serialization import get  # cycle

            arguments["fn"] = get(fn)
        return cls(**arguments)


def _mask_of(tensor: TensorLike) -> Tensor | None:
    return getattr(tensor, "_keras_mask", None)
