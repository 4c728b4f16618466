"""What `VGG16` and `VGG19` are made of: small convolutions in five blocks, and three dense layers."""

from __future__ import annotations

from tapeflow.keras import layers
from tapeflow.keras.annotations import ActivationLike
from tapeflow.keras.applications.assembly import Network, network, weight_files
from tapeflow.keras.graph.keras_tensor import KerasTensor


def vgg(name: str, counts: tuple[int, ...], hashes: tuple[str, str]) -> Network:
    """A network of Simonyan and Zisserman's, by how many convolutions its blocks have."""

    def body(x: KerasTensor) -> KerasTensor:
        for block, (count, filters) in enumerate(zip(counts, (64, 128, 256, 512, 512), strict=True), 1):
            for i in range(1, count + 1):
                conv = layers.Conv2D(
                    filters, (3, 3), activation="relu", padding="same", name=f"block{block}_conv{i}"
                )
                x = conv(x)
            x = layers.MaxPooling2D((2, 2), strides=(2, 2), name=f"block{block}_pool")(x)
        return x

    doc = f"""The network of {sum(counts) + 3} layers of Simonyan and Zisserman, 2014.

    Args:
        include_top: with the layers that tell classes apart; images then have one size.
        weights: None for random ones, a file, or "imagenet".
        input_tensor: a `tf.keras.Input`, or what layers make of one, to build on.
        input_shape: (height, width, channels), at least 32 pixels a side.
        pooling: without the top: None, "avg" or "max".
        classes: how many classes the top has.
        classifier_activation: of the last layer; None for logits.
    """
    file = f"{name.lower()}/{name.lower()}_weights_tf_dim_ordering_tf_kernels"
    return network(name, doc, body, weight_files(file, hashes), head=_head)


def _head(x: KerasTensor, classes: int, activation: ActivationLike) -> KerasTensor:
    x = layers.Flatten(name="flatten")(x)
    x = layers.Dense(4096, activation="relu", name="fc1")(x)
    x = layers.Dense(4096, activation="relu", name="fc2")(x)
    return layers.Dense(classes, activation=activation, name="predictions")(x)
