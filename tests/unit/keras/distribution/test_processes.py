"""Tests for tapeflow.keras.distribution.processes that need no other process."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tapeflow.keras.distribution import initialize


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ValueError, match="initialize expected job_addresses, num_processes and process_id; got"
    ):
        initialize("10.0.0.1:1234", 2)
    monkeypatch.setenv("KERAS_DISTRIBUTION_JOB_ADDRESSES", "10.0.0.1:1234,10.0.0.2:1234")
    monkeypatch.setenv("KERAS_DISTRIBUTION_PROCESS_ID", "0")
    with pytest.raises(ValueError, match="has 2 jobs, but num_processes is 3"):
        initialize(num_processes=3)


def test_it_comes_before_anything_is_computed() -> None:
    tf.constant(1.0).numpy()
    with pytest.raises(RuntimeError, match=r"initialize expected to be called before anything is computed"):
        initialize("10.0.0.1:1234", 2, 0)
