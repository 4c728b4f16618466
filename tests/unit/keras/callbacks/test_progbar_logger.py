"""`ProgbarLogger`: what it prints, and when it looks at a value."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs import compiling
from tapeflow.keras import callbacks as cb
from tapeflow.keras import utils
from tapeflow.keras.callbacks.logs import Logs


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """A function giving what was printed since, as on a terminal, times taken out."""
    monkeypatch.setenv("PYCHARM_HOSTED", "1")  # a console that is no terminal and redraws

    def printed() -> str:
        text = capsys.readouterr().out.replace("\b", "")
        text = re.sub(r"\d+(ms|us|s)\b", "T", text)
        return re.sub(r" +(?=[\r\n]|$)", "", text)

    return printed


def listed(model: Any, verbose: Any, epochs: int, steps: int | None) -> cb.CallbackList:
    return cb.CallbackList([], add_progbar=True, model=model, verbose=verbose, epochs=epochs, steps=steps)


def epoch(each: cb.CallbackList, number: int, steps: int, **validation: float) -> None:
    each.on_epoch_begin(number)
    for step in range(steps):
        each.on_train_batch_begin(step)
        each.on_train_batch_end(step, {"loss": 0.5, "mae": 0.0001})
    if validation:
        each.on_test_begin()
        each.on_test_batch_end(0, {"loss": 7.0})
        each.on_test_end({"loss": 7.0})
    each.on_epoch_end(number, {"loss": 0.25, "mae": 0.0002, **validation})


def test_bar_of_fit(model: Any, terminal: Any) -> None:
    """The text Keras 2 prints, but for the times."""
    each = listed(model, 1, 2, 3)
    each.on_train_begin()
    epoch(each, 0, 3, val_loss=0.75)
    epoch(each, 1, 3)
    each.on_train_end()
    start = "\r1/3 [=========>....................] - ETA: T - loss: 0.5000 - mae: 1.0000e-04"
    end = "\r3/3 [==============================] - T T/step - loss: 0.2500 - mae: 2.0000e-04"
    assert terminal() == f"Epoch 1/2\n{start}{end} - val_loss: 0.7500\nEpoch 2/2\n{start}{end}\n"


def test_one_epoch_has_no_heading(model: Any, terminal: Any) -> None:
    epoch(listed(model, 1, 1, 3), 0, 3)
    assert "Epoch" not in terminal()


def test_one_line_an_epoch(model: Any, terminal: Any) -> None:
    each = listed(model, 2, 2, 3)
    assert not each.needs_batch_hooks
    each.on_train_begin()
    epoch(each, 0, 3, val_loss=0.75)
    assert terminal() == (
        "Epoch 1/2\n3/3 - T - loss: 0.2500 - mae: 2.0000e-04 - val_loss: 0.7500 - T/epoch - T/step\n"
    )


def test_silence(model: Any, terminal: Any) -> None:
    each = listed(model, 0, 2, 3)
    epoch(each, 0, 3)
    assert terminal() == ""
    assert not each.needs_batch_hooks


@pytest.mark.parametrize("verbose", [1, 2])
def test_an_unknown_number_of_steps_is_counted(model: Any, terminal: Any, verbose: int) -> None:
    each = listed(model, verbose, 2, None)
    assert each.needs_batch_hooks
    epoch(each, 0, 3)
    first = terminal()
    assert ("      1/Unknown - T T/step - loss: 0.5000" in first) == (verbose == 1)
    assert "3/3 " in first
    epoch(each, 1, 3)
    assert ("\r1/3 [=========>" in terminal()) == (verbose == 1)


def test_bar_of_evaluate(model: Any, terminal: Any) -> None:
    each = listed(model, 1, 1, 2)
    each.on_test_begin()
    each.on_test_batch_end(0, {"loss": 0.5})
    each.on_test_batch_end(1, {"loss": 0.4})
    each.on_test_end({"loss": 0.3})
    end = "\r2/2 [==============================] - T T/step - loss: 0.3000\n"
    assert terminal() == f"\r1/2 [==============>...............] - ETA: T - loss: 0.5000{end}"


def test_bar_of_predict_shows_no_outputs(model: Any, terminal: Any) -> None:
    each = listed(model, 1, 1, 2)
    each.on_predict_begin()
    each.on_predict_batch_end(0, {"outputs": 1.0})
    each.on_predict_end()
    assert terminal() == (
        "\r1/2 [==============>...............] - ETA: T\r2/2 [==============================] - T T/step\n"
    )


def test_values_are_not_read_between_drawings(model: Any, terminal: Any) -> None:
    reads: list[int] = []

    def logs() -> Logs:
        return Logs({"loss": None}, lambda: reads.append(1) or {"loss": 0.5})  # type: ignore[func-returns-value]

    each = listed(model, 1, 1, 100)
    each.on_epoch_begin(0)
    for step in range(10):
        each.on_train_batch_end(step, logs())
    assert reads == [1]


def test_values_without_a_metric_are_averaged_over_all_steps(model: Any, terminal: Any) -> None:
    each = listed(model, 1, 1, 4)
    each.on_epoch_begin(0)
    for step, value in enumerate([1.0, 2.0, 3.0, 4.0]):
        each.on_train_batch_end(step, {"mine": value})
    each.on_epoch_end(0, {"mine": 5.0})
    assert terminal().endswith("- mine: 3.0000\n")  # as in Keras, where the last value counts once more


def test_fused_steps_move_the_bar_to_the_last(model: Any, terminal: Any) -> None:
    each = listed(model, 1, 1, 8)
    assert each.supports_fused_steps
    each.on_epoch_begin(0)
    each.on_steps_end("train", 0, {"loss": [4.0, 3.0, 2.0, 1.0]}, 4)
    assert terminal() == "\r4/8 [==============>...............] - ETA: T - loss: 1.0000"


def test_samples_are_counted_by_size(model: Any, terminal: Any) -> None:
    bar = cb.ProgbarLogger()
    each = cb.CallbackList([bar], model=model, verbose=1, epochs=1, samples=10)
    each.on_epoch_begin(0)
    each.on_train_batch_end(0, {"loss": 0.5, "size": 5, "batch": 0})
    assert terminal() == "\r 5/10 [==============>...............] - ETA: T - loss: 0.5000"


@pytest.mark.parametrize(("interactive", "verbose"), [(True, 1), (False, 2)])
def test_auto(interactive: bool, verbose: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utils.messages, "_is_interactive", interactive)
    bar = cb.ProgbarLogger("steps")
    bar.set_params({"verbose": "auto", "epochs": 1, "steps": 2})
    assert bar.verbose == verbose


def test_unknown_count_mode() -> None:
    with pytest.raises(
        ValueError, match='Unknown `count_mode`: x. Expected values are \\["samples", "steps"\\]'
    ):
        cb.ProgbarLogger("x")


def test_fit_says_that_it_compiles(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYCHARM_HOSTED", "1")
    monkeypatch.setattr(compiling, "_FIRST_S", 0.001)
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, "elu"), tf.keras.layers.Dense(1)])
    model.compile("adamax", "log_cosh")
    model.fit(np.ones((4, 7), "float32"), np.ones((4, 1), "float32"), verbose=1)
    assert re.search(r"0/1 \[\.+\] - compiling train_step, \d+s", capsys.readouterr().out)
