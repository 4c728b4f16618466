"""`BaseLogger`."""

from __future__ import annotations

from tapeflow.keras.callbacks import BaseLogger


def test_averages_by_size_and_keeps_the_last_of_stateful_ones() -> None:
    logger = BaseLogger(stateful_metrics=["acc"])
    logger.set_params({"metrics": ["loss", "acc", "other"]})
    for _ in range(2):  # an epoch starts anew
        logger.on_epoch_begin(0)
        logger.on_train_batch_end(0, {"loss": 1.0, "acc": 0.5, "size": 3})
        logger.on_train_batch_end(1, {"loss": 5.0, "acc": 0.75, "size": 1})
    logs: dict[str, float] = {}
    logger.on_epoch_end(0, logs)
    assert logs == {"loss": 2.0, "acc": 0.75}
