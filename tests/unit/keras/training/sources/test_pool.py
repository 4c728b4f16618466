"""Worker processes: spawned, in order, with the Sequence as it is now."""

import multiprocessing
import sys

import numpy as np
import pytest

from tapeflow.keras.training.sources import make_source
from tapeflow.keras.training.sources.pool import Pool

MODULE = """
import os
import numpy as np
from tapeflow.keras.utils.sequence import Sequence

class Numbers(Sequence):
    offset = 0
    def __len__(self):
        return 6
    def __getitem__(self, index):
        if index == getattr(self, "fatal", None):
            os._exit(3)
        return np.array([index + self.offset]), np.array([os.getpid()])

class Changing(Numbers):
    def on_epoch_end(self):
        self.offset += 100
"""


@pytest.fixture
def numbers(tmp_path, monkeypatch):
    """A module that worker processes can import."""
    (tmp_path / "numbers_for_workers.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    import numbers_for_workers

    yield numbers_for_workers
    del sys.modules["numbers_for_workers"]


def test_processes_give_batches_in_order_and_see_changes(numbers):
    source = make_source(numbers.Changing(), workers=2, use_multiprocessing=True)
    epochs = []
    pids = set()
    for number in range(2):
        groups = list(source.epoch(number))
        epochs.append([int(g.data[0][0]) for g in groups])
        pids |= {int(g.data[1][0]) for g in groups}
        source.on_epoch_end()
    source.close()
    assert epochs == [list(range(6)), list(range(100, 106))]
    assert multiprocessing.current_process().pid not in pids
    assert not multiprocessing.active_children()


def test_a_worker_that_ends_is_explained(numbers):
    sequence = numbers.Numbers()
    sequence.fatal = 3
    pool = Pool(sequence, 1, True, 1)
    with pytest.raises(RuntimeError, match="keep what trains in it under `if __name__ == '__main__':`"):
        list(pool.fetch(range(6)))
    pool.close()


def test_leaving_early_stops_the_processes(numbers):
    pool = Pool(numbers.Numbers(), 1, True, 3)
    batches = pool.fetch(range(6))
    np.testing.assert_array_equal(next(batches)[0], [0])
    batches.close()
    pool.close()
    assert not multiprocessing.active_children()


def test_what_cannot_be_sent_is_explained(numbers):
    sequence = numbers.Numbers()
    sequence.function = lambda: 0
    with pytest.raises(
        ValueError, match=r"expected a Sequence that can be sent .* got Numbers: Can't pickle"
    ):
        next(Pool(sequence, 1, True, 1).fetch([0]))


def test_processes_stay_over_epochs(numbers):
    source = make_source(numbers.Changing(), workers=1, use_multiprocessing=True)
    pids = {int(g.data[1][0]) for number in range(3) for g in source.epoch(number)}
    source.close()
    assert len(pids) == 1
