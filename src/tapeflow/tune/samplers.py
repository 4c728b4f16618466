"""How values are chosen and trials are pruned: Optuna's samplers and pruners, by name or as they are."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow.tune.backend import optuna
from tapeflow.tune.space import Space

SAMPLERS = ("random", "grid", "tpe")
PRUNERS = ("median", "halving", "hyperband")


class Choice:
    """Gives each place in a search its sampler.

    A named sampler is made anew for each place, from the seed and the place: trial 7 of a random search is the same
    whoever runs it, after a resumption, too. One that the user made is used as it is.

    Args:
        sampler: a name, or an Optuna sampler.
        space: what is varied.
        first: values of the first trials.
        seed: where the random numbers start.

    Attributes:
        count: how many trials there are to a grid; None where there is no end.
    """

    def __init__(
        self, sampler: Any, space: Space, first: Sequence[Mapping[str, Any]], seed: int | None
    ) -> None:
        if not isinstance(sampler, optuna.samplers.BaseSampler) and sampler not in SAMPLERS:
            raise ValueError(
                f"tune.search expected sampler to be one of {', '.join(map(repr, SAMPLERS))}, or an Optuna sampler; "
                f"got sampler={sampler!r}."
            )
        self._sampler = sampler
        self._seed = seed
        self._listed = list(first)
        self.count: int | None = None
        if isinstance(sampler, str) and sampler == "grid":
            self._listed += [values for values in space.grid() if values not in first]
            self.count = len(self._listed)

    def at(self, place: int) -> Any:
        """The Optuna sampler of a place."""
        fixed = self._listed[place] if place < len(self._listed) else None
        seed = None if self._seed is None else zlib.crc32(f"{self._seed}/{place}".encode())
        if self._sampler == "tpe":
            found = optuna.samplers.TPESampler(seed=seed)
        elif isinstance(self._sampler, str):
            found = optuna.samplers.RandomSampler(seed=seed)
        else:
            found = self._sampler
        return found if fixed is None else Fixed(fixed, found)


class Fixed(optuna.samplers.BaseSampler):
    """An Optuna sampler that gives certain values, and for other names what another sampler gives."""

    def __init__(self, values: Mapping[str, Any], other: optuna.samplers.BaseSampler) -> None:
        self._values = values
        self._other = other

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]:
        return {}

    def sample_relative(self, study: Any, trial: Any, search_space: Any) -> dict[str, Any]:
        return {}

    def sample_independent(self, study: Any, trial: Any, param_name: str, param_distribution: Any) -> Any:
        if param_name in self._values:
            return self._values[param_name]
        return self._other.sample_independent(study, trial, param_name, param_distribution)


def pruner_of(pruner: Any) -> Any:
    """An Optuna pruner; None prunes nothing."""
    if pruner is None:
        return optuna.pruners.NopPruner()
    if isinstance(pruner, optuna.pruners.BasePruner):
        return pruner
    if pruner == "median":
        return optuna.pruners.MedianPruner()
    if pruner == "halving":
        return optuna.pruners.SuccessiveHalvingPruner()
    if pruner == "hyperband":
        return optuna.pruners.HyperbandPruner()
    raise ValueError(
        f"tune.search expected pruner to be one of {', '.join(map(repr, PRUNERS))}, an Optuna pruner or None; got "
        f"pruner={pruner!r}."
    )
