"""Models of ragged and sparse tensors; the numbers are Keras 2's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras, layers = tf.keras, tf.keras.layers
ROWS = [[1, 2, 3], [4], [5, 6], [], [7, 8, 9, 1]]
LABELS = np.arange(5, dtype="float32")[:, None]
DENSE = np.arange(12, dtype="float32").reshape(4, 3) % 5


def ragged() -> Any:
    return tf.ragged.constant(ROWS, dtype=tf.int64)


def sparse() -> Any:
    return tf.sparse.from_dense(DENSE)


def spread(shape: Any, dtype: Any = None) -> Any:
    return tf.constant(np.linspace(-1, 1, int(np.prod(shape))).reshape(shape), dtype or tf.float32)


def embedded(*above: Any) -> Any:
    x = keras.Input([None], ragged=True, dtype="int64")
    y = layers.Embedding(10, 4, embeddings_initializer=spread)(x)
    for layer in above:
        y = layer(y)
    return keras.Model(x, y)


def recurrent(kind: Any, units: int = 3, **kwargs: Any) -> Any:
    return kind(units, kernel_initializer=spread, recurrent_initializer=spread, **kwargs)


def dense(units: int) -> Any:
    return layers.Dense(units, kernel_initializer=spread)


def fitted(model: Any, *data: Any, **kwargs: Any) -> Any:
    model.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    return model.fit(*data, verbose=0, shuffle=False, epochs=2, **kwargs).history


def test_specs_of_ragged_and_sparse_inputs() -> None:
    x = keras.Input([None, None, 3], ragged=True)
    assert x.type_spec == tf.RaggedTensorSpec([None, None, None, 3], tf.float32, 2)
    assert repr(x).startswith("<KerasTensor: type_spec=RaggedTensorSpec(")
    assert keras.Input([3], sparse=True).type_spec == tf.SparseTensorSpec([None, 3], tf.float32)
    assert keras.Input(type_spec=x.type_spec).type_spec == x.type_spec


def test_layers_keep_rows_ragged_or_reduce_them() -> None:
    model = embedded(dense(2))
    assert model.output.type_spec == tf.RaggedTensorSpec([None, None, 2], tf.float32, 1)
    result = model(ragged())
    assert [len(row) for row in result.to_list()] == [3, 1, 2, 0, 4]
    np.testing.assert_allclose(result[1], [[0.2051, 0.0879]], atol=1e-4)
    pooled = embedded(layers.GlobalAveragePooling1D())(ragged()).numpy()
    assert np.isnan(pooled[3]).all()  # the mean of nothing, as in Keras
    np.testing.assert_allclose(pooled[1], spread((10, 4))[4])
    normalised = embedded(layers.LayerNormalization())(ragged())
    np.testing.assert_allclose(normalised[2][1], [-1.1748, -0.3916, 0.3916, 1.1748], atol=1e-4)
    timed = embedded(layers.TimeDistributed(dense(2)))(ragged())
    np.testing.assert_allclose(timed.flat_values, result.flat_values)


def test_recurrent_layers_stop_at_the_end_of_each_row() -> None:
    last = embedded(recurrent(layers.LSTM))(ragged()).numpy()
    np.testing.assert_allclose(last[0], [0.03454, -0.02329, -0.07119], atol=1e-5)
    np.testing.assert_allclose(last[3], [0, 0, 0])
    every = embedded(recurrent(layers.LSTM, return_sequences=True))(ragged())
    np.testing.assert_allclose(every[4], [[0.0433, 0.0696, 0.0985], [0.0869, 0.148, 0.216], [0.1287, 0.2288, 0.3388],
                                          [0.1473, 0.1623, 0.1787]], atol=1e-4)  # fmt: skip
    back = recurrent(layers.GRU, return_sequences=True, go_backwards=True)
    rows = embedded(back)(ragged())
    alone = back(tf.expand_dims(embedded()(ragged())[4], 0))
    np.testing.assert_allclose(rows[4], alone[0], atol=1e-6)
    with pytest.raises(ValueError, match="does not support unrolling"):
        embedded(recurrent(layers.LSTM, unroll=True))
    with pytest.raises(ValueError, match="cannot be applied to RaggedTensor inputs"):
        recurrent(layers.LSTM)(embedded()(ragged()), mask=tf.ones((5, 4), tf.bool))


def test_what_a_ragged_symbol_can_do() -> None:
    x = keras.Input([None], ragged=True, dtype="int64")
    filled, lengths, more, first = keras.Model(x, [x.to_tensor(), x.row_lengths(), x + 1, x[:, :1]])(ragged())
    assert filled.numpy().tolist()[1] == [4, 0, 0, 0]
    assert lengths.numpy().tolist() == [3, 1, 2, 0, 4]
    assert more.to_list() == [[v + 1 for v in row] for row in ROWS]
    assert first.to_list() == [row[:1] for row in ROWS]
    values = keras.Model(x, tf.reduce_sum(x.flat_values))(ragged())
    assert int(values) == sum(map(sum, ROWS))


def test_layers_that_take_no_ragged_tensor_say_so() -> None:
    with pytest.raises(TypeError, match=r'(?s)layer "flat.*got a ragged tensor of shape') as raised:
        embedded(layers.Flatten(name="flat"))
    assert "Use to_tensor()" in str(raised.value)
    with pytest.raises(ValueError, match="innermost dimension is non-ragged"):
        model = keras.Sequential([layers.Dense(2)])
        model.build((None, 3))
        model.layers[0].call(ragged())


def _lstm() -> Any:
    return embedded(recurrent(layers.LSTM), dense(1))


_LOSS = [4.63329, 2.44826]


def test_fit_takes_ragged_tensors() -> None:
    history = fitted(_lstm(), ragged(), LABELS, batch_size=2, validation_data=(ragged(), LABELS))
    np.testing.assert_allclose(history["loss"], _LOSS, atol=1e-5)
    np.testing.assert_allclose(history["val_mae"], [1.23901, 1.1328], atol=1e-5)


@pytest.mark.slow
def test_fit_takes_datasets_and_generators_of_ragged_tensors() -> None:
    dataset = tf.data.Dataset.from_tensor_slices((ragged(), LABELS)).batch(2)
    np.testing.assert_allclose(fitted(_lstm(), dataset)["loss"], _LOSS, atol=1e-5)
    parts = ((ragged()[i : i + 2], LABELS[i : i + 2]) for i in (0, 2, 4))
    model = _lstm()
    model.compile(keras.optimizers.SGD(0.1), "mse")
    assert model.fit(parts, verbose=0).history["loss"][0] == pytest.approx(_LOSS[0], abs=1e-5)


def test_evaluate_and_predict_take_ragged_tensors() -> None:
    model = embedded(recurrent(layers.SimpleRNN), dense(1))
    model.compile(keras.optimizers.SGD(0.1), "mse")
    result = model.predict(ragged(), batch_size=2, verbose=0)
    np.testing.assert_allclose(result, model(ragged()), rtol=1e-5)
    np.testing.assert_allclose(model.predict_on_batch(ragged()), result, rtol=1e-5)
    loss = np.mean((result - LABELS) ** 2)
    assert model.evaluate(ragged(), LABELS, verbose=0) == pytest.approx(loss, rel=1e-5)
    assert model.train_on_batch(ragged(), LABELS) == pytest.approx(loss, rel=1e-5)
    rows = embedded(dense(2)).predict(ragged(), batch_size=2, verbose=0)
    assert isinstance(rows, tf.RaggedTensor)
    np.testing.assert_allclose(rows.flat_values, embedded(dense(2))(ragged()).flat_values, rtol=1e-5)


def test_batches_of_about_one_size_share_a_program() -> None:
    lengths = np.tile([3, 5, 4, 6, 5, 5, 7, 4], 4)
    data = tf.RaggedTensor.from_row_lengths(np.arange(lengths.sum()) % 10, lengths)
    model = embedded(layers.GlobalMaxPooling1D(), dense(1))
    model.compile("sgd", "mse")
    labels = np.zeros((32, 1), "float32")
    model.fit(data[:8], labels[:8], batch_size=8, verbose=0)
    before = tf.debugging.engine_counters()["compiled"]
    model.fit(data, labels, batch_size=8, verbose=0)
    assert tf.debugging.engine_counters()["compiled"] == before


@pytest.mark.slow
def test_a_stack_without_an_input_takes_them_too() -> None:
    stack = [layers.Embedding(10, 4, embeddings_initializer=spread), recurrent(layers.LSTM, 2), dense(1)]
    for above in ([], [layers.InputLayer([None], ragged=True, dtype="int64")]):
        model = keras.Sequential([*above, *map(keras.layers.deserialize, map(_config, stack))])
        found = fitted(model, ragged(), LABELS, batch_size=2)["loss"]
        np.testing.assert_allclose(found, [4.66669, 2.55919], atol=1e-5)


def _config(layer: Any) -> Any:
    with keras.utils.custom_object_scope({"spread": spread}):
        return keras.layers.serialize(layer)


@pytest.fixture(autouse=True)
def own_initializer() -> Any:
    with keras.utils.custom_object_scope({"spread": spread}):
        yield


def test_sparse_inputs_of_a_dense_layer() -> None:
    x = keras.Input([3], sparse=True)
    model = keras.Model(x, dense(2)(x))
    assert model.output.shape.as_list() == [None, 2]
    np.testing.assert_allclose(model(sparse()), model(DENSE), rtol=1e-6)
    np.testing.assert_allclose(model.predict(sparse(), batch_size=2, verbose=0), model(DENSE), rtol=1e-6)
    copy = keras.Model.from_config(model.get_config())
    assert copy.inputs[0].type_spec == x.type_spec
    ones = np.ones((4, 2), "float32")
    losses = fitted(model, sparse(), ones, batch_size=2)["loss"]
    np.testing.assert_allclose(losses, [5.37585, 0.80407], atol=1e-5)
    dataset = tf.data.Dataset.from_tensor_slices((sparse(), ones)).batch(2)
    np.testing.assert_allclose(fitted(copy, dataset)["loss"], losses, rtol=1e-6)


def test_dropout_draws_the_same_in_fit_and_in_a_loop() -> None:
    def losses(train: Any) -> Any:
        tf.keras.utils.set_random_seed(3)
        model = embedded(layers.Dropout(0.5), layers.GlobalMaxPooling1D(), dense(1))
        model.compile(keras.optimizers.SGD(0.1), "mse")
        return train(
            model, tf.ragged.constant([[1, 2, 3], [4], [5, 6]], dtype=tf.int64), np.ones((3, 1), "float32")
        )

    def by_hand(model: Any, x: Any, y: Any) -> float:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        model.optimizer.minimize(loss, model.trainable_variables, tape=tape)
        return float(loss)

    fit = losses(lambda m, x, y: m.fit(x, y, epochs=2, verbose=0, shuffle=False).history["loss"])
    np.testing.assert_allclose(fit, losses(lambda m, x, y: [by_hand(m, x, y), by_hand(m, x, y)]), rtol=1e-6)


def test_graphs_with_ragged_symbols_go_through_configs_and_copies(tmp_path: Path) -> None:
    x = keras.Input([None], ragged=True, dtype="int64", name="ids")
    model = keras.Model(x, tf.cast(x.to_tensor(default_value=7), tf.float32))
    copy = keras.Model.from_config(model.get_config())
    assert copy.get_layer("ids").ragged
    assert copy(ragged()).numpy().tolist()[1] == [4, 7, 7, 7]
    files = [tmp_path / "m.keras", tmp_path / "m.h5"]
    for file in files:
        model.save(file)
        assert keras.models.load_model(file, compile=False).inputs[0].type_spec == x.type_spec
    rows = embedded().output
    middle = keras.Model(rows, rows + 1.0)
    assert middle.inputs[0].type_spec.ragged_rank == 1


TENTHS = tf.RaggedTensor.from_row_splits(np.arange(12, dtype="float32").reshape(6, 2) / 10, [0, 3, 4, 6])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: layers.Attention()([x, x]), [[0.203, 0.303], [0.6, 0.7], [0.917, 1.017]]),
        (
            lambda x: layers.AdditiveAttention(use_scale=False)([x, x]),
            [[0.247, 0.347], [0.6, 0.7], [0.902, 1.002]],
        ),
        (
            lambda x: layers.MultiHeadAttention(1, 2, kernel_initializer="ones")(x, x),
            [[1.03, 1.03], [2.197, 2.197], [3.96, 3.96]],
        ),
        (lambda x: layers.Activation("softmax")(x), [[0.475, 0.525]] * 3),
        (lambda x: layers.Masking()(x), [[0.0, 0.1], [0.6, 0.7], [0.8, 0.9]]),
        (lambda x: layers.Cropping1D((0, 1))(x)[:1], [[0.0, 0.1]]),
        (lambda x: layers.RepeatVector(2)(x[:, :, 0])[:, :, :1], [[0.0], [0.6], [0.8]]),
        (lambda x: layers.Discretization([0.15, 0.65])(x), [[0, 0], [1, 2], [2, 2]]),
    ],
    ids=["dot", "additive", "heads", "softmax", "masking", "cropping", "repeat", "bins"],
)
def test_layers_that_take_rows(call: Any, expected: Any) -> None:
    x = keras.Input((None, 2), ragged=True)
    for result in (call(TENTHS), keras.Model(x, call(x))(TENTHS)):
        first = [row[0] if np.ndim(row[0]) else row for row in result.numpy().tolist()]
        np.testing.assert_allclose(first, expected, atol=1e-3)


def test_numbers_of_strings_in_rows() -> None:
    rows = tf.ragged.constant([["a", "b"], ["c"]])
    assert layers.Hashing(3)(rows).to_list() == [[0, 1], [1]]


def test_weights_of_attention_have_rows_of_both() -> None:
    weights = layers.Attention()([TENTHS, TENTHS], return_attention_scores=True)[1]
    assert [[len(row) for row in rows] for rows in weights.to_list()] == [[3, 3, 3], [1], [2, 2]]


@pytest.mark.parametrize(
    "make", [lambda: layers.Conv1D(1, 2), layers.BatchNormalization, layers.UpSampling1D], ids=range(3)
)
def test_layers_that_take_none(make: Any) -> None:
    with pytest.raises(TypeError, match="An array was expected; got a ragged tensor of shape"):
        make()(TENTHS)
