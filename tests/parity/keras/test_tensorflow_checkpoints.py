"""Checkpoints that TensorFlow wrote are restored here, optimizers included, and training goes on as it would there.

The files are in `fixtures/checkpoints`, made by `fixtures/make_checkpoints.py`.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

from .fixtures import checkpoint_cases as cases

FOLDER = Path(__file__).parent / "fixtures" / "checkpoints"
OLD = sorted(cases.old_optimizers(tf))
FAST = ("adamax",)  # each compiles a step


def goes_on_as(model: Any, status: Any, expected: np.ndarray) -> None:
    for _ in range(2):
        model.train_on_batch(cases.X, cases.Y)
    status.assert_consumed()
    np.testing.assert_allclose(model.predict_on_batch(cases.X), expected, rtol=1e-4, atol=1e-5)


@pytest.fixture(scope="module")
def expected() -> dict[str, np.ndarray]:
    return dict(np.load(FOLDER / "expected.npz"))


def test_weights_and_optimizer(expected: dict[str, np.ndarray]) -> None:
    model = cases.stack(tf)
    status = model.load_weights(FOLDER / "stack")
    status.assert_existing_objects_matched()
    goes_on_as(model, status, expected["stack"])
    assert int(model.optimizer.iterations) == 4


def test_a_model_that_is_not_built(expected: dict[str, np.ndarray]) -> None:
    model = cases.subclassed(tf)
    goes_on_as(model, model.load_weights(FOLDER / "subclassed"), expected["subclassed"])


@pytest.mark.parametrize("name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in OLD])
def test_optimizers_before_keras_2_11(name: str, expected: dict[str, np.ndarray]) -> None:
    model = cases.stack(tf, cases.old_optimizers(tf)[name])
    goes_on_as(model, model.load_weights(FOLDER / f"old_{name}"), expected[f"old_{name}"])


def test_an_optimizer_that_is_built_and_comes_first() -> None:
    model = cases.stack(tf, cases.old_optimizers(tf)["adam"])
    model.optimizer.build(model.trainable_variables)
    model.load_weights(FOLDER / "old_adam").assert_consumed()
    saved = tf.train.load_variable(
        FOLDER / "old_adam",
        "layer_with_weights-0/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE",
    )
    np.testing.assert_array_equal(model.optimizer.variables[1].numpy(), saved)


def test_keras_3() -> None:
    model = cases.stack(tf)
    status = tf.train.Checkpoint(model=model, optimizer=model.optimizer).read(FOLDER / "keras3")
    goes_on_as(model, status, np.load(FOLDER / "keras3.npy"))


def test_objects_of_every_kind() -> None:
    found = cases.objects(tf, filled=False)
    checkpoint = tf.train.Checkpoint(**found)
    manager = tf.train.CheckpointManager(checkpoint, FOLDER / "objects", max_to_keep=2)
    assert manager.latest_checkpoint == str(FOLDER / "objects" / "ckpt-1")
    status = checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()
    with pytest.raises(AssertionError, match=r"2 values .* such as \['generator/_state_var', 'iterator'\]"):
        status.assert_consumed()
    assert float(found["metric"].result()) == 1.5
    assert [int(found["module"].values[0]), int(found["module"].values[1][0])] == [1, 2]
    assert found["module"].values[1][1].numpy() == b"text"
    assert found["texts"].numpy().tolist() == [b"a", b"bcd"]
    assert bool(found["flag"])
    assert found["complex"].numpy().tolist() == [1 + 2j]
    assert found["half"].numpy().astype("float32").tolist() == [1.0, 1.0]
    assert int(checkpoint.save_counter) == 1


def test_what_only_tensorflow_understands_stays_as_it_is() -> None:
    generator = tf.random.Generator.from_seed(5)
    iterator = iter(tf.data.Dataset.range(3))
    checkpoint = tf.train.Checkpoint(iterator=iterator, generator=generator)
    with pytest.warns(UserWarning, match="is the state of an object of TensorFlow's") as told:
        checkpoint.restore(FOLDER / "objects" / "ckpt-1")
    assert [str(w.message).split()[0] for w in told] == ["'generator/_state_var'", "'iterator'"]
    assert int(next(iterator)) == 0
    assert generator.state.numpy().tolist() == tf.random.Generator.from_seed(5).state.numpy().tolist()


def test_looking_into_one() -> None:
    shapes = dict(tf.train.list_variables(FOLDER / "objects"))
    assert shapes["none/.ATTRIBUTES/VARIABLE_VALUE"] == [0, 3]
    reader = tf.train.load_checkpoint(FOLDER / "objects")
    dtypes = reader.get_variable_to_dtype_map()
    assert dtypes["half/.ATTRIBUTES/VARIABLE_VALUE"] is tf.bfloat16
    assert dtypes["iterator/.ATTRIBUTES/ITERATOR_STATE"] is tf.variant
    assert reader.get_tensor("module/values/1/1/.ATTRIBUTES/VARIABLE_VALUE") == b"text"
    assert isinstance(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"), bytes)
    with pytest.raises(ValueError, match="expected numbers or texts; .*only TensorFlow understands"):
        reader.get_tensor("iterator/.ATTRIBUTES/ITERATOR_STATE")


def test_a_manager_goes_on_in_their_folder(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "objects", tmp_path / "c")
    checkpoint = tf.train.Checkpoint(flag=tf.Variable(False))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "c", max_to_keep=1)
    checkpoint.restore(manager.latest_checkpoint)
    assert manager.save() == str(tmp_path / "c" / "ckpt-2")
    assert sorted(p.name for p in (tmp_path / "c").iterdir()) == ["checkpoint", "ckpt-2.safetensors"]


def test_another_model() -> None:
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(5)])
    with pytest.raises(ValueError, match=r"shape \(4, 3\) .*shape \(4, 5\) and name dense\w*/kernel"):
        model.load_weights(FOLDER / "stack")
