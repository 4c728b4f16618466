"""What all tests share: a cache of compiled programs, the CPU, and engine state that no test leaves behind.

The environment is set before anything imports `tapeflow` or JAX; both read it once.
"""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
MOST_BYTES = 3 << 29  # 1.5 GiB, after which a test process lets go of compiled code

os.environ.setdefault("TAPEFLOW_CACHE", str(REPOSITORY / ".cache" / "xla"))
os.environ["JAX_PLATFORMS"] = "cpu"
# No test needs more programs again, and each takes a megabyte or more.
os.environ.setdefault("TAPEFLOW_PROGRAMS", "256")
# Some two hundred processes are started: what the first has compiled, the others read.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(autouse=True)
def _restored_engine() -> Iterator[None]:
    """Give a test the default settings, and the next one a thread with nothing pending.

    A test that fails half-way may leave a tape open or ops pending; those must not fail another one.
    """
    if "tapeflow.engine.settings" not in sys.modules:
        yield
        if "tapeflow.engine.settings" not in sys.modules:
            return
        from tapeflow.engine.settings import Settings

        before = Settings()
    else:
        from tapeflow.engine.settings import settings

        before = dataclasses.replace(settings)
        yield
    from tapeflow.engine.settings import settings

    for field in dataclasses.fields(settings):
        setattr(settings, field.name, getattr(before, field.name))
    if "tapeflow.keras.distribution.distributions" in sys.modules:
        from tapeflow.keras.distribution import set_distribution

        set_distribution(None)
    if "tapeflow.engine.recording.trace" in sys.modules:
        from tapeflow.engine.recording.trace import state

        state.__init__()
    if "tapeflow.engine.recording.checks" in sys.modules:
        from tapeflow.engine.recording import checks

        checks.unsettled.clear()


@pytest.fixture(autouse=True, scope="module")
def _bounded_memory() -> Iterator[None]:
    """Let go of compiled code between modules: tests that use JAX or Keras themselves leave theirs in JAX's caches."""
    yield
    if "jax" in sys.modules and _resident_bytes() > MOST_BYTES:
        sys.modules["jax"].clear_caches()
        gc.collect()
        if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
            libc.malloc_trim(0)


def _resident_bytes() -> int:
    statm = Path("/proc/self/statm")  # Linux alone has it
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


@pytest.fixture
def no_real_tensorflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has imported neither TensorFlow nor Keras: an earlier test may have compared with them."""
    for name in list(sys.modules):
        if name.partition(".")[0] in ("tensorflow", "keras"):
            monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def counting() -> Callable[[], AbstractContextManager[SimpleNamespace]]:
    """`with counting() as spent: ...` tells afterwards what the engine did inside.

    `spent` has the fields of `tapeflow.engine.programs.program.Counters`, as differences.
    """
    from tapeflow.engine.programs.program import counters

    @contextmanager
    def count() -> Iterator[SimpleNamespace]:
        before = dataclasses.asdict(counters)
        spent = SimpleNamespace()
        yield spent
        for name, now in dataclasses.asdict(counters).items():
            setattr(spent, name, now - before[name])

    return count
