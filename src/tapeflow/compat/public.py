"""The public names of TensorFlow 2.11, which `docs/tensorflow_names.py` has read from its wheels."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def names() -> dict[str, list[str]]:
    """The names of each namespace: `"tf.math"` has `"log"`, `"tf.keras.layers"` has `"Dense"`."""
    found: dict[str, list[str]] = {}
    for line in resources.files("tapeflow.compat").joinpath("tensorflow_2_11.txt").read_text().splitlines():
        if line.startswith(" "):
            found[next(reversed(found))] += line.split()
        else:
            found[line] = []
    return found


def is_public(module: str, name: str) -> bool:
    """Whether TensorFlow has a name in a module: `("tensorflow.keras.layers", "Dense")`."""
    root, _, rest = module.partition(".")
    space = ".".join(filter(None, ("tf.keras" if root == "keras" else "tf", rest)))
    return name in names().get(space, ())
