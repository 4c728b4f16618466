"""Look at the images that a network is trained on, before and after augmentation, and at its predictions.

One line logs a grid of labelled images. Mistakes in augmentation raise no error, so look at the first batches.

    python examples/log_images.py
    tapeflow board --logdir logs/images
"""

import argparse
import tempfile

import tapeflow as tf


def augment(image, label):
    """Return a digit that is moved a little, lighter or darker, and, one in ten, white on black turned round."""
    across, down = tf.random.uniform((), -1, 2, tf.int32), tf.random.uniform((), -1, 2, tf.int32)
    image = tf.roll(image, (down, across), axis=(0, 1))
    image = tf.image.adjust_brightness(image, tf.random.uniform((), -0.1, 0.1))
    image = tf.where(tf.random.uniform(()) < 0.1, 1.0 - image, image)
    return tf.clip_by_value(image, 0.0, 1.0), label


def make_model():
    """Return a compiled network for 8x8 digits."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            layers.Conv2D(16, 3, activation="relu", padding="same"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    """Log the pictures, train, and log what the network makes of pictures it has not seen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training digits (10)")
    parser.add_argument("--logdir", default="logs/images", help="where the run goes (logs/images)")
    parser.add_argument("--smoke", action="store_true", help="one epoch, logged to nowhere")
    options = parser.parse_args()
    if options.smoke:
        options.epochs, options.logdir = 1, tempfile.mkdtemp()

    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    x_train, x_test = (x[..., None].astype("float32") / 16 for x in (x_train, x_test))
    names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    plain = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(2000, seed=0)
    batches = plain.map(augment).batch(36)

    model = make_model()
    with tf.summary.run("digits", options.logdir) as run:
        tf.summary.image_grid("plain", x_train[:36], y_train[:36], names, step=0)
        for step, (images, labels) in enumerate(batches.take(10)):
            tf.summary.image_grid("augmented", images, labels, names, step=step)
        for epoch in range(options.epochs):
            model.fit(batches, verbose=0)
            guesses = model.predict(x_test[:64], verbose=0)
            tf.summary.image_grid("guesses", x_test[:64], y_test[:64], names, step=epoch, predictions=guesses)
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    pictures = tf.summary.read(run.logdir)
    print(f"test loss {loss:.4f}, test accuracy {accuracy:.4f}")
    print(", ".join(f"{len(series)} of {tag!r}" for tag, series in pictures.items()))


if __name__ == "__main__":
    main()
