"""`LambdaCallback`."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.callbacks import LambdaCallback


def test_calls_functions_as_hooks(fit: Any) -> None:
    seen: list[Any] = []
    fit(
        LambdaCallback(
            on_train_begin=lambda logs: seen.append("train"),
            on_epoch_begin=lambda epoch, logs: seen.append(("epoch", epoch)),
            on_batch_begin=lambda batch, logs: seen.append(("batch", batch)),
            on_train_batch_end=lambda batch, logs: seen.append(("end", batch, logs["loss"])),
            on_epoch_end=lambda epoch, logs: seen.append(("ended", epoch, logs["loss"])),
            on_train_end=lambda logs: seen.append("over"),
            note="kept",
        ),
        [{"loss": 0.5}],
        steps=1,
    )
    assert seen == ["train", ("epoch", 0), ("batch", 0), ("end", 0, 0.5), ("ended", 0, 0.5), "over"]


def test_other_arguments_become_attributes() -> None:
    assert LambdaCallback(note="kept").note == "kept"  # type: ignore[attr-defined]
