"""A model with two inputs and two outputs, each with its own loss, weight and metric.

The model sees two digits and predicts which digit the first one is, and whether their sum is above nine. Both
outputs share the layers that process a digit.

    python examples/several_inputs.py
"""

import argparse

import numpy as np

import tapeflow as tf


def make_pairs(digits, labels, count, seed):
    """Return pairs of digits by name, and what is asked about them by name."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, len(digits), (2, count))
    inputs = {"first": digits[first], "second": digits[second]}
    answers = {"digit": labels[first], "is_large": (labels[first] + labels[second] > 9).astype("float32")}
    return inputs, answers


def make_model():
    """Return the model: a tower used twice, and two heads."""
    layers = tf.keras.layers
    tower = tf.keras.Sequential(
        [layers.Rescaling(1 / 16), layers.Flatten(), layers.Dense(64, activation="relu")], name="tower"
    )
    first = tf.keras.Input((8, 8), name="first")
    second = tf.keras.Input((8, 8), name="second")
    seen, also_seen = tower(first), tower(second)
    both = layers.Dense(64, activation="relu")(layers.Concatenate()([seen, also_seen]))
    outputs = {
        "digit": layers.Dense(10, activation="softmax", name="digit")(seen),
        "is_large": layers.Dense(1, activation="sigmoid", name="is_large")(both),
    }
    return tf.keras.Model({"first": first, "second": second}, outputs)


def main():
    """Train, evaluate, and ask about one pair."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="passes over the pairs (10)")
    parser.add_argument("--smoke", action="store_true", help="one epoch of few pairs, to see that it runs")
    options = parser.parse_args()
    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    train = make_pairs(x_train, y_train, 512 if options.smoke else 8192, seed=1)
    test = make_pairs(x_test, y_test, 512, seed=2)

    model = make_model()
    model.compile(
        "adam",
        loss={"digit": "sparse_categorical_crossentropy", "is_large": "binary_crossentropy"},
        loss_weights={"digit": 1.0, "is_large": 2.0},
        metrics={"digit": "accuracy", "is_large": "accuracy"},
    )
    model.summary()
    model.fit(*train, epochs=1 if options.smoke else options.epochs, validation_data=test, verbose=2)
    for name, value in model.evaluate(*test, verbose=0, return_dict=True).items():
        print(f"{name:>20} {value:.4f}")

    inputs, answers = make_pairs(x_test, y_test, 1, seed=3)
    said = model.predict(inputs, verbose=0)
    print(
        f"a {answers['digit'][0]}: taken for a {said['digit'][0].argmax()}; the sum is above nine with a chance of "
        f"{said['is_large'][0, 0]:.2f}, and it is{'' if answers['is_large'][0] else ' not'}"
    )


if __name__ == "__main__":
    main()
