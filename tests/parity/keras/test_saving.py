"""Files of real Keras load here, and files written here load in real Keras.

Keras 3 runs beside the tests; files of Keras 2 are kept in `fixtures/saving`, made by `fixtures/make_saving.py`.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import numpy as np
import pytest

import tapeflow as tf

FIXTURES = Path(__file__).parent / "fixtures" / "saving"
KERAS_2 = sorted(p.name for p in FIXTURES.iterdir() if p.suffix != ".npz")


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape).astype("float32")


def stack(K: Any) -> tuple[Any, Any]:
    L = K.layers
    layers = [
        K.Input((4,)),
        L.Dense(8, activation="relu"),
        L.BatchNormalization(),
        L.Dropout(0.5),
        L.Dense(2),
    ]
    return K.Sequential(layers), normal(6, 4)


def two_by_two(K: Any) -> tuple[Any, Any]:
    L = K.layers
    a, b = K.Input((4,), name="a"), K.Input((3,), name="b")
    shared = L.Dense(5, activation="tanh", name="shared")
    left, right = shared(a), shared(L.Dense(4)(b))
    one = L.Dense(1, name="one")(L.Concatenate()([left, right]))
    return K.Model([a, b], [one, L.Dense(1, name="two")(left - right * 0.5)]), [normal(6, 4), normal(6, 3)]


def nested(K: Any) -> tuple[Any, Any]:
    L = K.layers
    i = K.Input((4,))
    inner = K.Model(i, L.Dense(4, activation="gelu")(i), name="inner")
    x = K.Input((4,), name="x")
    head = K.Sequential([K.Input((4,)), L.LayerNormalization(), L.Dense(4)], name="head")
    return K.Model(x, inner(head(L.Add()([inner(x), x])))), normal(6, 4)


def image(K: Any) -> tuple[Any, Any]:
    L = K.layers
    x = K.Input((8, 8, 3))
    y = L.Conv2D(4, 3, padding="same", activation="relu")(x)
    y = L.Add()([y, L.DepthwiseConv2D(3, padding="same")(y)])
    y = L.Conv2DTranspose(2, 3, strides=2, padding="same")(L.MaxPooling2D(2)(L.LeakyReLU()(y)))
    y = L.SeparableConv2D(3, 3)(L.UpSampling2D(2)(L.ZeroPadding2D(1)(y)))
    return K.Model(x, L.Dense(1)(L.GlobalAveragePooling2D()(L.SpatialDropout2D(0.1)(y)))), normal(2, 8, 8, 3)


def sequence(K: Any) -> tuple[Any, Any]:
    L = K.layers
    i = K.Input((6,), dtype="int32", name="i")
    y = L.Bidirectional(L.LSTM(2, return_sequences=True))(L.Embedding(9, 4, mask_zero=True)(i))
    y = L.TimeDistributed(L.Dense(4))(L.MultiHeadAttention(2, 2)(y, y))
    return K.Model(i, L.Dense(1)(L.GRU(3)(y))), np.random.default_rng(1).integers(0, 9, (4, 6)).astype(
        "int32"
    )


def operations(K: Any) -> tuple[Any, Any]:
    """Operators that both have; each has functions of its own besides."""
    x = K.Input((4,), name="x")
    y = (1.0 - K.layers.Dense(4)(x)) / 2.0
    y = abs(y[:, 1:3]) ** 2 + x[..., :2]
    return K.Model(x, -y), normal(6, 4)


MODELS = [stack, two_by_two, nested, image, sequence, operations]


def listed(value: Any) -> list[np.ndarray]:
    return [np.asarray(v) for v in (value if isinstance(value, list) else [value])]


def assert_close(a: Any, b: Any, tolerance: float = 1e-5) -> None:
    for x, y in zip(listed(a), listed(b), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def called(model: Any, x: Any) -> list[np.ndarray]:
    """What a model of ours gives; quicker than `predict` for one batch."""
    return listed(model(x, training=False))


def scrambled(model: Any) -> None:
    """Weights that no initializer gives, BatchNormalization's averages among them."""
    rng = np.random.default_rng(5)
    model.set_weights([np.abs(rng.normal(0.3, 0.3, w.shape)).astype(w.dtype) for w in model.get_weights()])


@pytest.mark.parametrize("make", MODELS, ids=lambda m: m.__name__)
def test_written_here_loaded_by_keras_3(make: Any, keras: ModuleType, tmp_path: Path) -> None:
    model, x = make(tf.keras)
    scrambled(model)
    model.compile(tf.keras.optimizers.Adam(0.25), "mse")
    model.optimizer.build(model.trainable_variables)
    model.optimizer.iterations.assign(7)
    model.save(tmp_path / "m.keras")
    model.save_weights(tmp_path / "w.weights.h5")
    theirs = keras.models.load_model(tmp_path / "m.keras")
    assert_close(theirs.predict(x, verbose=0), called(model, x))
    assert int(theirs.optimizer.iterations) == 7
    assert float(theirs.optimizer.learning_rate) == 0.25
    weights = theirs.get_weights()
    theirs.set_weights([np.zeros_like(w) for w in weights])
    theirs.load_weights(tmp_path / "w.weights.h5")
    assert_close(theirs.get_weights(), weights, 0.0)


@pytest.mark.parametrize("make", MODELS, ids=lambda m: m.__name__)
def test_written_by_keras_3_loaded_here(make: Any, keras: ModuleType, tmp_path: Path) -> None:
    theirs, x = make(keras)
    scrambled(theirs)
    theirs.compile(keras.optimizers.Adam(0.25), "mse")
    theirs.optimizer.build(theirs.trainable_variables)
    theirs.optimizer.iterations.assign(7)
    expected = theirs.predict(x, verbose=0)
    # Keras 3 cannot read `.h5` files of its own in which there are operations.
    for name in ("m.keras", "m.h5") if make in (stack, nested, image) else ("m.keras",):
        theirs.save(tmp_path / name)
        model = tf.keras.models.load_model(tmp_path / name)
        assert_close(called(model, x), expected)
        assert int(model.optimizer.iterations) == 7
        assert float(model.optimizer.learning_rate) == 0.25
    theirs.save_weights(tmp_path / "w.weights.h5")
    made = tf.keras.models.model_from_json(theirs.to_json())
    made.load_weights(tmp_path / "w.weights.h5")
    assert_close(made.get_weights(), model.get_weights(), 0.0)


OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"momentum": 0.9}),
    ("RMSprop", {"momentum": 0.5, "centered": True}),
    ("Adam", {"amsgrad": True}),
    ("Nadam", {}),
    ("Ftrl", {}),
]


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=[n for n, _ in OPTIMIZERS])
def test_training_goes_on_where_keras_3_left_it(
    name: str, options: dict[str, Any], keras: ModuleType, tmp_path: Path
) -> None:
    x, y = normal(8, 3), normal(8, 1)
    layers = [keras.Input((3,)), keras.layers.Dense(2, activation="tanh"), keras.layers.Dense(1)]
    theirs = keras.Sequential(layers)
    theirs.compile(getattr(keras.optimizers, name)(**options), "mse")
    for _ in range(3):
        theirs.train_on_batch(x, y)
    theirs.save(tmp_path / "m.keras")
    model = tf.keras.models.load_model(tmp_path / "m.keras")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.save(tmp_path / "again.keras")
        again = keras.models.load_model(tmp_path / "again.keras")
    for each in (theirs, model, again):
        each.train_on_batch(x, y)
    assert_close(model.get_weights(), theirs.get_weights())
    assert_close(again.get_weights(), theirs.get_weights())


@pytest.mark.parametrize("name", KERAS_2)
def test_written_by_keras_2_loaded_here(name: str) -> None:
    stem = name.partition(".")[0]
    with np.load(FIXTURES / "values.npz") as values:
        arrays = {
            kind: [values[key] for key in sorted(values) if key.startswith(f"{stem}_{kind}")]
            for kind in ("x", "y", "before", "after")
        }
    x, y = (arrays[k] if len(arrays[k]) > 1 else arrays[k][0] for k in ("x", "y"))
    model = tf.keras.models.load_model(FIXTURES / name)
    assert_close(called(model, x), arrays["before"])
    if stem != "stack":
        model.fit(x, y, batch_size=8, epochs=1, verbose=0)
    assert_close(called(model, x), arrays["after"])


def test_keras_2s_form_is_written_as_keras_2_writes_it() -> None:
    """A config of Keras 2, loaded and written again, is the same but for what newer Keras 2 added."""
    with h5py.File(FIXTURES / "nested.h5") as file:
        theirs = json.loads(str(file.attrs["model_config"]))
    ours = json.loads(tf.keras.models.model_from_config(theirs).to_json())

    def calls(config: Any) -> Any:
        return [(c["class_name"], c["name"], c["inbound_nodes"]) for c in config["config"]["layers"]]

    assert calls(ours) == calls(theirs)
    assert ours["config"]["output_layers"] == theirs["config"]["output_layers"]
    for a, b in zip(ours["config"]["layers"], theirs["config"]["layers"], strict=True):
        assert set(a["config"]) >= set(b["config"]) - {"optional"}


def test_layers_of_keras_2_that_have_seen_data() -> None:
    """Keras keeps their vocabularies in files of their own."""
    model = tf.keras.models.load_model(FIXTURES.parent / "vocabularies.keras", compile=False)
    texts, values = np.array(["a b c", "b c d", "é b"]), np.array([[0.5], [2.0], [9.0]], "float32")
    data = [texts, texts, np.array([["x"], ["y"], ["zz"]]), np.array([[3], [7], [7]]), values, values]
    with np.load(FIXTURES.parent / "vocabularies.npz") as expected:
        assert_close(called(model, data), list(expected.values()))


@pytest.mark.filterwarnings("ignore:Skipping variable loading for optimizer")  # it has not taken a step
def test_what_keras_3_wants_in_configs(keras: ModuleType, tmp_path: Path) -> None:
    x, y = normal(4, 1), normal(4, 1)
    model = tf.keras.Sequential(
        [tf.keras.Input((1,)), tf.keras.layers.Discretization([0.0, 1.0], output_mode="one_hot")]
    )
    model.add(tf.keras.layers.Dense(1))
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    model.compile(tf.keras.optimizers.SGD(rate), "mse")
    model.save(tmp_path / "m.keras")
    theirs = keras.models.load_model(tmp_path / "m.keras")
    for each in (model, theirs):
        each.fit(x, y, epochs=2, verbose=0)
    assert_close(theirs.get_weights(), model.get_weights())
