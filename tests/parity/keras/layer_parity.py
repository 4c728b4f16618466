"""Comparing a layer with what Keras 2 gave (from files) and with Keras 3 (in process)."""

from __future__ import annotations

import functools
import inspect
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import numpy as np

import tapeflow as tf

from .fixtures import layer_cases

FIXTURES = Path(__file__).parent / "fixtures"
TOLERANCE: dict[str, Any] = {"rtol": 2e-5, "atol": 2e-5}


@functools.cache
def keras_2() -> dict[str, Any]:
    """The facts of each case, with its arrays."""
    facts = json.loads((FIXTURES / "layers.json").read_text())
    with np.load(FIXTURES / "layers.npz") as stored:
        values = stored["values"]
    start = 0
    for fact in facts.values():
        for key, shape in fact["arrays"].items():
            size = int(np.prod(shape))
            fact["arrays"][key] = values[start : start + size].reshape(shape)
            start += size
    return facts


def made(expression: str, layers: Any) -> Any:
    """The layer of an expression, from one `layers` module or another."""
    return eval(expression, {"L": layers})


def _ready(name: str, entry: Any) -> tuple[Any, Any, list[Any]]:
    layer = made(entry[0], tf.keras.layers)
    inputs = [tf.constant(x) for x in layer_cases.draw(name, entry[1])]
    given = inputs[0] if len(inputs) == 1 else inputs
    layer(given)
    layer.set_weights(layer_cases.draw_weights(name, [tuple(w.shape) for w in layer.weights]))
    return layer, given, inputs


def _trained(layer: Any, given: Any, inputs: list[Any]) -> dict[str, np.ndarray]:
    """The output in training, its gradients, and the weights that the call itself changes."""
    with tf.GradientTape() as tape:
        floats = [x for x in inputs if x.dtype.is_floating]
        for x in floats:
            tape.watch(x)
        output = layer(given, training=True)
        total = tf.reduce_sum(output * layer_cases.factors(tuple(output.shape)))
    by_weight, by_input = tape.gradient(total, (layer.trainable_weights, floats))
    found = {"training": output.numpy()}
    found |= {f"weight_{i}": tf.convert_to_tensor(g).numpy() for i, g in enumerate(by_weight)}
    found |= {f"input_{i}": g.numpy() for i, g in enumerate(by_input)}
    return found | {f"after_{i}": w.numpy() for i, w in enumerate(layer.non_trainable_weights)}


def compare_with_keras_2(name: str, entry: Any) -> None:
    """Values, gradients, weights, shapes, losses and config."""
    fact = keras_2()[name]
    layer, given, inputs = _ready(name, entry)
    found = {"inference": layer(given, training=False).numpy()}
    assert [w.name.split("/")[-1] for w in layer.weights] == fact["weights"]
    shape = [x.shape for x in inputs] if len(inputs) > 1 else given.shape
    said = layer.compute_output_shape(shape)
    assert [d for d, known in zip(said, fact["shape"], strict=True) if known] == [
        d for d in fact["shape"] if d
    ]
    np.testing.assert_allclose([float(x) for x in layer.losses], fact["losses"], rtol=1e-5)
    config = json.loads(json.dumps(layer.get_config()))
    for key, value in fact["config"].items():
        assert _plain(config[key]) == _plain(value), key
    if "no gradient" in entry:
        found["training"] = layer(given, training=True).numpy()
    elif "random" not in entry:
        found |= _trained(layer, given, inputs)
    assert set(found) == set(fact["arrays"])
    tolerance: dict[str, Any] = {"atol": 2e-3} if "rounded" in entry else TOLERANCE
    for key, value in found.items():
        np.testing.assert_allclose(value, fact["arrays"][key], err_msg=key, **tolerance)


def _plain(value: Any) -> Any:
    """A value of a config without the module that newer Keras writes beside a class, and floats rounded."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if k not in ("module", "registered_name")}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return round(value, 6) if isinstance(value, float) else value


def compare_with_keras_3(keras: ModuleType, name: str, entry: Any) -> None:
    """Values and gradients, the weights being copied."""
    layer, given, inputs = _ready(name, entry)
    other = made(entry[0], keras.layers)
    arrays = [x.numpy() for x in inputs]
    peer_given = arrays[0] if len(arrays) == 1 else arrays
    other(peer_given)
    phase = {"training": False} if "training" in inspect.signature(other.call).parameters else {}
    other.set_weights(layer.get_weights())
    found, expected = layer(given, training=False).numpy(), np.asarray(other(peer_given, **phase))
    np.testing.assert_allclose(found, expected, **TOLERANCE)
    assert [tuple(w.shape) for w in layer.weights] == [tuple(w.shape) for w in other.weights]
    if "random" in entry or "no gradient" in entry or not inputs[0].dtype.is_floating:
        return

    def total(weights: Any, arguments: Any) -> Any:
        first = arguments[0] if len(arguments) == 1 else arguments
        frozen = [v.value for v in other.non_trainable_variables]
        output, after = other.stateless_call(weights, frozen, first, **dict.fromkeys(phase, True))
        return (output * layer_cases.factors(output.shape)).sum(), (output, after)

    weights = [v.value for v in other.trainable_variables]
    (by_weight, by_input), (output, after) = jax.grad(total, argnums=(0, 1), has_aux=True)(weights, arrays)
    expected = {"training": output}
    expected |= {f"weight_{i}": g for i, g in enumerate(by_weight)}
    expected |= {f"input_{i}": g for i, g in enumerate(by_input)}
    expected |= {f"after_{i}": w for i, w in enumerate(after)}
    for key, value in _trained(layer, given, inputs).items():
        np.testing.assert_allclose(value, np.asarray(expected[key]), err_msg=key, **TOLERANCE)
