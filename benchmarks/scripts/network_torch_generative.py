"""The networks of `networks` that make images, as a PyTorch user writes them."""

import torch

from benchmarks.scripts.network_data import LATENT

nn = torch.nn
Shape = tuple[int, ...]


def autoencoder(shape: Shape) -> nn.Module:
    """Convolutions down to a sixteenth of the pixels, and transposed ones back."""
    channels = shape[-1]
    return nn.Sequential(
        nn.Conv2d(channels, 16, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, 2, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 32, 3, 2, 1, output_padding=1),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 3, 2, 1, output_padding=1),
        nn.ReLU(),
        nn.Conv2d(16, channels, 3, 1, 1),
        nn.Sigmoid(),
    )


class Vae(nn.Module):
    """An autoencoder through a normal distribution; gives the image and the divergence."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        rows, columns, channels = shape
        features = rows // 4 * (columns // 4) * 64
        self.encode = nn.Sequential(
            nn.Conv2d(channels, 32, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3, 2, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(features, 2 * LATENT),
        )
        self.decode = nn.Sequential(
            nn.Linear(LATENT, features),
            nn.ReLU(),
            nn.Unflatten(1, (64, rows // 4, columns // 4)),
            nn.ConvTranspose2d(64, 64, 3, 2, 1, output_padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(64, 32, 3, 2, 1, output_padding=1),
            nn.ReLU(),
            nn.Conv2d(32, channels, 3, 1, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        centre, log_variance = self.encode(x).chunk(2, -1)
        divergence = -0.05 * (1 + log_variance - centre**2 - log_variance.exp()).mean()
        return self.decode(centre + (0.5 * log_variance).exp() * torch.randn_like(centre)), divergence


def dcgan(shape: Shape) -> tuple[nn.Sequential, nn.Sequential]:
    """Generator and discriminator."""
    rows, columns, channels = shape
    features = rows // 4 * (columns // 4) * 64
    generator = nn.Sequential(
        nn.Linear(LATENT, features, bias=False),
        nn.Unflatten(1, (64, rows // 4, columns // 4)),
        nn.BatchNorm2d(64),
        nn.LeakyReLU(0.2),
        nn.ConvTranspose2d(64, 32, 4, 2, 1, bias=False),
        nn.BatchNorm2d(32),
        nn.LeakyReLU(0.2),
        nn.ConvTranspose2d(32, channels, 4, 2, 1),
        nn.Tanh(),
    )
    discriminator = nn.Sequential(
        nn.Conv2d(channels, 32, 4, 2, 1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(32, 64, 4, 2, 1),
        nn.LeakyReLU(0.2),
        nn.Flatten(),
        nn.Linear(features, 1),
    )
    return generator, discriminator
