"""What can be found out only by doing it, in a process that may fail: `python -m tapeflow.doctor.probe`.

Each package is imported, then a few small computations are timed. What is found is printed as it is found, a JSON
object a line, each announced before it is tried: who reads it knows what was being done when the process died.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

# Those that are imported by another name than they are installed by.
_MODULES = {"pillow": "PIL", "protobuf": "google.protobuf"}
SIZE = 512
_REPEATS = 15


def main(packages: list[str]) -> None:
    """Try everything."""
    for package in packages:
        _report(doing=f"import {package}")
        try:
            importlib.import_module(_MODULES.get(package, package.replace("-", "_")))
        except (ImportError, OSError, AttributeError, RuntimeError, TypeError, ValueError) as error:
            _report(package=package, error=f"{type(error).__name__}: {error}")
    _report(doing="start JAX")
    import tapeflow as tf  # this is what is tried

    devices = tf.config.list_physical_devices()
    _report(devices=[device.name.removeprefix("/physical_device:") for device in devices])
    _report(floatx=tf.keras.backend.floatx())
    _report(doing="compute")
    for name, seconds in _times(tf).items():
        _report(**{name: seconds})
    _report(doing="compile a training step")
    _report(first_step_s=_first_step(tf))


def _times(tf: Any) -> dict[str, float]:
    """Seconds of a matrix product, of calling a program, and of products of normal numbers and of denormal ones."""
    import numpy as np  # may be what does not work

    matrix = tf.constant(np.random.default_rng(0).normal(size=(SIZE, SIZE)), tf.float32)
    one, normal = tf.ones((), tf.float32), tf.ones((1 << 20,), tf.float32)
    denormal = tf.constant(np.full(1 << 20, 1e-39, np.float32))
    multiply = tf.function(lambda x: tf.matmul(x, x))
    add = tf.function(lambda x: x + 1.0)
    halve = tf.function(lambda x: x * 0.5)
    return {
        "matmul_s": _median(lambda: multiply(matrix).numpy()),
        "call_s": _median(lambda: add(one).numpy()),
        "normal_s": _median(lambda: halve(normal).numpy()),
        "denormal_s": _median(lambda: halve(denormal).numpy()),
    }


def _first_step(tf: Any) -> dict[str, float]:
    """Seconds of the first training step of a small model: in all, and what JAX spends in each part of compiling it."""
    from tapeflow.engine.programs.capture import (
        compile_seconds,
    )  # brings in JAX, which may be what does not work

    layers = [tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(10)]
    model = tf.keras.Sequential(layers)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    x, y = tf.zeros((128, 100)).numpy(), tf.zeros((128,)).numpy()
    with compile_seconds() as parts:
        began = time.perf_counter()
        model.train_on_batch(x, y)
        return {"whole": time.perf_counter() - began, **parts}


def _median(run: Callable[[], object]) -> float:
    run()  # compiles
    times = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _report(**found: Any) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
