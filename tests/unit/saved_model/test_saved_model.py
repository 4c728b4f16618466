"""`model.export`, `tf.saved_model.save` and `load`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.exporting.portable import PortableProgram

L = tf.keras.layers
RNG = np.random.default_rng(0)

STABLEHLO = tf.saved_model.SaveOptions(format="stablehlo")


def mlp() -> Any:
    layers = [L.Dense(4, activation="relu"), L.BatchNormalization(), L.Dropout(0.5), L.Dense(2)]
    return tf.keras.Sequential([tf.keras.Input((3,)), *layers]), RNG.random((5, 3), np.float32)


def cnn() -> Any:
    layers = [L.Conv2D(4, 3, activation="relu"), L.MaxPooling2D(), L.Flatten(), L.Dense(2)]
    return tf.keras.Sequential([tf.keras.Input((8, 8, 1)), *layers]), RNG.random((5, 8, 8, 1), np.float32)


def recurrent() -> Any:
    layers = [L.Embedding(9, 4), L.LSTM(3)]
    return tf.keras.Sequential([tf.keras.Input((5,), dtype="int32"), *layers]), RNG.integers(0, 9, (4, 5))


def two_inputs() -> Any:
    a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((3,), name="b")
    model = tf.keras.Model({"a": a, "b": b}, {"sum": L.Dense(2)(a + b), "a": a})
    return model, {"a": RNG.random((4, 3), np.float32), "b": RNG.random((4, 3), np.float32)}


def called() -> Any:
    class Own(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = L.Dense(2)

        def call(self, x: Any) -> Any:
            return self.dense(x) * 2.0

    model, x = Own(), RNG.random((4, 3), np.float32)
    model(x)
    return model, x


@pytest.mark.parametrize("make", [mlp, cnn, recurrent, two_inputs, called])
def test_a_model_gives_the_same(make: Any, tmp_path: Path) -> None:
    model, x = make()
    model.export(tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    wanted, found = model(x), loaded.serve(x)
    tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), found, wanted)
    assert len(loaded.variables) == len(model.variables)
    assert tf.saved_model.contains_saved_model(tmp_path / "m")
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_signatures_give_dicts(tmp_path: Path) -> None:
    model, x = mlp()
    tf.saved_model.save(model, tmp_path / "m")
    tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(str(tmp_path / "m"))
    assert list(loaded.signatures) == ["serving_default"]
    np.testing.assert_allclose(loaded.signatures["serving_default"](x)["output_0"], model(x), rtol=1e-5)
    np.testing.assert_allclose(loaded(x[:2], training=False), model(x[:2]), rtol=1e-5)


class Scaler(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = tf.Variable(3.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def scaled(self, x: Any) -> Any:
        return x * self.scale

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32)])
    def fixed(self, x: Any, n: Any) -> Any:
        return tf.reduce_sum(x) * tf.cast(n, tf.float32), x

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def whole(self, x: Any) -> Any:
        return x - tf.reduce_mean(x)


class OnlyRows(Scaler):
    whole = None


def test_functions_of_a_module(tmp_path: Path) -> None:
    module = OnlyRows()
    tf.saved_model.save(module, tmp_path / "m", signatures={"scale": module.scaled})
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.scaled([[1.0, 2.0]]).numpy().tolist() == [[3.0, 6.0]]
    total, same = loaded.fixed([1.0, 2.0], 2)
    assert (float(total), same.numpy().tolist()) == (6.0, [1.0, 2.0])
    assert loaded.signatures["scale"](x=[[1.0, 1.0]])["output_0"].numpy().tolist() == [[3.0, 3.0]]
    loaded.variables[0].assign(1.0)
    assert loaded.scaled([[1.0, 2.0]]).numpy().tolist() == [[1.0, 2.0]]
    with pytest.raises(AttributeError, match="no function 'other'. It has: .*'fixed', 'scaled'"):
        loaded.other  # noqa: B018
    with pytest.raises(TypeError, match="scaled expected 1 inputs"):
        loaded.scaled()


class Called(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.count = tf.Variable(0)
        self.inner = tf.Module()
        self.inner.w = tf.Variable([1.0, 2.0])

    @tf.function
    def multiply(self, x: Any, twice: bool = False) -> Any:
        return x * self.inner.w * (2.0 if twice else 1.0)

    @tf.function
    def counted(self) -> Any:
        self.count.assign(self.count + 1)
        return self.count.assign_add(1) - 1

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def __call__(self, x: Any) -> Any:
        return {"rows": x + 1.0, "nothing": None}

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def anything(self, x: Any) -> Any:
        return x * x


@pytest.fixture(scope="module")
def called_module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    module = Called()
    module.multiply(tf.ones([3, 2]))
    module.multiply(tf.ones([2]), twice=True)
    module.counted()
    module(tf.ones([2, 3]))
    folder = tmp_path_factory.mktemp("called") / "m"
    tf.saved_model.save(module, folder)
    return tf.saved_model.load(folder)


def test_functions_are_saved_as_they_were_called(called_module: Any) -> None:
    loaded = called_module
    assert loaded.multiply(np.ones((3, 2), np.float32)).numpy().tolist() == [[1.0, 2.0]] * 3
    assert loaded.multiply([1.0, 1.0], True).numpy().tolist() == [2.0, 4.0]
    assert loaded(tf.zeros([5, 3]))["rows"].shape == (5, 3)
    assert loaded(tf.zeros([5, 3]))["nothing"] is None
    assert (loaded.anything(3.0).numpy(), loaded.anything([2.0, 3.0]).numpy().tolist()) == (9.0, [4.0, 9.0])
    with pytest.raises(ValueError, match="Could not find matching concrete function to call loaded"):
        loaded.multiply(tf.ones([7, 2]))


def test_a_signature_for_any_shape(tmp_path: Path) -> None:
    call = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec(None, tf.float32, name="x"))
    tf.saved_model.save(tf.Module(), tmp_path / "m", signatures=call)
    served = tf.saved_model.load(tmp_path / "m").signatures["serving_default"]
    assert float(served(tf.constant(3.0))["output_0"]) == 6.0
    assert served(x=tf.constant([1.0, 2.0]))["output_0"].numpy().tolist() == [2.0, 4.0]


def test_what_a_function_assigns_is_assigned(called_module: Any) -> None:
    before = int(called_module.count)
    assert int(called_module.counted()) == before + 1
    assert int(called_module.count) == before + 2


def test_a_loaded_function_has_gradients(called_module: Any) -> None:
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(called_module.multiply(x, True))
    grads = tape.gradient(y, [x, called_module.inner.w])
    assert [g.numpy().tolist() for g in grads] == [[2.0, 4.0], [4.0, 6.0]]


def test_a_gradient_of_ones_own_is_saved(tmp_path: Path) -> None:
    halved = tf.custom_gradient(lambda y: (y * 1.0, lambda dy: dy * 0.5))
    root = tf.train.Checkpoint(v=tf.Variable(2.0))
    root.f = tf.function(lambda x: halved(x * root.v), input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(root, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    with tf.GradientTape() as tape:
        y = loaded.f(3.0)
    assert tape.gradient(y, loaded.v).numpy() == 1.5


def test_a_checkpoint_can_hold_functions(tmp_path: Path) -> None:
    root = tf.train.Checkpoint(v=tf.Variable(2.0))
    root.f = tf.function(lambda x: root.v * x, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(root, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert (loaded.f(3.0).numpy(), loaded.v.numpy(), list(loaded.signatures)) == (
        6.0,
        2.0,
        ["serving_default"],
    )
    assert list(loaded.signatures["serving_default"].structured_outputs) == ["output_0"]
    with pytest.raises(TypeError, match=r"cannot be called. It has the functions \['f'\]"):
        loaded(1.0)


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="treats each row separately"):
        tf.saved_model.save(Scaler(), tmp_path / "m", options=STABLEHLO)
    with pytest.raises(ValueError, match="expected a Keras model or an object with functions"):
        tf.saved_model.save(tf.Module(), tmp_path / "m")
    with pytest.raises(ValueError, match="a function whose arguments are known for 'serving_default'"):
        tf.saved_model.save(tf.Module(), tmp_path / "m", signatures=tf.function(lambda x: x))
    with pytest.raises(ValueError, match="has not been called"):
        type(called()[0])().export(tmp_path / "m")
    open_lengths = tf.keras.Sequential([tf.keras.Input((None, 3)), L.LSTM(2)])
    with pytest.raises(ValueError, match="sizes are known, except for the number of rows"):
        open_lengths.export(tmp_path / "m", format="stablehlo")
    with pytest.raises(ValueError, match="expected format to be .*; got format='openvino'"):
        mlp()[0].export(tmp_path / "m", format="openvino")
    assert list(tmp_path.iterdir()) == []


def test_folders_that_are_none_of_ours(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(tmp_path)
    (tmp_path / "saved_model.pb").touch()
    with pytest.raises(ValueError, match="whole SavedModel; got .* it has version 0 of the format"):
        tf.saved_model.load(tmp_path)


def test_damage_is_noticed(tmp_path: Path) -> None:
    tf.saved_model.save(OnlyRows(), tmp_path / "m", options=STABLEHLO)
    folder = tmp_path / "m"
    good = {p: p.read_bytes() for p in folder.iterdir()}
    for path, data in good.items():
        if path.suffix != ".json":
            path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
            with pytest.raises(ValueError, match="has changed since it was written"):
                tf.saved_model.load(folder)
            path.unlink()
            with pytest.raises(ValueError, match="is missing"):
                tf.saved_model.load(folder)
            path.write_bytes(data)
    manifest = folder / "saved_model.json"
    described = json.loads(manifest.read_text())
    for changed, text in (
        ("{", "cannot be read"),
        ("[]", "does not describe a saved model"),
        (json.dumps({**described, "variables": 3}), "its manifest has variables='3'"),
        (json.dumps(described).replace("scaled-0.stablehlo", "../x"), "that is none of its own"),
    ):
        manifest.write_text(changed)
        with pytest.raises(ValueError, match=text):
            tf.saved_model.load(folder)
    with pytest.raises(ValueError, match="expected a StableHLO program"):
        PortableProgram(b"nothing", "x")


def test_the_names_of_parts() -> None:
    assert tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert (tf.saved_model.SERVING, tf.saved_model.TRAINING) == ("serve", "train")
    assert tf.saved_model.PREDICT_METHOD_NAME == "tensorflow/serving/predict"


def test_a_folder_of_keras_is_loaded_with_signatures(tmp_path: Path) -> None:
    x = tf.keras.Input((3,), name="x")
    model = tf.keras.Model(x, tf.keras.layers.Dense(2, name="scores")(x))
    model.save(tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    data = tf.ones((4, 3))
    serve = loaded.signatures["serving_default"]
    assert [spec.shape.as_list() for spec in serve.structured_outputs.values()] == [
        [None, model.output_shape[-1]]
    ]
    assert list(serve.structured_input_signature[1]) == ["x"]
    for found in (serve(data)["scores"], serve(x=data)["scores"], loaded(data)):
        np.testing.assert_allclose(found, model(data), rtol=1e-6)


class _Scoring(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, inputs: Any) -> Any:
        return self.dense(inputs)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def score(self, x: Any) -> Any:
        return {"score": tf.reduce_sum(self(x), -1)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def words(self, text: Any) -> Any:
        return tf.strings.length(text)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def names(self, x: Any) -> Any:
        return tf.strings.as_string(x)


def test_functions_of_a_keras_model(tmp_path: Path) -> None:
    model, x = _Scoring(), tf.ones((2, 3))
    model.names = None
    model(x)
    with pytest.warns(UserWarning, match="leaves out 'words', which takes strings"):
        tf.saved_model.save(model, tmp_path / "m", signatures={"rank": model.score}, options=STABLEHLO)
    loaded = tf.saved_model.load(tmp_path / "m")
    assert list(loaded.signatures) == ["rank"]
    assert loaded.signatures["rank"](x)["score"].numpy().tolist() == [6.0, 6.0]
    assert loaded.score(x)["score"].numpy().tolist() == [6.0, 6.0]
    np.testing.assert_allclose(loaded(x), model(x))


def test_functions_of_strings_are_in_the_graph_alone(tmp_path: Path) -> None:
    model, x = _Scoring(), tf.ones((2, 3))
    model(x)
    tf.saved_model.save(model, tmp_path / "m", signatures={"lengths": model.words})
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.signatures["lengths"](tf.constant(["ab", ""]))["output_0"].numpy().tolist() == [2, 0]
    assert loaded.words(tf.constant(["ab", ""])).numpy().tolist() == [2, 0]
    assert loaded.names(tf.constant([1.5])).numpy().tolist() == [b"1.500000"]
    np.testing.assert_allclose(loaded(x), model(x))


@pytest.mark.filterwarnings("ignore:.*leaves out 'words'")
def test_programs_of_strings_are_refused_by_name(tmp_path: Path) -> None:
    model = _Scoring()
    model(tf.ones((2, 3)))
    with pytest.raises(
        ValueError, match="expected functions that can be programs, of numbers alone; got 'names'"
    ):
        tf.saved_model.save(model, tmp_path / "m", options=STABLEHLO)
    model.names = None
    with pytest.raises(
        ValueError, match="expected a function of numbers for 'words'; got one that takes strings"
    ):
        tf.saved_model.save(model, tmp_path / "m", signatures={"lengths": model.words}, options=STABLEHLO)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_object_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected a Keras model, a tf.Module or .*; got obj=3. Put what"):
        tf.saved_model.save(3, tmp_path / "m")


def test_a_model_called_on_named_inputs_is_served_on_them(tmp_path: Path) -> None:
    class Looking(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.table = tf.keras.layers.Embedding(5, 2)

        def call(self, inputs: Any) -> Any:
            return self.table(inputs["ids"]) * inputs["scale"]

    model = Looking()
    given = {"ids": tf.constant([1, 2]), "scale": tf.constant([[2.0], [3.0]])}
    expected = model(given)
    tf.saved_model.save(model, str(tmp_path / "m"))
    np.testing.assert_allclose(tf.saved_model.load(str(tmp_path / "m"))(given), expected)
