"""Columns: arrays that are not in memory are read a batch at a time."""

import h5py
import numpy as np
import pytest
from scipy import sparse

from tapeflow.keras.training.sources import make_source
from tapeflow.keras.training.sources.columns import Memory, OnDisk, column


@pytest.fixture
def disk(tmp_path):
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["x"] = np.arange(40.0).reshape(20, 2)
        file["y"] = np.arange(20)
        yield file


@pytest.mark.parametrize("shuffle", [False, True, "batch"])
def test_hdf5_is_read_by_batches(disk, shuffle):
    source = make_source(disk["x"], disk["y"], batch_size=3, shuffle=shuffle, seed=1)
    rows = []
    for group in source.epoch(0, group=2):
        x, y = group.data
        assert x.dtype == np.float32
        np.testing.assert_array_equal(x[..., 0], 2 * y)
        rows += y.ravel().tolist()
    assert sorted(rows) == list(range(20))


def test_hdf5_and_numpy_give_the_same_batches(disk):
    for shuffle in (True, "batch"):
        on_disk = make_source(disk["x"], batch_size=3, shuffle=shuffle, seed=1).epoch(0, group=2)
        loaded = make_source(disk["x"][:], batch_size=3, shuffle=shuffle, seed=1).epoch(0, group=2)
        for a, b in zip(on_disk, loaded, strict=True):
            np.testing.assert_array_equal(a.data, b.data)


def test_sparse_matrices_become_dense_by_batches():
    dense = np.diag(np.arange(5.0))
    (group,) = make_source(sparse.coo_matrix(dense), np.arange(5)).epoch(0)
    np.testing.assert_array_equal(group.data[0], dense.astype(np.float32))


def test_a_memory_map_is_not_loaded(tmp_path):
    mapped = np.memmap(tmp_path / "x", np.float64, "w+", shape=(4, 2))
    assert isinstance(column(mapped), OnDisk)
    assert isinstance(column(np.zeros(3)), Memory)
    assert make_source(mapped).peek().dtype == np.float32


def test_class_weight_reads_labels_from_disk(disk):
    _, y, weight = make_source(disk["x"], disk["y"], class_weight={i: i for i in range(20)}).peek()
    assert weight.tolist() == y.tolist()
