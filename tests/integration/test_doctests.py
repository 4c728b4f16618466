"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

SOURCE = Path(tf.__file__).parent
# Examples of what watches or saves a whole program are sketches of one: files, folders and loops of the reader's.
SKETCHED = {"distribute", "profiler", "summary", "train"}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules_with_examples() -> Iterator[str]:
    """The names of the modules that have any, found without importing them."""
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        if parts[1] not in SKETCHED and ">>> " in path.read_text():
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture(scope="module")
def around() -> dict[str, Any]:
    """What examples take for granted: a model to train, and data."""
    x = np.ones((4, 2), "float32")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    y = x[:, :1]
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(2)
    return {"tf": tf, "np": np, "model": model, "x": x, "y": y, "dataset": dataset}


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_examples(name: str, around: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for those that write files
    found = [t for t in doctest.DocTestFinder().find(importlib.import_module(name)) if t.examples]
    assert found
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    report: list[str] = []
    for example in found:
        example.globs.update(around)
        runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
