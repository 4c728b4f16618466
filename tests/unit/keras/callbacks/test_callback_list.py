"""`CallbackList`: who is called, in which order, with what, and who is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import callbacks as cb
from tapeflow.keras.callbacks.logs import Logs


class Recorder(cb.Callback):
    """Notes its calls in a list that several share."""

    def __init__(self, seen: list[Any] | None = None, name: str = "") -> None:
        super().__init__()
        self.seen = [] if seen is None else seen
        self.name = name

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.seen.append((self.name + "begin", batch))

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.seen.append((self.name + "end", batch, dict(logs)))


class Fused(Recorder):
    supports_fused_steps = True


class LastOnly(Fused):
    wants_last_step_only = True


class OldNames(cb.Callback):
    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        self.got = (batch, logs)


class EpochsOnly(cb.Callback):
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.got = logs


def test_who_needs_batch_hooks() -> None:
    assert not cb.CallbackList([EpochsOnly(), cb.History(), cb.EarlyStopping()]).needs_batch_hooks
    assert cb.CallbackList([EpochsOnly(), Recorder()]).needs_batch_hooks
    assert cb.CallbackList([OldNames()]).needs_batch_hooks
    assert cb.CallbackList([cb.LambdaCallback(on_batch_end=lambda b, logs: None)]).needs_batch_hooks
    assert cb.CallbackList([cb.LambdaCallback(on_train_batch_begin=lambda b, logs: None)]).needs_batch_hooks
    assert not cb.CallbackList([cb.LambdaCallback(on_epoch_end=lambda e, logs: None)]).needs_batch_hooks
    assert not cb.CallbackList([Recorder()]).needs_test_batch_hooks
    assert not cb.CallbackList([Recorder()]).needs_predict_batch_hooks


def test_who_needs_test_and_predict_hooks() -> None:
    test = cb.LambdaCallback(on_test_batch_end=lambda b, logs: None)
    predict = cb.LambdaCallback(on_predict_batch_begin=lambda b, logs: None)
    each = cb.CallbackList([test])
    assert each.needs_test_batch_hooks
    assert not each.needs_batch_hooks
    assert not each.supports_fused_test_steps
    assert each.supports_fused_predict_steps
    each = cb.CallbackList([predict])
    assert each.needs_predict_batch_hooks
    assert not each.supports_fused_predict_steps


def test_fusing_needs_everybody_who_is_called() -> None:
    assert cb.CallbackList([]).supports_fused_steps
    assert cb.CallbackList([EpochsOnly(), Fused()]).supports_fused_steps
    assert not cb.CallbackList([Fused(), Recorder()]).supports_fused_steps
    assert not cb.CallbackList([OldNames()]).supports_fused_steps


def test_a_batch_hook_added_to_a_builtin_callback_is_called_in_time() -> None:
    class Mine(cb.EarlyStopping):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None: ...

    assert not cb.CallbackList([Mine()]).supports_fused_steps


def test_order_of_calls_is_the_order_of_the_list() -> None:
    seen: list[Any] = []
    each = cb.CallbackList([Recorder(seen, "a "), Recorder(seen, "b ")])
    each.on_train_batch_begin(3)
    each.on_train_batch_end(3, {"loss": 1.0})
    assert seen == [("a begin", 3), ("b begin", 3), ("a end", 3, {"loss": 1.0}), ("b end", 3, {"loss": 1.0})]


def test_old_and_new_names_reach_the_same_hooks() -> None:
    old, new = OldNames(), Recorder()
    each = cb.CallbackList([old, new])
    each.on_batch_begin(0)
    each.on_batch_end(1, {"loss": 2.0})
    assert old.got == (1, {"loss": 2.0})
    assert new.seen == [("begin", 0), ("end", 1, {"loss": 2.0})]


def test_logs_of_batches_are_lazy_dicts_and_of_epochs_plain_ones() -> None:
    batch, epoch = OldNames(), EpochsOnly()
    each = cb.CallbackList([batch, epoch])
    each.on_train_batch_end(0, {"loss": tf.constant(0.5)})
    each.on_epoch_end(0, {"loss": tf.constant(0.5)})
    assert isinstance(batch.got[1], Logs)
    assert batch.got[1] == {"loss": 0.5}
    assert type(epoch.got) is dict
    assert type(epoch.got["loss"]) is float


def test_nobody_reading_means_nothing_runs(counting: Any) -> None:
    class Deaf(cb.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None: ...

    each = cb.CallbackList([Deaf()])
    x = tf.Variable(tf.ones([4]))
    with counting() as spent:
        each.on_train_batch_end(0, {"loss": tf.reduce_sum(x.assign_add(tf.ones([4])))})
    assert spent.dispatched == spent.op_by_op == 0


def test_logs_none_becomes_an_empty_dict() -> None:
    got: list[Any] = []
    hook = lambda *args: got.append(args[-1])  # noqa: E731
    each = cb.CallbackList([cb.LambdaCallback(hook, hook, hook, hook, hook, hook)])
    each.on_train_begin()
    each.on_epoch_begin(0)
    each.on_train_batch_begin(0)
    each.on_train_batch_end(0)
    each.on_epoch_end(0)
    each.on_train_end()
    assert got == [{}] * 6


def test_what_one_adds_to_epoch_logs_the_next_ones_see() -> None:
    class Adds(cb.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            logs["extra"] = 1

    later = EpochsOnly()
    given = {"loss": 0.5}
    cb.CallbackList([Adds(), later]).on_epoch_end(0, given)
    assert later.got == {"loss": 0.5, "extra": 1}
    assert given == {"loss": 0.5}


def test_fused_steps_are_called_one_by_one_afterwards() -> None:
    seen: list[Any] = []
    each = cb.CallbackList([Fused(seen)])
    each.on_steps_end("train", 4, {"loss": tf.constant([1.0, 2.0])}, 2)
    assert seen == [("begin", 4), ("end", 4, {"loss": 1.0}), ("begin", 5), ("end", 5, {"loss": 2.0})]


def test_of_fused_steps_some_want_the_last_alone() -> None:
    every, last = Fused(), LastOnly()
    each = cb.CallbackList([every, last])
    each.on_steps_end("train", 0, {"loss": np.array([1.0, 2.0, 3.0])}, 3)
    assert [call[:2] for call in every.seen if call[0] == "end"] == [("end", 0), ("end", 1), ("end", 2)]
    assert last.seen == [("begin", 2), ("end", 2, {"loss": 3.0})]
    alone = LastOnly()
    cb.CallbackList([alone]).on_steps_end("train", 0, {"loss": np.array([1.0, 2.0])}, 2)
    assert alone.seen == [("begin", 1), ("end", 1, {"loss": 2.0})]


def test_logs_of_fused_steps_may_be_a_function_or_lists() -> None:
    asked: list[int] = []

    def logs(i: int) -> dict[str, Any]:
        asked.append(i)
        return {"loss": tf.constant(float(i))}

    last, every = LastOnly(), Fused()
    cb.CallbackList([last]).on_steps_end("train", 0, logs, 3)
    assert asked == [2]
    assert last.seen[-1] == ("end", 2, {"loss": 2.0})
    cb.CallbackList([every]).on_steps_end("train", 0, {"loss": [tf.constant(1.0), tf.constant(2.0)]}, 2)
    assert [call[2]["loss"] for call in every.seen if call[0] == "end"] == [1.0, 2.0]


def test_fused_steps_after_a_stop_are_not_reported(model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    each = cb.CallbackList([cb.TerminateOnNaN()], model=model)
    each.on_steps_end("train", 8, {"loss": np.array([1.0, np.nan, np.nan, np.nan])}, 4)
    assert model.stop_training
    assert capsys.readouterr().out == "Batch 9: Invalid loss, terminating training\n"


def test_append_joins_the_calls() -> None:
    each = cb.CallbackList([])
    added = Recorder()
    each.append(added)
    assert each.needs_batch_hooks
    each.on_train_batch_begin(0)
    assert added.seen == [("begin", 0)]
    assert list(each) == [added]
    assert len(each) == 1


def test_a_hook_set_in_on_train_begin_is_called() -> None:
    class Late(cb.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            self.on_train_batch_end = lambda batch, logs=None: got.append(batch)

    got: list[int] = []
    each = cb.CallbackList([Late()])
    assert not each.needs_batch_hooks
    each.on_train_begin()
    assert each.needs_batch_hooks
    each.on_train_batch_end(7, {})
    assert got == [7]


def test_model_and_params_reach_everybody(model: Any) -> None:
    inside = EpochsOnly()
    each = cb.CallbackList([[inside]], add_history=True, model=model, verbose=0, epochs=3, steps=5)
    assert inside.model is model
    assert inside.params == {"verbose": 0, "epochs": 3, "steps": 5}
    assert isinstance(model.history, cb.History)
    assert each.callbacks[-1] is model.history


def test_defaults_are_added_once(model: Any) -> None:
    history, bar = cb.History(), cb.ProgbarLogger("steps")
    each = cb.CallbackList([history, bar], add_history=True, add_progbar=True, model=model)
    assert each.callbacks == [history, bar]
    assert model.history is history
    each = cb.CallbackList(None, add_history=True, add_progbar=True)
    assert [type(c) for c in each] == [cb.History, cb.ProgbarLogger]
    one = EpochsOnly()
    assert cb.CallbackList(one).callbacks == [one]


def test_a_class_instead_of_an_object() -> None:
    with pytest.raises(
        TypeError,
        match=r"expected keras.callbacks.Callback instances; got <class .*"
        r"Give an object, not the class: EarlyStopping\(...\)",
    ):
        cb.CallbackList([cb.EarlyStopping])
    with pytest.raises(TypeError, match="got 'early'. Derive its class from tf.keras.callbacks.Callback"):
        cb.CallbackList(["early"])
    with pytest.raises(TypeError, match="expected keras.callbacks.Callback instances; got 3"):
        cb.CallbackList([]).append(3)  # type: ignore[arg-type]


def test_everybody_has_counted_before_anybody_keeps_a_state() -> None:
    seen: list[str] = []

    class Counts(cb.Callback):
        def _before_steps(self, count: int) -> int:
            return count - 5

        def _after_steps(self, count: int) -> None:
            seen.append("counted")

        def _keep_state(self) -> None:
            seen.append("kept")

    each = cb.CallbackList([Counts(), Counts()])
    assert each.before_steps("train", 8) == 1  # at least: there is no program of no steps
    each.after_steps("train", 1)
    assert seen == ["counted", "counted", "kept", "kept"]
