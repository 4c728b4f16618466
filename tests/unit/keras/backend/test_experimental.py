"""Random generators of layers."""

from __future__ import annotations

import tapeflow as tf


def test_random_layers_always_have_generators() -> None:
    tf.keras.backend.experimental.enable_tf_random_generator()
    assert tf.keras.backend.experimental.is_tf_random_generator_enabled()
