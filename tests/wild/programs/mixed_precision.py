"""Mixed precision with fit and with a loop that scales its loss."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers, mixed_precision

tf.random.set_seed(3)

policy = mixed_precision.Policy("mixed_float16")
mixed_precision.set_global_policy(policy)
assert policy.compute_dtype == "float16" and policy.variable_dtype == "float32"

inputs = keras.Input(shape=(64,), name="digits")
dense1 = layers.Dense(32, activation="relu", name="dense_1")
x = dense1(inputs)
dense2 = layers.Dense(32, activation="relu", name="dense_2")
x = dense2(x)
assert dense1.dtype_policy.name == "mixed_float16" and x.dtype == "float16"
assert dense1.kernel.dtype == "float32"
x = layers.Dense(10, name="dense_logits")(x)
outputs = layers.Activation("softmax", dtype="float32", name="predictions")(x)
assert outputs.dtype == "float32"
model = keras.Model(inputs=inputs, outputs=outputs)
model.compile(
    loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.RMSprop(), metrics=["accuracy"]
)
assert isinstance(model.optimizer, mixed_precision.LossScaleOptimizer)

rng = np.random.default_rng(0)
centres = rng.normal(size=(10, 64)).astype("float32")
y_train = rng.integers(0, 10, 512)
x_train = centres[y_train] + 0.3 * rng.normal(size=(512, 64)).astype("float32")
initial_weights = model.get_weights()
history = model.fit(x_train, y_train, batch_size=64, epochs=6, validation_split=0.2, verbose=0)
scores = model.evaluate(x_train, y_train, verbose=0)
print("loss", scores[0], "accuracy", scores[1])
assert history.history["loss"][-1] < history.history["loss"][0] and scores[1] > 0.8

model.set_weights(initial_weights)
optimizer = mixed_precision.LossScaleOptimizer(keras.optimizers.RMSprop())
loss_object = keras.losses.SparseCategoricalCrossentropy()
train_dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(1000).batch(64)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        predictions = model(x)
        loss = loss_object(y, predictions)
        scaled_loss = optimizer.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, model.trainable_variables)
    gradients = optimizer.get_unscaled_gradients(scaled_gradients)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for epoch in range(5):
    mean = keras.metrics.Mean()
    for x, y in train_dataset:
        mean.update_state(train_step(x, y))
    print(f"epoch {epoch}: loss {mean.result().numpy():.3f}")
assert mean.result() < 1.0
mixed_precision.set_global_policy("float32")
print("done")
