"""Loads mutated files: `python mutated_files.py FORM FIRST COUNT`. Prints the number of each mutation before it.

FORM is `keras`, `h5`, `weights`, `safetensors`, `checkpoint`, `index` or `data` (of a TensorFlow
checkpoint), or `all`.

Mutation n of a form is always the same, so that what goes wrong can be looked at again.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.summary import sorted_table
from tapeflow.train import tensor_bundle

LAYERS = tf.keras.layers
THEIRS = Path(__file__).parents[2] / "parity" / "keras" / "fixtures" / "checkpoints" / "old_adam"
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
    for file in THEIRS.parent.glob(f"{THEIRS.name}.*"):
        shutil.copy(file, folder)

    def restore_theirs(path: Path) -> None:
        prefix = path.with_suffix("")
        tf.train.Checkpoint(model=fresh).restore(prefix)
        for name, _ in tf.train.list_variables(prefix):
            tf.train.load_variable(prefix, name)

    for form in ("index", "data-00000-of-00001"):
        found[form.partition("-")[0]] = (folder / f"{THEIRS.name}.{form}", restore_theirs)
    return found


class Fitting(int):
    """A checksum that fits: the true ones would find nearly all mutations before anything else does."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


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
    sorted_table.masked_crc = tensor_bundle.masked_crc = lambda _: Fitting()
    model = make()
    model.train_on_batch(np.ones((2, 3), np.float32), np.zeros((2, 1), np.float32))
    with tempfile.TemporaryDirectory() as name:
        found = forms(model, Path(name))
        for each in found if form == "all" else [form]:
            try_all(each, *found[each], range(first, first + count))
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
