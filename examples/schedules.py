"""Learning rates that change: a built-in schedule, a custom warm-up, and a callback that reacts to the loss.

A schedule is a function of the step and runs inside the training step. A callback sees the end of each epoch and can
react to it.

    python examples/schedules.py
"""

import argparse
import math

import tapeflow as tf


class WarmUp(tf.keras.optimizers.schedules.LearningRateSchedule):
    """From 0 up to `peak` in a straight line, then down along half a cosine."""

    def __init__(self, peak, warmup_steps, total_steps):
        self.peak, self.warmup_steps, self.total_steps = peak, warmup_steps, total_steps

    def __call__(self, step):
        """The rate of a step; written with tf operations, since the step is a tensor."""
        step = tf.cast(step, tf.float32)
        rising = step / self.warmup_steps
        progress = (step - self.warmup_steps) / (self.total_steps - self.warmup_steps)
        falling = 0.5 * (1 + tf.cos(math.pi * tf.clip_by_value(progress, 0.0, 1.0)))
        return self.peak * tf.where(step < self.warmup_steps, rising, falling)

    def get_config(self):
        """What a saved model needs to make it again."""
        return {"peak": self.peak, "warmup_steps": self.warmup_steps, "total_steps": self.total_steps}


def train(rate, epochs, count, callbacks=()):
    """Train a small network with a learning rate or a schedule; return its history."""
    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            tf.keras.layers.Rescaling(1 / 16),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(
        tf.keras.optimizers.SGD(rate, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    return model.fit(
        x_train[:count],
        y_train[:count],
        epochs=epochs,
        validation_data=(x_test[:320], y_test[:320]),
        callbacks=list(callbacks),
        verbose=0,
    ).history


def main():
    """Draw the schedules in text, and train with each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training digits (10)")
    parser.add_argument(
        "--smoke", action="store_true", help="one epoch of few digits each, to see that it runs"
    )
    options = parser.parse_args()
    epochs, count = (1, 320) if options.smoke else (options.epochs, 1408)
    steps = count // 32 * epochs
    schedules = {
        "exponential": tf.keras.optimizers.schedules.ExponentialDecay(0.1, steps // 4 or 1, 0.5),
        "steps": tf.keras.optimizers.schedules.PiecewiseConstantDecay(
            [steps // 2, steps * 3 // 4], [0.1, 0.03, 0.01]
        ),
        "warm-up": WarmUp(0.2, steps // 10 + 1, steps),
    }
    for name, schedule in schedules.items():
        rates = [float(schedule(step)) for step in range(0, steps, steps // 9 or 1)]
        print(f"{name:>12}: " + " ".join(f"{rate:.3f}" for rate in rates))
    runs = schedules if not options.smoke else {"warm-up": schedules["warm-up"]}
    for name, schedule in runs.items():
        history = train(schedule, epochs, count)
        print(f"{name:>12}: loss {history['loss'][-1]:.4f}, test accuracy {history['val_accuracy'][-1]:.4f}")
    # A number can be changed from outside: when the loss has not fallen for two epochs, the rate is halved.
    watcher = tf.keras.callbacks.ReduceLROnPlateau("val_loss", factor=0.5, patience=2)
    history = train(0.1, epochs, count, [watcher])
    print(
        f"{'watching':>12}: loss {history['loss'][-1]:.4f}, rates "
        + " ".join(f"{r:.3f}" for r in history["lr"])
    )


if __name__ == "__main__":
    main()
