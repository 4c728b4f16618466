"""What several of the Keras networks of `networks` are made of."""

from typing import Any

from benchmarks.scripts.network_data import CLASSES, HEADS, WIDTH


def classifier(keras: Any, inputs: Any, features: Any, outputs: int = CLASSES) -> Any:
    """A model whose last layer starts at zero."""
    return keras.Model(inputs, keras.layers.Dense(outputs, kernel_initializer="zeros")(features))


def transformer_block(keras: Any, x: Any, is_causal: bool = False) -> Any:
    """Attention and two dense layers, each normalised first and added to what it was given."""
    layers = keras.layers
    y = layers.LayerNormalization()(x)
    x = layers.Add()([x, layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(y, y, use_causal_mask=is_causal)])
    hidden = layers.Dense(4 * WIDTH, activation="relu")(layers.LayerNormalization()(x))
    return layers.Add()([x, layers.Dense(WIDTH)(hidden)])


def add_positions(keras: Any, x: Any) -> Any:
    """`x` and a learnt vector for each place in the sequence."""

    class Positions(keras.layers.Layer):
        def build(self, shape: Any) -> None:
            self.table = self.add_weight(name="table", shape=tuple(shape[1:]), initializer="uniform")

        def call(self, x: Any) -> Any:
            return x + self.table

    return Positions()(x)
