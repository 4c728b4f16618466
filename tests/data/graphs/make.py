"""Makes the event files beside it, with TensorFlow 2.21, tf_keras, torch 2.13 and TensorBoard: `python make.py FOLDER`.

Run by hand, in an environment that has them; the tests only read what it wrote.
"""

import sys

import numpy as np
import tensorflow as tf
import tf_keras
import torch
from tensorflow.python.ops import summary_ops_v2
from torch.utils.tensorboard import SummaryWriter

FOLDER = sys.argv[1]


def model_of(keras):
    layers = keras.layers
    given = keras.Input((16,), name="inp")
    first = layers.Dense(32, activation="relu", name="dense_a")(given)
    inner = keras.Sequential([layers.Dense(8, name="s1"), layers.Dense(4, name="s2")], name="sub")
    second = layers.Dense(32, name="dense_b")(given)
    result = layers.Dense(1, name="out")(inner(layers.Add(name="add")([first, second])))
    return keras.Model(given, result)


for name, keras in (("keras3", tf.keras), ("keras2", tf_keras)):
    model = model_of(keras)
    model.compile("adam", "mse")
    callback = keras.callbacks.TensorBoard(f"{FOLDER}/{name}", profile_batch=0)
    model.fit(np.zeros((8, 16), "f"), np.zeros((8, 1), "f"), verbose=0, callbacks=[callback])


@tf.function
def blocks(x):
    with tf.name_scope("outer"):
        for i in range(4):
            with tf.name_scope(f"block_{i}"):
                x = tf.nn.relu(tf.matmul(x, tf.ones((4, 4)), name="mm"))
    return x


@tf.function
def loops(x):
    i = tf.constant(0)
    while i < 3:
        x = tf.matmul(x, x)
        i += 1
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x)


tf.summary.trace_on(graph=True)
blocks(tf.ones((2, 4)))
with tf.summary.create_file_writer(f"{FOLDER}/trace").as_default():
    tf.summary.trace_export("my_trace", step=0)
with tf.summary.create_file_writer(f"{FOLDER}/functions").as_default():
    tf.summary.graph(loops.get_concrete_function(tf.ones((2, 2))).graph)

v1 = tf.compat.v1
with tf.Graph().as_default() as graph:
    x = v1.placeholder(tf.float32, (None, 8), name="x")
    with v1.variable_scope("layer1"):
        y = tf.nn.relu(tf.matmul(x, v1.get_variable("w", (8, 16), use_resource=False)))
    with v1.variable_scope("layer2"):
        y = tf.matmul(y, v1.get_variable("w", (16, 4), use_resource=False))
    loss = tf.reduce_sum(y)
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    with v1.Session() as session:
        writer = v1.summary.FileWriter(f"{FOLDER}/session", graph)
        session.run(v1.global_variables_initializer())
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        for step, wanted in ((1, [loss, train]), (2, [loss])):
            metadata = v1.RunMetadata()
            session.run(wanted, {x: np.ones((4, 8))}, options=options, run_metadata=metadata)
            writer.add_run_metadata(metadata, f"step_{step}", step)
        writer.close()
with tf.summary.create_file_writer(f"{FOLDER}/metadata").as_default():
    summary_ops_v2.run_metadata("rm", metadata, step=0)
    summary_ops_v2.run_metadata_graphs("rmg", metadata, step=0)

net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3),
    torch.nn.BatchNorm2d(8),
    torch.nn.ReLU(),
    torch.nn.Flatten(),
    torch.nn.Linear(8 * 36, 10),
)
with SummaryWriter(f"{FOLDER}/torch") as writer:
    writer.add_graph(net, torch.zeros(1, 3, 8, 8))
