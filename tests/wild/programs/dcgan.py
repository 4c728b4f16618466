"""A DCGAN on small pictures: two models, two optimizers, one staged step, checkpoints."""

import os
import tempfile
import time

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

rng = np.random.default_rng(0)
train_images = np.tanh(rng.normal(size=(64, 8, 8, 1)).cumsum(1).cumsum(2)).astype("float32")
train_dataset = tf.data.Dataset.from_tensor_slices(train_images).shuffle(64).batch(16)


def make_generator_model():
    model = tf.keras.Sequential()
    model.add(layers.Dense(2 * 2 * 16, use_bias=False, input_shape=(10,)))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Reshape((2, 2, 16)))
    assert model.output_shape == (None, 2, 2, 16)
    model.add(layers.Conv2DTranspose(8, (5, 5), strides=(1, 1), padding="same", use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Conv2DTranspose(4, (5, 5), strides=(2, 2), padding="same", use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(
        layers.Conv2DTranspose(1, (5, 5), strides=(2, 2), padding="same", use_bias=False, activation="tanh")
    )
    assert model.output_shape == (None, 8, 8, 1)
    return model


def make_discriminator_model():
    model = tf.keras.Sequential()
    model.add(layers.Conv2D(8, (5, 5), strides=(2, 2), padding="same", input_shape=[8, 8, 1]))
    model.add(layers.LeakyReLU())
    model.add(layers.Dropout(0.3))
    model.add(layers.Flatten())
    model.add(layers.Dense(1))
    return model


generator, discriminator = make_generator_model(), make_discriminator_model()
assert discriminator(generator(tf.random.normal([1, 10]), training=False)).shape == (1, 1)
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)


def discriminator_loss(real_output, fake_output):
    real_loss = cross_entropy(tf.ones_like(real_output), real_output)
    fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
    return real_loss + fake_loss


def generator_loss(fake_output):
    return cross_entropy(tf.ones_like(fake_output), fake_output)


generator_optimizer = tf.keras.optimizers.Adam(1e-3)
discriminator_optimizer = tf.keras.optimizers.Adam(1e-3)
checkpoint_prefix = os.path.join(tempfile.mkdtemp(), "ckpt")
checkpoint = tf.train.Checkpoint(
    generator_optimizer=generator_optimizer,
    discriminator_optimizer=discriminator_optimizer,
    generator=generator,
    discriminator=discriminator,
)
seed = tf.random.normal([4, 10])


@tf.function
def train_step(images):
    noise = tf.random.normal([16, 10])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated_images = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated_images, training=True)
        gen_loss = generator_loss(fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    gen_gradients = gen_tape.gradient(gen_loss, generator.trainable_variables)
    disc_gradients = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gen_gradients, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(zip(disc_gradients, discriminator.trainable_variables))
    return gen_loss, disc_loss


before = [w.copy() for w in generator.get_weights()]
for epoch in range(3):
    start = time.time()
    for image_batch in train_dataset:
        gen_loss, disc_loss = train_step(image_batch)
    path = checkpoint.save(file_prefix=checkpoint_prefix)
    print(
        f"epoch {epoch + 1}: generator {gen_loss:.3f}, discriminator {disc_loss:.3f}, {time.time() - start:.1f} s"
    )
assert np.isfinite(gen_loss) and np.isfinite(disc_loss)
assert all(not np.array_equal(a, b) for a, b in zip(before, generator.get_weights()))
made = generator(seed, training=False)
assert made.shape == (4, 8, 8, 1) and np.abs(made).max() <= 1

for weight in generator.variables:
    weight.assign(tf.zeros_like(weight))
checkpoint.restore(tf.train.latest_checkpoint(os.path.dirname(checkpoint_prefix)))
np.testing.assert_allclose(generator(seed, training=False), made, rtol=1e-5, atol=1e-6)
print("done")
