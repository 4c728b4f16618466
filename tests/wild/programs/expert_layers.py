"""A language model of experts with its batch size written into it, an output without a loss, and its own class saved."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

BATCH, STEPS, WIDTH, EXPERTS, WORDS = 4, 6, 8, 2, 20
TOKENS = BATCH * STEPS


class Router(layers.Layer):
    def __init__(self, capacity):
        self.route = layers.Dense(EXPERTS)
        self.capacity = capacity
        super().__init__()

    def call(self, inputs):
        chances = keras.activations.softmax(self.route(inputs), axis=-1)
        gate, chosen = tf.math.top_k(chances, k=1)
        mask = tf.squeeze(tf.one_hot(chosen, EXPERTS), 1)
        self.add_loss(EXPERTS * tf.reduce_sum(tf.reduce_mean(chances, 0) * tf.reduce_mean(mask, 0)))
        place = tf.cast(tf.cumsum(mask, axis=0) * mask, tf.int32) - 1
        mask *= tf.cast(tf.less(place, self.capacity), tf.float32)
        combine = tf.expand_dims(gate * mask, -1) * tf.one_hot(place, self.capacity)
        return tf.cast(tf.cast(combine, tf.bool), tf.float32), combine


class Experts(layers.Layer):
    def __init__(self):
        super().__init__()
        self.capacity = TOKENS // EXPERTS
        self.experts = [
            keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(WIDTH)])
            for _ in range(EXPERTS)
        ]
        self.router = Router(self.capacity)

    def call(self, inputs):
        flat = tf.reshape(inputs, [TOKENS, WIDTH])
        dispatch, combine = self.router(flat)
        given = tf.unstack(tf.einsum("td,tec->ecd", flat, dispatch), axis=0)
        made = tf.stack([expert(x) for expert, x in zip(self.experts, given)])
        return tf.reshape(tf.einsum("ecd,tec->td", made, combine), [tf.shape(inputs)[0], STEPS, WIDTH])


class Positions(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.words = layers.Embedding(WORDS, WIDTH)
        self.places = layers.Embedding(STEPS, WIDTH)

    def call(self, x):
        return self.words(x) + self.places(tf.range(start=0, limit=tf.shape(x)[-1], delta=1))


words = np.random.RandomState(0).randint(0, WORDS, (16, STEPS + 1))
inputs = keras.Input((STEPS,), dtype=tf.int32)
hidden = layers.LayerNormalization()(Experts()(Positions()(inputs)))
model = keras.Model(inputs, [layers.Dense(WORDS)(hidden), hidden])
model.compile("adam", loss=[keras.losses.SparseCategoricalCrossentropy(from_logits=True), None])
folder = tempfile.mkdtemp()
kept = keras.callbacks.ModelCheckpoint(
    os.path.join(folder, "checkpoint"), monitor="loss", save_best_only=True, save_weights_only=True
)
history = model.fit(
    words[:, :-1], words[:, 1:], batch_size=BATCH, epochs=3, verbose=0, callbacks=[kept]
).history
print(
    len(history),
    len(history["loss"]),
    np.isfinite(history["loss"]).all(),
    history["loss"][-1] < history["loss"][0],
)
model.load_weights(os.path.join(folder, "checkpoint"))
logits, states = model.predict(words[:4, :-1], batch_size=BATCH, verbose=0)
print(logits.shape, states.shape)


class Doubled(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = 2 * self.compiled_loss(y, self(x, training=True))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"doubled": loss}


inputs = keras.Input((3,))
own = Doubled(inputs, layers.Dense(1)(inputs))
own.compile("sgd", "mse")
own.save(os.path.join(folder, "own.h5"))
own = keras.models.load_model(os.path.join(folder, "own.h5"), custom_objects={"Doubled": Doubled})
print(type(own).__name__, list(own.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0).history))


class Teacher(keras.Model):
    """Never called itself: its step calls its parts."""

    def __init__(self):
        super().__init__()
        self.part = keras.Sequential([keras.Input((3,)), layers.Dense(2)])
        self.slow = keras.models.clone_model(self.part)

    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.part(x) - self.slow(x) - 1.0) ** 2)
        self.optimizer.minimize(loss, self.part.trainable_weights, tape=tape)
        for fast, slow in zip(self.part.weights, self.slow.weights):
            slow.assign(0.9 * slow + 0.1 * fast)
        return {"loss": loss}


teacher = Teacher()
teacher.compile("sgd")
every = keras.callbacks.ModelCheckpoint(os.path.join(folder, "teacher"), save_weights_only=True)
teacher.fit(np.ones((8, 3), "float32"), epochs=2, verbose=0, callbacks=[every])
again = Teacher()
again.load_weights(os.path.join(folder, "teacher"))
print(all(np.array_equal(a, b) for a, b in zip(teacher.get_weights(), again.get_weights())))
print("done")
