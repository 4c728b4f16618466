"""`save_weights` and `load_weights`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def make(units: int = 3, last: str = "last") -> Any:
    return tf.keras.Sequential(
        [
            tf.keras.Input((4,)),
            L.Dense(units, name="first"),
            L.BatchNormalization(name="norm"),
            L.Dense(2, name=last),
        ]
    )


def zeroed(model: Any) -> Any:
    model.set_weights([np.zeros_like(w) for w in model.get_weights()])
    return model


def same(a: Any, b: Any) -> bool:
    return all(x.tobytes() == y.tobytes() for x, y in zip(a.get_weights(), b.get_weights(), strict=True))


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("w.weights.h5", "w.weights.h5"),
        ("w.h5", "w.h5"),
        ("w.hdf5", "w.hdf5"),
        ("ckpt/my", "ckpt/my.safetensors"),
        ("w.safetensors", "w.safetensors"),
        ("ckpt/cp-0001.ckpt", "ckpt/cp-0001.ckpt.safetensors"),
    ],
)
def test_weights_come_back(given: str, written: str, tmp_path: Path) -> None:
    model = make()
    model.save_weights(str(tmp_path / given))
    files = [p for p in tmp_path.rglob("*") if p.is_file() and p.name != "checkpoint"]
    assert files == [tmp_path / written]
    again = zeroed(make())
    status = again.load_weights(str(tmp_path / given))
    assert (
        status.expect_partial().assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
    )
    assert same(again, model)


def test_save_format_decides_where_the_path_does_not(tmp_path: Path) -> None:
    model = make()
    model.save_weights(tmp_path / "w", save_format="h5")
    with h5py.File(tmp_path / "w") as file:
        assert list(file.attrs["layer_names"]) == [b"first", b"norm", b"last"]
    with pytest.raises(ValueError, match="looks like an HDF5 file"):
        model.save_weights(tmp_path / "w.h5", save_format="tf")
    with pytest.raises(ValueError, match="Unknown format"):
        model.save_weights(tmp_path / "w", save_format="onnx")
    with pytest.raises(IsADirectoryError, match="is a directory"):
        model.save_weights(tmp_path, save_format="h5")
    with pytest.raises(FileExistsError, match="overwrite=False"):
        model.save_weights(tmp_path / "w", save_format="h5", overwrite=False)


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "m"])
def test_weights_of_a_whole_model_load(name: str, tmp_path: Path) -> None:
    model = make()
    model.save(tmp_path / name)
    again = zeroed(make())
    again.load_weights(tmp_path / name)
    assert same(again, model)


def test_the_optimizer_goes_with_the_weights(tmp_path: Path) -> None:
    x, y = np.ones((4, 4), "float32"), np.ones((4, 2), "float32")
    model = make()
    model.compile(tf.keras.optimizers.Adam(0.125), "mse")
    model.fit(x, y, verbose=0)
    model.save_weights(tmp_path / "w.weights.h5")
    again = make()
    again.compile(tf.keras.optimizers.Adam(0.5), "mse")
    again.load_weights(tmp_path / "w.weights.h5")
    assert float(again.optimizer.learning_rate) == 0.125
    values = zip(again.optimizer.get_weights(), model.optimizer.get_weights(), strict=True)
    assert all(np.array_equal(a, b) for a, b in values)
    other = make()
    other.compile("sgd", "mse")
    other.load_weights(tmp_path / "w.weights.h5")
    assert int(other.optimizer.iterations) == 1
    other.compile(tf.keras.optimizers.RMSprop(centered=True), "mse")
    with pytest.warns(UserWarning, match="state of optimizer 'RMSprop' was not loaded"):
        other.load_weights(tmp_path / "w.weights.h5")
    assert same(other, model)


def test_by_name_matches_names_and_leaves_the_rest(tmp_path: Path) -> None:
    model = make()
    model.save_weights(tmp_path / "w.h5")
    again = zeroed(make(last="other"))
    again.load_weights(tmp_path / "w.h5", by_name=True)
    np.testing.assert_array_equal(again.get_layer("first").kernel, model.get_layer("first").kernel)
    assert not np.any(again.get_layer("other").kernel)
    model.save_weights(tmp_path / "w.weights.h5")
    with pytest.raises(ValueError, match="`by_name` is for `.h5` files"):
        again.load_weights(tmp_path / "w.weights.h5", by_name=True)
    wider = zeroed(make(units=5))
    with pytest.raises(
        ValueError, match=r"Shape mismatch in layer #0 .named first.* The file is '.*skip_mismatch=True"
    ):
        wider.load_weights(tmp_path / "w.h5", by_name=True)
    with pytest.warns(UserWarning, match="Skipping loading of weights"):
        wider.load_weights(tmp_path / "w.h5", by_name=True, skip_mismatch=True)
    np.testing.assert_array_equal(wider.get_layer("last").bias, model.get_layer("last").bias)


@pytest.mark.parametrize("name", ["w.h5", "w.weights.h5"])
def test_weights_that_do_not_fit_change_nothing(name: str, tmp_path: Path) -> None:
    make().save_weights(tmp_path / name)
    wider = make(units=5)
    before = wider.get_weights()
    with pytest.raises(ValueError, match="expects shape|of shape .4, 5."):
        wider.load_weights(tmp_path / name)
    assert all(np.array_equal(a, b) for a, b in zip(wider.get_weights(), before, strict=True))
    with pytest.warns(UserWarning, match="Skipping"):
        wider.load_weights(tmp_path / name, skip_mismatch=True)
    deeper = tf.keras.Sequential([tf.keras.Input((4,)), L.Dense(3)])
    deeper.save_weights(tmp_path / name)
    with pytest.raises(ValueError, match="Layer count mismatch|expected 4 variables, but received 0"):
        make().load_weights(tmp_path / name)


def test_missing_and_foreign_files(tmp_path: Path) -> None:
    model = make()
    with pytest.raises(FileNotFoundError, match="found neither"):
        model.load_weights(tmp_path / "w")
    (tmp_path / "tf.index").touch()
    with pytest.raises(ValueError, match="TensorFlow checkpoint"):
        model.load_weights(tmp_path / "tf")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match="neither HDF5 nor"):
        model.load_weights(tmp_path / "text")
    unbuilt = tf.keras.Sequential([L.Dense(1)])
    with pytest.raises(ValueError, match="not yet been created"):
        unbuilt.save_weights(tmp_path / "u.h5")
    with pytest.raises(ValueError, match="has not been built: it has none yet"):
        tf.keras.Model().save_weights(tmp_path / "u.h5")
    model.save_weights(tmp_path / "w.h5")
    with pytest.raises(ValueError, match="has not created its variables"):
        unbuilt.load_weights(tmp_path / "w.h5")


def test_hostile_hdf5_is_refused(tmp_path: Path) -> None:
    model = make()
    path = tmp_path / "w.weights.h5"

    def change(edit: Any) -> Path:
        model.save_weights(path)
        with h5py.File(path, "a") as file:
            del file["layers/dense/vars/0"]
            edit(file["layers/dense/vars"])
        return path

    def external(group: Any) -> None:
        group.create_dataset("0", (4, 3), "f4", external=[(str(tmp_path / "secret"), 0, 48)])

    def virtual(group: Any) -> None:
        layout = h5py.VirtualLayout((4, 3), "f4")
        layout[...] = h5py.VirtualSource(str(tmp_path / "secret"), "x", (4, 3))
        group.create_virtual_dataset("0", layout)

    cases = [
        (external, "kept in another file"),
        (virtual, "kept in another file"),
        (lambda g: g.__setitem__("0", h5py.ExternalLink(str(tmp_path / "secret"), "/x")), "a link at"),
        (lambda g: g.__setitem__("0", h5py.SoftLink("/layers/dense_1/vars/0")), "a link at"),
        (lambda g: g.__setitem__("0", np.array([[b"a"] * 3] * 4)), "expected numbers"),
        (lambda g: g.create_group("0"), "expected an array"),
        (lambda g: g.create_dataset("0", (1 << 40, 3), "f4", chunks=True), "of shape .4, 3."),
    ]
    for edit, text in cases:
        with pytest.raises(ValueError, match=text):
            model.load_weights(change(edit))
    model.save_weights(path)
    content = path.read_bytes()
    for size in (9, 600, len(content) // 2, len(content) - 100):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match="cannot be read|expected"):
            model.load_weights(path)


def test_many_names_fit_into_a_file(tmp_path: Path) -> None:
    """HDF5 has room for 64 kB in an attribute; long lists are split, as Keras splits them."""
    name = "x" * 900
    model = tf.keras.Sequential(
        [tf.keras.Input((1,)), *[L.Dense(1, use_bias=False, name=f"{name}{i}") for i in range(90)]]
    )
    model.save(tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as file:
        assert "layer_names1" in file["model_weights"].attrs
    assert same(tf.keras.models.load_model(tmp_path / "m.h5", compile=False), model)


@pytest.mark.parametrize("name", ["step/w", "step.h5"])
def test_a_model_whose_step_calls_its_parts_has_weights_to_save(name: str, tmp_path: Path) -> None:
    class Pair(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.part, self.slow = make(), make()

    pair = Pair()
    pair.save_weights(tmp_path / name)
    assert not pair.built
    again = Pair()
    if name.endswith(".h5"):
        again.built = True  # Keras 2 wants that too
    again.load_weights(tmp_path / name)
    assert same(pair, again)


def test_weights_may_be_called_checkpoint(tmp_path: Path) -> None:
    model, other = make(), zeroed(make())
    model.save_weights(tmp_path / "checkpoint")
    other.load_weights(tmp_path / "checkpoint")
    assert same(model, other)
