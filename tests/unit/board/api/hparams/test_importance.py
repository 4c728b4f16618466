from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow.board.api.hparams.importance import importance_of
from tapeflow.board.api.hparams.schema import HParamColumn, HParamKind


def column(name: str, values: Any, kind: HParamKind = "number") -> HParamColumn:
    return {
        "name": name,
        "display_name": "",
        "description": "",
        "kind": kind,
        "differs": True,
        "values": list(values),
    }


def search(count: int) -> tuple[list[HParamColumn], list[float | str | None]]:
    """Learning rate matters most, and not monotonically; then the optimizer; noise, a seed and a constant do not."""
    rng = np.random.default_rng(0)
    rate = 10 ** rng.uniform(-5, -1, count)
    optimizer = rng.choice(["adam", "sgd", "rmsprop"], count)
    reached = -((np.log10(rate) + 3) ** 2) + 1.5 * (optimizer == "adam") + 0.05 * rng.normal(size=count)
    hparams = [
        column("seed", [f"run-{i}" for i in range(count)], "string"),
        column("noise", rng.normal(size=count).tolist()),
        column("constant", [3.0] * count),
        column("optimizer", optimizer.tolist(), "string"),
        column("rate", rate.tolist()),
    ]
    return hparams, reached.tolist()


def test_what_matters_comes_first() -> None:
    found = importance_of(*search(150))
    by_name = {one["name"]: one for one in found["hparams"]}
    assert [one["name"] for one in found["hparams"][:2]] == ["rate", "optimizer"]
    assert found["sessions"] == 150
    assert found["explained"] is not None
    assert found["explained"] > 0.7
    rate, seed, noise = (by_name[name]["importance"] for name in ("rate", "seed", "noise"))
    assert rate is not None
    assert seed is not None
    assert noise is not None
    assert rate > 0.3
    assert max(seed, noise) < 0.05
    # A rank correlation does not see a best value in the middle; that is what the forest is for.
    assert abs(by_name["rate"]["correlation"] or 0) < 0.3
    assert by_name["optimizer"]["correlation"] is not None
    assert by_name["seed"]["correlation"] is None
    assert by_name["constant"] == {
        "name": "constant",
        "display_name": "",
        "kind": "number",
        "is_constant": True,
        "importance": None,
        "error": None,
        "correlation": None,
    }


def test_the_same_answer_every_time() -> None:
    assert importance_of(*search(40)) == importance_of(*search(40))


def test_correlation_has_a_sign_and_survives_infinities() -> None:
    rate = [float(i) for i in range(20)]
    loss: list[float | str | None] = [-value for value in rate]
    loss[0], loss[19] = "Infinity", "-Infinity"
    found = importance_of([column("rate", rate)], loss)
    assert found["hparams"][0]["correlation"] == -1.0
    assert found["sessions"] == 20


def test_it_says_when_nothing_can_be_said() -> None:
    few = importance_of([column("x", range(4))], [1.0, 2.0, 3.0, None])
    assert few["reason"] == "it takes at least 10 sessions with a value of this metric; there are 3"
    assert (few["explained"], few["hparams"][0]["importance"]) == (None, None)
    assert few["hparams"][0]["correlation"] == 1.0
    same = importance_of([column("x", [1.0] * 20)], [float(i) for i in range(20)])
    assert same["reason"] == "no hparam differs between these sessions"
    flat = importance_of([column("x", [float(i) for i in range(20)])], [0.5] * 20)
    assert flat["reason"] == "the metric has the same value in all sessions"
    assert importance_of([], ["NaN"] * 20)["sessions"] == 0


def test_missing_and_strange_values_are_values_of_their_own() -> None:
    values: list[Any] = [None, "NaN", "Infinity", "-Infinity", 1.0] * 8
    found = importance_of([column("x", values)], [float(i % 5) for i in range(40)])
    assert found["explained"] is not None
    assert all(math.isfinite(found["hparams"][0][key] or 0) for key in ("importance", "error", "correlation"))


def test_chance_explains_nothing() -> None:
    rng = np.random.default_rng(1)
    hparams = [column(f"x{i}", rng.normal(size=60).tolist()) for i in range(5)]
    found = importance_of(hparams, rng.normal(size=60).tolist())
    assert found["explained"] is not None
    assert found["explained"] < 0.1
