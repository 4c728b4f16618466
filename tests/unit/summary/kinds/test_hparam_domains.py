"""Domains of hyperparameters: samples and refusals."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tapeflow.summary.kinds.hparam_domains import Discrete, Domain, HParam, IntInterval, Metric, RealInterval


@pytest.mark.parametrize(
    ("domain", "dtype"),
    [
        (IntInterval(2, 4), int),
        (RealInterval(0.0, 1.0), float),
        (Discrete([1, 2]), int),
        (Discrete(["a", "b"]), str),
        (Discrete([True]), bool),
        (Discrete([0.5]), float),
    ],
    ids=["int", "real", "ints", "texts", "bools", "floats"],
)
def test_samples_are_of_the_domain(domain: Domain, dtype: type) -> None:
    rng = random.Random(0)
    assert domain.dtype is dtype
    samples = [domain.sample_uniform(rng) for _ in range(50)]
    assert all(type(sample) is dtype for sample in samples)
    if isinstance(domain, Discrete):
        assert set(samples) == set(domain.values)
    elif isinstance(domain, (IntInterval, RealInterval)):
        assert all(domain.min_value <= sample <= domain.max_value for sample in samples)


def test_values_are_sorted_and_safe() -> None:
    domain = Discrete([3, 1, 2])
    domain.values.append(4)
    assert domain.values == [1, 2, 3]


def test_a_hyperparameter_tells_what_it_is() -> None:
    found = HParam("a", Discrete([1]), "A", "about")
    assert (found.name, found.display_name, found.description, found.domain.values) == (
        "a",
        "A",
        "about",
        [1],
    )


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: IntInterval(1.0, 2), TypeError, "IntInterval expected min_value to be of type int; got"),
        (lambda: RealInterval(0.0, 2), TypeError, "RealInterval expected max_value to be of type float; got"),
        (lambda: RealInterval(2.0, 1.0), ValueError, r"min_value not to be above max_value; got 2.0 > 1.0"),
        (lambda: Discrete([]), ValueError, "empty domain with no dtype"),
        (lambda: Discrete([None]), ValueError, "unknown dtype"),
        (lambda: Discrete([1, "a"]), TypeError, "dtype mismatch"),
        (lambda: HParam("a", [1, 2]), ValueError, r"not a domain: \[1, 2\]"),
        (lambda: Metric("a", dataset_type=9), ValueError, "invalid dataset type: 9"),
    ],
    ids=["int", "real", "order", "empty", "dtype", "mixed", "domain", "metric"],
)
def test_wrong_arguments_raise(make: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()
