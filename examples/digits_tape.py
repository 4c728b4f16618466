"""Train a small network on handwritten digits, with the training loop written out in full.

No layers, no built-in optimizer: Variables, a GradientTape and Adam by hand, on the 1,797 digits
that come with TapeFlow. Except for the dataset, it also runs with `import tensorflow as tf`.

    python examples/digits_tape.py
    python examples/digits_tape.py --epochs 40 --batch-size 64
"""

import argparse
import math
import sys
import time
from itertools import pairwise

import numpy as np

import tapeflow as tf

LAYER_SIZES = (64, 128, 64, 10)


def load_digits():
    """Return training and test digits: rows of 64 pixels between 0 and 1, and labels."""
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    train = (x_train.reshape(-1, 64) / 16).astype("float32"), y_train.astype("int64")
    test = (x_test.reshape(-1, 64) / 16).astype("float32"), y_test.astype("int64")
    return train, test


def make_variables():
    """Return a weight matrix and a bias for each layer, in turn."""
    variables = []
    for rows, columns in pairwise(LAYER_SIZES):
        scale = math.sqrt(2 / rows)  # He's rule: keeps the size of activations through a relu
        variables.append(tf.Variable(tf.random.normal((rows, columns), stddev=scale)))
        variables.append(tf.Variable(tf.zeros((columns,))))
    return variables


def network(variables, x):
    """Return a score for each class: matrix products with a relu between them."""
    last = len(variables) - 2
    for i in range(0, len(variables), 2):
        x = tf.matmul(x, variables[i]) + variables[i + 1]
        if i < last:
            x = tf.nn.relu(x)
    return x


class Adam:
    """Adam, as Kingma and Ba wrote it down."""

    def __init__(self, variables, learning_rate):
        self.variables = variables
        self.learning_rate = learning_rate
        self.means = [tf.Variable(tf.zeros(v.shape)) for v in variables]
        self.squares = [tf.Variable(tf.zeros(v.shape)) for v in variables]
        self.step = 0

    def apply(self, gradients, beta1=0.9, beta2=0.999, epsilon=1e-7):
        """Move every variable one step down its gradient."""
        self.step += 1
        rate = self.learning_rate * math.sqrt(1 - beta2**self.step) / (1 - beta1**self.step)
        moments = zip(self.variables, gradients, self.means, self.squares, strict=True)
        for variable, gradient, mean, square in moments:
            mean.assign_sub((1 - beta1) * (mean - gradient))
            square.assign_sub((1 - beta2) * (square - tf.square(gradient)))
            variable.assign_sub(rate * mean / (tf.sqrt(square) + epsilon))


def train_step(variables, optimizer, x, y):
    """Learn from one batch; return its mean loss."""
    with tf.GradientTape() as tape:
        scores = network(variables, x)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=scores)
        loss = tf.reduce_mean(losses)
    optimizer.apply(tape.gradient(loss, variables))
    return loss


def accuracy(variables, x, y):
    """Return the share of digits whose highest score is the right one."""
    guesses = tf.argmax(network(variables, x), axis=1)
    return float(tf.reduce_mean(tf.cast(tf.equal(guesses, y), tf.float32)))


def report(text, is_final):
    """Show progress: redrawn in place on a terminal, one line an epoch elsewhere."""
    if sys.stdout.isatty():
        print(f"\r{text:<70}", end="\n" if is_final else "", flush=True)
    elif is_final:
        print(text, flush=True)


def main():
    """Train, showing each epoch as it goes, and print the accuracy on digits not trained on."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=0.003)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true", help="two epochs, to see that it runs")
    options = parser.parse_args()
    epochs = 2 if options.smoke else options.epochs

    (x_train, y_train), (x_test, y_test) = load_digits()
    tf.random.set_seed(options.seed)
    shuffler = np.random.default_rng(options.seed)
    variables = make_variables()
    optimizer = Adam(variables, options.learning_rate)
    batch_size = min(options.batch_size, len(x_train))
    steps = len(x_train) // batch_size
    print(f"{len(x_train)} digits to train on, {len(x_test)} to test on, {steps} steps an epoch")

    for epoch in range(1, epochs + 1):
        start_s = time.perf_counter()
        order = shuffler.permutation(len(x_train))
        total_loss = 0.0
        for step in range(steps):
            rows = order[step * batch_size : (step + 1) * batch_size]
            total_loss += float(train_step(variables, optimizer, x_train[rows], y_train[rows]))
            mean_loss = total_loss / (step + 1)
            text = f"epoch {epoch:2d}/{epochs}  step {step + 1:3d}/{steps}  loss {mean_loss:.4f}"
            report(text, is_final=False)
        elapsed_s = time.perf_counter() - start_s
        test_accuracy = accuracy(variables, x_test, y_test)
        report(f"{text}  test accuracy {test_accuracy:.1%}  {elapsed_s:.1f} s", is_final=True)

    print(f"Test accuracy: {accuracy(variables, x_test, y_test):.1%}")


if __name__ == "__main__":
    main()
