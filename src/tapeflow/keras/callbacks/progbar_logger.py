"""`ProgbarLogger`: the progress bar of `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from tapeflow.keras.callbacks.callback import Callback
from tapeflow.keras.utils.messages import is_interactive_logging_enabled, say
from tapeflow.keras.utils.progress import Progbar


class ProgbarLogger(Callback):
    """Prints the progress bar and the logs; `fit` adds one unless `verbose=0`.

    Logs are read only when the bar is drawn, some twenty times a second, so that training does not wait
    for values nobody sees.

    Args:
        count_mode: whether the bar counts `"samples"` or `"steps"`.
        stateful_metrics: names whose last value is shown instead of the average of all; the model's metrics
            are among them anyway.
    """

    supports_fused_steps = True
    wants_last_step_only = True

    def __init__(self, count_mode: str = "samples", stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(f'Unknown `count_mode`: {count_mode}. Expected values are ["samples", "steps"]')
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or ())
        self.verbose = 1
        self.epochs = 1
        self.seen = 0
        self.target: int | None = None
        self.progbar: Progbar | None = None
        self._drawn_at_s = 0.0
        self._is_in_fit = False

    def set_params(self, params: Mapping[str, Any]) -> None:
        super().set_params(params)
        verbose = params.get("verbose", 1)
        self.verbose = (1 if is_interactive_logging_enabled() else 2) if verbose == "auto" else int(verbose)
        self.epochs = params.get("epochs", 1)
        self.target = params.get("steps" if self.use_steps else "samples")

    def _wants_batches(self) -> bool:
        # A total that is not known is counted, in the first epoch.
        return self.verbose == 1 or (self.verbose != 0 and self.target is None)

    def _implements_train_batch_hooks(self) -> bool:
        return self._wants_batches()

    def _implements_test_batch_hooks(self) -> bool:
        return self._wants_batches()

    def _implements_predict_batch_hooks(self) -> bool:
        return self._wants_batches()

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._is_in_fit = True  # validation inside `fit` has no bar

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self._is_in_fit = False

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._start()
        if self.verbose and self.epochs > 1:
            say(f"Epoch {epoch + 1}/{self.epochs}")

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        if not self._is_in_fit:
            self._start()

    def on_predict_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._start()

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self._advance(batch, logs)

    def on_test_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if not self._is_in_fit:
            self._advance(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self._advance(batch, None)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._finish(logs)

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        if not self._is_in_fit:
            self._finish(logs)

    def on_predict_end(self, logs: dict[str, Any] | None = None) -> None:
        self._finish(logs)

    def show_compiling(self, mode: str, seconds: float) -> None:
        """Say behind the bar that a step is being compiled; another thread calls this while it is."""
        if self.progbar is not None:
            self.progbar.note(f"compiling {mode}_step, {seconds:.0f}s")

    def _start(self) -> Progbar:
        self.seen = 0
        self._drawn_at_s = 0.0
        self.progbar = Progbar(
            target=self.target,
            verbose=self.verbose,
            stateful_metrics=self._names_shown_as_they_are(),
            unit_name="step" if self.use_steps else "sample",
        )
        return self.progbar

    def _names_shown_as_they_are(self) -> set[str]:
        # Asked again at every drawing: compiled metrics come to be during the first step.
        if self.model is not None:
            self.stateful_metrics |= {metric.name for metric in self.model.metrics}
        return self.stateful_metrics

    def _advance(self, batch: int, logs: dict[str, Any] | None) -> None:
        logs = {} if logs is None else logs
        bar = self.progbar or self._start()
        if self.use_steps:
            self.seen = batch + 1
        else:
            self.seen += logs.get("size", 0) * logs.get("num_steps", 1)
        if self.verbose != 1:
            return
        now_s = time.time()
        is_due = now_s - self._drawn_at_s >= bar.interval
        if not is_due and logs.keys() <= bar.stateful_metrics:
            return  # nothing to draw, nothing to add to an average
        if is_due:
            self._drawn_at_s = now_s
            bar.stateful_metrics |= self._names_shown_as_they_are()
        bar.update(self.seen, _shown(logs), finalize=False)

    def _finish(self, logs: dict[str, Any] | None) -> None:
        bar = self.progbar or self._start()
        target = self.seen if self.target is None else self.target
        self.target = bar.target = target
        bar.stateful_metrics |= self._names_shown_as_they_are()
        bar.update(target, _shown(logs or {}), finalize=True)


def _shown(logs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in logs.items() if name not in ("size", "num_steps", "batch")]
