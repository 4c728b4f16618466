"""The housing tables, on small files of the real layout from a server on loopback."""

import io

import numpy as np
import pytest

from tapeflow.keras.datasets import (
    boston_housing,
    california_housing,
)


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("module", [boston_housing, california_housing])
def test_housing(module, publish):
    x = np.arange(50.0).reshape(25, 2)
    publish(module, "FILE", npz(x=x, y=np.arange(25.0)))
    (x_train, y_train), (x_test, y_test) = module.load_data()
    assert x_train.shape == (20, 2)
    assert x_test.shape == (5, 2)
    np.testing.assert_array_equal(x_train[:, 0], 2 * y_train)
    assert sorted([*y_train, *y_test]) == list(range(25))
    # What Keras itself gives for this table and its default seed.
    assert y_test.tolist() == [23.0, 12.0, 10.0, 2.0, 5.0]
    (_, other), _ = module.load_data(seed=1)
    assert other.tolist() != y_train.tolist()
    (x_train, _), (x_test, _) = module.load_data(test_split=0.0)
    assert (len(x_train), len(x_test)) == (25, 0)


@pytest.mark.parametrize("module", [boston_housing, california_housing])
@pytest.mark.parametrize("test_split", [-0.1, 1.0, 2])
def test_housing_test_split(module, test_split):
    text = rf"expected 0 <= test_split < 1; got test_split={test_split}"
    with pytest.raises(ValueError, match=text):
        module.load_data(test_split=test_split)


def test_california_housing_versions(publish):
    publish(california_housing, "FILE", npz(x=np.zeros((700, 8)), y=np.arange(700.0)))
    (x_train, y_train), (x_test, y_test) = california_housing.load_data("small")
    assert (len(x_train), len(x_test)) == (480, 120)
    assert max(y_train.max(), y_test.max()) == 599
    with pytest.raises(ValueError, match=r"version to be 'small' or 'large'; got version='tiny'"):
        california_housing.load_data(version="tiny")
