"""`LambdaCallback`: a callback made of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.keras.callbacks.callback import Callback


class LambdaCallback(Callback):
    """Calls the given functions as hooks.

    Epoch and batch hooks are called with `(index, logs)`, the others with `(logs)`. Any other hook
    (`on_train_batch_end=`, `on_test_begin=`) may be given by its name, too.

    >>> show = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch, logs["loss"]))
    """

    def __init__(
        self,
        on_epoch_begin: Callable[..., Any] | None = None,
        on_epoch_end: Callable[..., Any] | None = None,
        on_batch_begin: Callable[..., Any] | None = None,
        on_batch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None,
        on_train_end: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        given = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
            **kwargs,
        }
        for name, value in given.items():
            if value is not None:
                setattr(self, name, value)
