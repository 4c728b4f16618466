"""`tf.feature_column` and `DenseFeatures`; the numbers are TensorFlow's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

FC, L = tf.feature_column, tf.keras.layers
AGES = {"age": np.array([[-1.0], [3.0], [7.0]])}
WORDS = {"word": np.array([["x"], ["y"], ["z"]])}


def terms(**arguments: Any) -> Any:
    return FC.categorical_column_with_vocabulary_list("word", ["x", "y"], **arguments)


@pytest.mark.parametrize(
    ("column", "features", "expected"),
    [
        (lambda: FC.numeric_column("age", normalizer_fn=lambda x: x * 2), AGES, [[-2], [6], [14]]),
        (lambda: FC.bucketized_column(FC.numeric_column("age"), [0.0, 5.0]), AGES, np.eye(3)),
        (lambda: FC.indicator_column(terms()), WORDS, [[1, 0], [0, 1], [0, 0]]),
        (lambda: FC.indicator_column(terms(num_oov_buckets=1)), WORDS, np.eye(3)),
        (lambda: FC.indicator_column(terms(default_value=0)), WORDS, [[1, 0], [0, 1], [1, 0]]),
        (
            lambda: FC.indicator_column(FC.categorical_column_with_hash_bucket("word", 10)),
            {"word": np.array([["x"], ["y"], ["cat"]])},
            np.eye(10)[[0, 5, 6]],
        ),
        (
            lambda: FC.indicator_column(FC.categorical_column_with_identity("n", 4, default_value=0)),
            {"n": np.array([[1], [7]])},
            np.eye(4)[[1, 0]],
        ),
        (
            lambda: FC.indicator_column(FC.crossed_column(["a", "b"], 20)),
            {"a": np.array([["p"], ["q"]]), "b": np.array([["r"], ["s"]])},
            np.eye(20)[[6, 2]],
        ),
        (
            lambda: FC.indicator_column(
                FC.crossed_column([FC.bucketized_column(FC.numeric_column("age"), [0.0, 5.0]), terms()], 20)
            ),
            {"age": np.array([[-1.0], [3.0]]), "word": np.array([["x"], ["y"]])},
            np.eye(20)[[4, 1]],
        ),
        (
            lambda: FC.indicator_column(FC.weighted_categorical_column(terms(), "w")),
            {"word": np.array([["x", "y"]]), "w": np.array([[0.5, 2.0]])},
            [[0.5, 2.0]],
        ),
        (
            lambda: FC.embedding_column(terms(), 2, combiner="sum", initializer=tf.ones_initializer()),
            {"word": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["x", "y", "x"], [2, 2])},
            [[2, 2], [1, 1]],
        ),
    ],
    ids=range(11),
)
def test_columns(column: Any, features: Any, expected: Any) -> None:
    layer = L.DenseFeatures(column())
    np.testing.assert_array_equal(layer(features), expected)
    assert layer.compute_output_shape({"a": (None, 1)}) == (None, np.shape(expected)[1])


@pytest.mark.parametrize(("combiner", "expected"), [("mean", 1.0), ("sqrtn", np.sqrt(2)), ("sum", 2.0)])
def test_combiners(combiner: str, expected: float) -> None:
    column = FC.embedding_column(terms(), 3, combiner, initializer=tf.ones_initializer())
    layer = L.DenseFeatures(column)
    np.testing.assert_allclose(layer({"word": np.array([["x", "y"]])}), [[expected] * 3], rtol=1e-6)
    assert layer.weights[0].name.endswith("word_embedding/embedding_weights:0")


def test_terms_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "terms").write_text("x\ny\n")
    column = FC.categorical_column_with_vocabulary_file("word", str(tmp_path / "terms"), num_oov_buckets=1)
    assert L.DenseFeatures(FC.indicator_column(column))(WORDS).numpy().tolist() == np.eye(3).tolist()


def test_names_and_specs() -> None:
    age = FC.numeric_column("age")
    bins = FC.bucketized_column(age, [0.0])
    columns = [bins, FC.embedding_column(terms(), 2), FC.indicator_column(FC.crossed_column([bins, "b"], 3))]
    assert [column.name for column in columns] == [
        *("age_bucketized", "word_embedding", "age_bucketized_X_b_indicator"),
    ]
    assert FC.make_parse_example_spec(columns) == {
        "age": tf.io.FixedLenFeature((1,), tf.float32, None),
        "word": tf.io.VarLenFeature(tf.string),
        "b": tf.io.VarLenFeature(tf.string),
    }


def test_training_on_a_table() -> None:
    columns = [
        FC.numeric_column("a"),
        FC.indicator_column(FC.categorical_column_with_vocabulary_list("s", ["x", "y"])),
        FC.embedding_column(
            FC.categorical_column_with_vocabulary_list("s", ["x", "y"]), 2, initializer=tf.ones_initializer()
        ),
    ]
    model = tf.keras.Sequential([L.DenseFeatures(columns), L.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    table = {"a": [1.0, 2.0, 3.0, 4.0], "s": ["x", "y", "x", "z"]}
    data = tf.data.Dataset.from_tensor_slices((table, [1.0, 2.0, 3.0, 4.0])).batch(2)
    history = model.fit(data, epochs=2, verbose=0).history
    np.testing.assert_allclose(history["loss"], [6.061, 3.923], rtol=1e-3)  # TensorFlow's
    np.testing.assert_allclose(
        model.predict(data, verbose=0).ravel(), [3.089, 3.967, 4.626, 2.939], rtol=1e-3
    )


def test_in_a_functional_model() -> None:
    inputs = {"a": tf.keras.Input((1,), name="a"), "word": tf.keras.Input((1,), name="word", dtype=tf.string)}
    features = L.DenseFeatures([FC.numeric_column("a"), FC.indicator_column(terms())])(inputs)
    assert features.shape == (None, 3)
    model = tf.keras.Model(inputs, L.Dense(1, kernel_initializer="ones")(features))
    found = model({"a": np.array([[1.0], [2.0]]), "word": np.array([["x"], ["q"]])})
    assert found.numpy().tolist() == [[2.0], [2.0]]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: L.DenseFeatures(terms()), "Items of feature_columns must be a DenseColumn"),
        (
            lambda: L.DenseFeatures(FC.numeric_column("a"))({"b": [[1.0]]}),
            "Feature a is not in features dictionary",
        ),
        (lambda: L.DenseFeatures(FC.numeric_column("a"))(tf.ones((1, 1))), "We expected a dictionary here"),
        (lambda: FC.numeric_column("a", dtype=tf.string), "dtype must be convertible to float"),
        (lambda: FC.bucketized_column(terms(), [0.0]), "must be a column generated with numeric_column"),
        (lambda: FC.bucketized_column(FC.numeric_column("a"), [1.0, 0.0]), "must be a sorted list"),
        (lambda: FC.categorical_column_with_hash_bucket("a", 0), "must be at least 1"),
        (lambda: FC.categorical_column_with_vocabulary_list("a", ["x", "x"]), "without duplicate keys"),
        (lambda: terms(num_oov_buckets=1, default_value=0), "Can't specify both num_oov_buckets"),
        (lambda: FC.categorical_column_with_identity("a", 2, 5), r"not in range \[0, 2\)"),
        (lambda: FC.crossed_column(["a"], 5), "must be a list with length > 1"),
        (lambda: FC.embedding_column(terms(), 0), "Invalid dimension 0"),
        (lambda: FC.embedding_column(terms(), 2, "max"), "expected combiner to be 'mean', 'sum' or 'sqrtn'"),
    ],
    ids=range(13),
)
def test_what_is_refused(wrong: Any, text: str) -> None:
    with pytest.raises((ValueError, TypeError), match=text):
        wrong()


def test_numbers_that_are_no_class() -> None:
    layer = L.DenseFeatures(FC.indicator_column(FC.categorical_column_with_identity("n", 2)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected class numbers below 2"):
        layer({"n": np.array([[5]])}).numpy()
