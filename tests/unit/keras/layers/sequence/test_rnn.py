"""Recurrent layers: states, masks, users' cells, and what they refuse."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
X = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")


class Cell(L.Layer):
    """A user's cell in the Keras 2 style."""

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = self.state_size = units

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_weight("kernel", shape=(input_shape[-1], self.units))
        self.recurrent = self.add_weight("recurrent", shape=(self.units, self.units))
        self.built = True

    def call(self, inputs: Any, states: Any, constants: Any = None) -> Any:
        h = tf.tanh(inputs @ self.kernel + states[0] @ self.recurrent)
        h = h if constants is None else h + constants[0]
        return h, [h]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "units": self.units}


class Reading(Cell):
    """A cell that cannot be recorded."""

    def call(self, inputs: Any, states: Any) -> Any:
        float(tf.reduce_sum(inputs))
        return super().call(inputs, states)


def alike(a: Any, b: Any) -> None:
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [Cell, Reading])
def test_a_users_cell_equals_the_built_in(kind: Any) -> None:
    layer = L.RNN(kind(5), return_sequences=True, return_state=True)
    built_in = L.SimpleRNN(5, use_bias=False, return_sequences=True, return_state=True)
    mask = np.array([[True, False, True], [False, True, False]])
    found = layer(X, mask=mask)
    built_in.build(X.shape)
    built_in.set_weights(layer.get_weights())
    for a, b in zip(found, built_in(X, mask=mask), strict=True):
        alike(a, b)


def test_constants_reach_the_cell() -> None:
    layer = L.RNN(Cell(5))
    alike(layer(X, constants=[tf.zeros((2, 5))]), layer(X))
    assert np.abs(np.asarray(layer(X, constants=[tf.ones((2, 5))]) - layer(X))).max() > 0.1
    assert layer.get_config()["num_constants"] == 1


def test_stateful_goes_on_where_the_last_batch_ended() -> None:
    layer = L.LSTM(3, stateful=True)
    whole = L.LSTM(3)
    layer(X[:, :1])
    whole.build(X.shape)
    whole.set_weights(layer.get_weights())
    assert len(layer.weights) == 3
    alike(layer(X[:, 1:]), whole(X))
    layer.reset_states()
    alike(layer(X), whole(X))
    layer.reset_states([np.ones((2, 3)), np.zeros((2, 3))])
    alike(layer(X), whole(X, initial_state=[tf.ones((2, 3)), tf.zeros((2, 3))]))


def test_stateful_in_fit_and_staged() -> None:
    layer = L.GRU(3, stateful=True)
    staged = tf.function(layer)
    first, second = staged(X), staged(X)
    layer.reset_states()
    alike(staged(X), first)
    alike(staged(X), second)


def test_encoder_decoder() -> None:
    source = tf.keras.Input((None, 4))
    _, h, c = L.LSTM(3, return_state=True, name="encoder")(source)
    target = tf.keras.Input((None, 2))
    outputs = L.LSTM(3, return_sequences=True, name="decoder")(target, initial_state=[h, c])
    assert tuple(outputs.shape) == (None, None, 3)
    model = tf.keras.Model([source, target], outputs)
    y = np.ones((2, 5, 2), "float32")
    found = model([X, y])
    _, h, c = model.get_layer("encoder")(X)
    alike(found, model.get_layer("decoder")(y, initial_state=[h, c]))
    alike(found, model.get_layer("decoder")([y, h, c]))


def test_time_major() -> None:
    layer = L.LSTM(3, return_sequences=True)
    other = L.LSTM(3, return_sequences=True, time_major=True)
    expected = layer(X)
    other.build((3, 2, 4))
    other.set_weights(layer.get_weights())
    alike(np.swapaxes(other(np.swapaxes(X, 0, 1)), 0, 1), expected)


def test_dropout_masks_are_drawn_once_a_call() -> None:
    layer = L.SimpleRNN(64, recurrent_dropout=0.5, recurrent_initializer="identity", activation=None, seed=3)
    layer.build((1, 2, 4))
    found = layer(np.zeros((1, 2, 4), "float32"), initial_state=[tf.ones((1, 64))], training=True).numpy()
    assert set(np.unique(found)) == {0.0, 4.0}  # dropped in both steps, or in none
    again = layer(np.zeros((1, 2, 4), "float32"), initial_state=[tf.ones((1, 64))], training=True).numpy()
    assert (found != again).any()


def test_forget_bias() -> None:
    layer = L.LSTM(2)
    layer.build((None, None, 4))
    assert layer.get_weights()[2].tolist() == [0, 0, 1, 1, 0, 0, 0, 0]
    assert layer.units == 2
    assert layer.unit_forget_bias is True


def test_wrong_cells_inputs_and_states_raise() -> None:
    with pytest.raises(ValueError, match="expected a positive integer, got 0"):
        L.LSTM(0)
    with pytest.raises(ValueError, match="should have a `call` method"):
        L.RNN(3)
    with pytest.raises(ValueError, match="expected ndim=3, found ndim=2"):
        L.LSTM(2)(tf.zeros((2, 3)))
    with pytest.raises(ValueError, match="Layer has 2 states but was passed 1 initial states"):
        L.LSTM(2)(X, initial_state=[tf.zeros((2, 2))])
    with pytest.raises(ValueError, match="not compatible with `cell.state_size`"):
        L.LSTM(2)(X, initial_state=[tf.zeros((2, 3)), tf.zeros((2, 3))])
    with pytest.raises(AttributeError, match="Layer must be stateful"):
        L.LSTM(2).reset_states()
    with pytest.raises(ValueError, match="needs to know its batch size"):
        tf.keras.Sequential([L.LSTM(2, stateful=True, input_shape=(3, 4))])
    with pytest.raises(ValueError, match="does not support constants"):
        L.RNN(L.LSTMCell(2))(X, constants=[tf.zeros((2, 2))])


class _Pair(NamedTuple):
    left: Any
    right: Any


class _PairCell(L.Layer):
    """Inputs and states with named fields."""

    state_size = _Pair(4, tf.TensorShape([2, 3]))
    output_size = _Pair(4, tf.TensorShape([2, 3]))

    def build(self, input_shape: _Pair) -> None:
        assert [tuple(s) for s in (input_shape.left, input_shape.right)] == [(None, 4), (None, 2, 3)]

    def call(self, inputs: Any, states: Any) -> Any:
        sums = _Pair(*[a + b for a, b in zip(inputs, states, strict=True)])
        return sums, sums


def test_inputs_and_states_may_have_named_fields() -> None:
    inputs = _Pair(tf.keras.Input((None, 4)), tf.keras.Input((None, 2, 3)))
    model = tf.keras.Model(list(inputs), L.RNN(_PairCell())(inputs))
    found = model([tf.ones((2, 3, 4)), tf.ones((2, 3, 2, 3))])
    assert [(x.shape.as_list(), float(x[0, 0] if x.ndim == 2 else x[0, 0, 0])) for x in found] == [
        ([2, 4], 3.0),
        ([2, 2, 3], 3.0),
    ]


@pytest.mark.parametrize("implementation", [1, 2])
def test_cells_derived_from_lstm_cell_ask_for_its_masks_and_gates(implementation: int) -> None:
    class Cell(tf.keras.layers.LSTMCell):
        def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
            h, c = states
            drop = self.get_dropout_mask_for_cell(inputs, training, count=4)
            state_drop = self.get_recurrent_dropout_mask_for_cell(h, training, count=4)
            assert state_drop is None
            assert len(drop) == 4
            z = tf.matmul(inputs * drop[0], self.kernel) + tf.matmul(h, self.recurrent_kernel) + self.bias
            c, o = self._compute_carry_and_output_fused(tf.split(z, 4, axis=1), c)
            return o * self.activation(c), [o * self.activation(c), c]

    cell = Cell(3, dropout=0.5, implementation=implementation)
    layer = tf.keras.layers.RNN(cell)
    x = tf.ones([2, 4, 5])
    plain = tf.keras.layers.LSTM(3)
    plain.build(x.shape)
    layer.build(x.shape)
    layer.set_weights(plain.get_weights())
    np.testing.assert_allclose(layer(x), plain(x), rtol=1e-5)
    cell.reset_dropout_mask()
    mask = cell.get_dropout_mask_for_cell(x[:, 0], True)
    assert set(np.unique(mask)) <= {0.0, 2.0}
    assert mask.shape == (2, 5)
