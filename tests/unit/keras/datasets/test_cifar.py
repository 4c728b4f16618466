"""CIFAR-10 and CIFAR-100, on small files of the real layout from a server on loopback."""

import io
import pickle
import struct
import tarfile

import numpy as np
import pytest

from tapeflow.keras.datasets import (
    cifar10,
    cifar100,
)

RANDOM = np.random.default_rng(0)


def images(*shape):
    return RANDOM.integers(0, 256, shape, dtype=np.uint8)


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
