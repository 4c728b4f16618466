"""Whether two sides predict alike for random inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.cli.conversion.models import Predict
from tapeflow.cli.failure import Failure
from tapeflow.saved_model.model_inputs import input_specs

ROWS = 3
_OPEN_SIZE, _OPEN_IMAGE = 8, 64
_MOST_IDS = 1000
_WORDS = ["alpha", "beta", "gamma delta", ""]


def random_inputs(model: Any, seed: int = 0) -> list[np.ndarray]:
    """An array for each input of a model: a few rows, and some size wherever another one is open."""
    random = np.random.default_rng(seed)
    ids = _number_of_ids(model)
    found = []
    for spec in input_specs(model):
        rank = spec.shape.rank or 0
        open_size = _OPEN_IMAGE if rank == 4 else _OPEN_SIZE
        sizes = spec.shape.as_list()
        shape = [(ROWS if axis == 0 else open_size) if n is None else n for axis, n in enumerate(sizes)]
        if spec.dtype.name == "string":
            found.append(random.choice(np.array(_WORDS, object), shape))
        elif spec.dtype.is_floating:
            found.append(random.normal(size=shape).astype(spec.dtype.as_numpy_dtype))
        else:
            most = 2 if spec.dtype.is_bool else ids
            found.append(random.integers(0, most, shape).astype(spec.dtype.as_numpy_dtype))
    return found


def _number_of_ids(model: Any) -> int:
    """How many numbers every embedding in a model knows."""
    layers = [part for part in model.submodules if isinstance(part, tf.keras.layers.Embedding)]
    return min([_MOST_IDS, *[layer.input_dim for layer in layers]]) if layers else 2


def difference(one: Predict, other: Predict, inputs: list[np.ndarray]) -> float:
    """The largest difference between the predictions of two sides, relative to numbers above 1.

    Raises:
        Failure: they predict things of other kinds.
    """
    first, second = one(inputs), other(inputs)
    if [(a.shape, a.dtype) for a in first] != [(b.shape, b.dtype) for b in second]:
        raise Failure(
            f"expected both sides to predict the same arrays; got {_described(first)} from the source and "
            f"{_described(second)} from the target. The target was written, but do not use it."
        )
    return max([_apart(a, b) for a, b in zip(first, second, strict=True)], default=0.0)


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    if a.dtype.kind not in "fc":
        return float((a != b).any())
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    is_same = (wide_a == wide_b) | (np.isnan(wide_a) & np.isnan(wide_b))
    with np.errstate(invalid="ignore"):
        deviation = np.where(is_same, 0.0, np.abs(wide_a - wide_b) / np.maximum(1.0, np.abs(wide_a)))
    return float(np.nan_to_num(deviation, nan=np.inf).max(initial=0.0))


def _described(arrays: list[np.ndarray]) -> str:
    return ", ".join(f"{a.dtype.name}{list(a.shape)}" for a in arrays) or "nothing"
