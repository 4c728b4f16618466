"""`tf.keras.backend.experimental`: switches for the generators of random layers, without effect here."""

from __future__ import annotations


def is_tf_random_generator_enabled() -> bool:
    """True: every random layer has a generator, whose state is saved with the model."""
    return True


def enable_tf_random_generator() -> None:
    """Asks for what is so in any case."""
