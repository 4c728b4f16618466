"""Every loader on a small file of the real layout, fetched from a server on loopback."""

import hashlib
import subprocess
import sys

import pytest

import tapeflow.keras.datasets as datasets
from tapeflow.keras.datasets import (
    boston_housing,
    california_housing,
    cifar10,
    cifar100,
    fashion_mnist,
    imdb,
    mnist,
    reuters,
)

LOADERS = [
    (mnist.load_data, mnist, "FILE"),
    (fashion_mnist.load_data, fashion_mnist, "TRAIN_IMAGES"),
    (cifar10.load_data, cifar10, "FILE"),
    (cifar100.load_data, cifar100, "FILE"),
    (imdb.load_data, imdb, "FILE"),
    (imdb.get_word_index, imdb, "WORD_INDEX_FILE"),
    (reuters.load_data, reuters, "FILE"),
    (reuters.get_word_index, reuters, "WORD_INDEX_FILE"),
    (boston_housing.load_data, boston_housing, "FILE"),
    (california_housing.load_data, california_housing, "FILE"),
]


@pytest.mark.parametrize(
    ("load", "module", "attribute"), LOADERS, ids=lambda value: getattr(value, "__module__", "")
)
def test_offline(load, module, attribute, publish, server, home):
    publish(module, attribute, b"")
    source = getattr(module, attribute)
    server.files.clear()
    with pytest.raises(ConnectionError) as caught:
        load()
    text = str(caught.value)
    function = f"tf.keras.datasets.{module.__name__.split('.')[-1]}.{load.__name__}"
    assert text.startswith(f"{function} expected to find {source.name} in the cache or to download")
    assert str(home / source.cache_subdir / source.name) in text
    assert f"SHA-256 {hashlib.sha256(b'').hexdigest()}" in text
    assert "tf.keras.datasets.digits is embedded in TapeFlow" in text


def test_the_package_lists_its_data_sets_and_imports_them_when_asked():
    assert set(datasets.__all__) == {
        *("boston_housing", "california_housing", "cifar10", "cifar100", "digits"),
        *("fashion_mnist", "imdb", "mnist", "reuters"),
    }
    code = (
        "import sys, tapeflow.keras as keras\n"
        "keras.datasets\n"
        "assert 'tapeflow.keras.datasets.digits' not in sys.modules\n"
        "keras.datasets.digits.load_data()\n"
        "assert 'tapeflow.keras.datasets.mnist' not in sys.modules\n"
        "assert 'jax' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
