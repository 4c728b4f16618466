"""Saving and loading a model of 500 MB with each package; a step is a file."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# 125 million float32 weights in four matrices.
UNITS = 5590
LAYERS = 4


def load(package: str) -> Any:
    """The Keras of a package."""
    if package == "tapeflow":
        import tapeflow

        return tapeflow.keras
    os.environ["KERAS_BACKEND"] = "jax"
    import keras

    return keras


def _model(keras: Any) -> Any:
    layers = [keras.layers.Dense(UNITS, kernel_initializer="ones") for _ in range(LAYERS)]
    return keras.Sequential([keras.Input((UNITS,)), *layers])


def _files(name: str) -> list[Path]:
    folder = tempfile.mkdtemp()
    return [Path(folder, f"{i}-{name}") for i in range(2)]


def _checksum(model: Any) -> float:
    return float(np.asarray(model.weights[-2])[0, 0])


def save(package: str, name: str) -> Callable[[int], float]:
    """Return `run_steps(count)`: save the model `count` times and wait until it is on disk."""
    keras = load(package)
    model, files = _model(keras), _files(name)
    write = model.save_weights if "weights" in name or name.endswith("safetensors") else model.save

    def run_steps(count: int) -> float:
        for i in range(count):
            write(str(files[i % 2]))
            # Keras leaves the file to the operating system, which is not a saved model yet.
            descriptor = os.open(files[i % 2], os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
        return 1.0

    return run_steps


def read(package: str, name: str) -> Callable[[int], float]:
    """Return `run_steps(count)`: load what the package itself saved, `count` times."""
    keras = load(package)
    model, file = _model(keras), _files(name)[0]
    if "weights" in name or name.endswith("safetensors"):
        model.save_weights(str(file))
    else:
        model.save(str(file))

    def run_steps(count: int) -> float:
        found = 0.0
        for _ in range(count):
            if name.endswith(".keras"):
                found = _checksum(keras.models.load_model(str(file)))
            else:
                model.load_weights(str(file))
                found = _checksum(model)
        return found

    return run_steps
