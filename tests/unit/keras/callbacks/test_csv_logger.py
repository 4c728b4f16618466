"""`CSVLogger`: the file, byte for byte as Keras 2 writes it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.keras.callbacks import CSVLogger


def text(path: Path) -> str:
    return path.read_bytes().decode()


def test_columns_and_missing_values(fit: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    fit(CSVLogger(path), [{"loss": 0.5, "acc": 1}, {"loss": 0.25, "acc": 2, "val_loss": 3.0, "val_acc": 4}])
    assert text(path) == "epoch,acc,loss,val_acc,val_loss\r\n0,1,0.5,NA,NA\r\n1,2,0.25,4,3.0\r\n"


def test_separator_and_arrays(fit: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    logs = {"f1": np.array([0.5, 1.0]), "val_f1": np.array(2.0), "val_name": "x"}
    CSVLogger(path, separator=";")
    logger = CSVLogger(path, separator=";")
    logger.on_train_begin()
    logger.on_epoch_end(0, logs)
    logger.on_train_end()
    assert text(path) == 'epoch;f1;val_f1;val_name\r\n0;"""[0.5, 1.0]""";2.0;x\r\n'


def test_append_continues_without_a_second_header(fit: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    fit(CSVLogger(path, append=True), [{"loss": 0.5, "val_loss": 1.0}])
    fit(CSVLogger(path, append=True), [{"loss": 0.25, "val_loss": 2.0}], initial_epoch=1)
    assert text(path) == "epoch,loss,val_loss\r\n0,0.5,1.0\r\n1,0.25,2.0\r\n"
    fit(CSVLogger(path), [{"loss": 3.0, "val_loss": 4.0}])
    assert text(path) == "epoch,loss,val_loss\r\n0,3.0,4.0\r\n"


def test_lines_are_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    logger = CSVLogger(path)
    logger.on_train_begin()
    logger.on_epoch_end(0, {"val_loss": 1.0})
    assert text(path).endswith("0,1.0\r\n")
    logger.on_train_end()
    assert logger.csv_file is None


@pytest.mark.skipif(os.name != "posix", reason="limits on the size of files are POSIX's")
def test_lines_from_before_the_training_outlive_a_resumption_that_fails(tmp_path: Path) -> None:
    import resource

    path, before = tmp_path / "log.csv", "epoch,loss\n7,0.5\n"
    path.write_text(before)
    logger = CSVLogger(path, append=True)
    logger.on_train_begin()
    logger.on_epoch_end(0, {"loss": 1.0})
    state = logger.get_training_state()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            logger.set_training_state(state)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text().startswith(before)
