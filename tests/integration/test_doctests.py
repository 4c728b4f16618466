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
# Examples of what watches or saves a whole program show no output: what they write is elsewhere.
QUIET = ("tapeflow.distribute", "tapeflow.profiler", "tapeflow.summary", "tapeflow.train")
# One listens on the port it names, the other asks a board on such a port.
NOT_RUN = {"tapeflow.profiler.server", "tapeflow.board.client"}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Lenient(doctest.OutputChecker):
    """Compares the output that is shown; where none is shown, any will do."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return not want or super().check_output(want, got, optionflags)


def modules_with_examples() -> Iterator[str]:
    """The names of the modules that have any, found without importing them."""
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name not in NOT_RUN and ">>> " in path.read_text():
            yield name


@pytest.fixture(scope="module")
def around() -> dict[str, Any]:
    """What examples take for granted: a model to train, and data."""
    x = np.ones((4, 2), "float32")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    y = x[:, :1]
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(2)
    return {"tf": tf, "np": np, "model": model, "x": x, "y": y, "dataset": dataset}


@pytest.fixture(scope="module")
def training(around: dict[str, Any]) -> dict[str, Any]:
    """What examples of logging and saving take for granted besides: the parts of a training that goes on."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    model = around["model"]
    return {
        **around,
        "plt": plt,
        "epoch": 0,
        "losses": [3.0, 2.0, 1.0],
        "optimizer": model.optimizer,
        "checkpoint": tf.train.Checkpoint(model=model),
        "make_model": lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]),
        "train_step": model.train_on_batch,
    }


@pytest.fixture(scope="module")
def pictures(training: dict[str, Any]) -> dict[str, Any]:
    """The same with pictures of two classes instead of numbers."""
    x, y = np.ones((4, 8, 8), "float32"), np.array([0, 1, 0, 1])
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(2, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy")
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
    images = x[..., None]
    more = {"model": model, "x": x, "y": y, "images": images, "labels": y, "test_batches": batches}
    return {**training, **more}


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_examples(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # for those that write files
    is_quiet = name.startswith(QUIET)
    scene = "pictures" if name.startswith("tapeflow.summary") else "training" if is_quiet else "around"
    given: dict[str, Any] = request.getfixturevalue(scene)
    if name == "tapeflow.summary.event_files.run_reader":
        with tf.summary.create_file_writer("logs/train").as_default():
            for step, loss in enumerate((1.0, 0.5, 0.25)):
                tf.summary.scalar("loss", loss, step=step)
    elif name == "tapeflow.summary.profile.profiles":
        with tf.profiler.experimental.Profile("logs"):
            given["model"].fit(given["x"], given["y"], verbose=0)
    found = [t for t in doctest.DocTestFinder().find(importlib.import_module(name)) if t.examples]
    assert found
    runner = doctest.DocTestRunner(Lenient() if is_quiet else None, optionflags=OPTIONS)
    report: list[str] = []
    for example in found:
        example.globs.update(given)
        runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
