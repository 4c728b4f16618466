"""The networks of `networks`, written once with the Keras API and run with every package that has it.

The last layer of the classifiers starts at zero, so that the first losses of all contenders are those of a guess.
"""

from typing import Any

from benchmarks.scripts.network_data import (
    BLOCKS,
    CLASSES,
    EMBEDDING,
    HEADS,
    TASKS,
    TEXT_VOCABULARY,
    TOKENS,
    UNITS,
    VOCABULARY,
    WIDTH,
    WORDS,
)


def make_network(keras: Any, task: str) -> Any:
    """The compiled network of a task."""
    keras.utils.set_random_seed(0)
    optimizers, losses = keras.optimizers, keras.losses
    if task == "autoencoder":
        model, loss = _autoencoder(keras), "mse"
    elif task == "text":
        model, loss = _text_classifier(keras), losses.BinaryCrossentropy(from_logits=True)
    else:
        model, loss = _classifier(keras, task), losses.SparseCategoricalCrossentropy(from_logits=True)
    if task == "resnet20":
        optimizer = optimizers.SGD(1e-3, momentum=0.9)
    else:
        optimizer = optimizers.SGD(1e-3) if task in ("resnet50", "mobilenet") else optimizers.Adam(1e-3)
    model.compile(optimizer, loss)
    return model


def _classifier(keras: Any, task: str) -> Any:
    if task == "resnet20":
        return _resnet20(keras)
    if task == "language":
        return _language_model(keras)
    build = {"resnet50": keras.applications.ResNet50, "mobilenet": keras.applications.MobileNetV2}[task]
    trunk = build(weights=None, include_top=False, pooling="avg", input_shape=TASKS[task].shape)
    head = keras.layers.Dense(CLASSES, kernel_initializer="zeros")
    return keras.Model(trunk.inputs, head(trunk.outputs[0]))


def _resnet20(keras: Any) -> Any:
    layers = keras.layers

    def normalised(x: Any, channels: int, size: int, stride: int) -> Any:
        x = layers.Conv2D(channels, size, strides=stride, padding="same", use_bias=False)(x)
        return layers.BatchNormalization()(x)

    inputs = keras.Input(TASKS["resnet20"].shape)
    x = layers.ReLU()(normalised(inputs, 16, 3, 1))
    for channels in (16, 32, 64):
        for number in range(3):
            stride = 2 if number == 0 and channels > 16 else 1
            y = layers.ReLU()(normalised(x, channels, 3, stride))
            y = normalised(y, channels, 3, 1)
            shortcut = x if stride == 1 else normalised(x, channels, 1, stride)
            x = layers.ReLU()(layers.Add()([shortcut, y]))
    head = layers.Dense(CLASSES, kernel_initializer="zeros")
    return keras.Model(inputs, head(layers.GlobalAveragePooling2D()(x)))


def _autoencoder(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input(TASKS["autoencoder"].shape),
            layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2DTranspose(16, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(1, 3, padding="same", activation="sigmoid"),
        ]
    )


def _language_model(keras: Any) -> Any:
    layers = keras.layers
    inputs = keras.Input((TOKENS,), dtype="int32")
    x = layers.Embedding(VOCABULARY, WIDTH)(inputs)
    for _ in range(BLOCKS):
        y = layers.LayerNormalization()(x)
        attended = layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(y, y, use_causal_mask=True)
        x = layers.Add()([x, attended])
        y = layers.LayerNormalization()(x)
        hidden = layers.Dense(4 * WIDTH, activation="relu")(y)
        x = layers.Add()([x, layers.Dense(WIDTH)(hidden)])
    head = layers.Dense(VOCABULARY, kernel_initializer="zeros")
    return keras.Model(inputs, head(layers.LayerNormalization()(x)))


def _text_classifier(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((WORDS,), dtype="int32"),
            layers.Embedding(TEXT_VOCABULARY, EMBEDDING),
            layers.LSTM(UNITS),
            layers.Dense(1, kernel_initializer="zeros"),
        ]
    )
