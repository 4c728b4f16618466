"""`BatchNormalization(renorm=True)`; the numbers are Keras 2's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

BATCHES = [(np.random.default_rng(0).normal(size=(4, 6, 3))[i] * 2 + 1).astype("float32") for i in range(4)]
CLIPPING = {"rmax": 1.5, "rmin": 0.5, "dmax": 0.3}


def trained(shape: Any = (3,), **kwargs: Any) -> tuple[Any, list[Any]]:
    layer = tf.keras.layers.BatchNormalization(renorm=True, momentum=0.9, **kwargs)
    found = [layer(x.reshape(-1, *shape), training=True).numpy().reshape(-1)[:2] for x in BATCHES]
    return layer, found


@pytest.mark.parametrize("shape", [(3,), (1, 1, 3)], ids=["rows", "images"])
def test_batches_are_corrected_towards_their_averages(shape: Any) -> None:
    layer, found = trained(shape)
    expected = [[1.25146, 0.73579], [1.79906, 3.07643], [-0.31612, 0.72316], [-1.55691, 1.73852]]
    np.testing.assert_allclose(found, expected, atol=2e-5)
    names = [
        "gamma",
        "beta",
        "moving_mean",
        "moving_variance",
        "moving_stddev",
        "renorm_mean",
        "renorm_stddev",
    ]
    assert [w.name.rpartition("/")[2] for w in layer.weights] == [f"{n}:0" for n in names]
    np.testing.assert_allclose(layer.moving_variance, [2.03465, 1.37137, 1.15425], atol=2e-5)
    np.testing.assert_allclose(layer.renorm_stddev, [1.04836, 1.0183, 1.00797], atol=2e-5)
    inferred = layer(BATCHES[0].reshape(-1, *shape)).numpy().reshape(-1)[:2]
    np.testing.assert_allclose(inferred, [0.65743, 0.30903], atol=2e-5)


def test_the_correction_has_bounds() -> None:
    layer, found = trained(renorm_clipping=CLIPPING, renorm_momentum=0.8)
    np.testing.assert_allclose(found[1:3], [[0.61153, 2.34823], [-1.06086, -0.48244]], atol=2e-5)
    np.testing.assert_allclose(layer.renorm_mean, [0.5388, 0.65154, 1.01057], atol=2e-5)


def test_no_gradient_goes_through_the_correction() -> None:
    layer = tf.keras.layers.BatchNormalization(renorm=True, renorm_clipping={"rmax": 1.5, "dmax": 0.3})
    for x in BATCHES[:2]:
        layer(x, training=True)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(BATCHES[2], training=True) ** 2 * tf.constant([1.0, 2.0, 3.0]))
    gamma, beta = tape.gradient(loss, layer.trainable_variables)
    np.testing.assert_allclose(gamma, [28.0751, 56.1447, 57.6488], rtol=1e-5)
    np.testing.assert_allclose(beta, [3.6, 7.2, 10.8], rtol=1e-5)


def test_a_mask_leaves_positions_out() -> None:
    x = np.stack([BATCHES[0], BATCHES[1]])
    mask = np.ones((2, 6), bool)
    mask[:, 4:] = False
    layers = [tf.keras.layers.BatchNormalization(renorm=True) for _ in range(2)]
    masked = layers[0](x, training=True, mask=mask).numpy()[:, :4]
    np.testing.assert_allclose(masked, layers[1](x[:, :4], training=True), rtol=1e-5, atol=1e-5)


def test_its_config_and_what_it_refuses(tmp_path: Path) -> None:
    layer = tf.keras.layers.BatchNormalization(renorm=True, renorm_clipping=CLIPPING, renorm_momentum=0.5)
    config = tf.keras.layers.BatchNormalization.from_config(layer.get_config()).get_config()
    assert (config["renorm"], config["renorm_clipping"], config["renorm_momentum"]) == (True, CLIPPING, 0.5)
    model = tf.keras.Sequential([tf.keras.Input((3,)), layer])
    model.save(tmp_path / "m.keras")
    loaded = tf.keras.models.load_model(tmp_path / "m.keras").layers[0]
    assert loaded.renorm
    assert len(loaded.weights) == len(layer.weights) == 7
    with pytest.raises(ValueError, match="Received invalid keys for `renorm_clipping`"):
        tf.keras.layers.BatchNormalization(renorm=True, renorm_clipping={"max": 1})
    with pytest.raises(ValueError, match="both `fused=True` and `renorm=True`"):
        tf.keras.layers.BatchNormalization(renorm=True, fused=True)
