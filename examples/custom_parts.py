"""A custom layer, loss and metric, used by `fit` like the built-in ones and saved with the model.

python examples/custom_parts.py
"""

import argparse
import os
import tempfile

import numpy as np

import tapeflow as tf


@tf.keras.utils.register_keras_serializable("examples")
class Gate(tf.keras.layers.Layer):
    """A dense layer whose outputs are let through by a second one, between 0 and 1."""

    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units

    def build(self, input_shape):
        """Make the weights when the size of the input is known."""
        size = (int(input_shape[-1]), self.units)
        self.value = self.add_weight(name="value", shape=size, initializer="glorot_uniform")
        self.gate = self.add_weight(name="gate", shape=size, initializer="glorot_uniform")

    def call(self, inputs):
        """Values times gates."""
        return tf.matmul(inputs, self.value) * tf.sigmoid(tf.matmul(inputs, self.gate))

    def get_config(self):
        """What `load_model` needs to make it again."""
        return {**super().get_config(), "units": self.units}


@tf.keras.utils.register_keras_serializable("examples")
class SmoothedCrossentropy(tf.keras.losses.Loss):
    """Cross-entropy with a share of every label given to all the classes: less sure, less overfitted."""

    def __init__(self, smoothing=0.1, name="smoothed_crossentropy", **options):
        super().__init__(name=name, **options)
        self.smoothing = smoothing

    def call(self, y_true, y_pred):
        """A number for each example; the base class takes the mean."""
        classes = y_pred.shape[-1]
        labels = tf.one_hot(tf.cast(tf.reshape(y_true, [-1]), tf.int32), classes)
        labels = labels * (1 - self.smoothing) + self.smoothing / classes
        return -tf.reduce_sum(labels * tf.nn.log_softmax(y_pred), axis=-1)

    def get_config(self):
        """What `load_model` needs to make it again."""
        return {**super().get_config(), "smoothing": self.smoothing}


@tf.keras.utils.register_keras_serializable("examples")
class WorstClass(tf.keras.metrics.Metric):
    """The accuracy in the class where it is lowest: a mean hides a class that is never recognised."""

    def __init__(self, classes=10, name="worst_class", **options):
        super().__init__(name=name, **options)
        self.classes = classes
        self.right = self.add_weight(name="right", shape=(classes,), initializer="zeros")
        self.seen = self.add_weight(name="seen", shape=(classes,), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Count one batch."""
        y_true = tf.cast(tf.reshape(y_true, [-1]), tf.int32)
        is_right = tf.cast(tf.equal(y_true, tf.argmax(y_pred, axis=-1, output_type=tf.int32)), tf.float32)
        classes = tf.one_hot(y_true, self.classes)
        self.right.assign_add(tf.reduce_sum(classes * is_right[:, None], axis=0))
        self.seen.assign_add(tf.reduce_sum(classes, axis=0))

    def result(self):
        """The lowest share so far; a class that was not seen counts as right."""
        shares = tf.where(self.seen > 0, self.right / tf.maximum(self.seen, 1.0), 1.0)
        return tf.reduce_min(shares)

    def get_config(self):
        """What `load_model` needs to make it again."""
        return {**super().get_config(), "classes": self.classes}


def main():
    """Train with the three, save, load, and see that the loaded model says the same."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15, help="passes over the training digits (15)")
    parser.add_argument("--smoke", action="store_true", help="one epoch of few digits, to see that it runs")
    options = parser.parse_args()
    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), test = tf.keras.datasets.digits.load_data()
    if options.smoke:
        x_train, y_train, options.epochs = x_train[:320], y_train[:320], 1
        test = test[0][:320], test[1][:320]
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            tf.keras.layers.Rescaling(1 / 16),
            tf.keras.layers.Flatten(),
            Gate(32),
            tf.keras.layers.Dense(10),
        ]
    )
    model.compile("adam", SmoothedCrossentropy(0.1), metrics=["accuracy", WorstClass()])
    model.fit(x_train, y_train, epochs=options.epochs, validation_data=test, verbose=2)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "digits.keras")
        model.save(path)
        loaded = tf.keras.models.load_model(path)
    same = np.array_equal(model.predict(test[0], verbose=0), loaded.predict(test[0], verbose=0))
    print(f"the loaded model predicts the same: {same}")


if __name__ == "__main__":
    main()
