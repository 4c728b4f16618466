"""Variables and tf.Module: names, assignment, nesting, checkpoint by structure."""

import os
import tempfile

import numpy as np
import tensorflow as tf

my_tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
my_variable = tf.Variable(my_tensor)
assert my_variable.shape == (2, 2) and my_variable.dtype == tf.float32
assert np.array_equal(my_variable.numpy(), my_tensor)
assert tf.convert_to_tensor(my_variable).shape == (2, 2) and tf.math.argmax(my_variable).shape == (2,)
assert tf.reshape(my_variable, [1, 4]).shape == (1, 4)
a = tf.Variable([2.0, 3.0])
a.assign([1, 2])
try:
    a.assign([1.0, 2.0, 3.0])
except ValueError as e:
    print(f"{type(e).__name__}: {e}")
else:
    raise SystemExit("a wrong shape was taken")
b = tf.Variable(a)
a.assign([5, 6])
assert b.numpy().tolist() == [1.0, 2.0]
assert a.assign_add([2, 3]).numpy().tolist() == [7.0, 9.0]
assert a.assign_sub([7, 9]).numpy().tolist() == [0.0, 0.0]
with tf.device("CPU:0"):
    product = tf.matmul(tf.Variable([[1.0, 2.0, 3.0]]), tf.constant([[1.0], [1.0], [1.0]]))
assert product.numpy() == 6.0
step = tf.Variable(1, trainable=False, name="step")
assert step.name == "step:0" and not step.trainable


class Dense(tf.Module):
    def __init__(self, in_features, out_features, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([in_features, out_features]), name="w")
        self.b = tf.Variable(tf.zeros([out_features]), name="b")

    @tf.Module.with_name_scope
    def __call__(self, x):
        return tf.nn.relu(tf.matmul(x, self.w) + self.b)


class FlexibleDense(tf.Module):
    def __init__(self, out_features, name=None):
        super().__init__(name=name)
        self.is_built = False
        self.out_features = out_features

    def __call__(self, x):
        if not self.is_built:
            self.w = tf.Variable(tf.random.normal([x.shape[-1], self.out_features]), name="w")
            self.b = tf.Variable(tf.zeros([self.out_features]), name="b")
            self.is_built = True
        return tf.nn.relu(tf.matmul(x, self.w) + self.b)


class Net(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.dense_1 = Dense(in_features=3, out_features=3)
        self.more = [FlexibleDense(2), FlexibleDense(1)]

    @tf.function
    def __call__(self, x):
        x = self.dense_1(x)
        for layer in self.more:
            x = layer(x)
        return x


net = Net(name="the_model")
given = tf.constant([[2.0, 2.0, 2.0]])
before = net(given)
assert len(net.submodules) == 3 and len(net.trainable_variables) == 6
assert len(net.variables) == 6 and net.name == "the_model"

folder = tempfile.mkdtemp()
checkpoint = tf.train.Checkpoint(model=net)
path = checkpoint.write(os.path.join(folder, "my_checkpoint"))
other = Net()
other(given)
tf.train.Checkpoint(model=other).restore(path)
np.testing.assert_array_equal(other(given), before)
print("done")
