"""The networks of `networks` that read images, with the Keras API."""

from typing import Any

from benchmarks.scripts.network_blocks import add_positions, classifier, transformer_block
from benchmarks.scripts.network_data import PATCH, VIT_BLOCKS, WIDTH

Shape = tuple[int, ...]


def resnet20(keras: Any, shape: Shape) -> Any:
    """The residual network for small images, with batch normalisation."""
    layers = keras.layers

    def normalised(x: Any, channels: int, size: int, stride: int) -> Any:
        x = layers.Conv2D(channels, size, strides=stride, padding="same", use_bias=False)(x)
        return layers.BatchNormalization()(x)

    inputs = keras.Input(shape)
    x = layers.ReLU()(normalised(inputs, 16, 3, 1))
    for channels in (16, 32, 64):
        for number in range(3):
            stride = 2 if number == 0 and channels > 16 else 1
            y = layers.ReLU()(normalised(x, channels, 3, stride))
            y = normalised(y, channels, 3, 1)
            shortcut = x if stride == 1 else normalised(x, channels, 1, stride)
            x = layers.ReLU()(layers.Add()([shortcut, y]))
    return classifier(keras, inputs, layers.GlobalAveragePooling2D()(x))


def resnet50(keras: Any, shape: Shape) -> Any:
    """The application of that name."""
    return _application(keras, keras.applications.ResNet50, shape)


def mobilenet(keras: Any, shape: Shape) -> Any:
    """The application MobileNetV2."""
    return _application(keras, keras.applications.MobileNetV2, shape)


def efficientnet(keras: Any, shape: Shape) -> Any:
    """The application EfficientNetB0."""
    return _application(keras, keras.applications.EfficientNetB0, shape)


def _application(keras: Any, build: Any, shape: Shape) -> Any:
    trunk = build(weights=None, include_top=False, pooling="avg", input_shape=shape)
    return classifier(keras, trunk.inputs, trunk.outputs[0])


def vgg(keras: Any, shape: Shape) -> Any:
    """Pairs of convolutions, each pair pooled, then dense layers."""
    layers = keras.layers
    x = inputs = keras.Input(shape)
    for channels in (32, 64, 128):
        for _ in range(2):
            x = layers.Conv2D(channels, 3, padding="same", activation="relu")(x)
        x = layers.MaxPooling2D()(x)
    return classifier(keras, inputs, layers.Dense(256, activation="relu")(layers.Flatten()(x)))


def unet(keras: Any, shape: Shape) -> Any:
    """Two levels down and up again, each given what the way down has seen; a logit a pixel."""
    layers = keras.layers

    def pair(x: Any, channels: int) -> Any:
        for _ in range(2):
            x = layers.Conv2D(channels, 3, padding="same", activation="relu")(x)
        return x

    inputs = keras.Input(shape)
    first = pair(inputs, 16)
    second = pair(layers.MaxPooling2D()(first), 32)
    x = pair(layers.MaxPooling2D()(second), 64)
    for seen, channels in ((second, 32), (first, 16)):
        x = layers.Conv2DTranspose(channels, 2, strides=2)(x)
        x = pair(layers.Concatenate()([seen, x]), channels)
    return keras.Model(inputs, layers.Conv2D(1, 1, kernel_initializer="zeros")(x))


def vit(keras: Any, shape: Shape) -> Any:
    """A transformer over the patches of an image."""
    layers = keras.layers
    inputs = keras.Input(shape)
    x = layers.Conv2D(WIDTH, PATCH, strides=PATCH)(inputs)
    x = add_positions(keras, layers.Reshape((shape[0] // PATCH * (shape[1] // PATCH), WIDTH))(x))
    for _ in range(VIT_BLOCKS):
        x = transformer_block(keras, x)
    return classifier(keras, inputs, layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x)))


def siamese(keras: Any, shape: Shape) -> Any:
    """Whether two images belong together, from the product of what one small CNN makes of each."""
    layers = keras.layers
    trunk = keras.Sequential(
        [
            keras.Input(shape),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64),
        ]
    )
    inputs = [keras.Input(shape), keras.Input(shape)]
    return classifier(keras, inputs, layers.Multiply()([trunk(image) for image in inputs]), 1)
