"""Log the graph of a function, and the graph of a model: its layers, and the ops of its training step.

Both are logged after the first call of the function, or the first epoch of `fit`.

    python examples/log_graph.py
    tapeflow board --logdir logs/graph
"""

import argparse
import tempfile

import tapeflow as tf


@tf.function
def score(x, y):
    """Return a matrix product without what is below zero."""
    return tf.nn.relu(tf.matmul(x, y))


def log_function(logdir):
    """Trace a call of `score`, write its graph, and return the folder."""
    with tf.summary.run("function", logdir) as run:
        tf.summary.trace_on(graph=True)
        score(tf.random.uniform((3, 3)), tf.random.uniform((3, 3)))
        tf.summary.trace_export("score", step=0)
    return run.logdir


def log_model(logdir):
    """Train a small network for one epoch with a callback that writes its graphs; return the folder."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            layers.Rescaling(1 / 16),
            layers.Flatten(),
            layers.Dense(32, activation="relu"),
            layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    (x_train, y_train), _ = tf.keras.datasets.digits.load_data()
    with tf.summary.run("model", logdir) as run:
        board = tf.keras.callbacks.TensorBoard(run.logdir, write_graph=True)
        model.fit(x_train, y_train, verbose=0, callbacks=[board])
    return run.logdir


def main():
    """Write both, and print what was written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logdir", default="logs/graph", help="where the runs go (logs/graph)")
    parser.add_argument("--smoke", action="store_true", help="log to nowhere")
    options = parser.parse_args()
    logdir = tempfile.mkdtemp() if options.smoke else options.logdir

    function, model = log_function(logdir), log_model(logdir)
    print(f"{function}: {', '.join(tf.summary.read(function))}")
    (graph,) = tf.summary.read(f"{model}/train").graphs
    print(f"{model}: {len(graph)} bytes of graph")


if __name__ == "__main__":
    main()
