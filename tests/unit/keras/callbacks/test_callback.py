"""`Callback`, and the contract that every callback keeps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.keras import callbacks as cb

MADE: dict[str, Callable[[Path], Any]] = {
    "Callback": lambda path: cb.Callback(),
    "BackupAndRestore": lambda path: cb.BackupAndRestore(path / "backup"),
    "BaseLogger": lambda path: cb.BaseLogger(),
    "CSVLogger": lambda path: cb.CSVLogger(path / "log.csv"),
    "EarlyStopping": lambda path: cb.EarlyStopping(),
    "History": lambda path: cb.History(),
    "LambdaCallback": lambda path: cb.LambdaCallback(),
    "LearningRateScheduler": lambda path: cb.LearningRateScheduler(lambda epoch: 0.5),
    "ModelCheckpoint": lambda path: cb.ModelCheckpoint(path / "{epoch}.h5"),
    "ProgbarLogger": lambda path: cb.ProgbarLogger(),
    "ReduceLROnPlateau": lambda path: cb.ReduceLROnPlateau(),
    "RemoteMonitor": lambda path: cb.RemoteMonitor("http://127.0.0.1:9"),
    "SidecarEvaluatorModelExport": lambda path: cb.SidecarEvaluatorModelExport(
        path / "best", path / "{epoch}"
    ),
    "SwapEMAWeights": lambda path: cb.SwapEMAWeights(),
    "TensorBoard": lambda path: cb.TensorBoard(path / "logs", write_graph=False),
    "TerminateOnNaN": lambda path: cb.TerminateOnNaN(),
}
WITHOUT_INDEX = [f"on_{mode}_{when}" for mode in ("train", "test", "predict") for when in ("begin", "end")]
WITH_INDEX = [
    f"on_{what}_{when}"
    for what in ("epoch", "batch", "train_batch", "test_batch", "predict_batch")
    for when in ("begin", "end")
]
ADDS_LR = ("LearningRateScheduler", "ReduceLROnPlateau")


def test_every_callback_is_in_the_contract() -> None:
    public = {name for name in cb.__all__ if isinstance(getattr(cb, name), type)}
    assert public - {"CallbackList"} <= set(MADE)


@pytest.mark.parametrize("name", MADE)
class TestContract:
    @pytest.fixture
    def callback(self, name: str, tmp_path: Path, model: Any) -> Any:
        made = MADE[name](tmp_path)
        model.optimizer.use_ema = True
        made.set_model(model)
        made.set_params({"verbose": 0, "epochs": 2, "steps": 2})
        return made

    @pytest.mark.filterwarnings(
        "ignore:.*not available|.*RemoteMonitor|Can save best model only with val_loss"
    )
    def test_hooks_take_logs_none_and_return_nothing(self, callback: Any) -> None:
        callback.on_train_begin()
        for hook in WITH_INDEX:
            assert getattr(callback, hook)(0, logs=None) is None
        for hook in WITHOUT_INDEX[1:]:
            assert getattr(callback, hook)(logs=None) is None

    @pytest.mark.filterwarnings("ignore:.*RemoteMonitor")
    def test_hooks_leave_logs_alone(self, callback: Any, name: str) -> None:
        logs = {"loss": 0.5, "val_loss": 0.25}
        callback.on_train_begin({})
        for hook in WITH_INDEX:
            given = copy.copy(logs)
            getattr(callback, hook)(0, given)
            if name in ADDS_LR and hook == "on_epoch_end":
                given.pop("lr")
            assert given == logs, hook

    @pytest.mark.filterwarnings("ignore:.*RemoteMonitor")
    def test_survives_two_fits(self, callback: Any, fit: Any) -> None:
        logs = [{"loss": 0.5, "val_loss": 0.25}, {"loss": 0.4, "val_loss": 0.2}]
        assert fit(callback, logs).history["loss"] == [0.5, 0.4]
        fit(callback, logs)

    def test_says_whether_steps_may_be_fused(self, callback: Any) -> None:
        alone = cb.CallbackList([callback])
        # One may stop the training at any step: no other may have run by then.
        assert alone.supports_fused_steps is not isinstance(callback, cb.TerminateOnNaN)
        assert alone.supports_fused_test_steps
        assert alone.supports_fused_predict_steps


def test_a_subclass_need_not_call_super_init(fit: Any, model: Any) -> None:
    class Careless(cb.Callback):
        def __init__(self) -> None:
            self.losses: list[float] = []

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            self.losses.append(logs["loss"])

    careless = Careless()
    assert careless.model is None
    assert careless.params is None
    fit([careless], [{"loss": 0.5}])
    assert careless.losses == [0.5]
    assert careless.model is model


def test_train_batch_hooks_call_the_old_names() -> None:
    got = []

    class Old(cb.Callback):
        def on_batch_begin(self, batch: int, logs: Any = None) -> None:
            got.append(("begin", batch, logs))

        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            got.append(("end", batch, logs))

    old = Old()
    old.on_train_batch_begin(1, {"a": 1})
    old.on_train_batch_end(2, {"b": 2})
    assert got == [("begin", 1, {"a": 1}), ("end", 2, {"b": 2})]


def test_a_subclass_may_say_itself_what_it_implements() -> None:
    """Keras's hook for it, which callbacks that switch batch hooks off override."""

    class Off(cb.Callback):
        def _implements_train_batch_hooks(self) -> bool:
            return False

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            raise AssertionError

    each = cb.CallbackList([Off()])
    assert not each.needs_batch_hooks
    each.on_train_batch_end(0, {})
