"""Reads `.npz` archives, ragged (object) arrays included, without trusting their pickles or their sizes."""

import io
import math
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError

import numpy as np

from tapeflow.keras.datasets.source import max_unpacked_bytes
from tapeflow.keras.datasets.unpickle import load_inert

HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def load_npz(path: Path, where: str, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return arrays of an archive by name.

    `np.load` reads object arrays only with `allow_pickle=True`, which runs whatever the file says, and takes
    memory for whatever shape a header claims. Here object arrays are read by `load_inert`, and others after their
    shape was found to be that of the bytes there are.

    Raises:
        ValueError: The archive is damaged, or would unpack to far more than it has.
        pickle.UnpicklingError: An object array is more than plain values.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            wanted = {f"{name}.npy": name for name in names}
            members = [info for info in archive.infolist() if info.filename in wanted]
            _check_members(members, max_unpacked_bytes(path), where)
            if sorted(info.filename for info in members) != sorted(wanted):
                raise ValueError(
                    f"{where} expected the arrays {', '.join(names)}, each once; got "
                    f"{[info.filename for info in members]!r}. Delete the file and load again."
                )
            return {
                wanted[info.filename]: _read_member(archive, info, f"{where} ({info.filename})")
                for info in members
            }
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(
            f"{where} expected an archive of arrays; got one that cannot be read ({error}). Delete the file and load "
            "again."
        ) from error


def _check_members(members: list[zipfile.ZipInfo], limit: int, where: str) -> None:
    size = sum(info.file_size for info in members)
    if size > limit:
        raise ValueError(
            f"{where} expected an archive that unpacks to at most {limit} bytes; got one of {size}. Delete the file "
            "and load again."
        )
    if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in members):
        raise ValueError(
            f"{where} expected arrays that are stored or deflated; got another kind of compression. Delete the file "
            "and load again."
        )


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> np.ndarray:
    with archive.open(info) as member:
        data = member.read(info.file_size)  # without a size it would unpack whatever there is
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        if version not in HEADER_READERS:
            raise ValueError(f"version {version} of the format")
        shape, is_fortran, dtype = HEADER_READERS[version](file)
    except (ValueError, TypeError, SyntaxError, TokenError, RecursionError, MemoryError) as error:
        raise ValueError(
            f"{where} expected an array; got a header that cannot be read: {error}. Delete the file and load again."
        ) from error
    content = data[file.tell() :]
    if dtype.hasobject:
        array = load_inert(content, where)
        if not isinstance(array, np.ndarray) or array.shape != shape:
            raise ValueError(
                f"{where} expected an object array of shape {shape}; "
                f"got {type(array).__name__}. Delete the file and load again."
            )
        return array
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError(
            f"{where} expected the bytes of an array of shape {shape} and dtype {dtype}; got {len(content)}. Delete "
            "the file and load again."
        )
    return np.frombuffer(content, dtype).reshape(shape, order="F" if is_fortran else "C").copy()
