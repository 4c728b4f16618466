"""Worker processes: spawned, in order, with the Sequence as it is now."""

import multiprocessing
import os
import subprocess
import sys
import threading
import types

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


def own_process(pool):
    """Whether the batches of a pool are fetched in this process."""
    found = {int(batch[1][0]) for batch in pool.fetch(range(6))}
    pool.close()
    return found == {os.getpid()}


def test_what_cannot_be_sent_is_left_to_threads_with_one_warning(numbers):
    class Local(numbers.Numbers):
        """Defined in a function."""

    unsendable = [Local(), numbers.Numbers(), numbers.Changing()]
    unsendable[1].function = lambda: 0
    unsendable[2].lock = threading.Lock()
    for sequence in unsendable:
        with pytest.warns(
            UserWarning, match=r"expected a Sequence that can be sent .*fetched by threads"
        ) as told:
            assert [own_process(Pool(sequence, 2, True, 1)) for _ in range(2)] == [True, True]
        assert len(told) == 1
        assert told[0].filename == __file__


def test_a_class_that_workers_do_not_find_is_left_to_threads(numbers, monkeypatch):
    """As in a notebook, whose classes are in a `__main__` that no other process has."""
    module = types.ModuleType("only_here")
    monkeypatch.setitem(sys.modules, "only_here", module)
    module.Cell = type("Cell", (numbers.Numbers,), {"__module__": "only_here"})
    with pytest.warns(UserWarning, match="got Cell: ModuleNotFoundError: No module named 'only_here'"):
        assert own_process(Pool(module.Cell(), 2, True, 1))


SCRIPT = """
import numpy as np
import tapeflow as tf

class Batches(tf.keras.utils.Sequence):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return np.ones((2, 3), np.float32), np.ones((2, 1), np.float32)

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
print(model.fit(Batches(), verbose=0, workers=2, use_multiprocessing=True).epoch)
"""


@pytest.mark.parametrize("way", ["typed in", "without a guard"])
def test_programs_whose_main_module_cannot_be_imported_again(way, tmp_path):
    command = [sys.executable, "-c", SCRIPT]
    if way == "without a guard":
        (tmp_path / "script.py").write_text(SCRIPT)
        command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines()[-1] == "[0]", done.stderr
    assert "Its batches are fetched by threads" in done.stderr


def test_processes_stay_over_epochs(numbers):
    source = make_source(numbers.Changing(), workers=1, use_multiprocessing=True)
    pids = {int(g.data[1][0]) for number in range(3) for g in source.epoch(number)}
    source.close()
    assert len(pids) == 1
