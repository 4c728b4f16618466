import builtins
import io
import os
import pickle
import pickletools
import struct
import subprocess
import zipfile

import numpy as np
import pytest

from tapeflow.keras.datasets.npz import load_npz
from tapeflow.keras.datasets.unpickle import load_inert


class Calls:
    """Pickles as a call, which is how a hostile file runs code."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def load(data: bytes):
    return load_inert(data, "loader")


def object_array(*items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


@pytest.mark.parametrize("protocol", [3, 4])
@pytest.mark.parametrize(
    "array",
    [
        np.arange(12, dtype=np.uint8).reshape(3, 4),
        np.asfortranarray(np.arange(6, dtype="<i8").reshape(2, 3)),
        np.arange(3, dtype=">f4"),
        np.array([True, False]),
        np.zeros((0, 3), dtype=np.float64),
    ],
    ids=lambda array: f"{array.dtype.str}{array.shape}",
)
def test_arrays_come_back_as_they_were(array, protocol):
    result = load(pickle.dumps(array, protocol=protocol))
    assert type(result) is np.ndarray
    assert result.dtype == array.dtype
    assert result.flags.writeable
    np.testing.assert_array_equal(result, array)


def test_ragged_arrays_and_the_old_name_of_numpy_core():
    data = pickle.dumps(object_array([1, 2], [], [70000, 2**40]), protocol=3)
    for name in (b"numpy._core.multiarray", b"numpy.core.multiarray"):
        result = load(data.replace(b"numpy._core.multiarray", name))
        assert result.tolist() == [[1, 2], [], [70000, 2**40]]


def test_dicts_hold_arrays():
    result = load(pickle.dumps({b"data": np.arange(3), b"labels": [1, 2]}, protocol=4))
    assert result[b"data"].tolist() == [0, 1, 2]
    assert result[b"labels"] == [1, 2]


@pytest.mark.parametrize(
    ("hostile", "named"),
    [
        (Calls(os.system, "echo harm > harm"), "system"),
        (Calls(builtins.eval, "1"), r"builtins?\w*\.eval"),
        (Calls(subprocess.Popen, ["touch", "harm"]), "Popen"),
        (Calls(getattr, "", "join"), r"builtins?\w*\.getattr"),
        (Calls(np.load, "harm.npy"), "numpy"),
        (np.float64(1.0), "scalar"),
        ([Calls(os.system, "echo harm > harm")], "system"),
        (object_array(Calls(os.system, "echo harm > harm")), "(system|encode)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_a_pickle_that_calls_anything_else_is_refused(hostile, named, protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pickle.UnpicklingError, match=f"got .*{named}") as caught:
        load(pickle.dumps(hostile, protocol=protocol))
    assert str(caught.value).startswith("loader expected a pickle of plain arrays, lists and numbers")
    assert "Nothing in it was run." in str(caught.value)
    assert list(tmp_path.iterdir()) == []


NDARRAY, DTYPE = b"cnumpy\nndarray\n", b"cnumpy\ndtype\n"
RECONSTRUCT = b"cnumpy._core.multiarray\n_reconstruct\n"


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(NDARRAY + b"(K\x05tR", id="calls ndarray"),
        pytest.param(NDARRAY + b"}b", id="rebuilds the class ndarray"),
        pytest.param(RECONSTRUCT + b"N}X\x01\x00\x00\x00aK\x01s\x86b", id="changes a stand-in class"),
        pytest.param(RECONSTRUCT + DTYPE + b"K\x00\x85X\x01\x00\x00\x00b\x87R", id="array of class dtype"),
        pytest.param(RECONSTRUCT + NDARRAY + b"K\x00\x85X\x01\x00\x00\x00b\x87R", id="array without a state"),
        pytest.param(b"cnumpy\nndarray.__class__\n", id="attribute of a stand-in"),
        pytest.param(b"\x8c\x05numpy\x8c\x13ndarray.__init__.__x\x93", id="dotted name"),
        pytest.param(b"X\x01\x00\x00\x00aQ", id="persistent id"),
        pytest.param(b"}q\x00h\x00h\x00s", id="dict as its own key"),
        pytest.param(b"}q\x00K\x01h\x00s", id="dict inside itself"),
        pytest.param(b"K", id="cut off"),
        pytest.param(b"", id="empty"),
        pytest.param(b"hello", id="no pickle"),
    ],
)
def test_a_hand_made_pickle_is_refused(program):
    with pytest.raises(pickle.UnpicklingError, match="loader expected a pickle of plain arrays"):
        load(b"\x80\x04" + program + b".")


@pytest.mark.parametrize(
    ("code", "state", "data"),
    [
        pytest.param("O8", (3, "|", None, None, None, -1, -1, 0), b"\x41" * 8, id="pointers"),
        pytest.param("O8", (3, "|", None, None, None, -1, -1, 0), [], id="too few objects"),
        pytest.param("u1", (3, "|", None, None, None, -1, -1, 0), b"", id="too few bytes"),
        pytest.param("u1", (3, "|", None, ("a",), {"a": 1}, -1, -1, 0), b"a", id="fields"),
        pytest.param("V8", (3, "|", None, None, None, -1, -1, 0), b"a" * 8, id="void"),
        pytest.param("u1", (3, "?!", None, None, None, -1, -1, 0), b"a", id="byte order"),
        pytest.param("f1", (3, "<", None, None, None, -1, -1, 0), b"a", id="no such dtype"),
        pytest.param("u1", (), b"a", id="empty state"),
        pytest.param(7, (3, "|", None, None, None, -1, -1, 0), b"a", id="code"),
    ],
)
def test_an_array_whose_description_lies_is_refused(code, state, data):
    """NumPy's own __setstate__ would believe the first of these and read stray memory."""
    with pytest.raises(pickle.UnpicklingError, match="loader expected a pickle of plain arrays"):
        load(described_array(code, state, (1,), data))


@pytest.mark.parametrize("shape", [(-1,), [1], (True,), ("a",), None])
def test_an_array_whose_shape_lies_is_refused(shape):
    state = (3, "|", None, None, None, -1, -1, 0)
    with pytest.raises(pickle.UnpicklingError, match="an array of shape"):
        load(described_array("u1", state, shape, b"a"))


def described_array(code, state, shape, data) -> bytes:
    """The pickle of an array, from parts of a free choice."""

    def body(value) -> bytes:
        return pickle.dumps(value, protocol=3)[2:-1].replace(b"q\x00", b"").replace(b"q\x01", b"")

    flags = b"\x89\x88\x87R"
    dtype = DTYPE + body(code) + flags + body(state) + b"b"
    empty = RECONSTRUCT + NDARRAY + b"K\x00\x85C\x01b\x87R"
    return b"\x80\x03" + empty + b"(K\x01" + body(shape) + dtype + b"\x89" + body(data) + b"tb."


def test_the_maker_of_described_arrays_makes_sound_ones_too():
    data = described_array("i2", (3, ">", None, None, None, -1, -1, 0), (2,), b"\x00\x01\x00\x02")
    pickletools.dis(data, out=io.StringIO())
    assert load(data).tolist() == [1, 2]


def npy(header: dict, body: bytes, version=(1, 0)) -> bytes:
    text = repr(header).encode().ljust(117) + b"\n"
    length = struct.pack("<H" if version == (1, 0) else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text + body


def save(path, **arrays) -> None:
    with open(path, "wb") as file:
        np.savez(file, **arrays)


def test_npz_archives_with_ragged_and_plain_arrays(tmp_path):
    path = tmp_path / "a.npz"
    save(path, x=object_array([1, 2], [3]), y=np.array([0, 1]))
    arrays = load_npz(path, "loader", ("x", "y"))
    assert arrays["x"].tolist() == [[1, 2], [3]]
    assert arrays["y"].tolist() == [0, 1]


def test_a_hostile_npz_archive_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save("a.npz", x=object_array(Calls(os.system, "echo harm > harm")))
    with pytest.raises(pickle.UnpicklingError, match=r"loader \(x\.npy\) expected .* got .*system"):
        load_npz(tmp_path / "a.npz", "loader", ("x",))
    assert not (tmp_path / "harm").exists()


def test_npz_members_of_other_kinds(tmp_path):
    header = {"descr": "|O", "fortran_order": False, "shape": (1,)}
    members = {
        "list": npy(header, pickle.dumps([1])),
        "wrong_shape": npy(header, pickle.dumps(object_array([1], [2]))),
        "version_3": npy(header, pickle.dumps(object_array([1])), version=(3, 0)),
    }
    for name, data in members.items():
        path = tmp_path / f"{name}.npz"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("x.npy", data)
        with pytest.raises(
            ValueError, match=r"expected an object array of shape|version .3, 0. of the format"
        ):
            load_npz(path, "loader", ("x",))
