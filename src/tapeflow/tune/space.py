"""What a search varies: `HParam`s with their domains, as Optuna's distributions, as a grid, and as a text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

from tapeflow.plugins.hparams.api import Discrete, Domain, HParam, IntInterval, RealInterval
from tapeflow.tune.domains import LogInterval, LogIntInterval

_MOST_GRID = 1_000_000


class Space:
    """The hyperparameters of a search.

    Args:
        space: `HParam`s, or a dict of domains or `HParam`s by name.

    Attributes:
        hparams: the hyperparameters, each with a domain.
    """

    def __init__(self, space: Iterable[HParam] | Mapping[str, Domain | HParam]) -> None:
        self.hparams = _hparams(space)

    @property
    def names(self) -> list[str]:
        """The names, in the order given."""
        return [h.name for h in self.hparams]

    def suggest(self, trial: Any) -> dict[str, Any]:
        """A value for each name, chosen by the sampler of an Optuna trial."""
        return {h.name: _suggest(trial, h.name, h.domain) for h in self.hparams}

    def describe(self) -> dict[str, str]:
        """A text for each name that changes if the domain does."""
        return {h.name: repr(h.domain) for h in self.hparams}

    def check(self, where: str, values: Mapping[Any, Any]) -> dict[str, Any]:
        """Values by name, if each belongs to the space; some names may be left out."""
        domains = {h.name: h.domain for h in self.hparams}
        found = {key.name if isinstance(key, HParam) else key: value for key, value in values.items()}
        for name, value in found.items():
            if name not in domains:
                raise ValueError(f"{where} expected names of the space, {', '.join(domains)}; got {name!r}.")
            if not _contains(domains[name], value):
                raise ValueError(
                    f"{where} expected a value of {domains[name]!r}; got {name}={value!r}. Widen the domain or "
                    "change the value."
                )
        return found

    def grid(self) -> list[dict[str, Any]]:
        """Every combination of values, the last name changing fastest."""
        values = [_values(h) for h in self.hparams]
        count = math.prod(map(len, values))
        if count > _MOST_GRID:
            raise ValueError(
                f"tune.search expected a grid of at most {_MOST_GRID:,} combinations; got {count:,}. "
                "Use sampler='random'."
            )
        return [dict(zip(self.names, found, strict=True)) for found in itertools.product(*values)]


def _hparams(space: Any) -> list[HParam]:
    found: list[Any]
    if isinstance(space, Mapping):
        found = [_named(name, value) for name, value in space.items()]
    elif isinstance(space, Iterable) and not isinstance(space, (str, bytes)):
        found = list(space)
    else:
        found = [space]
    for hparam in found:
        if not isinstance(hparam, HParam):
            raise TypeError(
                f"tune.search expected a space of hp.HParam, or a dict of domains by name; got {hparam!r} of "
                f"type {type(hparam).__name__}. Write hp.HParam('units', hp.Discrete([16, 32]))."
            )
        if hparam.domain is None:
            raise ValueError(
                f"tune.search expected a domain for every hyperparameter; got {hparam!r}. Give it one, such as "
                "hp.RealInterval(0.0, 0.5)."
            )
        if not isinstance(hparam.domain, (Discrete, IntInterval, RealInterval)):
            raise TypeError(
                "tune.search expected hp.Discrete, hp.IntInterval, hp.RealInterval, tune.LogInterval or "
                f"tune.LogIntInterval; got {hparam.name}={hparam.domain!r}."
            )
        if isinstance(hparam.domain, Discrete) and not hparam.domain.values:
            raise ValueError(f"tune.search expected values in every domain; got {hparam.name}=Discrete([]).")
    names = [h.name for h in found]
    if not found or len(set(names)) < len(names):
        raise ValueError(f"tune.search expected hyperparameters of different names; got {names!r}.")
    return found


def _named(name: str, value: object) -> Any:
    if isinstance(value, HParam) and value.name != name:
        raise ValueError(
            f"tune.search expected each HParam under its name; got {name!r}: {value!r}. Rename one of them."
        )
    return HParam(name, value) if isinstance(value, Domain) else value


def _suggest(trial: Any, name: str, domain: Any) -> Any:
    if isinstance(domain, Discrete):
        return trial.suggest_categorical(name, domain.values)
    suggest = trial.suggest_int if isinstance(domain, IntInterval) else trial.suggest_float
    is_log = isinstance(domain, (LogInterval, LogIntInterval))
    return suggest(name, domain.min_value, domain.max_value, log=is_log)


def _contains(domain: Any, value: object) -> bool:
    if isinstance(domain, Discrete):
        return any(value == v and type(value) is type(v) for v in domain.values)
    is_number = isinstance(value, (int, float) if isinstance(domain, RealInterval) else int)
    return is_number and not isinstance(value, bool) and domain.min_value <= value <= domain.max_value


def _values(hparam: HParam) -> list[Any]:
    if isinstance(hparam.domain, Discrete):
        return hparam.domain.values
    if isinstance(hparam.domain, IntInterval):
        return list(range(hparam.domain.min_value, hparam.domain.max_value + 1))
    raise ValueError(
        f"tune.search(sampler='grid') expected hp.Discrete or hp.IntInterval domains; got "
        f"{hparam.name}={hparam.domain!r}. List the values to try with hp.Discrete, or use sampler='random'."
    )
