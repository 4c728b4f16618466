"""Ops against TensorFlow: results, dtypes, shapes and types of errors, from fixtures made with TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

from .op_cases import CASES, VALUES

FIXTURES = Path(__file__).parent / "fixtures"
# What we raise where TensorFlow lets a bare Python error out, and for any index out of range.
CLEARER = {
    "AttributeError": ("TypeError", "ValueError", "InvalidArgumentError"),
    "OutOfRangeError": ("InvalidArgumentError",),
}
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2}
# TensorFlow reads the cubic kernel from a table of 1024 steps; we compute it.
ROUGH = ("'bicubic', antialias=False",)


def answers(topic: str) -> dict[str, Any]:
    rows = (FIXTURES / f"ops_{topic}.jsonl").read_text().splitlines()
    return {row["expression"]: row["answer"] for row in map(json.loads, rows)}


# Of the operators, each of which compiles some twenty functions, a few stand for all in the quick tests.
QUICK = ("Diag(P[0])", "LowerTriangular(S)", "Householder(V)", "Permutation([2")


def marks(expression: str) -> list[pytest.MarkDecorator]:
    is_slow = expression.startswith("ALL(") and not any(part in expression for part in QUICK)
    return [pytest.mark.slow] if is_slow else []


ROWS = [
    pytest.param(topic, e, given, id=f"{topic}: {e}", marks=marks(e))
    for topic in CASES
    for e, given in answers(topic).items()
]


@pytest.mark.parametrize("topic", CASES)
def test_the_fixture_answers_every_expression(topic: str) -> None:
    assert list(answers(topic)) == CASES[topic]


@pytest.mark.parametrize(("topic", "expression", "answer"), ROWS)
def test_op_gives_what_tensorflow_gives(topic: str, expression: str, answer: Any) -> None:
    names = {"tf": tf, "keras": tf.keras, **VALUES}
    if isinstance(answer, dict):
        name = answer["error"]
        assert kind_of_error(expression, names) in (name, *CLEARER.get(name, ()))
        return
    found = [tf.convert_to_tensor(v) for v in tf.nest.flatten(eval(expression, names))]
    assert len(found) == len(answer)
    for tensor, wanted in zip(found, answer, strict=True):
        assert (tensor.dtype.name, list(tensor.shape)) == (wanted["dtype"], wanted["shape"])
        compare(tensor, wanted, 5e-4 if any(part in expression for part in ROUGH) else 2e-5)


def kind_of_error(expression: str, names: dict[str, Any]) -> str | None:
    try:
        eval(expression, names)
    except (TypeError, ValueError, tf.errors.OpError, NotImplementedError) as error:
        return type(error).__name__
    return None


def compare(tensor: Any, wanted: dict[str, Any], limit: float) -> None:
    array = np.ravel(np.asarray(tensor.numpy(), object if tensor.dtype is tf.string else None))
    if tensor.dtype is tf.string:
        assert [v.decode() for v in array] == wanted["values"]
        return
    if tensor.dtype.is_complex:
        array = array.view(np.real(array).dtype)
    values = np.array([float(v) for v in wanted["values"]])
    if tensor.dtype.is_floating or tensor.dtype.is_complex:
        limit = TOLERANCE.get(tensor.dtype.name, limit)
        np.testing.assert_allclose(array.astype(float), values, rtol=limit, atol=limit)
    else:
        np.testing.assert_array_equal(array.astype(float), values)
