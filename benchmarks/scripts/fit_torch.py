"""The models of `fit` as a PyTorch user writes them: eager, shuffled batches gathered from memory."""

from collections.abc import Callable

import torch

from benchmarks.scripts.keras_data import (
    CLASSES,
    FEATURES,
    HEADS,
    SIZES,
    UNITS,
    WIDTH,
    make_data,
    mlp_weights,
)

nn = torch.nn


class _LSTM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.recurrent = nn.LSTM(FEATURES, UNITS, batch_first=True)
        self.head = nn.Linear(UNITS, CLASSES)

    def forward(self, x):
        return self.head(self.recurrent(x)[0][:, -1])


class _Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.dense = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.ReLU(), nn.Linear(2 * WIDTH, WIDTH))
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        x = self.norm_1(x + self.attention(x, x, x, need_weights=False)[0])
        return self.head(self.norm_2(x + self.dense(x)).mean(dim=1))


def _mlp() -> nn.Module:
    inputs, first, second, outputs = SIZES
    model = nn.Sequential(
        nn.Linear(inputs, first),
        nn.ReLU(),
        nn.Linear(first, second),
        nn.ReLU(),
        nn.Linear(second, outputs),
    )
    with torch.no_grad():
        for parameter, array in zip(model.parameters(), mlp_weights(), strict=True):
            parameter.copy_(torch.from_numpy(array.T))  # a Linear keeps its weight transposed
    return model


def _cnn(first: int, second: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, first, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(first, second, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8 * 8 * second, CLASSES),
    )


def _make_model(task: str) -> nn.Module:
    """The model of a task; weights are drawn as Keras draws them."""
    torch.manual_seed(0)
    if task == "mlp":
        return _mlp()
    if task == "lstm":
        model = _LSTM()
    elif task == "transformer":
        model = _Transformer()
    else:
        model = _cnn(*map(int, task.split("_")[1:]))
    for name, parameter in model.named_parameters():
        if parameter.ndim > 1:
            nn.init.xavier_uniform_(parameter)
        elif "norm" not in name:
            nn.init.zeros_(parameter)
    return model


def fit(task: str, is_channels_last: bool = False) -> Callable[[int], float]:
    """Return `run_steps(count)`, where `count` is the steps of an epoch."""
    data = make_data(task)
    model = _make_model(task)
    x, y = torch.from_numpy(data.x), torch.from_numpy(data.y).long()
    if x.ndim == 4:  # laid out once, beforehand, in the order PyTorch wants
        layout = torch.channels_last if is_channels_last else torch.contiguous_format
        x = x.permute(0, 3, 1, 2).contiguous(memory_format=layout)
        model = model.to(memory_format=layout)
    if task == "mlp":
        optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.9, eps=1e-7)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)
    loss_function = nn.CrossEntropyLoss()

    def run_steps(count: int) -> float:
        data.require_epoch(count)
        loss_total, correct = torch.zeros(()), torch.zeros(())
        for rows in torch.randperm(len(x)).split(data.batch):
            images, labels = x[rows], y[rows]
            optimizer.zero_grad()
            logits = model(images)
            loss = loss_function(logits, labels)
            loss.backward()
            optimizer.step()
            loss_total += loss.detach() * len(rows)
            correct += (logits.argmax(1) == labels).sum()
        if not 0.0 <= correct.item() <= len(x):
            raise ArithmeticError(f"the loop expected at most {len(x)} hits; got {correct.item()}")
        return loss_total.item() / len(x)

    return run_steps


def evaluate() -> Callable[[int], float]:
    """Return `run_steps(count)`: the loss of the MLP on `count` batches."""
    data = make_data("mlp")
    model, loss_function = _make_model("mlp"), nn.CrossEntropyLoss()
    batches = zip(
        torch.from_numpy(data.x).split(data.batch),
        torch.from_numpy(data.y).long().split(data.batch),
        strict=True,
    )
    pairs = list(batches)

    @torch.no_grad()
    def run_steps(count: int) -> float:
        data.require_epoch(count)
        loss_total, correct = torch.zeros(()), torch.zeros(())
        for images, labels in pairs:
            logits = model(images)
            loss_total += loss_function(logits, labels) * len(labels)
            correct += (logits.argmax(1) == labels).sum()
        if not 0.0 <= correct.item() <= len(data.x):
            raise ArithmeticError(f"the loop expected at most {len(data.x)} hits; got {correct.item()}")
        return loss_total.item() / len(data.x)

    return run_steps


def predict() -> Callable[[int], float]:
    """Return `run_steps(count)`: the mean size of the MLP's outputs for `count` batches."""
    data = make_data("mlp")
    model = _make_model("mlp")
    batches = torch.from_numpy(data.x).split(data.batch)

    @torch.no_grad()
    def run_steps(count: int) -> float:
        data.require_epoch(count)
        return torch.cat([model(images) for images in batches]).abs().mean().item()

    return run_steps
