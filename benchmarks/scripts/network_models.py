"""The networks of `networks`, written once with the Keras API and run with every package that has it.

The last layer of the classifiers starts at zero, so that the first losses of all contenders are those of a guess.
"""

from collections.abc import Callable
from typing import Any

from benchmarks.scripts import network_generative, network_images, network_sequences
from benchmarks.scripts.network_data import TASKS

_BUILD: dict[str, Callable[..., Any]] = {
    "resnet20": network_images.resnet20,
    "resnet50": network_images.resnet50,
    "mobilenet": network_images.mobilenet,
    "efficientnet": network_images.efficientnet,
    "vgg": network_images.vgg,
    "unet": network_images.unet,
    "vit": network_images.vit,
    "siamese": network_images.siamese,
    "autoencoder": network_generative.autoencoder,
    "vae": network_generative.vae,
    "language": network_sequences.language_model,
    "encoder": network_sequences.encoder,
    "text": network_sequences.text,
    "gru": network_sequences.gru,
    "tabular": network_sequences.tabular,
}


def make_network(keras: Any, task: str) -> Any:
    """The compiled network of a task."""
    keras.utils.set_random_seed(0)
    network, shape = TASKS[task].network, TASKS[task].shape
    if network == "dcgan":
        return network_generative.dcgan(keras, shape)
    model = _BUILD[network](keras, shape)
    model.compile(make_optimizer(keras, network), make_loss(keras, network))
    return model


def make_optimizer(keras: Any, network: str) -> Any:
    """The optimizer of a network."""
    if network in ("resnet20", "vgg"):
        return keras.optimizers.SGD(1e-3, momentum=0.9)
    if network in ("resnet50", "mobilenet", "efficientnet"):
        return keras.optimizers.SGD(1e-3)
    return keras.optimizers.Adam(1e-3)


def make_loss(keras: Any, network: str) -> Any:
    """The loss of a network."""
    if network in ("autoencoder", "vae"):
        return keras.losses.MeanSquaredError()
    if network in ("unet", "siamese", "encoder", "text", "gru", "tabular"):
        return keras.losses.BinaryCrossentropy(from_logits=True)
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)
