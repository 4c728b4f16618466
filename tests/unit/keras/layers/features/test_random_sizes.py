"""Random parts and sizes of images."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
IMAGES = np.arange(2 * 6 * 7 * 1, dtype="float32").reshape(2, 6, 7, 1)


def test_a_crop_is_one_part_of_all_images() -> None:
    layer = L.RandomCrop(3, 4, seed=1)
    corners = set()
    for _ in range(60):
        y = layer(IMAGES).numpy()
        top, left = divmod(int(y[0, 0, 0, 0]), 7)
        np.testing.assert_array_equal(y, IMAGES[:, top : top + 3, left : left + 4])
        corners.add((top, left))
    assert {t for t, _ in corners} == {0, 1, 2, 3}
    assert {x for _, x in corners} == {0, 1, 2, 3}
    assert layer(IMAGES[0]).shape == (3, 4, 1)


def test_without_training_and_from_small_images_a_crop_resizes_the_middle() -> None:
    expected = L.Resizing(4, 4, crop_to_aspect_ratio=True)(IMAGES).numpy()
    np.testing.assert_allclose(L.RandomCrop(4, 4)(IMAGES, training=False), expected)
    assert L.RandomCrop(12, 5)(IMAGES).shape == (2, 12, 5, 1)
    assert L.RandomCrop(3, 4).compute_output_shape((None, 6, 7, 1)) == (None, 3, 4, 1)


@pytest.mark.parametrize(("cls", "axis"), [(L.RandomHeight, 1), (L.RandomWidth, 2)], ids=["height", "width"])
def test_stretching_changes_one_axis(cls: type, axis: int) -> None:
    layer = cls((0.0, 1.0), seed=3)
    sizes = {layer(IMAGES).shape[axis] for _ in range(20)}
    assert len(sizes) > 2
    assert all(IMAGES.shape[axis] <= s <= 2 * IMAGES.shape[axis] for s in sizes)
    assert layer(IMAGES).shape[3 - axis] == IMAGES.shape[3 - axis]
    np.testing.assert_array_equal(layer(IMAGES, training=False), IMAGES)


@pytest.mark.filterwarnings("ignore:.*run as plain Python")
def test_a_model_trains_on_images_of_random_height() -> None:
    stack = [
        tf.keras.Input((None, None, 1)),
        L.RandomHeight(0.4),
        L.RandomCrop(3, 3),
        L.GlobalMaxPool2D(),
        L.Dense(1),
    ]
    model = tf.keras.Sequential(stack)
    model.compile("sgd", "mse")
    model.fit(IMAGES / 100, np.zeros((2, 1)), epochs=2, verbose=0)
    assert model.predict(IMAGES, verbose=0).shape == (2, 1)


@pytest.mark.parametrize(
    ("factor", "message"),
    [((0.3, 0.1), "an upper bound lesser than the lower"), (1.5, "values larger than -1")],
    ids=str,
)
def test_wrong_factors_are_refused(factor: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        L.RandomHeight(factor)


def test_they_stand_under_their_old_names() -> None:
    old = tf.keras.layers.experimental.preprocessing
    assert old.RandomCrop is L.RandomCrop
    assert old.Rescaling is L.Rescaling
