"""`MultiHeadAttention`: names, configs, masks that tensors carry, dropout."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
X = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")


def test_names_and_config() -> None:
    layer = L.MultiHeadAttention(2, 3, name="mha")
    found = layer(X, X)
    parts = ("query", "key", "value", "attention_output")
    assert [w.name for w in layer.weights] == [f"mha/{p}/{w}:0" for p in parts for w in ("kernel", "bias")]
    again = L.MultiHeadAttention.from_config(layer.get_config())
    assert [w.name for w in again.weights] == [w.name for w in layer.weights]
    again.set_weights(layer.get_weights())
    np.testing.assert_allclose(again(X, X), found, rtol=1e-6)
    assert again.get_config() == layer.get_config()


def test_masks_of_tensors_count() -> None:
    embedded = L.Embedding(9, 4, mask_zero=True)(tf.constant([[1, 2, 0]]))
    layer = L.MultiHeadAttention(2, 3)
    found, scores = layer(embedded, embedded, return_attention_scores=True)
    assert float(tf.reduce_max(scores[:, :, :2, 2])) == 0
    assert found._keras_mask.numpy().tolist() == [[True, True, False]]


def test_functional_and_fit() -> None:
    source = tf.keras.Input((None, 4))
    outputs, scores = L.MultiHeadAttention(2, 3)(source, source, return_attention_scores=True)
    assert tuple(outputs.shape) == (None, None, 4)
    assert tuple(scores.shape) == (None, 2, None, None)
    model = tf.keras.Model(source, outputs)
    assert tuple(model.layers[1].get_config()["query_shape"]) == (None, None, 4)
    assert model.weights[0].name == f"{model.layers[1].name}/query/kernel:0"
    model.compile("sgd", "mse")
    history = model.fit(X, X, epochs=2, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]


def test_dropout_only_in_training() -> None:
    layer = L.MultiHeadAttention(2, 3, dropout=0.5, seed=1)
    np.testing.assert_array_equal(layer(X, X), layer(X, X))
    assert (np.asarray(layer(X, X, training=True)) != np.asarray(layer(X, X, training=True))).any()


def test_shapes_that_do_not_fit() -> None:
    layer = L.MultiHeadAttention(2, 3)
    assert tuple(layer.compute_output_shape((None, 5, 4), (None, 6, 4))) == (None, 5, 4)
    with pytest.raises(ValueError, match="last dimension of `query_shape` and `value_shape` must be equal"):
        layer.compute_output_shape((None, 5, 4), (None, 6, 3))
    with pytest.raises(ValueError, match="All dimensions of `value` and `key`"):
        layer.compute_output_shape((None, 5, 4), (None, 6, 4), (None, 7, 4))


def test_subclasses_compute_attention_with_its_equations() -> None:
    class Own(tf.keras.layers.MultiHeadAttention):
        def call(self, query, value, attention_mask=None):  # pyright: ignore[reportIncompatibleMethodOverride]
            if not self._built_from_signature:
                self._build_from_signature(query, value)
            q, k, v = self._query_dense(query), self._key_dense(value), self._value_dense(value)
            scores = tf.einsum(self._dot_product_equation, k, q / self._key_dim**0.5)
            weights = self._dropout_layer(self._masked_softmax(scores, attention_mask))
            return self._output_dense(tf.einsum(self._combine_equation, weights, v))

    query, value = tf.random.normal([2, 3, 4]), tf.random.normal([2, 5, 4])
    mask = tf.constant(np.tril(np.ones((2, 3, 5), bool)))
    own, plain = Own(2, 3), tf.keras.layers.MultiHeadAttention(2, 3)
    own(query, value)
    plain(query, value)
    own.set_weights(plain.get_weights())
    np.testing.assert_allclose(own(query, value, mask), plain(query, value, attention_mask=mask), atol=1e-5)
