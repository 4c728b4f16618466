"""`SwapEMAWeights`: evaluate with the averaged weights, train with the current ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.keras.callbacks.callback import Callback

if TYPE_CHECKING:
    from tapeflow.keras.optimizers.optimizer import Optimizer


class SwapEMAWeights(Callback):
    """Puts the optimizer's averaged weights into the model for evaluation and prediction, and back.

    The optimizer must have `use_ema=True`. The average itself is not touched, so training that ends early
    still ends with it.

    Args:
        swap_on_epoch: whether the averaged weights stay from the end of an epoch to the start of the next,
            so that a `ModelCheckpoint` after this callback saves them.
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        self._kept: list[tuple[Any, Any]] | None = None  # (variable, its own value) while swapped

    @property
    def are_averages_in_model(self) -> bool:
        """Whether the model holds the averaged weights now."""
        return self._kept is not None

    def get_training_state(self) -> Any:
        """The model's own weights, while it holds the averaged ones."""
        return {"kept": None if self._kept is None else [value for _, value in self._kept]}

    def set_training_state(self, state: Any) -> None:
        """Hold the model's own weights again."""
        pairs = [] if state["kept"] is None else _averages(self.model.optimizer)
        own = [(pair[0], value) for pair, value in zip(pairs, state["kept"] or (), strict=True)]
        self._kept = None if state["kept"] is None else own

    def _swap_in(self) -> None:
        if self._kept is None:
            pairs = _averages(self.model.optimizer)
            self._kept = [(variable, variable.numpy()) for variable, _ in pairs]
            for variable, average in pairs:
                variable.assign(average)

    def _swap_out(self) -> None:
        kept, self._kept = self._kept, None
        for variable, value in kept or ():
            variable.assign(value)

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._swap_out()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if self.swap_on_epoch:
            self._swap_in()

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self._kept = None  # the optimizer has put its averages into the model for good

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._swap_in()

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        self._swap_out()

    def on_predict_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._swap_in()

    def on_predict_end(self, logs: dict[str, Any] | None = None) -> None:
        self._swap_out()


def _averages(optimizer: Optimizer) -> list[tuple[Any, Any]]:
    """(variable, its average) for each trainable variable; none before the first step."""
    inner = getattr(optimizer, "inner_optimizer", optimizer)  # a LossScaleOptimizer wraps another
    if not getattr(inner, "use_ema", False):
        raise ValueError(
            "SwapEMAWeights must be used when `use_ema=True` is set on the optimizer. "
            f"Received: use_ema={getattr(inner, 'use_ema', None)}"
        )
    averages = getattr(inner, "_model_variables_moving_average", ())
    return list(zip(getattr(inner, "_trainable_variables", ()), averages, strict=True))
