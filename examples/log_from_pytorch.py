"""Log PyTorch training to the board: event files need neither TapeFlow's engine nor JAX.

`tapeflow.summary` takes numbers, numpy arrays and PyTorch tensors. What is logged is a standard event file.

    pip install torch
    python examples/log_from_pytorch.py
    tapeflow board --logdir logs/pytorch
"""

import argparse
import importlib.util
import sys
import tempfile

from tapeflow import summary
from tapeflow.keras.datasets import digits


def train(epochs, logdir):
    """Train a network with PyTorch, and log its losses, weights and mistakes."""
    import torch

    torch.manual_seed(0)
    (x, y), (x_test, y_test) = digits.load_data()
    x, x_test = (torch.tensor(pixels / 16.0, dtype=torch.float32) for pixels in (x, x_test))
    y, y_test = torch.tensor(y, dtype=torch.int64), torch.tensor(y_test, dtype=torch.int64)
    model = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10)
    )
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    step = 0
    with summary.run("torch", logdir) as run:
        summary.hparams({"learning_rate": 3e-3, "units": 32}, metrics=["test/accuracy"])
        for epoch in range(epochs):
            for rows in torch.randperm(len(x)).split(32):
                loss = torch.nn.functional.cross_entropy(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                summary.scalar("train/loss", loss.item(), step=step)
                step += 1
            with torch.no_grad():
                guesses = model(x_test).argmax(1)
            accuracy = (guesses == y_test).float().mean().item()
            summary.scalar("test/accuracy", accuracy, step=step)
            for name, weights in model.named_parameters():
                summary.histogram(f"weights/{name}", weights.detach().numpy(), step=step)
            print(f"epoch {epoch + 1}: loss {loss.item():.4f}, test accuracy {accuracy:.4f}")
        wrong = (guesses != y_test).nonzero().flatten()[:9]
        summary.image("mistakes", x_test[wrong].numpy()[..., None], step=step, max_outputs=9)
        print(f"logged to {run.logdir}")


def main():
    """Train if PyTorch is there, and say so if it is not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training digits (10)")
    parser.add_argument("--logdir", default="logs/pytorch", help="where the run goes (logs/pytorch)")
    parser.add_argument("--smoke", action="store_true", help="one epoch, logged to nowhere")
    options = parser.parse_args()
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not installed here, so there is nothing to log: pip install torch")
        return
    if options.smoke:
        options.epochs, options.logdir = 1, tempfile.mkdtemp()
    train(options.epochs, options.logdir)
    print("JAX was imported" if "jax" in sys.modules else "JAX was not imported")


if __name__ == "__main__":
    main()
