"""Autoencoders: dense, convolutional for denoising, and one that finds anomalies."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, losses
from tensorflow.keras.models import Model

tf.random.set_seed(3)

rng = np.random.default_rng(0)
bases = rng.random((4, 12, 12)).astype("float32")
x_train = np.tensordot(rng.dirichlet(np.ones(4), 256).astype("float32"), bases, 1)
x_test = np.tensordot(rng.dirichlet(np.ones(4), 32).astype("float32"), bases, 1)


class Autoencoder(Model):
    def __init__(self, latent_dim, shape):
        super().__init__()
        self.latent_dim = latent_dim
        self.shape = shape
        self.encoder = tf.keras.Sequential([layers.Flatten(), layers.Dense(latent_dim, activation="relu")])
        self.decoder = tf.keras.Sequential(
            [layers.Dense(tf.math.reduce_prod(shape).numpy(), activation="sigmoid"), layers.Reshape(shape)]
        )

    def call(self, x):
        return self.decoder(self.encoder(x))


autoencoder = Autoencoder(8, x_test.shape[1:])
autoencoder.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss=losses.MeanSquaredError())
history = autoencoder.fit(
    x_train, x_train, epochs=15, shuffle=True, validation_data=(x_test, x_test), verbose=0
)
assert history.history["val_loss"][-1] < 0.5 * history.history["val_loss"][0]
decoded = autoencoder.decoder(autoencoder.encoder(x_test).numpy()).numpy()
assert decoded.shape == x_test.shape

x_train, x_test = x_train[..., tf.newaxis], x_test[..., tf.newaxis]
noisy = tf.clip_by_value(x_train + 0.2 * tf.random.normal(shape=x_train.shape), 0.0, 1.0)


class Denoise(Model):
    def __init__(self):
        super().__init__()
        self.encoder = tf.keras.Sequential(
            [
                layers.Input(shape=(12, 12, 1)),
                layers.Conv2D(8, (3, 3), activation="relu", padding="same", strides=2),
                layers.Conv2D(4, (3, 3), activation="relu", padding="same", strides=2),
            ]
        )
        self.decoder = tf.keras.Sequential(
            [
                layers.Conv2DTranspose(4, kernel_size=3, strides=2, activation="relu", padding="same"),
                layers.Conv2DTranspose(8, kernel_size=3, strides=2, activation="relu", padding="same"),
                layers.Conv2D(1, kernel_size=(3, 3), activation="sigmoid", padding="same"),
            ]
        )

    def call(self, x):
        return self.decoder(self.encoder(x))


denoiser = Denoise()
denoiser.compile(optimizer="adam", loss=losses.MeanSquaredError())
history = denoiser.fit(noisy, x_train, epochs=4, shuffle=True, verbose=0)
assert history.history["loss"][-1] < history.history["loss"][0]
denoiser.encoder.summary()
denoiser.decoder.summary()

normal = np.sin(np.linspace(0, 6, 24))[None] + 0.05 * rng.normal(size=(200, 24))
strange = np.cos(np.linspace(0, 25, 24))[None] + 0.05 * rng.normal(size=(40, 24))
low, high = tf.reduce_min(normal), tf.reduce_max(normal)
normal, strange = (tf.cast((d - low) / (high - low), tf.float32) for d in (normal, strange))
detector = tf.keras.Sequential(
    [
        layers.Dense(8, activation="relu"),
        layers.Dense(3, activation="relu"),
        layers.Dense(24, activation="sigmoid"),
    ]
)
detector.compile(optimizer=tf.keras.optimizers.Adam(0.02), loss="mae")
detector.fit(normal, normal, epochs=30, batch_size=64, verbose=0)
train_loss = tf.keras.losses.mae(detector.predict(normal, verbose=0), normal)
threshold = np.mean(train_loss) + 2 * np.std(train_loss)
found = tf.math.less(tf.keras.losses.mae(detector(strange), strange), threshold)
print("taken for normal:", tf.math.count_nonzero(found).numpy())
assert tf.math.count_nonzero(found) < 5
print("done")
