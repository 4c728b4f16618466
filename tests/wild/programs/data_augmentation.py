"""Pictures from a folder, augmented by layers and by tf.image, inside the model and inside the pipeline."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(3)

root = tempfile.mkdtemp()
rng = np.random.default_rng(0)
for label, colour in (("red", 0), ("green", 1), ("blue", 2)):
    os.makedirs(os.path.join(root, label))
    for i in range(12):
        pixels = rng.integers(0, 80, (24, 20, 3), dtype=np.uint8)
        pixels[..., colour] += 150
        tf.io.write_file(os.path.join(root, label, f"{i}.png"), tf.io.encode_png(pixels))

train_ds = tf.keras.utils.image_dataset_from_directory(
    root, validation_split=0.25, subset="training", seed=1, image_size=(16, 16), batch_size=9
)
val_ds = tf.keras.utils.image_dataset_from_directory(
    root, validation_split=0.25, subset="validation", seed=1, image_size=(16, 16), batch_size=9
)
assert train_ds.class_names == ["blue", "green", "red"]
images, labels = next(iter(train_ds))
assert images.shape == (9, 16, 16, 3) and labels.dtype == tf.int32 and float(tf.reduce_max(images)) <= 255

resize_and_rescale = tf.keras.Sequential([layers.Resizing(12, 12), layers.Rescaling(1.0 / 255)])
assert resize_and_rescale(images).shape == (9, 12, 12, 3)
data_augmentation = tf.keras.Sequential(
    [
        layers.RandomFlip("horizontal_and_vertical"),
        layers.RandomRotation(0.2),
        layers.RandomZoom(0.1),
        layers.RandomContrast(0.1),
    ]
)
augmented = data_augmentation(images, training=True)
assert augmented.shape == images.shape and not np.allclose(augmented, images)
np.testing.assert_allclose(data_augmentation(images, training=False), images)


def prepare(ds, shuffle=False, augment=False):
    ds = ds.map(lambda x, y: (resize_and_rescale(x), y), num_parallel_calls=tf.data.AUTOTUNE)
    if shuffle:
        ds = ds.shuffle(1000)
    if augment:
        ds = ds.map(
            lambda x, y: (data_augmentation(x, training=True), y), num_parallel_calls=tf.data.AUTOTUNE
        )
    return ds.prefetch(buffer_size=tf.data.AUTOTUNE)


def random_invert_img(x, p=0.5):
    return (255 - x) if tf.random.uniform([]) < p else x


class RandomInvert(layers.Layer):
    def __init__(self, factor=0.5, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def call(self, x):
        return tf.where(tf.random.uniform([tf.shape(x)[0], 1, 1, 1]) < self.factor, 255.0 - x, x)


assert RandomInvert()(images).shape == images.shape and random_invert_img(images).shape == images.shape
model = tf.keras.Sequential(
    [
        layers.Conv2D(8, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(3),
    ]
)
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.01),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(prepare(train_ds, shuffle=True, augment=True), validation_data=prepare(val_ds), epochs=6, verbose=0)
loss, acc = model.evaluate(prepare(val_ds), verbose=0)
print("accuracy", acc)
assert acc > 0.8

image = tf.io.decode_png(tf.io.read_file(os.path.join(root, "red", "0.png")), channels=3)
assert image.shape == (24, 20, 3) and image.dtype == tf.uint8
assert tf.image.flip_left_right(image).shape == (24, 20, 3)
assert tf.image.rgb_to_grayscale(image).shape == (24, 20, 1)
assert np.asarray(tf.image.adjust_saturation(image, 3)).dtype == np.uint8
assert tf.image.central_crop(image, central_fraction=0.5).shape == (12, 10, 3)
assert tf.image.rot90(image).shape == (20, 24, 3)
for i in range(2):
    seed = (i, 0)
    bright = tf.image.stateless_random_brightness(image, max_delta=0.95, seed=seed)
    np.testing.assert_array_equal(
        bright, tf.image.stateless_random_brightness(image, max_delta=0.95, seed=seed)
    )
    assert tf.image.stateless_random_crop(image, size=[10, 10, 3], seed=seed).shape == (10, 10, 3)


def augment(image_label, seed):
    image, label = image_label
    image = tf.image.resize_with_crop_or_pad(tf.image.convert_image_dtype(image, tf.float32), 22, 22)
    image = tf.image.stateless_random_crop(image, size=[16, 16, 3], seed=seed)
    image = tf.image.stateless_random_brightness(image, max_delta=0.5, seed=seed)
    return tf.clip_by_value(image, 0, 1), label


counter = tf.data.Dataset.counter()
pairs = tf.data.Dataset.zip(
    (train_ds.unbatch().map(lambda x, y: (tf.cast(x, tf.uint8), y)), tf.data.Dataset.zip((counter, counter)))
)
out, label = next(iter(pairs.map(augment, num_parallel_calls=tf.data.AUTOTUNE).batch(4)))
assert out.shape == (4, 16, 16, 3)
print("done")
