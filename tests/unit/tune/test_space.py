"""Spaces: what may be searched, and what is refused."""

from __future__ import annotations

import random
import re

import pytest

from tapeflow import tune
from tapeflow.plugins.hparams import api as hp
from tapeflow.tune.space import Space

UNITS = hp.HParam("units", hp.Discrete([8, 16]))


def test_a_list_and_a_dict_say_the_same():
    domains = {"units": hp.Discrete([16, 8]), "rate": hp.RealInterval(0.0, 1.0)}
    listed = [hp.HParam(name, domain) for name, domain in domains.items()]
    assert (
        Space(domains).describe()
        == Space(listed).describe()
        == Space({"units": listed[0], **domains}).describe()
    )
    assert Space(domains).names == ["units", "rate"]


def test_a_grid_has_every_combination_once():
    space = Space({"a": hp.Discrete(["x", "y"]), "b": hp.IntInterval(1, 3), "c": hp.Discrete([True])})
    found = space.grid()
    assert found[0] == {"a": "x", "b": 1, "c": True}
    assert found[1] == {"a": "x", "b": 2, "c": True}
    assert len({tuple(f.values()) for f in found}) == len(found) == 6


def test_logarithmic_domains_sample_evenly_over_magnitudes():
    rng = random.Random(0)
    rates = [tune.LogInterval(1e-4, 1.0).sample_uniform(rng) for _ in range(400)]
    assert 150 < sum(rate < 1e-2 for rate in rates) < 250
    sizes = [tune.LogIntInterval(1, 64).sample_uniform(rng) for _ in range(400)]
    assert 150 < sum(size <= 8 for size in sizes) < 260
    assert {type(size) for size in sizes} == {int}
    assert 1 <= min(sizes) <= max(sizes) <= 64


@pytest.mark.parametrize(
    ("space", "text"),
    [
        ([], "expected hyperparameters of different names; got []"),
        ([UNITS, UNITS], "expected hyperparameters of different names; got ['units', 'units']"),
        ([hp.HParam("units")], "expected a domain for every hyperparameter"),
        ({"a": UNITS}, "expected each HParam under its name; got 'a'"),
        ({"a": hp.Discrete([], dtype=int)}, "expected values in every domain; got a=Discrete([])"),
    ],
    ids=["empty", "twice", "no domain", "another name", "no values"],
)
def test_spaces_that_cannot_be_searched(space, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        Space(space)


@pytest.mark.parametrize("space", [5, "units", {"units": [1, 2]}], ids=["number", "text", "list"])
def test_what_is_no_space(space):
    with pytest.raises(TypeError, match="expected a space of hp.HParam, or a dict of domains by name; got"):
        Space(space)


def test_a_domain_of_somebody_else():
    class Odd(hp.Domain):
        dtype = int
        sample_uniform = update_hparam_info = None

    with pytest.raises(TypeError, match="expected hp.Discrete, hp.IntInterval, hp.RealInterval"):
        Space({"a": Odd()})


def test_values_are_checked_against_the_space():
    space = Space([UNITS, hp.HParam("rate", hp.RealInterval(0.0, 1.0)), hp.HParam("n", hp.IntInterval(1, 5))])
    assert space.check("f", {UNITS: 8, "rate": 1}) == {"units": 8, "rate": 1}
    with pytest.raises(ValueError, match="f expected names of the space, units, rate, n; got 'unit'"):
        space.check("f", {"unit": 8})
    for values in ({"units": 9}, {"units": 8.0}, {"rate": 2.0}, {"n": 1.5}, {"n": True}):
        with pytest.raises(ValueError, match="f expected a value of .*Widen the domain or change the value"):
            space.check("f", values)


def test_a_grid_needs_values_to_list():
    with pytest.raises(
        ValueError, match="expected hp.Discrete or hp.IntInterval domains; got rate=RealInterval"
    ):
        Space({"rate": hp.RealInterval(0.0, 1.0)}).grid()
    with pytest.raises(ValueError, match="expected a grid of at most 1,000,000 combinations; got 4,000,000"):
        Space({"a": hp.IntInterval(1, 2000), "b": hp.IntInterval(1, 2000)}).grid()


@pytest.mark.parametrize("kind", [tune.LogInterval, tune.LogIntInterval])
def test_logarithms_need_positive_bounds(kind):
    least = kind.__mro__[1]._type(0)
    with pytest.raises(ValueError, match=f"{kind.__name__} expected bounds above 0; got min_value=0"):
        kind(least, least + 1)
