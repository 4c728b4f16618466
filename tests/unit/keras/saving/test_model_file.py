"""`save_model` and `load_model`."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.saving import model_file, weight_tree

_SPEC = importlib.util.spec_from_file_location("saving_models", Path(__file__).with_name("models.py"))
models: Any = importlib.util.module_from_spec(_SPEC)  # pyright: ignore
_SPEC.loader.exec_module(models)  # pyright: ignore


@pytest.fixture(scope="module")
def plain() -> Any:
    return models.trained(models.stack)


@pytest.mark.parametrize("make", models.MODELS, ids=lambda m: m.__name__)
def test_a_loaded_model_is_the_saved_one(make: Any, tmp_path: Path) -> None:
    tf.keras.utils.set_random_seed(3)
    model, x = make()
    model.compile("adam", "mse")
    model.optimizer.build(model.trainable_variables)
    for i, variable in enumerate(model.optimizer.variables):
        variable.assign(tf.fill(variable.shape, tf.cast(i, variable.dtype)))
    for name in ("m.keras", "m", "m.h5") if make in models.GRAPHS else ("m.keras", "m"):
        model.save(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name)
        assert models.same(models.outputs(again, x), models.outputs(model, x))
        assert models.same(again.optimizer.get_weights(), model.optimizer.get_weights())
        if "unit" not in tf.keras.saving.get_registered_name(type(model)) and make is not models.custom_layer:
            assert [w.name for w in again.weights] == [w.name for w in model.weights]


def test_a_loaded_model_trains_on_as_the_saved_one(tmp_path: Path) -> None:
    model, x, y = models.trained(models.two_by_two)
    model.save(tmp_path / "m.keras")
    again = tf.keras.models.load_model(tmp_path / "m.keras")
    for each in (model, again):
        each.fit(x, y, batch_size=3, epochs=1, verbose=0, shuffle=False)
    assert int(again.optimizer.iterations) == 4
    assert models.same(again.get_weights(), model.get_weights())


def test_json_and_configs_make_equal_architectures() -> None:
    for make in models.GRAPHS:
        model, x = make()
        text = model.to_json(indent=1)
        for again in (
            tf.keras.models.model_from_json(text),
            tf.keras.models.model_from_config(json.loads(text)),
        ):
            again.set_weights(model.get_weights())
            pairs = (models.outputs(again, x), models.outputs(model, x))
            tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), *pairs)
            assert again.to_json(indent=1) == text


def test_what_compile_was_given_comes_back(tmp_path: Path) -> None:
    model, x = models.two_by_two()
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.01, 10, 0.5)
    model.compile(
        tf.keras.optimizers.RMSprop(rate, momentum=0.5),
        loss={"one": tf.keras.losses.Huber(delta=2.0), "two": "mae"},
        loss_weights={"one": 0.25, "two": 2.0},
        metrics={"one": ["mae", tf.keras.metrics.RootMeanSquaredError(name="root")]},
        weighted_metrics=[[], ["mse"]],
    )
    y = [np.zeros((6, 1), "float32"), np.ones((6, 1), "float32")]
    expected = model.evaluate(x, y, verbose=0, return_dict=True)
    for name in ("m.keras", "m.h5"):
        model.save(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name)
        assert again.evaluate(x, y, verbose=0, return_dict=True) == expected
        assert again.optimizer.get_config() == model.optimizer.get_config()


def test_compile_and_the_optimizer_can_be_left_out(plain: Any, tmp_path: Path) -> None:
    model, x, _ = plain
    for name in ("m.keras", "m.h5"):
        model.save(tmp_path / name)
        bare = tf.keras.models.load_model(tmp_path / name, compile=False)
        assert bare.optimizer is None
        assert models.same(models.outputs(bare, x), models.outputs(model, x))
        model.save(tmp_path / name, include_optimizer=False)
        with pytest.warns(UserWarning, match="was \\*not\\* compiled") if name == "m.h5" else _nothing():
            assert tf.keras.models.load_model(tmp_path / name).optimizer is None


class _nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *exc: object) -> None: ...


def test_custom_objects_are_found_by_name_and_must_be_given(tmp_path: Path) -> None:
    class Double(tf.keras.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs * 2.0

    def far(y_true: Any, y_pred: Any) -> Any:
        return tf.reduce_mean(tf.abs(y_true - y_pred), -1)

    model = tf.keras.Sequential([tf.keras.Input((4,)), Double(), tf.keras.layers.Dense(1)])
    model.compile("sgd", far, metrics=[far])
    x = models.normal(6, 4)
    for name in ("m.keras", "m.h5"):
        model.save(tmp_path / name)
        with pytest.raises(ValueError, match="Unknown layer: 'Double'.*custom_object_scope"):
            tf.keras.models.load_model(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name, custom_objects={"Double": Double, "far": far})
        assert models.same(models.outputs(again, x), models.outputs(model, x))
        assert again.evaluate(x, x[:, :1], verbose=0) == model.evaluate(x, x[:, :1], verbose=0)


def test_what_the_running_script_defines_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Twice(tf.keras.Model):
        def __init__(self, units: int = 2) -> None:
            super().__init__(name="twice")
            self.dense = tf.keras.layers.Dense(units, activation=soft)

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs) * 2.0

    def soft(x: Any) -> Any:
        return tf.math.log(tf.exp(x) + 1.0)

    script = ModuleType("__main__")
    script.Twice, script.soft = Twice, soft  # type: ignore[attr-defined]
    soft.__module__ = "__main__"
    model = Twice(3)
    model.trainable = False
    x = models.normal(6, 4)
    expected = models.outputs(model, x)
    for name in ("folder", "m.keras"):
        model.save(tmp_path / name)
        with pytest.raises(ValueError, match="Unknown layer: 'Twice'"):
            tf.keras.models.load_model(tmp_path / name)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "__main__", script)
            again = tf.keras.models.load_model(tmp_path / name)
        assert models.same(models.outputs(again, x), expected)
        assert (again.name, again.trainable) == ("twice", False)


def test_mixed_precision_and_its_scale_come_back(tmp_path: Path) -> None:
    layers = [tf.keras.Input((4,)), tf.keras.layers.Dense(3, dtype="mixed_float16"), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam(), initial_scale=64.0)
    model.compile(optimizer, "mse")
    x = models.normal(6, 4)
    model.fit(x, x[:, :1], verbose=0)
    for name in ("m.keras", "m.h5"):
        model.save(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name)
        assert again.layers[0].compute_dtype == "float16"
        assert float(again.optimizer.loss_scale) == 64.0
        assert models.same(again.optimizer.get_weights(), model.optimizer.get_weights())
        assert models.same(models.outputs(again, x), models.outputs(model, x))


def test_bfloat16_weights_come_back(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3, dtype="bfloat16")])
    for name in ("m.keras", "m.h5"):
        model.save(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name, compile=False)
        assert models.same(again.get_weights(), model.get_weights())


def test_the_zip_is_laid_out_as_keras_3_does_it(plain: Any, tmp_path: Path) -> None:
    model, _, _ = plain
    model.save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        assert sorted(archive.namelist()) == ["config.json", "metadata.json", "model.weights.h5"]
        config = json.loads(archive.read("config.json"))
        weights = h5py.File(io.BytesIO(archive.read("model.weights.h5")))
    assert config["module"] == "keras"
    assert config["config"]["layers"][1]["module"] == "keras.layers"
    assert config["compile_config"]["optimizer"]["module"] == "keras.optimizers"
    assert weights["layers/dense_1/vars/0"].shape == (8, 1)  # pyright: ignore
    assert len(weights["optimizer/vars"]) == len(model.optimizer.variables) + 1  # pyright: ignore


def test_the_h5_file_is_laid_out_as_keras_2_does_it(plain: Any, tmp_path: Path) -> None:
    model, _, _ = plain
    model.save(tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as file:
        assert {"backend", "keras_version", "model_config", "training_config"} <= set(file.attrs)
        names = [name.decode() for name in file["model_weights"].attrs["layer_names"]]
        assert names == [layer.name for layer in model.layers]
        dense = file["model_weights"][names[0]]  # pyright: ignore
        assert dense.attrs["weight_names"][0].decode() == f"{names[0]}/kernel:0"
        assert file["optimizer_weights"].attrs["weight_names"][0] == b"iteration:0"


def test_the_previous_file_survives_a_save_that_fails(
    plain: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, x, _ = plain

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    for name in ("m.keras", "m.h5", "m"):
        model.save(tmp_path / name)
        with monkeypatch.context() as patch:
            patch.setattr("tapeflow.keras.saving.hdf5.write", fail)
            with pytest.raises(OSError, match="disk full"):
                model.save(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name)
        assert models.same(models.outputs(again, x), models.outputs(model, x))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "m.h5", "m.keras"]
    assert sorted(p.name for p in (tmp_path / "m").iterdir()) == [
        "keras_metadata.pb",
        model_file.FOLDER_FILE,
        "saved_model.pb",
        "variables",
    ]


def test_nothing_is_overwritten_unless_told(
    plain: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _, _ = plain
    path = tmp_path / "m.keras"
    model.save(path, overwrite=False)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="got .*m.keras.*overwrite=False"):
        model.save(path, overwrite=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter(["what", "n", "y"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    model.save(path, overwrite=False)
    assert path.read_bytes() == before
    model.optimizer.iterations.assign_add(1)
    model.save(path, overwrite=False)
    assert path.read_bytes() != before
    model.optimizer.iterations.assign_sub(1)


def test_formats_follow_the_path_or_save_format(plain: Any, tmp_path: Path) -> None:
    model, _, _ = plain
    model.save(tmp_path / "odd.name", save_format="h5")
    assert h5py.is_hdf5(tmp_path / "odd.name")
    model.save(str(tmp_path / "sub" / "folder"), save_format="tf")
    assert (tmp_path / "sub" / "folder" / "model.keras").is_file()
    model.save(f"{tmp_path}/ckpt-loss=0.95")
    assert tf.keras.models.load_model(f"{tmp_path}/ckpt-loss=0.95").built
    with pytest.raises(ValueError, match="Unknown `save_format`"):
        model.save(tmp_path / "m", save_format="onnx")
    with pytest.raises(ValueError, match="must end in `.keras`"):
        model.save(tmp_path / "m", save_format="keras")
    with pytest.raises(ValueError, match="without an extension for save_format='tf'"):
        model.save(tmp_path / "m.h5", save_format="tf")
    with pytest.raises(IsADirectoryError, match="is a directory"):
        model.save(tmp_path / "sub", save_format="h5")
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError, match="which is a file"):
        model.save(tmp_path / "file")
    with pytest.raises(TypeError, match="expected no argument 'colour'"):
        model.save(tmp_path / "m", colour=1)
    with pytest.raises(TypeError, match="expected a path; got filepath=3.5"):
        model.save(3.5)


def test_models_that_cannot_be_saved_say_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has not been built"):
        tf.keras.Sequential([tf.keras.layers.Dense(1)]).save(tmp_path / "m.keras")
    model, _ = models.subclassed()
    with pytest.raises(NotImplementedError, match="requires the model to be a Functional model"):
        model.save(tmp_path / "m.h5")
    assert not list(tmp_path.iterdir())


def test_what_is_no_model_is_refused(tmp_path: Path, plain: Any) -> None:
    with pytest.raises(OSError, match="No file or directory found"):
        tf.keras.models.load_model(tmp_path / "nowhere.keras")
    with pytest.raises(ValueError, match="folder with 'model.keras'"):
        tf.keras.models.load_model(tmp_path)
    (tmp_path / "text.keras").write_text("hello")
    with pytest.raises(ValueError, match="none of them"):
        tf.keras.models.load_model(tmp_path / "text.keras")
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "saved_model.pb").touch()
    with pytest.raises(ValueError, match="expected a whole SavedModel"):
        tf.keras.models.load_model(tmp_path / "saved")
    plain[0].save_weights(tmp_path / "w.h5")
    with pytest.raises(ValueError, match="No model config found"):
        tf.keras.models.load_model(tmp_path / "w.h5")
    with pytest.raises(TypeError, match="expected no argument 'colour'"):
        tf.keras.models.load_model(tmp_path / "w.h5", colour=1)
    with pytest.raises(TypeError, match="not a list"):
        tf.keras.models.model_from_config([])
    with pytest.raises(ValueError, match="dict with `class_name` and `config`"):
        tf.keras.models.model_from_config({"layers": []})
    with pytest.raises(ValueError, match="config as JSON"):
        tf.keras.models.model_from_json("{")
    with pytest.raises(ValueError, match="got that of a Dense"):
        tf.keras.models.model_from_config({"class_name": "Dense", "config": {"units": 1}})


def _zip(path: Path, members: list[tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_hostile_archives_are_refused(plain: Any, tmp_path: Path) -> None:
    plain[0].save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        config, weights = archive.read("config.json"), archive.read("model.weights.h5")
    bad = tmp_path / "bad.keras"
    cases: list[tuple[list[tuple[str, bytes]], str]] = [
        ([("model.weights.h5", weights)], "expected one 'config.json'.*found 0"),
        ([("config.json", config), ("config.json", config), ("model.weights.h5", weights)], "found 2"),
        ([("config.json", config)], "expected one 'model.weights.h5'"),
        ([("config.json", config), ("../model.weights.h5", weights)], "expected one 'model.weights.h5'"),
        (
            [("config.json", b" " * (1 << 24) + config), ("model.weights.h5", weights)],
            "expected 'config.json' of at most",
        ),
        ([("config.json", b"[" * 100_000), ("model.weights.h5", weights)], "config as JSON"),
        (
            [("config.json", b'{"class_name": "Sequential"}'), ("model.weights.h5", weights)],
            "a model's config",
        ),
        ([("config.json", config), ("model.weights.h5", b"hello")], "whole HDF5 file"),
        ([("config.json", config), ("model.weights.h5", weights[:-4000])], "HDF5|expected"),
    ]
    for members, text in cases:
        with pytest.raises(ValueError, match=text):
            tf.keras.models.load_model(_zip(bad, members))
    whole = (tmp_path / "m.keras").read_bytes()
    (tmp_path / "cut.keras").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="none of them|cannot be read"):
        tf.keras.models.load_model(tmp_path / "cut.keras")
    flipped = bytearray(whole)
    flipped[whole.index(weights) + len(weights) // 2] ^= 1
    (tmp_path / "flip.keras").write_bytes(flipped)
    with pytest.raises(ValueError, match="Bad CRC-32"):
        tf.keras.models.load_model(tmp_path / "flip.keras")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.keras", "cut.keras", "flip.keras", "m.keras"]


def test_a_lambda_of_a_file_is_not_run(tmp_path: Path) -> None:
    body = {
        "class_name": "__lambda__",
        "config": {"value": "4wEAAAAAAAAA", "defaults": None, "closure": None},
    }
    layers = [
        {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [None, 4]}},
        {"module": "keras.layers", "class_name": "Lambda", "config": {"name": "l", "function": body}},
    ]
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    path = _zip(tmp_path / "m.keras", [("config.json", json.dumps(config).encode())])
    with pytest.raises(ValueError, match="is code inside the file.*safe_mode=False"):
        tf.keras.models.load_model(path)
    with pytest.raises(ValueError, match="expected code of this Python; got something else"):
        tf.keras.models.load_model(path, safe_mode=False)


@pytest.mark.parametrize("ending", [".keras", ".h5"])
def test_a_lambda_of_another_process_is_run_when_asked_to(tmp_path: Path, ending: str) -> None:
    factor = 3.0
    layer = tf.keras.layers.Lambda(lambda x, more=1.0: tf.abs(x) * factor + more, input_shape=(2,), name="l")
    path = tmp_path / f"m{ending}"
    tf.keras.Sequential([layer]).save(path)
    code = (
        "import sys, tapeflow as tf\n"
        "try:\n    tf.keras.models.load_model(sys.argv[1], compile=False)\n"
        "except ValueError as error:\n    print('is code inside the file' in str(error))\n"
        "model = tf.keras.models.load_model(sys.argv[1], compile=False, safe_mode=False)\n"
        "print(model(tf.constant([[-1.0, 2.0]])).numpy().tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n")[:2] == ["True", "[[4.0, 7.0]]"], done.stderr


def test_a_class_of_a_module_that_a_file_names_is_imported_when_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "brought_along.py").write_text(
        "import tapeflow as tf\n\n\nclass Doubled(tf.keras.layers.Layer):\n"
        "    def call(self, x):\n        return 2 * x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    layers = [
        {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [None, 1]}},
        {
            "module": "brought_along",
            "class_name": "Doubled",
            "config": {"name": "d"},
            "registered_name": "x>y",
        },
    ]
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    empty = io.BytesIO()
    h5py.File(empty, "w").close()
    members = [("config.json", json.dumps(config).encode()), ("model.weights.h5", empty.getvalue())]
    path = _zip(tmp_path / "m.keras", members)
    with pytest.raises(ValueError, match="Unknown layer: 'Doubled'"):
        tf.keras.models.load_model(path)
    assert "brought_along" not in sys.modules
    model = tf.keras.models.load_model(path, safe_mode=False)
    assert float(model(tf.constant([[3.0]]))[0, 0]) == 6.0


def test_configs_that_make_no_sense_are_refused() -> None:
    model, _ = models.two_by_two()
    good = json.loads(model.to_json())

    def without(change: Any) -> Any:
        config = json.loads(json.dumps(good))
        change(config["config"])
        return config

    cases = [
        lambda c: c.pop("layers"),
        lambda c: c["layers"][0].pop("name"),
        lambda c: c["layers"].append(3),
        lambda c: c["layers"][-1].update(inbound_nodes=[[["nobody", 0, 0, {}]]]),
        lambda c: c["layers"][-1].update(inbound_nodes=[[["shared", 0, 9, {}]]]),
        lambda c: c.update(output_layers=[["shared", 7, 0]]),
        lambda c: c["layers"][-1]["config"].update(units="many"),
    ]
    for change in cases:
        with pytest.raises(ValueError, match="expected|invalid|never"):
            tf.keras.models.model_from_config(without(change))


def test_a_compile_config_that_makes_no_sense_is_refused(plain: Any, tmp_path: Path) -> None:
    plain[0].save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        config, weights = json.loads(archive.read("config.json")), archive.read("model.weights.h5")
    config["compile_config"]["optimizer"]["config"]["speed"] = 3
    members = [("config.json", json.dumps(config).encode()), ("model.weights.h5", weights)]
    path = _zip(tmp_path / "bad.keras", members)
    with pytest.raises(ValueError, match="speed.*Pass compile=False"):
        tf.keras.models.load_model(path)
    assert tf.keras.models.load_model(path, compile=False).built


def test_keras_3s_unzipped_folder_loads(plain: Any, tmp_path: Path) -> None:
    model, x, _ = plain
    model.save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        archive.extractall(tmp_path / "parts")
    again = tf.keras.models.load_model(tmp_path / "parts")
    assert models.same(models.outputs(again, x), models.outputs(model, x))


def test_a_user_s_own_variables_are_saved_its_way(tmp_path: Path) -> None:
    class Table(tf.keras.layers.Layer):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.words = {"a": 1.0}

        def call(self, inputs: Any) -> Any:
            return inputs * self.words["a"]

        def save_own_variables(self, store: Any) -> None:
            store["a"] = np.float32(self.words["a"])

        def load_own_variables(self, store: Any) -> None:
            self.words = {key: float(store[key]) for key in store}

    model = tf.keras.Sequential([tf.keras.Input((2,)), Table()])
    model.layers[0].words["a"] = 7.0
    model.save(tmp_path / "m.keras")
    again = tf.keras.models.load_model(tmp_path / "m.keras", custom_objects={"Table": Table})
    assert again.layers[0].words == {"a": 7.0}


def test_a_model_with_its_own_compile_is_loaded_uncompiled(tmp_path: Path) -> None:
    @tf.keras.utils.register_keras_serializable("unit")
    class Pair(models.Net):
        def compile(self, first: Any, second: Any) -> None:
            super().compile(first, "mse")
            self.second = tf.keras.optimizers.get(second)

    model = Pair(2)
    model(models.normal(6, 4))
    model.compile("sgd", "adam")
    model.save(tmp_path / "m.keras")
    with pytest.warns(UserWarning, match="Pair overrides compile"):
        again = tf.keras.models.load_model(tmp_path / "m.keras")
    assert again.optimizer is None
    assert models.same(again.get_weights(), model.get_weights())


def test_paths_of_parts() -> None:
    model, _ = models.subclassed()
    names = [name for name, _ in weight_tree._parts(model)]
    assert names == ["scale", "_out"]
    assert [name for name, _ in weight_tree._parts(model.scale)] == ["blocks/dense", "blocks/dense_1"]
    assert [v.name.rpartition("/")[2] for v in weight_tree.own_variables(model.scale)] == [
        "factor:0",
        "steps:0",
    ]


def test_an_optimizer_of_the_user_s_own_is_found(tmp_path: Path) -> None:
    @tf.keras.utils.register_keras_serializable()
    class Slow(tf.keras.optimizers.SGD):
        pass

    model, _ = models.stack()
    model.compile(Slow(0.125), "mse")
    for name in ("m.keras", "m.h5"):
        model.save(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name)
        assert type(again.optimizer) is Slow
        assert float(again.optimizer.learning_rate) == 0.125


@pytest.mark.filterwarnings("ignore:No training configuration found")
def test_a_schedule_without_a_config_does_not_keep_the_model_from_being_saved(tmp_path: Path) -> None:
    class WarmUp(tf.keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step: Any) -> Any:
            return tf.cast(step, tf.float32) * 1e-3

    model, _ = models.stack()
    model.compile(tf.keras.optimizers.SGD(WarmUp()), "mse")
    for name in ("m.keras", "m.h5"):
        with pytest.warns(UserWarning, match="saved without its optimizer.*must override.*Call compile"):
            model.save(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name)
        assert again.optimizer is None
        assert models.same(again.get_weights(), model.get_weights())


@pytest.mark.parametrize("name", ["own.h5", "own.keras"])
def test_a_class_of_your_own_made_of_inputs_and_outputs_comes_back(name: str, tmp_path: Path) -> None:
    class Own(tf.keras.Model):
        def train_step(self, data: Any) -> Any:
            return {"loss": tf.constant(7.0)}

    inputs = tf.keras.Input((3,))
    model = Own(inputs, tf.keras.layers.Dense(2)(inputs))
    model.compile("sgd", "mse")
    model.save(tmp_path / name)
    again = tf.keras.models.load_model(tmp_path / name, custom_objects={"Own": Own})
    assert isinstance(again, Own)
    np.testing.assert_array_equal(again.predict(np.ones((1, 3)), verbose=0), model(np.ones((1, 3))))
    assert again.fit(np.ones((2, 3)), np.ones((2, 2)), verbose=0).history["loss"] == [7.0]
