"""A line fitted by hand, then with Keras: the same model three times."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(3)

TRUE_W, TRUE_B, EXAMPLES = 3.0, 2.0, 201
x = tf.linspace(-2, 2, EXAMPLES)
x = tf.cast(x, tf.float32)
noise = tf.random.normal(shape=[EXAMPLES], seed=1)
y = x * TRUE_W + TRUE_B + noise


class MyModel(tf.Module):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = tf.Variable(5.0)
        self.b = tf.Variable(0.0)

    def __call__(self, x):
        return self.w * x + self.b


model = MyModel()


def loss(target_y, predicted_y):
    return tf.reduce_mean(tf.square(target_y - predicted_y))


def train(model, x, y, learning_rate):
    with tf.GradientTape() as t:
        current_loss = loss(y, model(x))
    dw, db = t.gradient(current_loss, [model.w, model.b])
    model.w.assign_sub(learning_rate * dw)
    model.b.assign_sub(learning_rate * db)


weights, biases = [], []
for epoch in range(30):
    train(model, x, y, learning_rate=0.1)
    weights.append(model.w.numpy())
    biases.append(model.b.numpy())
    print(f"W = {model.w.numpy():1.2f}, b = {model.b.numpy():1.2f}, loss={loss(y, model(x)):2.5f}")
assert abs(weights[-1] - TRUE_W) < 0.3 and abs(biases[-1] - TRUE_B) < 0.3


class MyModelKeras(tf.keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = tf.Variable(5.0)
        self.b = tf.Variable(0.0)

    def call(self, x):
        return self.w * x + self.b


keras_model = MyModelKeras()
for epoch in range(30):
    train(keras_model, x, y, learning_rate=0.1)
np.testing.assert_allclose(keras_model.w, model.w, rtol=1e-4)

keras_model = MyModelKeras()
keras_model.compile(
    run_eagerly=False,
    optimizer=tf.keras.optimizers.SGD(learning_rate=0.1),
    loss=tf.keras.losses.mean_squared_error,
)
assert keras_model.w.shape == ()
history = keras_model.fit(x, y, epochs=30, batch_size=1000, verbose=0)
assert len(history.history["loss"]) == 30
np.testing.assert_allclose(keras_model.w, model.w, rtol=1e-3)

optimizer = tf.keras.optimizers.Adam(0.2)
fit = MyModel()
for _ in range(100):
    with tf.GradientTape() as tape:
        value = loss(y, fit(x))
    optimizer.apply_gradients(zip(tape.gradient(value, fit.trainable_variables), fit.trainable_variables))
assert abs(fit.w.numpy() - TRUE_W) < 0.4
print("done")
