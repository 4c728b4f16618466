"""The CTC loss against adding up every spelling by hand."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tapeflow.engine.errors import InvalidArgumentError
from tapeflow.engine.values.convert import constant
from tapeflow.ops.nn.ctc import padded_ctc_loss

LOGITS = np.random.default_rng(0).standard_normal((1, 4, 3)).astype(np.float32)


def by_hand(logits: np.ndarray, labels: list[int]) -> float:
    """Minus the log of the sum over all paths that collapse to the labels."""
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(3), repeat=len(logits)):
        spelled = [k for k, _ in itertools.groupby(path) if k != 0]
        if spelled == labels:
            total += float(np.prod([p[t, k] for t, k in enumerate(path)]))
    return -np.log(total)


@pytest.mark.parametrize("labels", [[1], [1, 2], [1, 1], [2, 1, 2], [1, 2, 1, 2], []], ids=str)
def test_sums_over_every_spelling(labels: list[int]) -> None:
    padded = np.array([labels + [0] * (4 - len(labels))])
    np.testing.assert_allclose(
        padded_ctc_loss(LOGITS, padded, blank=0), [by_hand(LOGITS[0], labels)], rtol=1e-5
    )


def test_labels_that_do_not_fit_are_impossible_not_nan() -> None:
    assert float(padded_ctc_loss(LOGITS, np.array([[1, 1, 1, 1]]), blank=0)[0]) > 1e4


def test_half_precision_is_computed_in_float32() -> None:
    half: Any = padded_ctc_loss(constant(LOGITS.astype(np.float16)), np.array([[1, 2]]), blank=0)
    assert half.dtype == "float16"
    np.testing.assert_allclose(half, padded_ctc_loss(LOGITS, np.array([[1, 2]]), blank=0), rtol=1e-2)


def test_logits_must_be_floating() -> None:
    with pytest.raises(InvalidArgumentError, match="CTCLoss expected a floating-point tensor for y_pred"):
        padded_ctc_loss(np.ones((1, 4, 3), int), np.array([[1]]), blank=0)


def test_label_out_of_range() -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"below the 3 classes of y_pred.* a label value of 3 which"
    ):
        padded_ctc_loss(LOGITS, np.array([[1, 3]]), blank=0)
