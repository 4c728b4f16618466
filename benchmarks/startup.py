"""Start-up: a script of 200 one-off ops from process start to finish, and what an import costs.

TapeFlow keeps compiled programs in the user's cache folder, so the script is run both with that
folder empty (a first day) and with it as the last run left it (every other day).

TensorFlow imports JAX where it finds it, for TFLite. Someone who has TensorFlow alone does not pay
for that, so JAX is hidden from it here.
"""

import shutil
import tempfile
from pathlib import Path

from benchmarks.contenders import PEERS, PROJECT, Script
from benchmarks.harness import Bar, Benchmark, Fact

_ONE_OFF, _IMPORT = "benchmarks/scripts/one_off.py", "benchmarks/scripts/import_cost.py"
_CACHES = Path(tempfile.gettempdir()) / "tapeflow-benchmarks"
_COLD, _WARM = _CACHES / "cold", _CACHES / "warm"

EMPTY, FILLED, TENSORFLOW = "TapeFlow, empty cache", "TapeFlow, warm cache", "TensorFlow"
IMPORT_TAPEFLOW = "import tapeflow"


def _forget_caches() -> None:
    shutil.rmtree(_CACHES, ignore_errors=True)


def _cache_at(folder: Path) -> dict[str, str]:
    return {"TAPEFLOW_CACHE": str(folder)}


BENCHMARKS = (
    Benchmark(
        name="startup",
        title="200 one-off ops, process start to finish",
        contenders=(
            Script(TENSORFLOW, PEERS, (_ONE_OFF, "tensorflow", "jax")),
            Script(EMPTY, PROJECT, (_ONE_OFF, "tapeflow"), _cache_at(_COLD), emptied=_COLD),
            Script(FILLED, PROJECT, (_ONE_OFF, "tapeflow"), _cache_at(_WARM)),
        ),
        reference=TENSORFLOW,
        bars=(Bar(EMPTY, TENSORFLOW, at_most=1.0), Bar(FILLED, TENSORFLOW, at_most=1.0)),
        rounds=5,
        unit="s",
        prepare=_forget_caches,
    ),
    Benchmark(
        name="import",
        title="import, without the interpreter's own start",
        contenders=(
            Script(IMPORT_TAPEFLOW, PROJECT, (_IMPORT, "tapeflow"), times_itself=True),
            Script("import numpy", PROJECT, (_IMPORT, "numpy"), times_itself=True),
            Script("import jax", PROJECT, (_IMPORT, "jax"), times_itself=True),
            Script("import tensorflow", PEERS, (_IMPORT, "tensorflow", "jax"), times_itself=True),
        ),
        reference="import jax",
        bars=(
            Fact(IMPORT_TAPEFLOW, "imports_jax", False),
            Bar(IMPORT_TAPEFLOW, ("import jax", "import tensorflow"), at_most=1.0),
        ),
        rounds=5,
        unit="s",
    ),
)
