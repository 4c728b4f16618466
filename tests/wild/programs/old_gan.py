"""A GAN as before `train_step`: a discriminator compiled, then frozen inside the combined model."""

import numpy as np
from keras.layers import BatchNormalization, Dense, Flatten, Input, LeakyReLU, Reshape
from keras.models import Model, Sequential, load_model
from keras.optimizers import Adam
from keras.utils import Sequence

LATENT, SHAPE, BATCH = 5, (6, 6, 1), 8


def build_discriminator():
    model = Sequential(name="discriminator")
    model.add(Flatten(input_shape=SHAPE))
    model.add(Dense(16))
    model.add(LeakyReLU(alpha=0.2))
    model.add(Dense(1, activation="sigmoid"))
    image = Input(shape=SHAPE)
    return Model(image, model(image))


def build_generator():
    model = Sequential(name="generator")
    model.add(Dense(16, input_dim=LATENT))
    model.add(LeakyReLU(alpha=0.2))
    model.add(BatchNormalization(momentum=0.8))
    model.add(Dense(int(np.prod(SHAPE)), activation="tanh"))
    model.add(Reshape(SHAPE))
    return model


discriminator = build_discriminator()
discriminator.compile(loss="binary_crossentropy", optimizer=Adam(0.002, 0.5), metrics=["accuracy"])
generator = build_generator()
noise_input = Input(shape=(LATENT,))
discriminator.trainable = False
combined = Model(noise_input, discriminator(generator(noise_input)))
combined.compile(loss="binary_crossentropy", optimizer=Adam(0.002, 0.5))
combined.summary()
assert len(combined.trainable_weights) == 6
assert len(discriminator.trainable_weights) == 0

images = np.random.default_rng(0).uniform(-1, 1, (64, *SHAPE))
valid, fake = np.ones((BATCH, 1)), np.zeros((BATCH, 1))
for epoch in range(3):
    noise = np.random.normal(0, 1, (BATCH, LATENT))
    before = discriminator.get_weights()[0].copy()
    real_loss = discriminator.train_on_batch(images[epoch * BATCH : (epoch + 1) * BATCH], valid)
    fake_loss = discriminator.train_on_batch(generator.predict(noise, verbose=0), fake)
    loss, accuracy = 0.5 * np.add(real_loss, fake_loss)
    judged = discriminator.get_weights()[0].copy()
    assert not np.allclose(before, judged)  # it was trainable when it was compiled
    generator_loss = combined.train_on_batch(noise, valid)
    assert np.array_equal(judged, discriminator.get_weights()[0])
    print(f"{epoch} [D loss: {loss:.4f}, acc.: {100 * accuracy:.2f}%] [G loss: {generator_loss:.4f}]")


class Pictures(Sequence):
    def __len__(self):
        return len(images) // BATCH

    def __getitem__(self, index):
        chosen = slice(index * BATCH, (index + 1) * BATCH)
        return images[chosen], valid


history = discriminator.fit_generator(Pictures(), steps_per_epoch=4, epochs=2, verbose=2)
assert sorted(history.history) == ["accuracy", "loss"]
assert discriminator.predict_generator(Pictures(), steps=2).shape == (2 * BATCH, 1)

generator.save("generator.h5")
again = load_model("generator.h5", compile=False)
noise = np.random.normal(0, 1, (2, LATENT))
np.testing.assert_allclose(again.predict(noise), generator.predict(noise), rtol=1e-5)
print("done")
