"""Arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import backend as K


def test_logsumexp_of_all_elements() -> None:
    assert float(K.logsumexp(tf.constant([1.0, 2.0]))) == pytest.approx(np.log(np.exp([1, 2]).sum()))
