"""Processes that run trials: what is said of one that does not start."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tapeflow.tune.workers import Pool


def train(trial: Any) -> float:
    return 0.0


def test_a_process_that_does_not_start() -> None:
    pool = Pool(train, 2)
    process = SimpleNamespace(join=lambda: None, exitcode=1)
    worker: Any = SimpleNamespace(process=process, is_ready=False, job=None)
    pool._workers.append(worker)
    with pytest.raises(
        RuntimeError, match="workers=2.* expected its processes to start; got exit code 1.*__main__"
    ):
        list(pool._replace(worker))
