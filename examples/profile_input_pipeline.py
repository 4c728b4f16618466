"""Find out why training is slow: profile `fit` with a slow input pipeline, fix the pipeline, profile again.

The images are "decoded" by a slow function, as reading and decompressing files would be. The first pipeline calls it
for one image after another while the device waits. The second one decodes on several threads, caches the decoded
images, and prepares the next batches while one is being computed.

    python examples/profile_input_pipeline.py --logdir logs/profile

The profiles are in <logdir>/<run>/plugins/profile; XProf reads them, too.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import tapeflow as tf


def make_pictures(count, seed=0):
    """Pictures of ten kinds of stripes, as numbers from 0 to 255."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 10, count)
    waves = np.sin(np.arange(64) * (labels[:, None] + 1) / 10)
    pictures = waves[:, :, None] * np.ones(64) * 100 + 128 + random.normal(0, 20, (count, 64, 64))
    return pictures.clip(0, 255).astype(np.uint8), labels


def make_decoder(seconds):
    """A function from a stored picture to one a model can use, which takes so many seconds."""

    def decode(picture, label):
        time.sleep(seconds)  # stands for reading a file and decompressing it
        return (picture.numpy() / 255).astype(np.float32), label

    return decode


def slow_pipeline(pictures, labels, decode, batch_size):
    """One picture after another, and each of them again in every epoch."""
    return tf.data.Dataset.from_tensor_slices((pictures, labels)).map(decode).batch(batch_size)


def mended_pipeline(pictures, labels, decode, batch_size):
    """Decoded on several threads, kept, shuffled, and read ahead."""
    return (
        tf.data.Dataset.from_tensor_slices((pictures, labels))
        .map(decode, num_parallel_calls=tf.data.AUTOTUNE)
        .cache()
        .shuffle(len(pictures))
        .batch(batch_size)
        .prefetch(tf.data.AUTOTUNE)
    )


def make_model(width):
    model = tf.keras.Sequential(
        [
            tf.keras.Input((64, 64)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(width, activation="relu"),
            tf.keras.layers.Dense(width, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def profiled(name, dataset, logdir, width, epochs):
    """Train for an epoch, so that all is compiled and cached; then profile some more, and say what was found."""
    model = make_model(width)
    model.fit(dataset, verbose=0)
    began = time.perf_counter()
    with tf.profiler.experimental.Profile(logdir / name):
        model.fit(dataset, epochs=epochs, verbose=0)
    seconds = (time.perf_counter() - began) / epochs
    profile = tf.summary.profile.read(logdir / name)
    print(f"\n=== {name}: {seconds:.2f} s an epoch ===\n{profile}")
    return profile.verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logdir", type=Path, help="where to keep the profiles")
    parser.add_argument("--smoke", action="store_true", help="as little as will do")
    arguments = parser.parse_args()
    count, seconds, width, epochs = (256, 0.006, 1024, 2) if arguments.smoke else (2000, 0.002, 1024, 3)
    pictures, labels = make_pictures(count)
    decode = make_decoder(seconds)
    with tempfile.TemporaryDirectory() as temporary:
        logdir = arguments.logdir or Path(temporary)
        before = profiled("before", slow_pipeline(pictures, labels, decode, 32), logdir, width, epochs)
        after = profiled("after", mended_pipeline(pictures, labels, decode, 32), logdir, width, epochs)

    print(f"\nbefore: {before}\nafter:  {after}")
    if not before.is_input_bound or after.is_input_bound:
        raise SystemExit("The verdict should have changed.")


if __name__ == "__main__":
    main()
