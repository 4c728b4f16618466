"""Models in ONNX and here, compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import tapeflow as tf

Agrees = Callable[..., dict[str, np.ndarray]]


@pytest.fixture
def agrees(tmp_path: Path) -> Agrees:
    """`agrees(model, *inputs)`: export, run in onnxruntime, compare to 1e-5; gives the results by name."""

    def compared(model: Any, *inputs: np.ndarray, within: float = 1e-5) -> dict[str, np.ndarray]:
        path = tmp_path / "m.onnx"
        model.export(path, format="onnx")
        session = onnxruntime.InferenceSession(str(path))
        names = [o.name for o in session.get_outputs()]
        found = session.run(names, {i.name: x for i, x in zip(session.get_inputs(), inputs, strict=True)})
        expected = tf.nest.flatten(model(list(inputs) if len(inputs) > 1 else inputs[0], training=False))
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.numpy().dtype
            np.testing.assert_allclose(one, other.numpy(), rtol=within, atol=within)
        return dict(zip(names, found, strict=True))

    return compared


@pytest.fixture
def function_model() -> Callable[..., Any]:
    """`function_model(function, shape)`: a model of one function."""

    def made(function: Callable[[Any], Any], shape: Any = (4,), dtype: str = "float32") -> Any:
        x = tf.keras.Input(shape, dtype=dtype, name="x")
        return tf.keras.Model(x, tf.keras.layers.Lambda(function)(x))

    return made
