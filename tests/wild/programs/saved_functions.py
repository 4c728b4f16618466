"""tf.Module saved and loaded: functions as they were called, state, gradients, signatures."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()


class Scale(tf.Module):
    def __init__(self, value):
        self.weight = tf.Variable(value)
        self.calls = tf.Variable(0)

    @tf.function
    def multiply(self, x):
        self.calls.assign_add(1)
        return x * self.weight


scale = Scale(3.0)
scale.multiply(tf.constant([1.0, 2.0, 3.0]))
tf.saved_model.save(scale, os.path.join(folder, "scale"))
loaded = tf.saved_model.load(os.path.join(folder, "scale"))
assert loaded.multiply(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [3.0, 6.0, 9.0]
assert (loaded.calls.numpy(), scale.calls.numpy()) == (2, 1)

# A loaded function can be trained on.
optimizer = tf.optimizers.SGD(0.05)
for _ in range(20):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((loaded.multiply(tf.constant([1.0, 2.0, 3.0])) - [2.0, 4.0, 6.0]) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, loaded.weight), loaded.weight)])
assert abs(loaded.weight.numpy() - 2.0) < 0.01, loaded.weight.numpy()


class Dense(tf.Module):
    def __init__(self, n_in, n_out, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([n_in, n_out]), name="w")
        self.b = tf.Variable(tf.zeros([n_out]), name="b")

    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b)


class Stack(tf.Module):
    def __init__(self):
        super().__init__(name="stack")
        self.first, self.second = Dense(3, 3), Dense(3, 2)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def __call__(self, x):
        return self.second(self.first(x))


stack = Stack()
data = np.random.RandomState(0).rand(5, 3).astype("float32")
expected = stack(data).numpy()
tf.saved_model.save(stack, os.path.join(folder, "stack"))
again = tf.saved_model.load(os.path.join(folder, "stack"))
np.testing.assert_allclose(again(data), expected, rtol=1e-5)
np.testing.assert_allclose(again(data[:2]), expected[:2], rtol=1e-5)
assert again.first.w.shape == (3, 3) and not isinstance(again, Stack)


@tf.custom_gradient
def clip_gradients(y):
    return y, lambda dy: tf.clip_by_norm(dy, 0.5)


root = tf.train.Checkpoint(v=tf.Variable(2.0))
root.f = tf.function(
    lambda x: {"out": clip_gradients(x * root.v)}, input_signature=[tf.TensorSpec([], tf.float32)]
)
options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
tf.saved_model.save(
    root, os.path.join(folder, "root"), signatures={"serving_default": root.f}, options=options
)
served = tf.saved_model.load(os.path.join(folder, "root"))
assert served.signatures["serving_default"](x=tf.constant(4.0))["out"].numpy() == 8.0
with tf.GradientTape() as tape:
    out = served.f(tf.constant(4.0))["out"]
assert tape.gradient(out, served.v).numpy() == 2.0
print("done")
