"""The networks of `networks` that make images, with the Keras API."""

import importlib
from functools import partial
from typing import Any

from benchmarks.scripts.network_data import LATENT

Shape = tuple[int, ...]


def autoencoder(keras: Any, shape: Shape) -> Any:
    """Convolutions down to a sixteenth of the pixels, and transposed ones back."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input(shape),
            layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2DTranspose(16, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(1, 3, padding="same", activation="sigmoid"),
        ]
    )


def vae(keras: Any, shape: Shape) -> Any:
    """An autoencoder through a normal distribution, whose divergence a layer adds to the loss."""
    layers, (rows, columns, channels) = keras.layers, shape
    x = inputs = keras.Input(shape)
    for filters in (32, 64):
        x = layers.Conv2D(filters, 3, strides=2, padding="same", activation="relu")(x)
    x = _make_sampling(keras)(layers.Dense(2 * LATENT)(layers.Flatten()(x)))
    x = layers.Dense(rows // 4 * (columns // 4) * 64, activation="relu")(x)
    x = layers.Reshape((rows // 4, columns // 4, 64))(x)
    for filters in (64, 32):
        x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same", activation="relu")(x)
    return keras.Model(inputs, layers.Conv2D(channels, 3, padding="same", activation="sigmoid")(x))


def _make_sampling(keras: Any) -> Any:
    """The layer that draws from the distribution, with the functions of the package."""
    if hasattr(keras, "ops"):
        exp, mean, shape_of = keras.ops.exp, keras.ops.mean, keras.ops.shape
        generator = keras.random.SeedGenerator(0)
        normal = partial(keras.random.normal, seed=generator)
    else:
        tf = _tensorflow_of(keras)
        exp, mean, shape_of, normal, generator = tf.exp, tf.reduce_mean, tf.shape, tf.random.normal, None

    class Sampling(keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.generator = generator

        def call(self, moments: Any) -> Any:
            centre, log_variance = moments[:, :LATENT], moments[:, LATENT:]
            self.add_loss(-0.05 * mean(1 + log_variance - centre * centre - exp(log_variance)))
            return centre + exp(0.5 * log_variance) * normal((shape_of(centre)[0], LATENT))

    return Sampling()


def _tensorflow_of(keras: Any) -> Any:
    return importlib.import_module("tapeflow" if keras.__name__.startswith("tapeflow") else "tensorflow")


def dcgan(keras: Any, shape: Shape) -> Any:
    """Generator and discriminator, trained by a `train_step` with two tapes."""
    layers, (rows, columns, channels) = keras.layers, shape
    tf = _tensorflow_of(keras)
    generator = keras.Sequential(
        [
            keras.Input((LATENT,)),
            layers.Dense(rows // 4 * (columns // 4) * 64, use_bias=False),
            layers.Reshape((rows // 4, columns // 4, 64)),
            layers.BatchNormalization(),
            layers.LeakyReLU(0.2),
            layers.Conv2DTranspose(32, 4, strides=2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(0.2),
            layers.Conv2DTranspose(channels, 4, strides=2, padding="same", activation="tanh"),
        ]
    )
    discriminator = keras.Sequential(
        [
            keras.Input(shape),
            layers.Conv2D(32, 4, strides=2, padding="same"),
            layers.LeakyReLU(0.2),
            layers.Conv2D(64, 4, strides=2, padding="same"),
            layers.LeakyReLU(0.2),
            layers.Flatten(),
            layers.Dense(1, kernel_initializer="zeros"),
        ]
    )
    loss_of = keras.losses.BinaryCrossentropy(from_logits=True)

    class Gan(keras.Model):
        def compile(self, generator_optimizer: Any, discriminator_optimizer: Any) -> None:
            super().compile()
            self.optimizers = (generator_optimizer, discriminator_optimizer)

        def train_step(self, data: Any) -> Any:
            images, _ = data
            noise = tf.random.normal((tf.shape(images)[0], LATENT))
            with tf.GradientTape() as generator_tape, tf.GradientTape() as discriminator_tape:
                made = generator(noise, training=True)
                real, fake = discriminator(images, training=True), discriminator(made, training=True)
                generator_loss = loss_of(tf.ones_like(fake), fake)
                loss = loss_of(tf.ones_like(real), real) + loss_of(tf.zeros_like(fake), fake)
            for optimizer, tape, value, part in (
                (self.optimizers[0], generator_tape, generator_loss, generator),
                (self.optimizers[1], discriminator_tape, loss, discriminator),
            ):
                gradients = tape.gradient(value, part.trainable_variables)
                optimizer.apply_gradients(zip(gradients, part.trainable_variables, strict=True))
            return {"loss": loss}

    model = Gan()
    model.compile(keras.optimizers.Adam(2e-4, beta_1=0.5), keras.optimizers.Adam(2e-4, beta_1=0.5))
    return model
