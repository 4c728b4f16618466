"""Loads mutated files: `python mutated_files.py FORM FIRST COUNT`. Prints the number of each mutation before it.

FORM is `keras`, `h5`, `weights`, `safetensors`, `checkpoint`, or `all`.

Mutation n of a form is always the same, so that what goes wrong can be looked at again.
"""

from __future__ import annotations

import random
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

LAYERS = tf.keras.layers
# What a user may see: anything else is a crash of ours.
EXPECTED = (ValueError, OSError, tf.errors.NotFoundError)


def make() -> Any:
    model = tf.keras.Sequential([tf.keras.Input((3,)), LAYERS.Dense(4, activation="relu"), LAYERS.Dense(1)])
    model.compile("adam", "mse")
    return model


def forms(model: Any, folder: Path) -> dict[str, tuple[Path, Callable[[Path], Any]]]:
    """For each form a good file, and what loads it."""
    checkpoint = tf.train.Checkpoint(model=model, it=iter(tf.data.Dataset.range(9).shuffle(4)))
    checkpoint.write(folder / "ckpt")
    fresh = make()
    found: dict[str, tuple[Path, Callable[[Path], Any]]] = {
        "keras": (folder / "m.keras", tf.keras.models.load_model),
        "h5": (folder / "m.h5", tf.keras.models.load_model),
        "weights": (folder / "w.weights.h5", fresh.load_weights),
        "safetensors": (folder / "w.safetensors", fresh.load_weights),
    }
    for path, _ in list(found.values())[:2]:
        model.save(path)
    for path, _ in list(found.values())[2:]:
        model.save_weights(path)

    def restore(path: Path) -> None:
        other = tf.train.Checkpoint(model=fresh, it=iter(tf.data.Dataset.range(9).shuffle(4)))
        other.restore(str(path).removesuffix(".safetensors"))

    found["checkpoint"] = (folder / "ckpt.safetensors", restore)
    return found


def mutated(data: bytes, number: int) -> bytes:
    """The file with a few bits, bytes or stretches changed, or its end cut off."""
    choose = random.Random(number)
    changed = bytearray(data)
    for _ in range(choose.choice((1, 1, 2, 8))):
        at = choose.randrange(len(changed))
        kind = choose.randrange(6)
        if kind == 0:
            changed[at] ^= 1 << choose.randrange(8)
        elif kind == 1:
            changed[at] = choose.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif kind == 2:
            changed[at : at + 8] = choose.randrange(1 << 64).to_bytes(8, "little")
        elif kind == 3:
            changed[at : at + choose.randrange(1, 64)] = b""
        elif kind == 4:
            other = choose.randrange(len(changed))
            changed[at:at] = changed[other : other + choose.randrange(1, 64)]
        elif len(changed) > 64 and choose.random() < 0.3:
            del changed[at:]
        if not changed:
            break
    return bytes(changed)


def try_all(form: str, good: Path, load: Callable[[Path], Any], numbers: range) -> None:
    """Load mutations of a file: each gives a model or a clear error, and leaves nothing behind."""
    data = good.read_bytes()
    files = sorted(p.name for p in good.parent.iterdir())
    load(good)
    for number in numbers:
        sys.stdout.write(f"{form} {number}\n")
        sys.stdout.flush()
        good.write_bytes(mutated(data, number))
        said = "loaded"
        try:
            load(good)
        except EXPECTED as error:
            said = str(error)
        assert said, number
        assert sorted(p.name for p in good.parent.iterdir()) == files, number


def main(form: str, first: int, count: int) -> None:
    warnings.simplefilter("ignore")
    model = make()
    model.train_on_batch(np.ones((2, 3), np.float32), np.zeros((2, 1), np.float32))
    with tempfile.TemporaryDirectory() as name:
        found = forms(model, Path(name))
        for each in found if form == "all" else [form]:
            try_all(each, *found[each], range(first, first + count))
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
