"""The same CNN as a PyTorch user writes it."""

from collections.abc import Callable

import numpy as np
import torch

from benchmarks.scripts.cnn_data import COLORS, KERNEL, LEARNING_RATE, SIDE, make_problem


def contender(channels: tuple[int, int], is_channels_last: bool) -> Callable[[int], float]:
    """Return `run_steps(count)`: the ordinary eager loop with torch.optim.SGD."""
    first, second = channels
    problem = make_problem(channels)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(COLORS, first, KERNEL, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(first, second, KERNEL, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear((SIDE // 4) ** 2 * second, 10),
    )
    w1, b1, w2, b2, w3, b3 = problem.weights
    # Flatten sees channels first, so the rows of the dense layer change their order.
    dense = w3.reshape(SIDE // 4, SIDE // 4, second, -1).transpose(3, 2, 0, 1).reshape(10, -1)
    arrays = (w1.transpose(3, 2, 0, 1), b1, w2.transpose(3, 2, 0, 1), b2, dense, b3)
    with torch.no_grad():
        for parameter, array in zip(model.parameters(), arrays, strict=True):
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(array)))
    if is_channels_last:
        model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    loss_function = torch.nn.CrossEntropyLoss()
    # Laid out beforehand, as a loader would: this is no part of the step.
    batches = []
    for number in range(len(problem.labels) // len(problem.batch(0)[1])):
        images, labels = problem.batch(number)
        tensor = torch.from_numpy(images.transpose(0, 3, 1, 2))
        layout = torch.channels_last if is_channels_last else torch.contiguous_format
        batches.append((tensor.contiguous(memory_format=layout), torch.from_numpy(labels).long()))

    def run_steps(count: int) -> float:
        loss = torch.zeros(())
        for number in range(count):
            images, labels = batches[number % len(batches)]
            optimizer.zero_grad()
            loss = loss_function(model(images), labels)
            loss.backward()
            optimizer.step()
        return loss.item()

    return run_steps
