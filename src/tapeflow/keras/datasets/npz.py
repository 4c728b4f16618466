"""Reads `.npz` archives, ragged (object) arrays included, without trusting their pickles."""

import io
import zipfile
from pathlib import Path

import numpy as np

from tapeflow.keras.datasets.unpickle import load_inert

HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def load_npz(path: Path, where: str) -> dict[str, np.ndarray]:
    """Return every array of an archive by name.

    `np.load` reads object arrays only with `allow_pickle=True`, which runs whatever the file says.
    Here plain arrays are read by NumPy with pickling off, and object arrays by `load_inert`.
    """
    with zipfile.ZipFile(path) as archive:
        return {
            name.removesuffix(".npy"): _read_array(archive.read(name), f"{where} ({name})")
            for name in archive.namelist()
            if name.endswith(".npy")
        }


def _read_array(data: bytes, where: str) -> np.ndarray:
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version in HEADER_READERS:
        shape, _, dtype = HEADER_READERS[version](file)
        if dtype.hasobject:
            array = load_inert(file, where)
            if not isinstance(array, np.ndarray) or array.shape != shape:
                raise ValueError(
                    f"{where} expected an object array of shape {shape}; "
                    f"got {type(array).__name__}. Delete the file and load again."
                )
            return array
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)
