"""`CallbackList`: many callbacks called as one. It knows which batch hooks anybody wants."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tapeflow.engine.programs import phases
from tapeflow.keras.annotations import CallbacksLike
from tapeflow.keras.callbacks.callback import Callback, is_users, overrides
from tapeflow.keras.callbacks.history import History
from tapeflow.keras.callbacks.logs import Logs, StackedLogs, plain_logs
from tapeflow.keras.callbacks.progbar_logger import ProgbarLogger
from tapeflow.nest import flatten
from tapeflow.train.background import settle

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model


class CallbackList:
    """A list of callbacks, with the hooks of one.

    `fit` makes one itself; a hand-written loop makes one to have callbacks, too:

    >>> callbacks = tf.keras.callbacks.CallbackList([], add_history=True, model=model, epochs=2)
    >>> callbacks.on_train_begin()
    >>> for epoch in range(2):
    ...     callbacks.on_epoch_begin(epoch)
    ...     for step, (x, y) in enumerate(dataset):
    ...         callbacks.on_train_batch_begin(step)
    ...         logs = model.train_step((x, y))
    ...         callbacks.on_train_batch_end(step, logs)
    ...     callbacks.on_epoch_end(epoch, logs)
    >>> callbacks.on_train_end()

    Args:
        callbacks: a callback or a structure of them.
        add_history: whether to add a `History` if there is none.
        add_progbar: whether to add a `ProgbarLogger` if there is none.
        model: the model to give to each.
        **params: the parameters to give to each (`verbose`, `epochs`, `steps`).
    """

    def __init__(
        self,
        callbacks: CallbacksLike = None,
        add_history: bool = False,
        add_progbar: bool = False,
        model: Any = None,
        **params: Any,
    ) -> None:
        self.callbacks: list[Callback] = flatten(callbacks) if callbacks else []
        self.model: Any = None
        self.params: Mapping[str, Any] = {}
        for callback in self.callbacks:
            _check(callback)
        self._history = next((c for c in self.callbacks if isinstance(c, History)), None)
        if self._history is None and add_history:
            self._history = History()
            self.callbacks.append(self._history)
        if add_progbar and not any(isinstance(c, ProgbarLogger) for c in self.callbacks):
            self.callbacks.append(ProgbarLogger(count_mode="steps"))
        if model is not None:
            self.set_model(model)
        if params:
            self.set_params(params)
        self._find_batch_hooks()

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)

    def __len__(self) -> int:
        return len(self.callbacks)

    def append(self, callback: Callback) -> None:
        """Add a callback at the end."""
        _check(callback)
        self.callbacks.append(callback)
        self._find_batch_hooks()

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Give every callback the parameters of the run."""
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)
        self._find_batch_hooks()

    def set_model(self, model: Model) -> None:
        """Give every callback the model, and the model its history."""
        self.model = model
        if self._history is not None:
            model.history = self._history
        for callback in self.callbacks:
            callback.set_model(model)

    @property
    def _commits_last(self) -> list[Callback]:
        """The callbacks in the order in which they are told that something has ended."""
        return sorted(self.callbacks, key=lambda callback: callback._commits)

    def _find_batch_hooks(self) -> None:
        """Note who wants which batch hook, and with it how many steps may run at once."""
        each = self._commits_last
        self._around_steps = [c for c in self.callbacks if overrides(c, "_before_steps")]
        train = [c for c in each if c._implements_train_batch_hooks()]
        test = [c for c in each if c._implements_test_batch_hooks()]
        predict = [c for c in each if c._implements_predict_batch_hooks()]
        self._callers: dict[str, list[Callback]] = {
            "on_train_batch_begin": _that_override(train, "on_train_batch_begin", "on_batch_begin"),
            "on_train_batch_end": _that_override(train, "on_train_batch_end", "on_batch_end"),
            "on_test_batch_begin": _that_override(test, "on_test_batch_begin"),
            "on_test_batch_end": _that_override(test, "on_test_batch_end"),
            "on_predict_batch_begin": _that_override(predict, "on_predict_batch_begin"),
            "on_predict_batch_end": _that_override(predict, "on_predict_batch_end"),
        }

    def _wanting(self, mode: str) -> list[Callback]:
        return [*self._callers[f"on_{mode}_batch_begin"], *self._callers[f"on_{mode}_batch_end"]]

    @property
    def needs_batch_hooks(self) -> bool:
        """Whether anybody wants to be called at each training step."""
        return bool(self._wanting("train"))

    @property
    def needs_test_batch_hooks(self) -> bool:
        """Whether anybody wants to be called at each evaluation step."""
        return bool(self._wanting("test"))

    @property
    def needs_predict_batch_hooks(self) -> bool:
        """Whether anybody wants to be called at each prediction step."""
        return bool(self._wanting("predict"))

    @property
    def supports_fused_steps(self) -> bool:
        """Whether those who want to be called at each training step may be called some steps late."""
        return all(callback.supports_fused_steps for callback in self._wanting("train"))

    @property
    def supports_fused_test_steps(self) -> bool:
        """The same of evaluation steps."""
        return all(callback.supports_fused_steps for callback in self._wanting("test"))

    @property
    def supports_fused_predict_steps(self) -> bool:
        """The same of prediction steps."""
        return all(callback.supports_fused_steps for callback in self._wanting("predict"))

    # Batch hooks: only those who override one are called, with logs that are read when looked at.

    def _call_batch_hook(self, hook: str, batch: int, logs: Mapping[str, Any] | None) -> None:
        callers = self._callers[hook]
        if not callers:
            return
        handed = logs if isinstance(logs, Logs) else Logs(logs or {})
        for callback in callers:
            phases.timed(callback, getattr(callback, hook))(batch, handed)

    def on_steps_end(
        self,
        mode: str,
        first: int,
        logs: Mapping[str, Any] | Callable[[int], Mapping[str, Any]],
        count: int,
    ) -> None:
        """Call the batch hooks of `count` fused steps, which have run, from step `first` on.

        `logs` holds values whose first axis is the step, or is a function that gives the logs of a step
        of the group, which is asked only for steps that somebody is called for. Nobody is called for the
        steps after one at which a callback stopped the training, so a bad loss is reported once.
        """
        begin, end = f"on_{mode}_batch_begin", f"on_{mode}_batch_end"
        at_once: dict[int, Callback] = {}
        if mode == "train" and not callable(logs):
            at_once = {id(c): c for c in self._wanting(mode) if overrides(c, "_on_train_steps_end")}
            for callback in at_once.values():
                phases.timed(callback, callback._on_train_steps_end)(first, logs, count)
        wanting = [c for c in self._wanting(mode) if id(c) not in at_once]
        if not wanting:
            return
        each_step = any(not callback.wants_last_step_only for callback in wanting)
        step_logs = logs if callable(logs) else StackedLogs(logs).step
        begins, ends = (
            [
                (c.wants_last_step_only, phases.timed(c, getattr(c, hook)))
                for c in self._callers[hook]
                if id(c) not in at_once
            ]
            for hook in (begin, end)
        )
        for i in range(0 if each_step else count - 1, count):
            given = step_logs(i)
            ended = given if isinstance(given, Logs) else Logs(given)
            is_last = i == count - 1
            for hooks, handed in ((begins, {}), (ends, ended)):
                for wants_last_only, call in hooks:
                    if is_last or not wants_last_only:
                        call(first + i, handed)
            if mode == "train" and self.model is not None and self.model.stop_training:
                return

    def before_steps(self, mode: str, count: int) -> int:
        """`count` steps are about to run as one program; how many of them may."""
        if mode == "train":
            for callback in self._around_steps:
                count = min(count, callback._before_steps(count))
        return max(1, count)  # one that goes on with another `save_freq` may be late already

    def show_compiling(self, mode: str, seconds: float) -> None:
        """Have the progress bar say that a step has been compiling for so long."""
        for callback in self.callbacks:
            if isinstance(callback, ProgbarLogger):
                callback.show_compiling(mode, seconds)

    def after_steps(self, mode: str, count: int) -> None:
        """`count` steps have run, and their batch hooks have been called."""
        if mode == "train":
            for callback in self._around_steps:
                callback._after_steps(count)
            # Only then: what one keeps has what all the others have counted.
            for callback in self._around_steps:
                callback._keep_state()

    def after_begin(self) -> None:
        """Restore the callbacks after `on_train_begin`, when training is resumed."""
        for callback in self.callbacks:
            callback._keep_beginning()

    def after_epoch(self) -> None:
        """An epoch has ended, for everybody."""
        for callback in self.callbacks:
            callback._keep_state()

    def release(self) -> None:
        """`fit` is left, perhaps by an exception."""
        with contextlib.ExitStack() as stack:  # all are told, whatever one of them says
            for callback in reversed(self.callbacks):
                stack.callback(callback._release)

    def on_batch_begin(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Keras's older name of `on_train_batch_begin`."""
        self._call_batch_hook("on_train_batch_begin", batch, logs)

    def on_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Keras's older name of `on_train_batch_end`."""
        self._call_batch_hook("on_train_batch_end", batch, logs)

    def on_train_batch_begin(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """A training step begins."""
        self._call_batch_hook("on_train_batch_begin", batch, logs)

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """A training step has ended."""
        self._call_batch_hook("on_train_batch_end", batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """An evaluation step begins."""
        self._call_batch_hook("on_test_batch_begin", batch, logs)

    def on_test_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """An evaluation step has ended."""
        self._call_batch_hook("on_test_batch_end", batch, logs)

    def on_predict_batch_begin(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """A prediction step begins."""
        self._call_batch_hook("on_predict_batch_begin", batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """A prediction step has ended."""
        self._call_batch_hook("on_predict_batch_end", batch, logs)

    # The other hooks: one plain dict for all callbacks, so that what one adds (`lr`) the next ones see.

    def on_epoch_begin(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """A training epoch begins."""
        handed = plain_logs(logs)
        for callback in self.callbacks:
            callback.on_epoch_begin(epoch, handed)

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """A training epoch and its validation have ended."""
        handed = plain_logs(logs)
        for callback in self._commits_last:
            if is_users(callback) and overrides(callback, "on_epoch_end"):
                settle()  # it may look for the file that a callback before it has saved
            callback.on_epoch_end(epoch, handed)

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        """`fit` begins."""
        handed = plain_logs(logs)
        for callback in self.callbacks:
            callback.on_train_begin(handed)
        self._find_batch_hooks()  # some callbacks decide here what they want

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """`fit` ends."""
        handed = plain_logs(logs)
        for callback in self._commits_last:
            callback.on_train_end(handed)
        for callback in self.callbacks:
            callback._forget_state()

    def on_test_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        """`evaluate`, or validation inside `fit`, begins."""
        handed = plain_logs(logs)
        for callback in self.callbacks:
            callback.on_test_begin(handed)

    def on_test_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """`evaluate`, or validation inside `fit`, ends."""
        handed = plain_logs(logs)
        for callback in self.callbacks:
            callback.on_test_end(handed)

    def on_predict_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        """`predict` begins."""
        handed = plain_logs(logs)
        for callback in self.callbacks:
            callback.on_predict_begin(handed)

    def on_predict_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """`predict` ends."""
        handed = plain_logs(logs)
        for callback in self.callbacks:
            callback.on_predict_end(handed)


def _check(callback: Any) -> None:
    if isinstance(callback, Callback):
        return
    if isinstance(callback, type) and issubclass(callback, Callback):
        advice = f"Give an object, not the class: {callback.__name__}(...)."
    else:
        advice = "Derive its class from tf.keras.callbacks.Callback."
    raise TypeError(f"callbacks expected keras.callbacks.Callback instances; got {callback!r}. {advice}")


def _that_override(callbacks: list[Callback], *hooks: str) -> list[Callback]:
    return [c for c in callbacks if any(overrides(c, hook) for hook in hooks)]
