"""`tf.CriticalSection`: one thread at a time."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import tapeflow as tf


@pytest.mark.parametrize("is_shared", [False, True])
def test_functions_never_run_at_once(is_shared: bool) -> None:
    one = tf.CriticalSection(shared_name="sums" if is_shared else None)
    sections = [one, tf.CriticalSection(shared_name="sums") if is_shared else one]
    inside: list[int] = []
    most: list[int] = []

    def work(section: Any) -> None:
        for _ in range(20):
            section.execute(step)

    def step() -> None:
        inside.append(1)
        most.append(len(inside))
        threading.Event().wait(0.0005)
        inside.pop()

    threads = [threading.Thread(target=work, args=(s,)) for s in sections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 40
    assert max(most) == 1


def test_results_and_refusals() -> None:
    total = tf.Variable(1)
    assert int(tf.CriticalSection().execute(lambda: total.assign_add(2))) == 3
    with pytest.raises(ValueError, match="CriticalSection.execute expected a function"):
        tf.CriticalSection().execute(3)  # pyright: ignore[reportArgumentType]
