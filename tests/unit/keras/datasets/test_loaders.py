"""Every loader on a small file of the real layout, fetched from a server on loopback."""

import gzip
import hashlib
import io
import json
import pickle
import struct
import subprocess
import sys
import tarfile

import numpy as np
import pytest

import tapeflow.keras.datasets as datasets
from tapeflow.keras.datasets import (
    boston_housing,
    california_housing,
    cifar10,
    cifar100,
    digits,
    fashion_mnist,
    imdb,
    mnist,
    reuters,
)

RANDOM = np.random.default_rng(0)


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def ragged(*texts):
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def images(*shape):
    return RANDOM.integers(0, 256, shape, dtype=np.uint8)


# --- digits


def test_digits_are_embedded_and_split():
    (x_train, y_train), (x_test, y_test) = digits.load_data()
    assert x_train.shape == (1437, 8, 8)
    assert x_test.shape == (360, 8, 8)
    assert {a.dtype for a in (x_train, y_train, x_test, y_test)} == {np.dtype(np.uint8)}
    assert (x_train.min(), x_train.max()) == (0, 16)
    assert sorted(set(y_train)) == sorted(set(y_test)) == list(range(10))
    assert y_train[:10].tolist() == list(range(10))
    # The first image is a zero: a ring with a hole in it.
    assert x_train[0, 3].tolist() == [0, 4, 12, 0, 0, 8, 8, 0]


def test_digits_are_the_ones_scikit_learn_ships():
    (x_train, y_train), (x_test, y_test) = digits.load_data()
    content = b"".join(array.tobytes() for array in (x_train, x_test, y_train, y_test))
    # Of sklearn.datasets.load_digits(): images, then target, as bytes.
    digest = "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"
    assert hashlib.sha256(content).hexdigest() == digest


# --- images


def test_mnist(publish):
    made = {
        "x_train": images(6, 28, 28),
        "y_train": images(6),
        "x_test": images(2, 28, 28),
        "y_test": images(2),
    }
    publish(mnist, "FILE", npz(**made))
    (x_train, y_train), (x_test, y_test) = mnist.load_data()
    for name, array in zip(made, (x_train, y_train, x_test, y_test), strict=True):
        np.testing.assert_array_equal(array, made[name])
        assert array.dtype == np.uint8


def test_mnist_under_another_name(publish, home, tmp_path):
    publish(mnist, "FILE", npz(x_train=[1], y_train=[1], x_test=[1], y_test=[1]))
    mnist.load_data("mine.npz")
    mnist.load_data(path=str(tmp_path / "far" / "away.npz"))
    assert (home / "datasets" / "mine.npz").exists()
    assert (tmp_path / "far" / "away.npz").exists()


def idx(array: np.ndarray) -> bytes:
    header = bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape)
    return gzip.compress(header + array.tobytes())


def publish_fashion(publish, **replaced):
    made = {
        "TRAIN_IMAGES": idx(images(5, 28, 28)),
        "TRAIN_LABELS": idx(images(5)),
        "TEST_IMAGES": idx(images(3, 28, 28)),
        "TEST_LABELS": idx(images(3)),
    } | replaced
    for attribute, body in made.items():
        publish(fashion_mnist, attribute, body)


def test_fashion_mnist(publish, home):
    train, labels = images(5, 28, 28), images(5)
    publish_fashion(publish, TRAIN_IMAGES=idx(train), TRAIN_LABELS=idx(labels))
    (x_train, y_train), (x_test, y_test) = fashion_mnist.load_data()
    np.testing.assert_array_equal(x_train, train)
    np.testing.assert_array_equal(y_train, labels)
    assert x_test.shape == (3, 28, 28)
    assert y_test.shape == (3,)
    assert x_train.dtype == y_train.dtype == np.uint8
    assert x_train.flags.writeable
    assert (home / "datasets/fashion-mnist/train-images-idx3-ubyte.gz").exists()


@pytest.mark.parametrize(
    "body",
    [gzip.compress(b""), idx(images(5)), idx(images(5, 2, 2))[:-1]],
    ids=["empty", "rank 1", "cut off"],
)
def test_fashion_mnist_of_another_layout(publish, body):
    publish_fashion(publish, TEST_IMAGES=body)
    with pytest.raises((ValueError, EOFError), match=r"expected t10k-images|end-of-stream"):
        fashion_mnist.load_data()


def python2_pickle(batch: dict) -> bytes:
    """A dict of arrays and lists as Python 2 pickled it, which is how CIFAR is stored."""

    def string(value: bytes) -> bytes:
        return b"T" + struct.pack("<i", len(value)) + value

    def integer(value: int) -> bytes:
        return b"J" + struct.pack("<i", value)

    def array(value: np.ndarray) -> bytes:
        shape = b"(" + b"".join(integer(n) for n in value.shape) + b"t"
        dtype = b"cnumpy\ndtype\n" + string(b"u1") + b"K\x00K\x01\x87R"
        dtype += b"(K\x03" + string(b"|") + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
        empty = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        return empty + b"(K\x01" + shape + dtype + b"\x89" + string(value.tobytes()) + b"tb"

    def item(value) -> bytes:
        if isinstance(value, np.ndarray):
            return array(value)
        return b"](" + b"".join(integer(n) for n in value) + b"e"

    body = b"".join(string(key) + item(value) for key, value in batch.items())
    return b"\x80\x02}(" + body + b"u."


def tar(members: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, body in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    return file.getvalue()


def cifar10_members() -> dict[str, bytes]:
    return {
        name: python2_pickle({b"data": images(2, 3072), b"labels": [i, 9 - i]})
        for i, name in enumerate((*cifar10.TRAIN_MEMBERS, cifar10.TEST_MEMBER))
    }


def test_cifar10(publish, home):
    data = images(2, 3072)
    members = cifar10_members()
    members[cifar10.TRAIN_MEMBERS[1]] = python2_pickle({b"data": data, b"labels": [3, 4]})
    publish(cifar10, "FILE", tar({"../../escaped": b"harm", **members}))
    (x_train, y_train), (x_test, y_test) = cifar10.load_data()
    assert x_train.shape == (10, 32, 32, 3)
    assert x_test.shape == (2, 32, 32, 3)
    assert y_train.tolist() == [[0], [9], [3], [4], [2], [7], [3], [6], [4], [5]]
    assert y_test.tolist() == [[5], [4]]
    assert x_train.dtype == y_train.dtype == y_test.dtype == np.uint8
    # A row of the file holds the red plane, then the green, then the blue.
    np.testing.assert_array_equal(x_train[3, :, :, 1].ravel(), data[1, 1024:2048])
    assert [p.name for p in home.rglob("*") if p.is_file()] == ["cifar-10-batches-py.tar.gz"]


def test_cifar10_takes_the_archive_that_keras_3_cached(publish, server, home):
    publish(cifar10, "FILE", tar(cifar10_members()))
    cached = home / "datasets" / "cifar-10-batches-py-target_archive"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(server.files[cifar10.FILE.name])
    cifar10.load_data()
    assert server.requests == []


def test_cifar10_does_not_follow_links(publish, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(python2_pickle({b"data": images(2, 3072), b"labels": [0, 1]}))
    members = cifar10_members()
    del members[cifar10.TEST_MEMBER]
    publish(cifar10, "FILE", tar(members, links={cifar10.TEST_MEMBER: str(secret)}))
    with pytest.raises(ValueError, match=r"got none of the name 'cifar-10-batches-py/test_batch'"):
        cifar10.load_data()


def test_cifar10_refuses_a_hostile_batch(publish):
    members = cifar10_members() | {cifar10.TEST_MEMBER: b"cos\nsystem\n(S'exit 1'\ntR."}
    publish(cifar10, "FILE", tar(members))
    text = r"cifar10\.load_data \(cifar-10-batches-py/test_batch\) expected .* got os\.system"
    with pytest.raises(pickle.UnpicklingError, match=text):
        cifar10.load_data()


def test_cifar100(publish):
    made = images(3, 3072)
    members = {
        cifar100.TRAIN_MEMBER: {
            b"data": made,
            b"fine_labels": [7, 99, 0],
            b"coarse_labels": [1, 19, 0],
        },
        cifar100.TEST_MEMBER: {
            b"data": images(1, 3072),
            b"fine_labels": [5],
            b"coarse_labels": [2],
        },
    }
    body = tar({name: python2_pickle(batch) for name, batch in members.items()})
    publish(cifar100, "FILE", body)
    (x_train, y_train), (x_test, y_test) = cifar100.load_data()
    assert x_train.shape == (3, 32, 32, 3)
    assert x_test.shape == (1, 32, 32, 3)
    np.testing.assert_array_equal(x_train[2, 0, :, 2], made[2, 2048:2080])
    assert y_train.tolist() == [[7], [99], [0]]
    assert y_test.dtype == np.int64
    (_, y_train), (_, y_test) = cifar100.load_data("coarse")
    assert y_train.tolist() == [[1], [19], [0]]
    assert y_test.tolist() == [[2]]


def test_cifar100_of_another_layout(publish):
    body = tar({name: python2_pickle({b"x": []}) for name in (cifar100.TRAIN_MEMBER,)})
    publish(cifar100, "FILE", body)
    with pytest.raises(ValueError, match=r"to hold b'data' and b'fine_labels'; got keys=\[b'x'\]"):
        cifar100.load_data()


def test_cifar100_label_mode():
    text = r"expected label_mode to be 'fine' or 'coarse'; got label_mode='medium'"
    with pytest.raises(ValueError, match=text):
        cifar100.load_data("medium")


# --- tables


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


# --- texts

TEXTS = [[1, 2, 3], [4], [1, 9, 1, 1], [5, 6], [7, 8]]


@pytest.fixture
def imdb_file(publish):
    labels = np.array([0, 1, 0, 1, 1])
    body = npz(x_train=ragged(*TEXTS), y_train=labels, x_test=ragged(*TEXTS), y_test=1 - labels)
    publish(imdb, "FILE", body)


@pytest.fixture
def reuters_file(publish):
    publish(reuters, "FILE", npz(x=ragged(*TEXTS), y=np.array([10, 11, 12, 13, 14])))


def by_label(x, y) -> dict[int, list[int]]:
    return dict(zip(y.tolist(), x.tolist(), strict=True))


def test_imdb(imdb_file):
    (x_train, y_train), (x_test, y_test) = imdb.load_data()
    assert x_train.shape == x_test.shape == (5,)
    assert x_train.dtype == object
    assert y_train.dtype == np.int64
    # 12, the largest number, falls to the limit that it sets itself: see limit_vocabulary.
    expected = [[1, 4, 5, 6], [1, 4, 2, 4, 4], [1, 7], [1, 8, 9], [1, 10, 11]]
    assert sorted(x_train.tolist()) == sorted(x_test.tolist()) == sorted(expected)
    assert all(type(text) is list for text in x_train)
    # What Keras itself gives for these texts and its default seed.
    assert [text[1] for text in x_train] == [7, 4, 8, 4, 10]
    assert y_train.tolist() == [1, 0, 1, 0, 1]
    assert [text[1] for text in x_test] == [8, 4, 7, 10, 4]
    assert y_test.tolist() == [0, 1, 0, 0, 1]


def test_imdb_maxlen_applies_to_both_parts(imdb_file):
    (x_train, y_train), (x_test, _) = imdb.load_data(maxlen=3)
    assert x_train.tolist() == x_test.tolist() == [[1, 2]]
    assert y_train.tolist() == [1]
    with pytest.raises(ValueError, match=r"imdb\.load_data expected texts shorter than maxlen; "):
        imdb.load_data(maxlen=2)


def test_reuters_words_can_be_left_out(reuters_file):
    def load(**options):
        (x, y), (x_test, y_test) = reuters.load_data(**options)
        return by_label(np.concatenate([x, x_test]), np.concatenate([y, y_test]))

    assert load(num_words=7) == {
        10: [1, 4, 5, 6],
        11: [1, 2],
        12: [1, 4, 2, 4, 4],
        13: [1, 2, 2],
        14: [1, 2, 2],
    }
    assert load(num_words=7, skip_top=5, oov_char=None) == {
        10: [5, 6],
        11: [],
        12: [],
        13: [],
        14: [],
    }
    assert load(num_words=100, start_char=None, index_from=0)[12] == [1, 9, 1, 1]
    assert load(num_words=100, start_char=None, index_from=2)[12] == [3, 11, 3, 3]
    assert load(num_words=100, start_char=7, oov_char=9, skip_top=4)[10] == [7, 4, 5, 6]
    assert load(maxlen=4, num_words=100) == {11: [1, 7], 13: [1, 8, 9], 14: [1, 10, 11]}


def test_reuters_split_and_seed(reuters_file):
    (x_train, y_train), (x_test, y_test) = reuters.load_data()
    assert (len(x_train), len(x_test)) == (4, 1)
    assert [*y_train, *y_test] == [11, 10, 13, 12, 14]
    assert len(reuters.load_data(test_split=0.4)[1][0]) == 2
    assert reuters.load_data(seed=0)[0][1].tolist() != y_train.tolist()
    # Lists of one length still make an array of lists.
    assert x_test.shape == (1,)
    with pytest.raises(ValueError, match=r"got maxlen=1, which leaves none\. Increase maxlen\."):
        reuters.load_data(maxlen=1)


@pytest.mark.parametrize("module", [imdb, reuters])
def test_the_old_name_of_num_words(module, imdb_file, reuters_file):
    with pytest.warns(FutureWarning, match="nb_words is now called num_words") as caught:
        old = module.load_data(nb_words=7)
    assert caught[0].filename == __file__
    assert old[0][0].tolist() == module.load_data(num_words=7)[0][0].tolist()
    with pytest.raises(TypeError, match=r"load_data expected the keyword .* got num_word\."):
        module.load_data(num_word=7)


@pytest.mark.parametrize("module", [imdb, reuters])
def test_word_index(module, publish):
    index = {"the": 1, "naïve": 2}
    publish(module, "WORD_INDEX_FILE", json.dumps(index, ensure_ascii=False).encode())
    assert module.get_word_index() == index


def test_reuters_label_names():
    names = reuters.get_label_names()
    assert len(names) == len(set(names)) == 46
    assert (names[0], names[3], names[45]) == ("cocoa", "earn", "lead")


# --- all of them

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
