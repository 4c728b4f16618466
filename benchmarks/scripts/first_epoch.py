"""The first epoch of the MLP in a new process, compilation included, and the memory that training takes.

Run as `python -m benchmarks.scripts.first_epoch package`, where `package` is one that `keras_models.load`
knows, or "jax" for the loop by hand. Prints JSON: "seconds" from the first layer to the end of the first
epoch, "import_s" before that, "total_s" of both, and "peak_mb" after a second epoch. The data is there
beforehand. What TapeFlow imports when it is first used counts as its first epoch, except for JAX: with every
peer that is part of the import.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable

from benchmarks.scripts.import_cost import peak_mb
from benchmarks.scripts.keras_data import Data, make_data
from benchmarks.scripts.keras_models import load, make_model

LATER_EPOCHS = 1


def _by_hand(data: Data) -> Callable[[], object]:
    """The JAX loop's epoch, once it is built."""
    return importlib.import_module("benchmarks.scripts.fit_jax").make_epoch(data, is_fused=True)


def main() -> None:
    """Train with the package named on the command line."""
    package, data = sys.argv[1], make_data("mlp")
    begin = time.perf_counter()
    keras = None if package == "jax" else load(package)
    if package in ("jax", "tapeflow"):
        importlib.import_module("jax")
    imported = time.perf_counter()
    if keras is None:
        run_epoch = _by_hand(data)
    else:
        model = make_model(keras, "mlp")

        def run_epoch() -> object:
            return model.fit(data.x, data.y, data.batch, verbose=0)

    run_epoch()
    end = time.perf_counter()
    for _ in range(LATER_EPOCHS):
        run_epoch()
    facts = {
        "seconds": end - imported,
        "import_s": round(imported - begin, 3),
        "total_s": round(end - begin, 3),
        "peak_mb": peak_mb(),
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
