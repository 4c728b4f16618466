"""The networks of `networks` as a PyTorch user trains them: eager, shuffled batches gathered from memory."""

from collections.abc import Callable

import torch

from benchmarks.scripts import network_torch_generative as generative
from benchmarks.scripts import network_torch_images as images
from benchmarks.scripts import network_torch_sequences as sequences
from benchmarks.scripts.network_data import LATENT, TASKS, make_data

nn, functional = torch.nn, torch.nn.functional
Step = Callable[[tuple[torch.Tensor, ...], torch.Tensor], torch.Tensor]

_NETWORKS: dict[str, Callable[..., nn.Module]] = {
    "resnet20": images.resnet20,
    "resnet50": images.resnet50,
    "mobilenet": images.mobilenet,
    "efficientnet": images.efficientnet,
    "vgg": images.vgg,
    "unet": images.UNet,
    "vit": images.vit,
    "siamese": images.Siamese,
    "autoencoder": generative.autoencoder,
    "vae": generative.Vae,
    "language": sequences.language_model,
    "encoder": sequences.encoder,
    "text": sequences.text,
    "gru": sequences.gru,
    "tabular": sequences.Tabular,
}


def fit(task: str, is_compiled: bool = False) -> Callable[[int], float]:
    """Return `run_steps(count)`, where `count` is the steps of an epoch; images are laid out channels last.

    Args:
        task: which network and data.
        is_compiled: whether `torch.compile` compiles the network.
    """
    torch.manual_seed(0)
    data, network = make_data(task), TASKS[task].network
    inputs = tuple(_channels_last(a) for a in (data.x if isinstance(data.x, tuple) else (data.x,)))
    if network in ("autoencoder", "vae", "dcgan"):
        targets = inputs[0]
    else:
        targets = _channels_last(data.y)
        targets = targets if targets.is_floating_point() else targets.long()
    step = _gan_step(task) if network == "dcgan" else _step(task, is_compiled)

    def run_steps(count: int) -> float:
        data.require_epoch(count)
        loss_total = torch.zeros(())
        for rows in torch.randperm(len(targets)).split(data.batch):
            loss_total += step(tuple(x[rows] for x in inputs), targets[rows]).detach() * len(rows)
        return loss_total.item() / len(targets)

    return run_steps


def _channels_last(array) -> torch.Tensor:
    tensor = torch.from_numpy(array)
    if tensor.ndim < 4:
        return tensor
    return tensor.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)


def _step(task: str, is_compiled: bool) -> Step:
    """One update of a network; the head of a classifier starts at zero, as with Keras."""
    network = TASKS[task].network
    module = _NETWORKS[network](TASKS[task].shape).to(memory_format=torch.channels_last)
    if network not in ("autoencoder", "vae"):
        head = [m for m in module.modules() if isinstance(m, (nn.Linear, nn.Conv2d))][-1]
        nn.init.zeros_(head.weight)
        nn.init.zeros_(head.bias)
    loss_of, optimizer = _loss_of(network), _optimizer_of(network, module)
    call = torch.compile(module) if is_compiled else module

    def step(inputs: tuple[torch.Tensor, ...], targets: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = loss_of(call(*inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    return step


def _optimizer_of(network: str, module: nn.Module) -> torch.optim.Optimizer:
    if network in ("resnet20", "vgg", "resnet50", "mobilenet", "efficientnet"):
        momentum = 0.9 if network in ("resnet20", "vgg") else 0.0
        return torch.optim.SGD(module.parameters(), lr=1e-3, momentum=momentum)
    return torch.optim.Adam(module.parameters(), lr=1e-3, eps=1e-7)


def _loss_of(network: str) -> Callable[..., torch.Tensor]:
    if network == "autoencoder":
        return functional.mse_loss
    if network == "vae":
        return lambda made, y: functional.mse_loss(made[0], y) + made[1]
    if network in ("unet", "siamese", "encoder", "text", "gru", "tabular"):
        return functional.binary_cross_entropy_with_logits
    if network == "language":
        return lambda logits, y: functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    return functional.cross_entropy


def _gan_step(task: str) -> Step:
    """One update of generator and discriminator each, from the same images."""
    generator, discriminator = (
        part.to(memory_format=torch.channels_last) for part in generative.dcgan(TASKS[task].shape)
    )
    nn.init.zeros_(discriminator[-1].weight)
    optimizers = [
        torch.optim.Adam(part.parameters(), lr=2e-4, betas=(0.5, 0.999), eps=1e-7)
        for part in (generator, discriminator)
    ]
    loss_of = functional.binary_cross_entropy_with_logits

    def step(inputs: tuple[torch.Tensor, ...], targets: torch.Tensor) -> torch.Tensor:
        del targets
        made = generator(torch.randn(len(inputs[0]), LATENT))
        for part in (generator, discriminator):
            part.zero_grad()
        real, fake = discriminator(inputs[0]), discriminator(made.detach())
        loss = loss_of(real, torch.ones_like(real)) + loss_of(fake, torch.zeros_like(fake))
        loss.backward()
        # The discriminator is a constant to the generator: its own gradients are not computed again.
        discriminator.requires_grad_(False)
        judged = discriminator(made)
        loss_of(judged, torch.ones_like(judged)).backward()
        discriminator.requires_grad_(True)
        for optimizer in optimizers:
            optimizer.step()
        return loss

    return step
