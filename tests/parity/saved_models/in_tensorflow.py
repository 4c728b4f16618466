"""Run by a Python that has TensorFlow: loads SavedModels, calls them, and prints how far off they are, as JSON.

Usage: python in_tensorflow.py FOLDER; each folder there has a SavedModel and an `io.npz` (x0, x1, ..., y0, y1, ...).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

try:
    from tf_keras.models import load_model
except ImportError:
    from tensorflow.keras.models import load_model


def furthest(results: Any, wanted: list[np.ndarray]) -> float:
    """The largest difference between results and what they should be."""
    found = [np.asarray(part, "float64") for part in tf.nest.flatten(results)]
    return max(float(np.max(np.abs(a - b), initial=0)) for a, b in zip(found, wanted, strict=True))


def _tensor(array: np.ndarray) -> tf.Tensor:
    """An input; texts were saved as arrays of characters."""
    return tf.constant(array.astype(object) if array.dtype.kind == "U" else array)


def compared(folder: Path) -> dict[str, Any]:
    """How far off a SavedModel is, loaded by TensorFlow, by its signature, and by Keras."""
    data = np.load(folder / "io.npz")
    wanted = [data[f"y{i}"] for i in range(len([n for n in data.files if n[0] == "y"]))]
    given = [_tensor(data[f"x{i}"]) for i in range(len(data.files) - len(wanted))]
    whole = given if len(given) > 1 else given[0]
    loaded = tf.saved_model.load(str(folder))
    found = {"call": furthest(loaded(whole), wanted), "serve": furthest(loaded.serve(whole), wanted)}
    if len(given) == len(wanted) == 1:
        signature = loaded.signatures["serving_default"]
        (name,) = signature.structured_input_signature[1]
        found["signature"] = furthest(signature(**{name: whole}), wanted)
    found["keras"] = furthest(load_model(str(folder))(whole, training=False), wanted)
    return found


def main() -> None:
    """Compare every SavedModel of a folder."""
    found: dict[str, Any] = {}
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        try:
            found[folder.name] = compared(folder)
        except Exception as error:  # noqa: BLE001 - reported to the test
            found[folder.name] = f"{type(error).__name__}: {error}"
    sys.stdout.write(json.dumps(found) + "\n")


main()
