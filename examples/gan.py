"""A generative adversarial network: one model draws digits, another learns to tell them from real ones.

Two models, two optimizers and two tapes in one `train_step`, so that `fit` does the rest. A callback logs the
drawings.

    python examples/gan.py
    tapeflow board --logdir logs/gan
"""

import argparse
import tempfile

import tapeflow as tf

NOISE = 16
SHADES = " .:-=+*#%@"


def make_generator():
    """Return a model that makes 8x8 digits of noise."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((NOISE,)),
            layers.Dense(64, activation="relu"),
            layers.Dense(64, activation="sigmoid"),
            layers.Reshape((8, 8)),
        ],
        name="generator",
    )


def make_critic():
    """Return a model that gives real digits high scores."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            layers.Flatten(),
            layers.Dense(64),
            layers.LeakyReLU(0.2),
            layers.Dropout(0.3),
            layers.Dense(1),
        ],
        name="critic",
    )


class GAN(tf.keras.Model):
    """Both models, and the step that trains them."""

    def __init__(self):
        super().__init__()
        self.generator, self.critic = make_generator(), make_critic()
        self.generator_loss = tf.keras.metrics.Mean(name="generator_loss")
        self.critic_loss = tf.keras.metrics.Mean(name="critic_loss")

    def compile(self, generator_optimizer, critic_optimizer):
        """Take an optimizer for each model."""
        super().compile()
        self.generator_optimizer, self.critic_optimizer = generator_optimizer, critic_optimizer
        self.cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @property
    def metrics(self):
        """What is reset at the beginning of each epoch."""
        return [self.generator_loss, self.critic_loss]

    def train_step(self, digits):
        """Teach the critic the difference, and the generator to hide it."""
        noise = tf.random.normal((tf.shape(digits)[0], NOISE))
        with tf.GradientTape() as generator_tape, tf.GradientTape() as critic_tape:
            real, drawn = (
                self.critic(digits, training=True),
                self.critic(self.generator(noise), training=True),
            )
            # Real digits count as 0.9, not 1: a critic that is too sure teaches nothing.
            critic_loss = self.cross_entropy(tf.fill(tf.shape(real), 0.9), real)
            critic_loss += self.cross_entropy(tf.zeros_like(drawn), drawn)
            generator_loss = self.cross_entropy(tf.ones_like(drawn), drawn)
        for tape, loss, model, optimizer in (
            (generator_tape, generator_loss, self.generator, self.generator_optimizer),
            (critic_tape, critic_loss, self.critic, self.critic_optimizer),
        ):
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        self.generator_loss.update_state(generator_loss)
        self.critic_loss.update_state(critic_loss)
        return {metric.name: metric.result() for metric in self.metrics}


class Draw(tf.keras.callbacks.Callback):
    """Logs what the generator makes of the same noise, every few epochs."""

    def __init__(self, logdir, every):
        super().__init__()
        self.writer = tf.summary.create_file_writer(logdir)
        self.every = every
        self.noise = tf.random.normal((16, NOISE))

    def on_epoch_end(self, epoch, logs=None):
        """Log sixteen digits and the losses."""
        if epoch % self.every:
            return
        with self.writer.as_default(step=epoch):
            tf.summary.image("digits", self.model.generator(self.noise)[..., None], max_outputs=16)
            for name, value in (logs or {}).items():
                tf.summary.scalar(name, value)


def main():
    """Train, and show two digits in text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=300, help="passes over the digits (300)")
    parser.add_argument("--logdir", default="logs/gan", help="where the pictures go (logs/gan)")
    parser.add_argument("--smoke", action="store_true", help="one epoch of few digits, logged to nowhere")
    options = parser.parse_args()
    tf.keras.utils.set_random_seed(0)
    (digits, _), _ = tf.keras.datasets.digits.load_data()
    digits = digits.astype("float32") / 16
    if options.smoke:
        digits, options.epochs, options.logdir = digits[:320], 1, tempfile.mkdtemp()
    model = GAN()
    model.compile(tf.keras.optimizers.Adam(2e-3, beta_1=0.5), tf.keras.optimizers.Adam(1e-3, beta_1=0.5))
    draw = Draw(options.logdir, every=10)
    history = model.fit(digits, epochs=options.epochs, callbacks=[draw], verbose=0).history
    print(", ".join(f"{name} {values[-1]:.4f}" for name, values in history.items()))
    for rows in zip(*(model.generator(draw.noise).numpy()[:2] * 9.99).astype(int), strict=True):
        print("   ".join("".join(SHADES[shade] * 2 for shade in row) for row in rows))


if __name__ == "__main__":
    main()
