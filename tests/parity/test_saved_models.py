"""SavedModels that TensorFlow wrote: what they compute here, against what TensorFlow computed with them.

`fixtures/make_saved_models.py` wrote `fixtures/saved_models`. The slow test has it write the whole family, with the
TensorFlow of `.venv-peers`.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

FIXTURES = Path(__file__).parent / "fixtures"
FOLDER = FIXTURES / "saved_models"
NAMES = sorted(p.stem for p in FOLDER.glob("*.json"))
ROOT = Path(__file__).parents[2]
# Their random numbers are of the same distribution, not the same; their bicubic weights come from a table.
OTHER_NUMBERS = {"module_random": 1e9, "image_preprocessing": 1e-3, "module_image": 1e-3}


def array(found: Any) -> np.ndarray:
    if "strings" in found:
        made = np.empty(len(found["strings"]), object)
        made[:] = [bytes.fromhex(s) for s in found["strings"]]
        return made.reshape(found["shape"])
    if found["dtype"].startswith("complex"):
        return np.array([complex(*pair) for pair in found["array"]], found["dtype"]).reshape(found["shape"])
    return np.array(found["array"], found["dtype"]).reshape(found["shape"])


def argument(found: Any) -> Any:
    if "dict" in found:
        return {k: argument(v) for k, v in found["dict"].items()}
    if "list" in found:
        return [argument(v) for v in found["list"]]
    if "value" in found:
        return found["value"]
    if "composite" not in found:
        return tf.constant(array(found))
    parts = found["composite"]
    if "ragged" in parts:
        return tf.ragged.constant(parts["ragged"], parts["dtype"])
    return tf.SparseTensor(parts["sparse"], np.float32(parts["values"]), parts["shape"])


def tensors(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [t for k in sorted(value) for t in tensors(value[k])]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors(v)]
    if isinstance(value, tf.RaggedTensor):
        return [value.flat_values, *value.nested_row_splits]
    if isinstance(value, tf.SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    return [] if value is None else [value]


def loss_of(value: Any) -> Any:
    flat = [t for t in tensors(value) if t.dtype.is_floating]
    return tf.add_n([tf.reduce_mean(tf.square(tf.cast(t, tf.float32))) for t in flat])


def assert_near(found: Any, wanted: np.ndarray, tolerance: float, what: str) -> None:
    value = np.asarray(found.numpy() if hasattr(found, "numpy") else found)
    assert value.shape == wanted.shape, what
    if wanted.dtype == object or wanted.dtype.kind in "iub":
        if tolerance < 1:
            np.testing.assert_array_equal(value.astype(wanted.dtype), wanted, what)
        return
    scale = 1 + np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
    np.testing.assert_allclose(
        value.astype(wanted.dtype) / scale, wanted / scale, rtol=0, atol=tolerance, err_msg=what
    )


def target_of(loaded: Any, path: str) -> Any:
    for part in path.split("/"):
        if part != "__call__":
            loaded = loaded[part] if isinstance(loaded, dict) else getattr(loaded, part)
    return loaded


def check(folder: Path, name: str) -> None:
    report = json.loads((folder / f"{name}.json").read_text())
    loaded = tf.saved_model.load(folder / name)
    for call in report["calls"]:
        check_call(target_of(loaded, call["target"]), call, name)


def check_call(target: Any, call: Any, name: str) -> None:
    args = [argument(a) for a in call["args"]]
    kwargs = {k: argument(v) for k, v in call["kwargs"].items()}
    with tf.GradientTape() as tape:
        found = target(*args, **kwargs)
        loss = loss_of(found) if "gradients" in call else None
    flat = tensors(found)
    assert len(flat) == len(call["outputs"])
    for i, (mine, theirs) in enumerate(zip(flat, call["outputs"], strict=True)):
        assert_near(mine, array(theirs), OTHER_NUMBERS.get(name, 1e-5), f"{name}: output {i}")
    if loss is not None:
        check_gradients(tape, loss, call["gradients"], name)
    if "losses" in call:
        assert_near(
            np.array(tuned(target, args, kwargs)), np.array(call["losses"]), 1e-4, f"{name}: fine-tuning"
        )


def check_gradients(tape: Any, loss: Any, wanted: list[Any], name: str) -> None:
    variables = tape.watched_variables()
    gradients = [
        None if g is None else tf.convert_to_tensor(g).numpy() for g in tape.gradient(loss, variables)
    ]
    mine = sorted(
        ([v.name, v.shape.as_list(), g] for v, g in zip(variables, gradients, strict=True)),
        key=lambda r: (*r[:2], 0.0 if r[2] is None else float(np.asarray(r[2]).flat[0])),
    )
    wanted = sorted(
        wanted, key=lambda r: (*r[:2], r[2]["array"][0] if r[2] is not None and "array" in r[2] else 0.0)
    )  # the states of a layer have one name
    assert [m[:2] for m in mine] == [w[:2] for w in wanted]
    for (variable, _, gradient), (_, _, theirs) in zip(mine, wanted, strict=True):
        assert (gradient is None) == (theirs is None), variable
        if theirs is not None and "norm" in theirs:
            norm = float(np.sqrt(np.sum(gradient.astype(np.float64) ** 2)))
            assert norm == pytest.approx(theirs["norm"], rel=1e-4, abs=1e-4), f"{name}: {variable}"
        elif theirs is not None:
            assert_near(gradient, array(theirs), 1e-4, f"{name}: gradient of {variable}")


def tuned(target: Any, args: list[Any], kwargs: dict[str, Any]) -> list[float]:
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = loss_of(target(*args, **kwargs))
        variables = tape.watched_variables()
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            if gradient is not None:
                variable.assign_sub(0.05 * tf.convert_to_tensor(gradient))
        losses.append(float(loss))
    return losses


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_model_computes_what_it_does_in_tensorflow(name: str) -> None:
    check(FOLDER, name)


@pytest.mark.slow
def test_the_whole_family_computes_what_it_does_in_tensorflow(tmp_path: Path) -> None:
    python = Path(os.environ.get("TAPEFLOW_PEERS_PYTHON", ROOT / ".venv-peers" / "bin" / "python"))
    has_tensorflow = python.is_file() and not subprocess.call([python, "-c", "import tensorflow"], stderr=-3)
    if not has_tensorflow:
        pytest.skip(f"{python} has no TensorFlow")
    subprocess.run([python, FIXTURES / "make_saved_models.py", tmp_path], check=True, stdout=-3, stderr=-3)
    written = sorted(p.stem for p in tmp_path.glob("*.json"))
    assert len(written) >= 60
    failed = {}
    for name in written:
        try:
            check(tmp_path, name)
        except (AssertionError, ValueError, TypeError, NotImplementedError) as error:
            failed[name] = str(error)[:300]
    assert not failed
