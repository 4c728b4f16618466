"""Configs that name what a model file must not reach: functions, modules, other files, code.

Every attack is tried in every place of a config, in every format, and in one process against Keras 3.
"""

from __future__ import annotations

import base64
import json
import marshal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.saving import registry

keras = tf.keras
calls: list[Any] = []


def canary(*args: Any, **kwargs: Any) -> Any:
    """What a file must not have called."""
    calls.append((args, kwargs))
    return args[0] if args else None


class Loose:
    """A class that is no part of a model."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        calls.append((args, kwargs))


class Saveable(Loose):
    """The same, with a config."""

    def get_config(self) -> dict[str, Any]:
        return {}


@pytest.fixture(autouse=True)
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The running script has all of these, and registered two."""
    main = sys.modules["__main__"]
    for value in (canary, Loose, Saveable):
        monkeypatch.setattr(main, value.__name__, value, raising=False)
    registered = {"Custom>canary": canary, "Custom>Saveable": Saveable}
    monkeypatch.setattr(registry, "_registered", {**registry._registered, **registered})
    calls.clear()
    yield
    assert not calls, "a file had something called"


def sequential(*layers: dict[str, Any]) -> dict[str, Any]:
    first = {"class_name": "InputLayer", "config": {"batch_input_shape": [None, 3], "dtype": "float32"}}
    return {"class_name": "Sequential", "config": {"name": "victim", "layers": [first, *layers]}}


def dense(**arguments: Any) -> dict[str, Any]:
    return {"class_name": "Dense", "config": {"units": 2, "name": "dense", **arguments}}


def compiled(**arguments: Any) -> dict[str, Any]:
    config = {"optimizer": {"class_name": "SGD", "config": {}}, "loss": "mse", "metrics": None}
    without_weights = sequential({"class_name": "Flatten", "config": {"name": "flatten"}})
    return {**without_weights, "compile_config": {**config, **arguments}}


def in_lambda(function: Any, **arguments: Any) -> dict[str, Any]:
    config = {"name": "bad", "function": function, "function_type": "function", "arguments": arguments}
    return sequential({"class_name": "Lambda", "config": config})


def in_feature_space(preprocessor: dict[str, Any]) -> dict[str, Any]:
    feature = {"dtype": "float32", "preprocessor": preprocessor, "output_mode": "float"}
    return {"class_name": "FeatureSpace", "config": {"features": {"x": feature}, "output_mode": "concat"}}


def in_schedule(rate: dict[str, Any]) -> dict[str, Any]:
    return compiled(optimizer={"class_name": "SGD", "config": {"learning_rate": rate}})


def in_passive_item(item: dict[str, Any]) -> dict[str, Any]:
    return sequential(dense(units={**item, "__passive_serialization__": True}))


PLACES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "model": lambda bad: bad,
    "layer": lambda bad: sequential(bad),
    "nested model": lambda bad: sequential(sequential(bad)),
    "wrapped layer": lambda bad: sequential({"class_name": "TimeDistributed", "config": {"layer": bad}}),
    "cell": lambda bad: sequential({"class_name": "RNN", "config": {"cell": bad}}),
    "activation": lambda bad: sequential(dense(activation=bad)),
    "initializer": lambda bad: sequential(dense(kernel_initializer=bad)),
    "regularizer": lambda bad: sequential(dense(kernel_regularizer=bad)),
    "constraint": lambda bad: sequential(dense(kernel_constraint=bad)),
    "dtype policy": lambda bad: sequential(dense(dtype=bad)),
    "lambda": in_lambda,
    "feature": in_feature_space,
    "item": in_passive_item,
    "optimizer": lambda bad: compiled(optimizer=bad),
    "schedule": in_schedule,
    "loss": lambda bad: compiled(loss=bad),
    "metric": lambda bad: compiled(metrics=[bad]),
}
"""Where a config can name something, as a function of what it names."""


def named(name: str, module: Any = None, registered: Any = None, **config: Any) -> dict[str, Any]:
    return {"class_name": name, "config": config, "module": module, "registered_name": registered}


NAMES = {
    "a function that loads": named("load_model", "keras.models", filepath="evil.keras", safe_mode=False),
    "a function that writes": named("save_model", "keras.models", model=None, filepath="evil.keras"),
    "a function that changes the process": named(
        "set_global_policy", "keras.mixed_precision", policy="float64"
    ),
    "a switch of safety": named("enable_unsafe_deserialization", "keras.config"),  # CVE-2025-9906
    "a download": named("get_file", "keras.utils", fname="x", origin="http://127.0.0.1:9/x"),  # CVE-2025-8747
    "a module": named("system", "os", command="true"),  # CVE-2025-1550
    "a built-in": named("exec", "builtins", source="raise SystemExit"),
    "a function of ours": named("load_model", "tapeflow.keras.saving.model_file", filepath="evil.keras"),
    "a function of the script": named("canary", "__main__", path="x"),
    "a registered function": named("canary", None, "Custom>canary", path="x"),
    "a class of the script": named("Loose", "__main__", path="x"),
    "a class of the script with a config": named("Saveable", "__main__", path="x"),
    "a callback": named("BackupAndRestore", "keras.callbacks", backup_dir="evil"),
    "a saved program": named("TFSMLayer", "keras.layers", filepath="evil"),  # CVE-2026-1462
    "a name that is none": {"class_name": ["Dense"], "config": {}},
}
"""What configs name in place of a layer, an initializer, a loss."""


def keras_file(path: Path, config: dict[str, Any]) -> Path:
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        file.create_group("layers")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.15.0"}))
        archive.write(path.with_suffix(".h5"), "model.weights.h5")
    return path


def h5_file(path: Path, config: dict[str, Any]) -> Path:
    config = dict(config)
    training = config.pop("compile_config", None)
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(config)
        file.create_group("model_weights")
        if training is not None:
            training["optimizer_config"] = training.pop("optimizer")
            file.attrs["training_config"] = json.dumps(training)
    return path


def refused(load: Callable[[], Any]) -> str:
    """The error that a load ended in; nothing but a clear one counts."""
    with pytest.raises(ValueError) as error:  # noqa: PT011 - which text depends on the place
        load()
    return str(error.value)


def test_what_is_not_hostile_is_loaded(tmp_path: Path) -> None:
    """The files of the attacks are refused for what they name, not for how they are made."""
    config = compiled(metrics=["mae"])
    for form in (keras_file, h5_file):
        assert (
            keras.models.load_model(
                form(tmp_path / f"m.{form.__name__}", json.loads(json.dumps(config)))
            ).loss
            == "mse"
        )


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", NAMES)
def test_a_config_names_only_what_belongs_in_its_place(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = PLACES[place](json.loads(json.dumps(NAMES[name])))
    before = sorted(tmp_path.iterdir())
    if "compile_config" not in config:
        text = refused(lambda: keras.models.model_from_json(json.dumps(config)))
        assert not isinstance(NAMES[name]["class_name"], str) or NAMES[name]["class_name"] in text
        refused(lambda: keras.models.model_from_config(json.loads(json.dumps(config))))
    assert sorted(tmp_path.iterdir()) == before
    for form in (keras_file, h5_file):
        path = form(tmp_path / f"m.{form.__name__[:-5]}", json.loads(json.dumps(config)))
        present = sorted(tmp_path.iterdir())
        refused(lambda path=path: keras.models.load_model(path))
        assert sorted(tmp_path.iterdir()) == present
    assert keras.mixed_precision.global_policy().name == "float32"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "print",
            "py_function",
            "numpy_function",
            "map_fn",
            "while_loop",
            "cond",
            "function",
            "Module",
            "Variable",
        ),
        *(
            "device",
            "random.set_seed",
            "random.Generator",
            "register_tensor_conversion_function",
            "recompute_grad",
        ),
        *(
            "nn.fixed_unigram_candidate_sampler",
            "ragged.map_flat_values",
            "sparse.map_values",
            "custom_gradient",
        ),
        *("io.write_file", "io.read_file", "io.gfile.rmtree", "saved_model.load", "keras.models.load_model"),
        *("keras.losses.deserialize", "keras.activations.get", "keras.utils.get_file", "load_op_library"),
        *("__builtins__.exec", "math.__loader__", "errors.os.system", "summary.create_file_writer"),
    ],
)
def test_only_functions_of_tensors_are_called_again(name: str) -> None:
    operation = {"class_name": "TFOpLambda", "config": {"name": "op", "function": name}}
    assert name in refused(lambda: keras.models.model_from_config(sequential(operation)))
    plain = name.rpartition(".")[2]
    assert plain in refused(lambda: keras.models.model_from_config(in_lambda(plain)))


def test_a_lambda_names_no_function_of_the_script() -> None:
    for function in ("canary", {"class_name": "function", "config": "canary", "module": "__main__"}):
        assert "which this process does not know" in refused(
            lambda function=function: keras.models.model_from_config(in_lambda(function))
        )


def test_an_operation_or_a_layer_is_no_registered_function_or_class() -> None:
    operation = {"class_name": "TFOpLambda", "config": {"name": "op", "function": "Custom>canary"}}
    for config in (
        sequential(operation),
        in_lambda("Custom>Saveable"),
        sequential({"class_name": "TimeDistributed", "config": {"layer": "Custom>canary"}}),
        sequential({"class_name": "RNN", "config": {"cell": "Custom>canary"}}),
    ):
        refused(lambda config=config: keras.models.model_from_config(config))


def test_a_registered_function_is_referred_to_and_not_called(tmp_path: Path) -> None:
    """As an activation, a loss and a metric of a model that is not built yet: nothing has to be computed."""
    layer = {
        "class_name": "Sequential",
        "config": {"name": "m", "layers": [dense(activation="Custom>canary")]},
    }
    made = keras.models.model_from_config(layer)
    assert made.layers[0].activation is canary
    path = keras_file(tmp_path / "m.keras", compiled(loss="Custom>canary", metrics=["Custom>canary"]))
    assert keras.models.load_model(path).loss is canary


def lambda_code(form: str, path: Path) -> dict[str, Any]:
    """A layer whose code writes a file, as Keras 2 and Keras 3 keep it (CVE-2024-3660, CVE-2025-9905)."""
    code = compile(f"lambda x: open({str(path)!r}, 'w') and x", "evil", "eval").co_consts[0]
    text = base64.encodebytes(marshal.dumps(code)).decode()
    if form == "keras 2":
        return sequential(
            {
                "class_name": "Lambda",
                "config": {"name": "l", "function": [text, None, None], "function_type": "lambda"},
            }
        )
    body = {"code": text, "defaults": None, "closure": None}
    function = {"class_name": "__lambda__", "config": body, "module": "builtins", "registered_name": None}
    return sequential({"class_name": "Lambda", "config": {"name": "l", "function": function}})


@pytest.mark.parametrize("form", ["keras 2", "keras 3"])
def test_code_in_a_file_is_not_run(form: str, tmp_path: Path) -> None:
    written = tmp_path / "written"
    config = lambda_code(form, written)
    for path in (keras_file(tmp_path / "m.keras", config), h5_file(tmp_path / "m.h5", config)):
        assert "safe_mode=False" in refused(lambda path=path: keras.models.load_model(path))
    refused(lambda: keras.models.model_from_json(json.dumps(config)))
    assert not written.exists()


def test_a_safe_load_is_safe_all_the_way_down(tmp_path: Path) -> None:
    """A class of the user's that loads another file with safe_mode=False, at the first file's word."""
    written = tmp_path / "written"
    inner = keras_file(tmp_path / "inner.keras", lambda_code("keras 3", written))

    class Loader(keras.layers.Layer):
        def __init__(self, path: str, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.inner = keras.models.load_model(path, safe_mode=False)

    outer = sequential({"class_name": "Loader", "config": {"path": str(inner)}})
    path = keras_file(tmp_path / "outer.keras", outer)
    assert "safe_mode=False" in refused(lambda: keras.models.load_model(path, {"Loader": Loader}))
    refused(lambda: keras.models.model_from_json(json.dumps(outer), {"Loader": Loader}))
    assert not written.exists()
    keras.models.load_model(path, {"Loader": Loader}, safe_mode=False)
    assert written.exists()


LOOKUPS = {
    "StringLookup": {"num_oov_indices": 1},
    "IntegerLookup": {"num_oov_indices": 1},
    "TextVectorization": {"output_mode": "int"},
}


@pytest.mark.parametrize("layer", LOOKUPS)
def test_a_vocabulary_file_named_in_a_config_is_not_opened(layer: str, tmp_path: Path) -> None:
    """CVE-2025-12058."""
    secret = tmp_path / "secret.txt"
    secret.write_text("1\n2\n")
    bad = {"class_name": layer, "config": {"name": "v", "vocabulary": str(secret), **LOOKUPS[layer]}}
    source = {"class_name": "InputLayer", "config": {"batch_input_shape": [None, 1], "dtype": "string"}}
    if layer == "IntegerLookup":
        source["config"]["dtype"] = "int64"  # pyright: ignore[reportArgumentType]
    config = {"class_name": "Sequential", "config": {"name": "victim", "layers": [source, bad]}}
    made = [
        getattr(keras.layers, layer).from_config(bad["config"]),
        keras.models.model_from_json(json.dumps(config)).layers[-1],
        keras.models.load_model(keras_file(tmp_path / "m.keras", config)).layers[-1],
        keras.models.load_model(h5_file(tmp_path / "m.h5", config), compile=False).layers[-1],
        keras.models.load_model(tmp_path / "m.keras", safe_mode=False).layers[-1],
    ]
    for found in made:
        assert found.get_vocabulary(include_special_tokens=False) == []
        with pytest.raises(
            tf.errors.FailedPreconditionError, match=r"names the file .*, which loading does not open"
        ):
            found(np.array([[1]], np.int64) if layer == "IntegerLookup" else np.array([["1"]], object))


def test_a_users_class_opens_no_vocabulary_at_a_files_word(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("1\n2\n")

    class Words(keras.layers.Layer):
        def __init__(self, path: str, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.lookup = keras.layers.StringLookup(vocabulary=path)

    config = sequential({"class_name": "Words", "config": {"path": str(secret)}})
    path = keras_file(tmp_path / "m.keras", config)
    assert str(secret) in refused(lambda: keras.models.load_model(path, {"Words": Words}))


def test_real_keras_under_the_same_attacks(tmp_path: Path) -> None:
    """What the table of docs/security.md says of Keras 3: it refuses these files too."""
    written = tmp_path / "written"
    secret = tmp_path / "secret.txt"
    secret.write_text("1\n2\n")
    vocabulary = {"class_name": "StringLookup", "config": {"name": "v", "vocabulary": str(secret)}}
    attacks = {
        "lambda": lambda_code("keras 3", written),
        "module": PLACES["layer"](named("system", "os", command=f"touch {written}")),
        "download": PLACES["lambda"](
            {"class_name": "function", "config": "get_file", "module": "keras.utils", "registered_name": None}
        ),
        "switch": PLACES["layer"](NAMES["a switch of safety"]),
        "loader": PLACES["layer"](NAMES["a function that loads"]),
        "program": PLACES["layer"](named("TFSMLayer", "keras.layers", filepath=str(tmp_path))),
        "vocabulary": sequential(vocabulary),
    }
    files = {name: str(keras_file(tmp_path / f"{name}.keras", _keras3(c))) for name, c in attacks.items()}
    program = (
        "import json, sys, keras\n"
        "for name, path in json.loads(sys.argv[1]).items():\n"
        "    try:\n"
        "        keras.saving.load_model(path)\n"
        "    except Exception as error:\n"
        "        print(name, 'refused', type(error).__name__)\n"
        "    else:\n"
        "        print(name, 'loaded')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(files)],
        capture_output=True,
        text=True,
        timeout=120,
        env={"KERAS_BACKEND": "jax", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "JAX_PLATFORMS": "cpu"},
    )
    assert not written.exists()
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert {name: text.split()[0] for name, text in told.items()} == dict.fromkeys(attacks, "refused"), done


def _keras3(config: Any) -> Any:
    """A config with what Keras 3 asks for in every dict of an object."""
    if isinstance(config, list):
        return [_keras3(item) for item in config]
    if not isinstance(config, dict):
        return config
    found = {k: _keras3(v) for k, v in config.items()}
    if "class_name" in found:
        found = {"module": "keras.layers", "registered_name": None, **found}
        if found["class_name"] == "Sequential":
            found["module"] = "keras"
    if "batch_input_shape" in found:
        found["batch_shape"] = found.pop("batch_input_shape")
    return found
