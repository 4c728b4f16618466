"""`Source`: the interface between data and the training loop.

source = make_source(x, y, batch_size=32, shuffle=True, epochs=10)
for number in range(10):
    with ahead(source.epoch(number, group=8)) as groups:
        for group in groups:
            ...
    if source.ran_out:
        warn_ran_out(10 * source.steps)
        break
    source.on_epoch_end()
source.close()
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.keras.training.sources.group import Group


class Source(ABC):
    """Batches by epochs.

    Attributes:
        steps: Batches in an epoch; `None` while unknown, which it is until a first epoch has ended.
        batch_size: Rows of a full batch, or `None` if the user's data decides.
        ran_out: Whether the last epoch ended before `steps` batches, and training should stop.
    """

    steps: int | None = None
    batch_size: int | None = None
    ran_out: bool = False
    # For going on in the middle: whether places will be asked for, and the steps of this epoch that were used.
    is_tracked: bool = False
    used: int = 0
    # Whether processes wait for one another while they read: then no thread may read ahead.
    is_in_step: bool = False

    def description(self) -> dict[str, Any]:
        """What it reads, for a profile."""
        return {"method": "arrays"}

    @abstractmethod
    def epoch(self, number: int, group: int = 1, start: int = 0) -> Iterator[Group]:
        """The batches of epoch `number` from step `start` on, `group` of them at a time where possible."""

    def last_rows(self) -> int | None:
        """How many rows the last batch of an epoch has, if it is known to have fewer than the others."""
        return None

    @abstractmethod
    def peek(self) -> Any:
        """A first batch, to build a model from; the epochs still begin where they would have."""

    def rewind(self) -> None:  # noqa: B027 - most have nothing to do here
        """Begin a new series of epochs, as every `evaluate` does; a generator goes on where it is."""

    def state(self, step: int | None) -> Any:
        """Where an equal source is to go on: after `step` batches of this epoch, or with the next epoch."""
        return {"steps": self.steps}

    def restore(self, state: Any, number: int, step: int) -> bool:
        """Be where the source was that gave `state`; the next read is epoch `number`, from `step` on.

        Returns:
            Whether the user's code ran again on the way here, so that host random numbers are where they were.
        """
        self.steps = state["steps"]
        return False

    def on_epoch_end(self) -> None:  # noqa: B027
        """To be called when an epoch's batches have been used, on the thread of the user's code."""

    def close(self) -> None:  # noqa: B027
        """Let go of threads and processes; the source is not used afterwards."""


def nothing_to_read() -> ValueError:
    """The error for data without a single batch."""
    return ValueError(
        "Expected input data to be non-empty. A source of batches gave none: check the arrays' length, "
        "or that the generator or dataset was not used up before."
    )


def endless_without_steps() -> ValueError:
    """The error for data that never ends, when nobody said how long an epoch is."""
    return ValueError(
        "When providing an infinite dataset, you must specify the number of steps to run (if you did not "
        "intend to create an infinite dataset, make sure to not call `repeat()` on the dataset)."
    )


def epoch_rng(seed: int, number: int) -> np.random.Generator:
    """The random numbers of one epoch: the same whenever that epoch is computed again."""
    return np.random.default_rng([seed & 0xFFFFFFFFFFFFFFFF, number])


def warn_ran_out(batches: int) -> None:
    """Keras's warning for an epoch that ended early; `batches` is how many the whole training needs."""
    warnings.warn(
        "Your input ran out of data; interrupting training. Make sure that your dataset or generator can "
        f"generate at least `steps_per_epoch * epochs` batches (in this case, {batches} batches). You may "
        "need to use the repeat() function when building your dataset.",
        stacklevel=3,
    )
