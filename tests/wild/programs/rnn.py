"""Recurrent layers: states, masks, custom cells, bidirectional, stateful, character generation."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.random.set_seed(3)

model = keras.Sequential()
model.add(layers.Embedding(input_dim=1000, output_dim=16))
model.add(layers.GRU(24, return_sequences=True))
model.add(layers.SimpleRNN(12))
model.add(layers.Dense(10))
model.build((None, 7))
model.summary()
assert model.output_shape == (None, 10)

encoder_input = layers.Input(shape=(None,))
embedded = layers.Embedding(input_dim=100, output_dim=8)(encoder_input)
output, state_h, state_c = layers.LSTM(8, return_state=True, name="encoder")(embedded)
decoder_input = layers.Input(shape=(None,))
decoder_embedded = layers.Embedding(input_dim=200, output_dim=8)(decoder_input)
decoder_output = layers.LSTM(8, name="decoder")(decoder_embedded, initial_state=[state_h, state_c])
seq2seq = keras.Model([encoder_input, decoder_input], layers.Dense(10)(decoder_output))
assert seq2seq.predict([np.ones((2, 5)), np.ones((2, 3))], verbose=0).shape == (2, 10)

stateful = layers.LSTM(4, stateful=True)
paragraph = np.random.random((2, 3, 5)).astype(np.float32)
first = stateful(paragraph)
second = stateful(paragraph)
assert not np.allclose(first, second)
stateful.reset_states()
np.testing.assert_allclose(stateful(paragraph), first, rtol=1e-5)

both = keras.Sequential(
    [
        layers.Bidirectional(layers.LSTM(6, return_sequences=True), input_shape=(5, 10)),
        layers.Bidirectional(layers.LSTM(3)),
        layers.Dense(10),
    ]
)
assert both(np.zeros((1, 5, 10), np.float32)).shape == (1, 10)


class MinimalRNNCell(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        self.units = units
        self.state_size = units
        super().__init__(**kwargs)

    def build(self, input_shape):
        self.kernel = self.add_weight(
            shape=(input_shape[-1], self.units), initializer="uniform", name="kernel"
        )
        self.recurrent_kernel = self.add_weight(
            shape=(self.units, self.units), initializer="uniform", name="recurrent_kernel"
        )
        self.built = True

    def call(self, inputs, states):
        prev_output = states[0]
        h = keras.backend.dot(inputs, self.kernel)
        output = h + keras.backend.dot(prev_output, self.recurrent_kernel)
        return output, [output]


stacked = layers.RNN([MinimalRNNCell(8), MinimalRNNCell(4)])
assert stacked(np.ones((2, 6, 3), np.float32)).shape == (2, 4)

masked = keras.Sequential([layers.Embedding(20, 8, mask_zero=True), layers.GRU(5)])
padded, short = np.array([[3, 4, 0, 0]]), np.array([[3, 4]])
np.testing.assert_allclose(masked(padded), masked(short), rtol=1e-5)

text = "the quick brown fox jumps over the lazy dog. " * 12
vocab = sorted(set(text))
chars_from_ids = layers.StringLookup(vocabulary=vocab, invert=True, mask_token=None)
ids_from_chars = layers.StringLookup(vocabulary=vocab, mask_token=None)
all_ids = ids_from_chars(tf.strings.unicode_split(text, "UTF-8"))
sequences = tf.data.Dataset.from_tensor_slices(all_ids).batch(21, drop_remainder=True)
dataset = sequences.map(lambda s: (s[:-1], s[1:])).shuffle(100).batch(8, drop_remainder=True).prefetch(1)
assert tf.strings.reduce_join(chars_from_ids(all_ids[:9])).numpy().decode() == text[:9]


class CharModel(tf.keras.Model):
    def __init__(self, vocab_size):
        super().__init__(self)
        self.embedding = layers.Embedding(vocab_size, 16)
        self.gru = layers.GRU(32, return_sequences=True, return_state=True)
        self.dense = layers.Dense(vocab_size)

    def call(self, inputs, states=None, return_state=False, training=False):
        x = self.embedding(inputs, training=training)
        if states is None:
            states = self.gru.get_initial_state(x)
        x, states = self.gru(x, initial_state=states, training=training)
        x = self.dense(x, training=training)
        return (x, states) if return_state else x


generator = CharModel(len(ids_from_chars.get_vocabulary()))
generator.compile(
    optimizer=keras.optimizers.Adam(0.02), loss=tf.losses.SparseCategoricalCrossentropy(from_logits=True)
)
history = generator.fit(dataset, epochs=12, verbose=0)
assert history.history["loss"][-1] < 0.8 * history.history["loss"][0]
states, ids = None, ids_from_chars(tf.strings.unicode_split(["t"], "UTF-8")).to_tensor()
made = []
for _ in range(20):
    logits, states = generator(inputs=ids, states=states, return_state=True)
    ids = tf.random.categorical(logits[:, -1, :], num_samples=1)
    made.append(chars_from_ids(tf.squeeze(ids, -1)).numpy()[0].decode())
print("made:", "".join(made))
print("done")
