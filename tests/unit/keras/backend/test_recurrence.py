"""`keras.backend.rnn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.keras import backend as K


def test_rnn_takes_variables_and_arrays() -> None:
    """`K.zeros` and `K.ones` are Variables."""

    def step(x: Any, states: Any) -> Any:
        return x + states[0], [x + states[0]]

    last, outputs, states = K.rnn(step, K.ones((1, 3, 2)), [K.zeros((1, 2))])
    assert outputs.numpy().tolist() == [[[1, 1], [2, 2], [3, 3]]]
    assert last.numpy().tolist() == states[0].numpy().tolist() == [[3, 3]]
    assert K.rnn(step, np.ones((1, 2, 1), "float32"), [np.ones((1, 1), "float32")])[0].numpy() == 3
