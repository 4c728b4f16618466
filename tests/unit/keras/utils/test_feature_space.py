"""`FeatureSpace`; the numbers are Keras 2's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

FeatureSpace = tf.keras.utils.FeatureSpace
RAW = {
    "amount": [0.0, 0.1, 0.2, 0.3],
    "bin": [1.0, 2.0, 3.0, 4.0],
    "name": ["zero", "one", "two", "three"],
    "number": [0, 1, 2, 3],
    "hash": ["a", "b", "a", "c"],
}
KINDS = {
    "amount": "float_normalized",
    "bin": "float_discretized",
    "name": "string_categorical",
    "number": "integer_categorical",
    "hash": "string_hashed",
}


def adapted(output_mode: str = "concat") -> Any:
    space = FeatureSpace(
        KINDS, output_mode, [("name", "number")], crossing_dim=5, hashing_dim=3, num_discretization_bins=2
    )
    space.adapt(tf.data.Dataset.from_tensor_slices(RAW))
    return space


@pytest.fixture(scope="module")
def space() -> Any:
    return adapted()


def test_each_column_becomes_numbers() -> None:
    found = adapted("dict")(RAW)
    assert list(found) == ["amount", "bin", "hash", "name", "number", "name_X_number"]
    np.testing.assert_allclose(found["amount"][:, 0], [-1.3416, -0.4472, 0.4472, 1.3416], atol=1e-4)
    assert [np.argmax(row) for row in found["hash"]] == [0, 1, 0, 1]
    assert {name: part.shape[1] for name, part in found.items()} == {
        "amount": 1,
        "bin": 2,
        "hash": 3,
        "name": 5,
        "number": 5,
        "name_X_number": 5,
    }


def test_one_vector_of_all_and_of_one_example(space: Any) -> None:
    whole = space(RAW)
    assert whole.shape == (4, 21)
    first = space({name: column[1] for name, column in RAW.items()})
    np.testing.assert_allclose(first, whole[1])
    [mapped] = tf.data.Dataset.from_tensor_slices(RAW).batch(4).map(space)
    np.testing.assert_allclose(mapped, whole)


def test_a_model_of_its_inputs_trains_and_is_saved(space: Any, tmp_path: Path) -> None:
    data = tf.data.Dataset.from_tensor_slices((RAW, [0.0, 1.0, 0.0, 1.0])).batch(2)
    encoded = space.get_encoded_features()
    output = tf.keras.layers.Dense(1)(encoded)
    training = tf.keras.Model(encoded, output)
    training.compile("sgd", "mse")
    training.fit(data.map(lambda x, y: (space(x), y)), verbose=0)
    inference = tf.keras.Model(space.get_inputs(), output)
    columns = {name: tf.constant(column)[:, None] for name, column in RAW.items()}
    np.testing.assert_allclose(inference(columns), training(space(RAW)), atol=1e-6)
    inference.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(again(columns), inference(columns), atol=1e-6)


def test_it_is_saved_with_what_it_has_learned(space: Any, tmp_path: Path) -> None:
    space.save(tmp_path / "space.keras")
    again = tf.keras.models.load_model(tmp_path / "space.keras")
    assert isinstance(again, FeatureSpace)
    np.testing.assert_allclose(again(RAW), space(RAW))


def test_features_of_ones_own() -> None:
    made = FeatureSpace(
        {
            "number": FeatureSpace.integer_hashed(3, output_mode="int"),
            "text": FeatureSpace.feature("string", tf.keras.layers.Hashing(4), "int"),
            "bin": FeatureSpace.float_discretized(None, bin_boundaries=[1.5, 3.0]),
            "scaled": FeatureSpace.float_rescaled(2.0, 1.0),
            "plain": FeatureSpace.float(),
        },
        crosses=[FeatureSpace.cross(("number", "text"), 4, "int")],
        output_mode="dict",
    )
    data = {
        "number": [1, 2],
        "text": ["x", "y"],
        "bin": [1.0, 4.0],
        "scaled": [1.0, 2.0],
        "plain": [3.0, 4.0],
    }
    found = made(data)
    assert found["bin"].numpy().tolist() == [[1, 0, 0], [0, 0, 1]]
    assert found["scaled"].numpy().tolist() == [[3.0], [5.0]]
    assert found["plain"].numpy().tolist() == [[3.0], [4.0]]
    assert found["number_X_text"].dtype == tf.int64
    with pytest.raises(KeyError, match=r"FeatureSpace expected the columns .*; there is no \['plain'\]"):
        made({name: column for name, column in data.items() if name != "plain"})


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: FeatureSpace({}), "The `features` argument cannot be None or empty"),
        (lambda: FeatureSpace({"a": "what"}), "Invalid feature type: what"),
        (lambda: FeatureSpace({"a": "float"}, output_mode="x"), "Received: output_mode=x"),
        (
            lambda: FeatureSpace({"a": "float"}, crosses=[("a", "b")]),
            "Received unknown features: \\('a', 'b'\\)",
        ),
        (
            lambda: FeatureSpace({"a": "float_normalized"})({"a": [1.0]}),
            "You need to call `.adapt\\(dataset\\)`",
        ),
        (lambda: FeatureSpace({"a": "float"})([1.0]), "can only be called with a dict"),
        (lambda: FeatureSpace({"a": "float"}).adapt([1.0]), "can only be called on a tf.data.Dataset"),
        (
            lambda: FeatureSpace({"a": FeatureSpace.integer_hashed(3, "int")})({"a": [1]}),
            "feature 'a' has not been encoded",
        ),
        (
            lambda: FeatureSpace(
                {"a": FeatureSpace.feature("int64", tf.keras.layers.Identity(dtype="int64"), "one_hot")}
            )({"a": [1]}),
            "isn't a standard feature",
        ),
        (
            lambda: FeatureSpace({"a": FeatureSpace.feature("float32", tf.keras.layers.ReLU(), "one_hot")})(
                {"a": [1.0]}
            ),
            "Instead it returns a float32 dtype",
        ),
    ],
    ids=range(10),
)
def test_wrong_arguments(wrong: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        wrong()
