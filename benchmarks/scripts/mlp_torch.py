"""The same training loop as a PyTorch user writes it."""

from collections.abc import Callable

import torch

from benchmarks.scripts.mlp_data import BETA_1, BETA_2, EPSILON, LEARNING_RATE, SIZES, make_problem


def contender() -> Callable[[int], float]:
    """Return `run_steps(count)`: the ordinary eager loop with torch.optim.Adam."""
    problem = make_problem()
    inputs, hidden, outputs = SIZES
    model = torch.nn.Sequential(
        torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, outputs)
    )
    with torch.no_grad():
        for parameter, array in zip(model.parameters(), problem.weights, strict=True):
            parameter.copy_(torch.from_numpy(array.T))  # a Linear keeps its weight transposed
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, betas=(BETA_1, BETA_2), eps=EPSILON)
    loss_function = torch.nn.CrossEntropyLoss()

    def run_steps(count: int) -> float:
        loss_total, correct, seen = torch.zeros(()), torch.zeros(()), 0
        for number in range(count):
            batch, classes = problem.batch(number)
            images, labels = torch.from_numpy(batch), torch.from_numpy(classes).long()
            optimizer.zero_grad()
            logits = model(images)
            loss = loss_function(logits, labels)
            loss.backward()
            optimizer.step()
            loss_total += loss.detach()
            correct += (logits.argmax(1) == labels).sum()
            seen += len(labels)
        if not 0.0 <= correct.item() / seen <= 1.0:
            raise ArithmeticError(f"the loop expected an accuracy in [0, 1]; got {correct.item() / seen}")
        return loss_total.item() / count

    return run_steps
