"""`python -m benchmarks.compile_cost [--cache FOLDER] [model ...]`: where the time of first steps goes.

For each model, the first training step with a size, with a second size and with a third one, which runs padded, and
then a step that has been seen. "Python" is what is left of the whole: recording ops, building keys, calling JAX. The
last columns are parts of "XLA", from its own trace of itself: passes over the program and handling its files, code made
by its fusion compiler, and LLVM. Taking the trace costs time, so look at shares rather than seconds.

With `--cache`, compiled programs are kept in a folder; run twice, the second run shows what reading them costs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

SIZES = (32, 24, 20, 32)
STEPS = ("first size", "second size", "third size", "seen")
_PARTS = {
    "fusions": "FusionCompiler::Compile",
    "LLVM": "JitCompiler::Compile",
}


def _models(tf: Any) -> dict[str, tuple[Callable[[], Any], tuple[int, ...]]]:
    layers = tf.keras.layers
    return {
        "mlp": (lambda: [layers.Dense(128, activation="relu"), layers.Dense(10)], (784,)),
        "cnn": (
            lambda: [
                layers.Conv2D(16, 3, activation="relu"),
                layers.MaxPooling2D(),
                layers.Flatten(),
                layers.Dense(10),
            ],
            (28, 28, 1),
        ),
        "lstm": (lambda: [layers.LSTM(64), layers.Dense(10)], (50, 16)),
    }


def main() -> None:
    """Print a row for each model and step."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compile_cost", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="model", help="mlp, cnn or lstm (default: all)")
    parser.add_argument(
        "--cache", default="off", help="a folder that keeps compiled programs (default: none)"
    )
    options = parser.parse_args()
    os.environ["TAPEFLOW_CACHE"] = options.cache
    import numpy as np

    import tapeflow as tf

    models = _models(tf)
    tf.constant(1.0).numpy()
    columns = ("whole", "python", "trace", "lower", "compile", "passes", *_PARTS)
    print(f"{'seconds':20}" + "".join(f"{'XLA' if name == 'compile' else name:>9}" for name in columns))
    for name in options.models or models:
        make, shape = models[name]
        model = tf.keras.Sequential(make())
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        for step, rows in zip(STEPS, SIZES, strict=True):
            x, y = np.zeros((rows, *shape), np.float32), np.zeros(rows, np.int64)
            found = _measured(lambda x=x, y=y, model=model: model.train_on_batch(x, y))
            print(f"{name + ', ' + step:20}" + "".join(f"{found[column]:9.3f}" for column in columns))


def _measured(run: Callable[[], object]) -> dict[str, float]:
    """Seconds in all, in each part of compiling, and in each part of XLA."""
    from tapeflow.engine.programs.capture import Capture, compile_seconds
    from tapeflow.summary.profile.trace import read_trace

    with tempfile.TemporaryDirectory() as folder:
        capture = Capture(folder, host_level=2, python_level=0)
        try:
            with compile_seconds() as parts:
                began = time.perf_counter()
                run()
                whole = time.perf_counter() - began
        finally:
            files = capture.stop()
        spans: Counter[str] = Counter()
        for path in files:
            if path.name.endswith(".xplane.pb"):
                spans.update(_spans(read_trace(Path(path))))
    inner = {part: spans[name] for part, name in _PARTS.items()}
    inner["passes"] = max(0.0, parts["compile"] - spans["CpuCompiler::RunBackend"])
    return {"whole": whole, "python": max(0.0, whole - sum(parts.values())), **parts, **inner}


def _spans(trace: Any) -> Counter[str]:
    """The seconds of the events of each name; what XLA notes after "#" tells calls apart."""
    found: Counter[str] = Counter()
    _, walls = trace.totals()
    for label, picoseconds in zip(trace.labels, walls, strict=True):
        found[label.name.partition("#")[0]] += picoseconds / 1e12
    return found


if __name__ == "__main__":
    main()
