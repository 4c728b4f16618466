"""The networks of `networks` that read words and tables, with the Keras API."""

from typing import Any

from benchmarks.scripts.network_blocks import add_positions, classifier, transformer_block
from benchmarks.scripts.network_data import (
    BLOCKS,
    CATEGORIES,
    CATEGORY_WIDTH,
    EMBEDDING,
    NUMBERS,
    TEXT_VOCABULARY,
    UNITS,
    VOCABULARY,
    WIDTH,
)

Shape = tuple[int, ...]


def language_model(keras: Any, shape: Shape) -> Any:
    """Logits of the next word at every place."""
    layers = keras.layers
    inputs = keras.Input(shape, dtype="int32")
    x = layers.Embedding(VOCABULARY, WIDTH)(inputs)
    for _ in range(BLOCKS):
        x = transformer_block(keras, x, is_causal=True)
    return classifier(keras, inputs, layers.LayerNormalization()(x), VOCABULARY)


def encoder(keras: Any, shape: Shape) -> Any:
    """A classifier of texts: a transformer that sees both ways, and the mean over its places."""
    layers = keras.layers
    inputs = keras.Input(shape, dtype="int32")
    x = add_positions(keras, layers.Embedding(TEXT_VOCABULARY, WIDTH)(inputs))
    for _ in range(BLOCKS):
        x = transformer_block(keras, x)
    return classifier(keras, inputs, layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x)), 1)


def text(keras: Any, shape: Shape) -> Any:
    """A classifier of texts by an LSTM."""
    return _recurrent(keras, shape, keras.layers.LSTM(UNITS))


def gru(keras: Any, shape: Shape) -> Any:
    """A classifier of texts by a GRU in both directions."""
    return _recurrent(keras, shape, keras.layers.Bidirectional(keras.layers.GRU(UNITS)))


def _recurrent(keras: Any, shape: Shape, layer: Any) -> Any:
    inputs = keras.Input(shape, dtype="int32")
    return classifier(keras, inputs, layer(keras.layers.Embedding(TEXT_VOCABULARY, EMBEDDING)(inputs)), 1)


def tabular(keras: Any, shape: Shape) -> Any:
    """A weight for each category, and beside it a deep network over embeddings and numbers."""
    layers = keras.layers
    categories, numbers = keras.Input(shape, dtype="int32"), keras.Input((NUMBERS,))
    wide = layers.Flatten()(layers.Embedding(CATEGORIES, 1)(categories))
    deep = layers.Flatten()(layers.Embedding(CATEGORIES, CATEGORY_WIDTH)(categories))
    deep = layers.Concatenate()([deep, layers.BatchNormalization()(numbers)])
    for units in (128, 64):
        deep = layers.ReLU()(layers.BatchNormalization()(layers.Dense(units)(deep)))
    return classifier(keras, [categories, numbers], layers.Concatenate()([wide, deep]), 1)
