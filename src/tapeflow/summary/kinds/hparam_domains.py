"""Hyperparameters, the values they may take, and metrics, in the abstract: what an experiment is made of."""

from __future__ import annotations

import abc
import random
from collections.abc import Iterable
from typing import Any

from tapeflow.summary.protos import message

_STRING, _BOOL, _FLOAT = 1, 2, 3  # hparams.proto's DataType
TYPES: dict[type, tuple[int, str]] = {
    bool: (_BOOL, "bool_value"),
    int: (_FLOAT, "number_value"),
    float: (_FLOAT, "number_value"),
    str: (_STRING, "string_value"),
}
"""For each type of value the number of its kind, and the field of a Value message that holds it."""


class Domain(abc.ABC):
    """The values a hyperparameter may take."""

    @property
    @abc.abstractmethod
    def dtype(self) -> type:
        """`bool`, `int`, `float` or `str`."""

    @abc.abstractmethod
    def sample_uniform(self, rng: Any = random) -> Any:
        """One of the values, each as likely as the others; `rng` is a `random.Random`."""

    @abc.abstractmethod
    def update_hparam_info(self, hparam_info: Any) -> None:
        """Note type and domain in an HParamInfo message."""


class _Interval(Domain):
    """All values from one bound to another, both included."""

    _type: type

    def __init__(self, min_value: Any = None, max_value: Any = None) -> None:
        for where, value in (("min_value", min_value), ("max_value", max_value)):
            if not isinstance(value, self._type):
                raise TypeError(
                    f"{type(self).__name__} expected {where} to be of type {self._type.__name__}; got "
                    f"{where}={value!r}."
                )
        if min_value > max_value:
            raise ValueError(
                f"{type(self).__name__} expected min_value not to be above max_value; got {min_value!r} > "
                f"{max_value!r}."
            )
        self._min_value = min_value
        self._max_value = max_value

    def __str__(self) -> str:
        return f"[{self._min_value}, {self._max_value}]"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._min_value!r}, {self._max_value!r})"

    @property
    def dtype(self) -> type:
        return self._type

    @property
    def min_value(self) -> Any:
        """The least value."""
        return self._min_value

    @property
    def max_value(self) -> Any:
        """The largest value."""
        return self._max_value

    def update_hparam_info(self, hparam_info: Any) -> None:
        hparam_info.type = _FLOAT
        hparam_info.domain_interval.min_value = self._min_value
        hparam_info.domain_interval.max_value = self._max_value


class IntInterval(_Interval):
    """All integers from one to another, both included."""

    _type = int

    def sample_uniform(self, rng: Any = random) -> int:
        return rng.randint(self._min_value, self._max_value)


class RealInterval(_Interval):
    """All floats from one to another."""

    _type = float

    def sample_uniform(self, rng: Any = random) -> float:
        return rng.uniform(self._min_value, self._max_value)


class Discrete(Domain):
    """A few values of one type.

    Args:
        values: the values.
        dtype: their type, which must be given if there are none.
    """

    def __init__(self, values: Iterable[Any], dtype: type | None = None) -> None:
        self._values = list(values)
        if dtype is None:
            if not self._values:
                raise ValueError("Discrete expected values or a dtype; got an empty domain with no dtype.")
            dtype = type(self._values[0])
        if dtype not in TYPES:
            raise ValueError(
                f"Discrete expected bool, int, float or str; got dtype={dtype!r}: unknown dtype."
            )
        self._dtype = dtype
        for value in self._values:
            if not isinstance(value, dtype):
                raise TypeError(
                    f"Discrete expected values of one type, {dtype.__name__}; got {value!r}: dtype mismatch."
                )
        self._values.sort()

    def __str__(self) -> str:
        return "{" + ", ".join(map(repr, self._values)) + "}"

    def __repr__(self) -> str:
        return f"Discrete({self._values!r})"

    @property
    def dtype(self) -> type:
        return self._dtype

    @property
    def values(self) -> list[Any]:
        """The values, sorted."""
        return list(self._values)

    def sample_uniform(self, rng: Any = random) -> Any:
        return rng.choice(self._values)

    def update_hparam_info(self, hparam_info: Any) -> None:
        hparam_info.type, field = TYPES[self._dtype]
        hparam_info.ClearField("domain_discrete")
        hparam_info.domain_discrete.SetInParent()
        for value in self._values:
            setattr(hparam_info.domain_discrete.values.add(), field, value)


class HParam:
    """A hyperparameter of an experiment, not bound to a value.

    Args:
        name: its name, which must be the only one of its kind in the experiment.
        domain: the values it may take.
        display_name: what the board shows instead of the name.
        description: a text about it, in Markdown.
    """

    def __init__(
        self,
        name: str,
        domain: Domain | None = None,
        display_name: str | None = None,
        description: str | None = None,
    ) -> None:
        if domain is not None and not isinstance(domain, Domain):
            raise ValueError(
                f"HParam expected a Domain, such as Discrete([16, 32]); got domain={domain!r}: not a domain: "
                f"{domain!r}."
            )
        self._name = name
        self._domain = domain
        self._display_name = display_name
        self._description = description

    def __str__(self) -> str:
        return f"<HParam {self._name!r}: {self._domain}>"

    def __repr__(self) -> str:
        return (
            f"HParam(name={self._name!r}, domain={self._domain!r}, display_name={self._display_name!r}, "
            f"description={self._description!r})"
        )

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def domain(self) -> Any:
        """The values it may take; None if that is not known."""
        return self._domain

    @property
    def display_name(self) -> str | None:
        """What the board shows instead of the name."""
        return self._display_name

    @property
    def description(self) -> str | None:
        """A text about it."""
        return self._description

    def as_proto(self) -> Any:
        """An HParamInfo message."""
        found = message("hparams.HParamInfo")(
            name=self._name, display_name=self._display_name, description=self._description
        )
        if self._domain is not None:
            self._domain.update_hparam_info(found)
        return found


class Metric:
    """A scalar that trials are judged by.

    Args:
        tag: the tag of the scalar.
        group: the folder below the trial's that it is logged in, such as "validation"; "" for the trial's own.
        display_name: what the board shows instead of the tag.
        description: a text about it, in Markdown.
        dataset_type: `Metric.TRAINING`, `Metric.VALIDATION`, or None.
    """

    TRAINING = 1
    VALIDATION = 2

    def __init__(
        self,
        tag: str,
        group: str | None = None,
        display_name: str | None = None,
        description: str | None = None,
        dataset_type: int | None = None,
    ) -> None:
        if dataset_type not in (None, Metric.TRAINING, Metric.VALIDATION):
            raise ValueError(
                "Metric expected Metric.TRAINING, Metric.VALIDATION or None; got an invalid dataset type: "
                f"{dataset_type!r}."
            )
        self._tag = tag
        self._group = group
        self._display_name = display_name
        self._description = description
        self._dataset_type = dataset_type

    def as_proto(self) -> Any:
        """A MetricInfo message."""
        return message("hparams.MetricInfo")(
            name=message("hparams.MetricName")(group=self._group, tag=self._tag),
            display_name=self._display_name,
            description=self._description,
            dataset_type=self._dataset_type,
        )
